# SPDX-License-Identifier: Apache-2.0
"""Files of Slang nodes are found again when the scene is saved in another folder."""

from __future__ import annotations

import bpy
import pytest

import weft_blender
from blender.test_slang_following import enabled, follow, following, material
from blender.test_slang_nodes import WAVE

__all__ = ["enabled", "following", "material"]  # fixtures

HELPED = """
import helper;
float helped(float x) { return shaped(x) + 1; }
"""


@pytest.fixture
def scene(material, tmp_path):
    """A scene beside two sources, one of which imports a third."""
    material.use_fake_user = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    (tmp_path / "wave.slang").write_text(WAVE)
    (tmp_path / "helper.slang").write_text("public float shaped(float x) { return 2 * x; }\n")
    (tmp_path / "helped.slang").write_text(HELPED)
    for name in ("wave", "helped"):
        weft_blender.add_node(material, tmp_path / f"{name}.slang")
    return tmp_path


def sources():
    tree = bpy.data.materials["m"].node_tree
    return [weft_blender.node_source(node) for node in tree.nodes]


def assert_followed(scene, following):
    """Change both sources and see that their nodes follow."""
    follow(following)
    assert [found.error for found in sources()] == ["", ""]
    wave, helper = scene / "wave.slang", scene / "helper.slang"
    wave.write_text(wave.read_text().replace("float shift", "float gain = 2, float shift"))
    helper.write_text("public float shaped(float x) { return 3 * x * x; }\n")
    tree = bpy.data.materials["m"].node_tree
    follow(following, until=lambda: any("Gain" in node.inputs for node in tree.nodes))
    follow(following)
    assert [found.error for found in sources()] == ["", ""]


@pytest.mark.parametrize("is_reopened", [False, True])
def test_a_scene_saved_elsewhere_follows_its_sources(scene, following, is_reopened):
    other = scene / "a" / "b" / "moved.blend"
    other.parent.mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(other))
    if is_reopened:
        bpy.ops.wm.open_mainfile(filepath=str(other))

    assert {found.source for found in sources()} == {
        "file://../../wave.slang",
        "file://../../helped.slang",
    }
    assert_followed(scene, following)


def test_a_copy_has_its_own_paths(scene, following):
    before = [found.source for found in sources()]
    other = scene / "a" / "copy.blend"
    other.parent.mkdir()
    bpy.ops.wm.save_as_mainfile(filepath=str(other), copy=True)

    assert [found.source for found in sources()] == before
    assert_followed(scene, following)
    bpy.ops.wm.open_mainfile(filepath=str(other))
    assert {found.source for found in sources()} == {
        "file://../wave.slang",
        "file://../helped.slang",
    }


def test_a_save_that_fails_moves_nothing(scene, following):
    before = [found.source for found in sources()]
    with pytest.raises(RuntimeError):
        bpy.ops.wm.save_as_mainfile(filepath=str(scene / "no" / "folder" / "x.blend"))

    assert [found.source for found in sources()] == before
    assert_followed(scene, following)


def test_saving_again_in_place_changes_nothing(scene):
    trees = {tree.name: tree["weft_slang"] for tree in bpy.data.node_groups if "weft_slang" in tree}
    bpy.ops.wm.save_as_mainfile(filepath=str(scene / "other.blend"))
    assert trees == {
        tree.name: tree["weft_slang"] for tree in bpy.data.node_groups if "weft_slang" in tree
    }
