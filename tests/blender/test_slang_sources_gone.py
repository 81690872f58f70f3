# SPDX-License-Identifier: Apache-2.0
"""Sources that cannot be read: one sentence at the node, which goes on computing what it did."""

from __future__ import annotations

import shutil

import bpy
import pytest

import weft_blender
from blender.test_slang_following import enabled, follow, following, material
from blender.test_slang_nodes import WAVE, text_block

__all__ = ["enabled", "following", "material"]  # fixtures


def deleted(path):
    path.unlink()


def made_a_folder(path):
    path.unlink()
    path.mkdir()


def no_utf8(path):
    path.write_bytes(b"float f(float x) { return x; } // \xff\xfe")


def a_nul(path):
    path.write_bytes(WAVE.encode() + b"\0")


def empty(path):
    path.write_text("")


def without_the_function(path):
    path.write_text("float another(float x) { return x; }\n")


WAYS = {
    deleted: "gone",
    made_a_folder: "gone",
    no_utf8: "UTF-8",
    a_nul: "UTF-8|NUL|zero",
    empty: "wave",
    without_the_function: "wave",
}


def nodes_of(tree):
    return [(node.bl_idname, node.name) for node in tree.nodes]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_source_that_cannot_be_read(material, following, tmp_path, way):
    path = tmp_path / "wave.slang"
    path.write_text(WAVE)
    node = weft_blender.add_node(material, path, shift=0.5)
    follow(following)
    before = nodes_of(node.node_tree)

    way(path)
    follow(following, until=lambda: weft_blender.node_source(node).error != "")

    error = weft_blender.node_source(node).error
    assert any(word in error for word in WAYS[way].split("|")), error
    assert "wave" in error
    assert nodes_of(node.node_tree) == before
    assert node.inputs["Shift"].default_value == 0.5

    if path.is_dir():
        shutil.rmtree(path)
    path.write_text(WAVE)
    follow(following, until=lambda: weft_blender.node_source(node).error == "")


def test_imports_in_a_circle_do_no_harm(material, following, tmp_path):
    path = tmp_path / "wave.slang"
    path.write_text(WAVE)
    node = weft_blender.add_node(material, path)
    follow(following)

    (tmp_path / "other.slang").write_text("import wave;\n")
    path.write_text("import other;\n" + WAVE.replace("float shift", "float gain = 2, float shift"))
    follow(following, until=lambda: "Gain" in node.inputs)

    assert weft_blender.node_source(node).error == ""


def test_a_renamed_text_is_followed(material, following):
    text = text_block(WAVE)
    node = weft_blender.add_node(material, text)
    follow(following)

    text.name = "other.slang"
    follow(following)
    found = weft_blender.node_source(node)
    assert (found.source, found.error) == ("text:other.slang", "")

    text_block(WAVE.replace("float shift", "float gain = 2, float shift"), "other.slang")
    follow(following, until=lambda: "Gain" in node.inputs)
    text_block("float another(float x) { return x; }\n", "wave.slang")
    follow(following)
    assert weft_blender.node_source(node).error == ""


def test_a_broken_source_of_many_nodes(material, following):
    text = text_block(WAVE)
    nodes = [weft_blender.add_node(material, text) for _ in range(300)]
    follow(following)
    assert len({node.node_tree for node in nodes}) == 1

    text.clear()
    text.write(WAVE.replace("sin(", "sinn("))
    follow(following, until=lambda: weft_blender.node_source(nodes[0]).error != "")
    assert all("sinn" in weft_blender.node_source(node).error for node in nodes)

    text.clear()
    text.write(WAVE)
    follow(following, until=lambda: weft_blender.node_source(nodes[0]).error == "")


def test_a_linked_group_stays_as_its_library_has_it(material, following, tmp_path):
    path = tmp_path / "wave.slang"
    path.write_text(WAVE)
    node = weft_blender.add_node(material, path)
    node.node_tree.use_fake_user = True
    group = node.node_tree.name
    file = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(file, link=True) as (_there, here):
        here.node_groups = [group]
    tree = bpy.data.node_groups[group]
    before = nodes_of(tree)

    path.write_text(WAVE.replace("float shift", "float gain = 2, float shift"))
    follow(following)

    assert nodes_of(tree) == before
    other = bpy.data.materials.new("other")
    if other.node_tree is None:
        other.use_nodes = True
    user = other.node_tree.nodes.new("ShaderNodeGroup")
    user.node_tree = tree
    weft_blender.set_source(user, text_block(WAVE))
    assert user.node_tree.library is None
    assert nodes_of(tree) == before
