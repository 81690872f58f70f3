# SPDX-License-Identifier: Apache-2.0
"""Nodes follow their texts and files; nothing runs when nothing changed."""

from __future__ import annotations

import importlib
import subprocess
import sys
import time

import bpy
import pytest

import weft
import weft_blender
from blender.test_slang_nodes import SUM, WAVE, links_of, text_block, value_node
from support.patience import at_most

WRONG = WAVE.replace("sin(", "sinn(")


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture
def material():
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made


@pytest.fixture
def following(enabled):
    return importlib.import_module("addon.ui.slang_nodes.following")


def follow(following, seconds=20.0, until=None):
    """Call the timer as Blender does until it has nothing to do; return the longest call."""
    updater = following.updater()
    longest, end = 0.0, time.monotonic() + seconds
    quiet = 0
    while time.monotonic() < end and quiet < 3:
        start = time.perf_counter()
        following.tick()
        longest = max(longest, time.perf_counter() - start)
        quiet = quiet + 1 if updater.is_idle and (until is None or until()) else 0
        time.sleep(0.005)
    assert quiet == 3, "the updater has not come to an end"
    return longest


def test_a_text_is_followed(material, following):
    node = weft_blender.add_node(material, text_block(WAVE), shift=0.5)
    source = value_node(material.node_tree)
    material.node_tree.links.new(source.outputs[0], node.inputs["Frequency"])
    follow(following)

    text_block(WAVE.replace("float shift", "float gain = 2, float shift"))
    follow(following, until=lambda: "Gain" in node.inputs)

    assert links_of(node) == {"Frequency": source.name}
    assert node.inputs["Gain"].default_value == 2
    assert node.inputs["Shift"].default_value == 0.5

    text_block(WRONG)
    follow(following, until=lambda: weft_blender.node_source(node).error)
    assert "sinn" in weft_blender.node_source(node).error
    assert "Gain" in node.inputs

    text_block(WAVE)
    follow(following, until=lambda: not weft_blender.node_source(node).error)
    assert "Gain" not in node.inputs


def test_a_text_that_changes_before_it_was_looked_at_is_followed(material, following):
    follow(following)
    node = weft_blender.add_node(material, text_block(WAVE))

    text_block(WAVE.replace("float shift", "float gain = 2, float shift"))

    follow(following, until=lambda: "Gain" in node.inputs)


def test_a_file_and_what_it_imports_are_followed(material, following, tmp_path):
    (tmp_path / "part.slang").write_text("float part(float x) { return x; }\n")
    path = tmp_path / "whole.slang"
    path.write_text('import "part";\nfloat whole(float x) { return part(x); }\n')
    node = weft_blender.add_node(material, path)
    follow(following)
    before = weft_blender.node_source(node)

    (tmp_path / "part.slang").write_text("float part(float x) { return x * x + 7; }\n")
    follow(following, until=lambda: len(node.node_tree.nodes) > 2)

    assert before.error == weft_blender.node_source(node).error == ""


def test_nothing_runs_when_nothing_changed(material, following, monkeypatch):
    weft_blender.add_node(material, text_block(WAVE))
    rebuilding = importlib.import_module("addon.blender.slang_nodes.rebuilding")
    calls = []
    monkeypatch.setattr(rebuilding, "prepare_all", lambda *given: calls.append(given) or [])
    follow(following)

    node = next(n for n in material.node_tree.nodes if n.bl_idname == "ShaderNodeGroup")
    node.inputs["Shift"].default_value = 3
    text_block(WAVE)  # the same text
    follow(following)

    assert calls == []


def test_a_comment_builds_nothing(material, following):
    node = weft_blender.add_node(material, text_block(WAVE))
    follow(following)
    inside = [entry.as_pointer() for entry in node.node_tree.nodes]

    text_block(WAVE + "// another one\n")
    follow(following)

    assert [entry.as_pointer() for entry in node.node_tree.nodes] == inside
    assert weft_blender.refresh() == 0


def test_steps_of_a_large_function_are_short(material, following):
    body = "".join(f"    x = sin(x * {k + 1}.5f + y) + cos(y - x);\n" for k in range(300))
    large = f"float large(float x, float y)\n{{\n{body}    return x;\n}}\n"
    node = weft_blender.add_node(material, text_block(large))
    follow(following)

    before = following.updater().updated
    text_block(large.replace("return x", "return x + 1"))
    longest = follow(following, until=lambda: following.updater().updated > before)

    print(f"longest step {1000 * longest:.0f} ms")
    assert weft_blender.node_source(node).error == ""


def test_edited_groups_are_kept(material, following):
    node = weft_blender.add_node(material, text_block(WAVE))
    follow(following)
    extra = node.node_tree.nodes.new("ShaderNodeMath")

    text_block(WAVE.replace("float shift", "float gain = 2, float shift"))
    follow(following, until=lambda: weft_blender.node_source(node).error)

    assert extra.name in node.node_tree.nodes
    assert "edited by hand" in weft_blender.node_source(node).error
    material.node_tree.nodes.active = node
    rebuild = importlib.import_module("addon.blender.slang_nodes.nodes").rebuild
    rebuild(node.node_tree)
    assert "Gain" in node.inputs
    assert weft_blender.node_source(node).error == ""


def test_undo_while_a_node_is_being_made(material, following):
    text_block(WAVE)
    node = weft_blender.add_node(material, "wave.slang")
    name = node.name
    follow(following)
    bpy.ops.ed.undo_push(message="added")
    text_block(WAVE.replace("float shift", "float gain = 2, float shift"))
    updater = following.updater()
    end = time.monotonic() + 20
    while updater.stepper is None and time.monotonic() < end:
        following.tick()
        time.sleep(0.005)
    following.forget()  # what undo does first

    follow(following)

    node = bpy.data.materials["m"].node_tree.nodes[name]
    assert weft_blender.node_source(node).error == ""


def test_sources_that_changed_while_the_file_was_closed(material, following, tmp_path):
    path = tmp_path / "wave.slang"
    path.write_text(WAVE)
    material.use_fake_user = True
    weft_blender.add_node(material, path, shift=0.5)
    file = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    path.write_text(WAVE.replace("float shift", "float gain = 2, float shift"))

    bpy.ops.wm.open_mainfile(filepath=file)
    node = bpy.data.materials["m"].node_tree.nodes["Nice Wave"]
    follow(following, until=lambda: "Gain" in node.inputs)

    assert node.inputs["Shift"].default_value == 0.5


OPEN = """
import sys, time
import bpy
sys.path.insert(0, {root!r})
import addon
addon.register()
start = time.perf_counter()
bpy.ops.wm.open_mainfile(filepath={file!r})
with_it = time.perf_counter() - start
from addon.ui.slang_nodes import following
for _ in range(5):
    following.tick()
engine = [name for name in sys.modules if name == "weft" or name.startswith("weft.")]
addon.unregister()
start = time.perf_counter()
bpy.ops.wm.open_mainfile(filepath={file!r})
without = time.perf_counter() - start
print("ADDED", with_it - without, "ENGINE", engine, flush=True)
import os
os._exit(0)
"""


def test_opening_a_file_starts_nothing(material, repository, tmp_path):
    text = text_block(SUM)
    material.use_fake_user = True
    for number in range(200):
        weft_blender.add_node(material, text, build={"rounds": number % 20 + 1})
    file = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)

    found = subprocess.run(
        [sys.executable, "-c", OPEN.format(root=str(repository), file=file)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    print(found)
    words = found.split("ADDED")[1].split()
    assert words[2:] == ["[]"]
    assert float(words[0]) < at_most(0.1)


def test_appended_materials_share_groups(material, tmp_path):
    text = text_block(WAVE)
    text.use_fake_user = material.use_fake_user = True
    node = weft_blender.add_node(material, text, frequency=7)
    source = value_node(material.node_tree)
    material.node_tree.links.new(source.outputs[0], node.inputs["Place"])
    file = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)

    # Another file of the same function.
    bpy.ops.wm.read_factory_settings(use_empty=True)
    made = bpy.data.materials.new("other")
    if made.node_tree is None:
        made.use_nodes = True
    weft_blender.add_node(made, text_block(WAVE))
    for _ in range(2):
        with bpy.data.libraries.load(file) as (given, wanted):
            wanted.materials = list(given.materials)
    join = importlib.import_module("addon.blender.slang_nodes.joining").join_equal_groups
    join()

    groups = {
        entry.node_tree.name
        for found in bpy.data.materials
        for entry in found.node_tree.nodes
        if entry.bl_idname == "ShaderNodeGroup"
    }
    assert len(bpy.data.materials) == 3
    assert groups == {"Nice Wave"}
    for found in bpy.data.materials:
        if found == made:
            continue
        node = next(n for n in found.node_tree.nodes if n.bl_idname == "ShaderNodeGroup")
        assert links_of(node) == {"Place": "Value"}
        assert node.inputs["Frequency"].default_value == 7


def test_linked_groups_are_left_alone(material, tmp_path):
    material.use_fake_user = True
    weft_blender.add_node(material, text_block(WAVE))
    file = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(file, link=True) as (given, wanted):
        wanted.materials = list(given.materials)
    linked = bpy.data.materials[0]
    node = next(n for n in linked.node_tree.nodes if n.bl_idname == "ShaderNodeGroup")

    with pytest.raises(weft.ArgumentError, match=r"linked from .*library.blend.*make it local"):
        weft_blender.add_node(linked, text_block(WAVE))
    with pytest.raises(weft.ArgumentError, match="make it local"):
        weft_blender.set_source(node, text_block(SUM), "sum")
    with pytest.raises(weft.ArgumentError, match="make it local"):
        weft_blender.refresh()


def test_without_the_extension_the_file_shows_its_nodes(enabled, material, tmp_path):
    material.use_fake_user = True
    node = weft_blender.add_node(material, text_block(WAVE), shift=0.5)
    count = len(node.node_tree.nodes)
    file = str(tmp_path / "scene.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    enabled.unregister()
    try:
        bpy.ops.wm.open_mainfile(filepath=file)
        node = bpy.data.materials["m"].node_tree.nodes["Nice Wave"]
        assert node.inputs["Shift"].default_value == 0.5
        assert len(node.node_tree.nodes) == count
        assert {n.bl_idname for n in node.node_tree.nodes} <= {
            "NodeGroupInput",
            "NodeGroupOutput",
            "ShaderNodeMath",
            "ShaderNodeSeparateXYZ",
        }
    finally:
        enabled.register()
