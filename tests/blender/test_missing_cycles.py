# SPDX-License-Identifier: Apache-2.0
"""What is missing in a file looks as it does in Cycles."""

from __future__ import annotations

import bpy
import pytest

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_plane,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
    difference,
)


class Gone(bpy.types.ShaderNode):
    """A node of an extension."""

    bl_idname, bl_label = "WeftTestNode", "Gone"

    def init(self, _context):
        self.outputs.new("NodeSocketColor", "Color")


def add_scene(kind):
    """Add a floor whose colour comes from a node."""
    add_camera()
    add_sun()
    material = add_material("torn", (0.7, 0.5, 0.2))
    tree = material.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    tree.links.new(tree.nodes.new(kind).outputs[0], shader.inputs["Base Color"])
    add_plane().data.materials.append(material)


def without_image(_folder):
    add_scene("ShaderNodeTexImage")


def lost_image(folder):
    image = bpy.data.images.new("lost", 4, 4)
    image.source, image.filepath = "FILE", str(folder / "lost.png")
    return image


def without_file(folder):
    add_scene("ShaderNodeTexImage")
    nodes = bpy.data.materials["torn"].node_tree.nodes
    next(n for n in nodes if n.type == "TEX_IMAGE").image = lost_image(folder)
    return ["its file", "pink"]


def without_sky(folder):
    add_camera()
    add_plane().data.materials.append(add_material("floor", (0.7, 0.5, 0.2)))
    tree = add_world()
    node = tree.nodes.new("ShaderNodeTexEnvironment")
    node.image = lost_image(folder)
    background = next(n for n in tree.nodes if n.type == "BACKGROUND")
    tree.links.new(node.outputs[0], background.inputs["Color"])
    return ["its file", "pink"]


def without_extension(folder):
    path = str(folder / "gone.blend")
    bpy.utils.register_class(Gone)
    add_scene("WeftTestNode")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.utils.unregister_class(Gone)
    bpy.ops.wm.open_mainfile(filepath=path)
    kinds = {node.bl_idname for node in bpy.data.materials["torn"].node_tree.nodes}
    assert "NodeUndefined" in kinds


@pytest.mark.parametrize("change", [without_image, without_extension, without_file, without_sky])
def test_what_is_missing_looks_as_in_cycles(device, tmp_path, change):
    named = change(tmp_path) or []

    picture, exported = by_weft(device)

    said = " ".join(map(str, exported.problems))
    assert all(words in said for words in named)
    assert bool(said) == bool(named)
    apart = difference(picture, by_cycles(tmp_path))
    assert apart.mean < 0.01
    assert apart.block < 0.02
