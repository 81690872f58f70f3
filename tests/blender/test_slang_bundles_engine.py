# SPDX-License-Identifier: Apache-2.0
"""Bundles in Weft's engine: it shows what Cycles shows, and fits what is put into them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.graphs import read_graph
from addon.core.graph.compile import compile_material

import weft_blender
from blender.test_slang_nodes import text_block
from weft import image

pytestmark = pytest.mark.skipif(bpy.app.version < (5, 2, 0), reason="this Blender has no bundles")
SIZE = 32
STRIPES = """import weft.node;
struct Wave { float count = 3; float3 place; }
struct Stripes
{
    Wave wave;
    [Color] float3 dark = 0.1f;
    [Color] float3 light = float3(1, 0.8f, 0.5f);
}
[Bundle] Stripes turned([Bundle] Stripes stripes, float angle = 0.4f)
{
    float3 p = stripes.wave.place;
    stripes.wave.place.x = cos(angle) * p.x - sin(angle) * p.y;
    return stripes;
}
[Color] float3 color([Bundle] Stripes stripes)
{
    float x = stripes.wave.place.x * stripes.wave.count;
    return lerp(stripes.dark, stripes.light, 0.5f + 0.5f * sin(6.2831853f * x));
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture
def tree():
    """The nodes of a material that a plane before a camera shows."""
    scene = bpy.context.scene
    material = bpy.data.materials.new("Wall")
    material.node_tree.nodes.clear()
    bpy.ops.mesh.primitive_plane_add(size=4)
    bpy.context.object.data.materials.append(material)
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.camera.location = (0, 0, 6)
    scene.collection.objects.link(scene.camera)
    scene.render.engine = "CYCLES"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.cycles.samples, scene.cycles.use_denoising = 64, False
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    return material.node_tree


def shine(tree, output):
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(output, emission.inputs["Color"])
    tree.links.new(emission.outputs[0], end.inputs["Surface"])


def colored(tree, **wave):
    """Add two nodes with a bundle between them, and what puts a bundle together before them."""
    uv = tree.nodes.new("ShaderNodeTexCoord").outputs["UV"]
    text = text_block(STRIPES)
    stripes = {"wave": {"place": uv, **wave}, "light": (0.2, 0.9, 0.4)}
    first = weft_blender.add_node(tree, text, "turned", stripes=stripes)
    return first, weft_blender.add_node(tree, text, "color", stripes=first.outputs[0])


def difference(path):
    """Return the mean difference of the engine's picture and that of Cycles."""
    bpy.context.scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    cycles = image.read(path, encoding="linear")[..., :3]
    own = weft_blender.render(samples=64)["color"][..., :3]
    assert cycles.std() > 0.05
    return float(np.abs(own - cycles).mean())


def test_the_engine_shows_what_cycles_shows(tree, tmp_path):
    _, node = colored(tree, count=2)
    shine(tree, node.outputs[0])

    found = compile_material(read_graph(tree), {}, "Wall")

    assert list(found.problems) == []
    names = sorted(entry.parameter for entry in found.bindings)
    assert "Wall.Combine Bundle.Light" in names
    assert 'Wall."Combine Bundle.001".Count' in names
    assert "Wall.Turned.Angle" in names
    assert difference(str(tmp_path / "wall.exr")) < 2e-3


def test_bundles_go_through_groups_reroutes_and_separate_bundles(tree, tmp_path):
    first, _ = colored(tree)
    inner = bpy.data.node_groups.new("inner", "ShaderNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        inner.interface.new_socket("Bundle", in_out=direction, socket_type="NodeSocketBundle")
    entry, end = inner.nodes.new("NodeGroupInput"), inner.nodes.new("NodeGroupOutput")
    again = weft_blender.add_node(inner, text_block(STRIPES), "turned", stripes=entry.outputs[0])
    inner.links.new(again.outputs[0], end.inputs[0])
    group = tree.nodes.new("ShaderNodeGroup")
    group.node_tree = inner
    reroute = tree.nodes.new("NodeReroute")
    reroute.socket_idname = "NodeSocketBundle"
    tree.links.new(first.outputs[0], reroute.inputs[0])
    tree.links.new(reroute.outputs[0], group.inputs[0])
    outer, wave = (tree.nodes.new("NodeSeparateBundle") for _ in range(2))
    outer.bundle_items.new("BUNDLE", "Wave")
    outer.bundle_items.new("RGBA", "Light")
    wave.bundle_items.new("VECTOR", "Place")
    tree.links.new(group.outputs[0], outer.inputs[0])
    tree.links.new(outer.outputs["Wave"], wave.inputs[0])
    mixed = tree.nodes.new("ShaderNodeVectorMath")
    mixed.operation = "MULTIPLY"
    tree.links.new(wave.outputs["Place"], mixed.inputs[0])
    tree.links.new(outer.outputs["Light"], mixed.inputs[1])
    shine(tree, mixed.outputs[0])

    assert list(compile_material(read_graph(tree), {}, "Wall").problems) == []
    assert difference(str(tmp_path / "wall.exr")) < 2e-3


def test_what_a_bundle_lacks_is_what_cycles_takes(tree, tmp_path):
    text = text_block(STRIPES)
    uv = tree.nodes.new("ShaderNodeTexCoord").outputs["UV"]
    bundle, inner = (tree.nodes.new("NodeCombineBundle") for _ in range(2))
    bundle.bundle_items.new("BUNDLE", "Wave")
    inner.bundle_items.new("VECTOR", "Place")
    tree.links.new(uv, inner.inputs[0])
    tree.links.new(inner.outputs[0], bundle.inputs[0])
    node = weft_blender.add_node(tree, text, "color", stripes=bundle.outputs[0])
    shine(tree, node.outputs[0])

    assert difference(str(tmp_path / "wall.exr")) < 2e-3
