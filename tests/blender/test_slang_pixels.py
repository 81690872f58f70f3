# SPDX-License-Identifier: Apache-2.0
"""Pictures of Slang nodes: Cycles beside the engine, and inputs that a fit finds again."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft_blender
from weft import image

SIZE = 48
BRICK = """import weft.node;
import weft.noise;

float3 brick([Hidden] float3 uv, [Range(0, 1)] float mortar = 0.1f,
             [Color] float3 tint = float3(0.8f, 0.3f, 0.2f), [Range(0, 1)] float variety = 0.3f)
{
    float2 p = uv.xy * 4;
    float row = floor(p.y);
    p.x += 0.5f * (row - 2 * floor(row * 0.5f));
    float2 f = p - floor(p);
    float2 d = min(f, 1 - f);
    float edge = smoothstep(0.f, mortar, min(d.x, d.y));
    float shade = 1 - variety + variety * whiteNoise(floor(p));
    return lerp(float3(0.7f), tint * shade, edge);
}
"""


@pytest.fixture
def wall(extension):
    """A wall of bricks before a camera; the node."""
    scene = bpy.context.scene
    made = bpy.data.materials.new("Wall")
    if made.node_tree is None:
        made.use_nodes = True
    tree = made.node_tree
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = 0.8
    text = bpy.data.texts.new("brick.slang")
    text.write(BRICK)
    uv = tree.nodes.new("ShaderNodeTexCoord").outputs["UV"]
    node = weft_blender.add_node(tree, text, uv=uv, mortar=0.3, tint=(0.2, 0.5, 0.7), variety=0.4)
    tree.links.new(node.outputs[0], shader.inputs["Base Color"])
    bpy.ops.mesh.primitive_plane_add(size=4)
    bpy.context.object.data.materials.append(made)
    light = bpy.data.objects.new("Sun", bpy.data.lights.new("Sun", "SUN"))
    light.data.energy, light.rotation_euler = 3, (0.5, 0.2, 0)
    scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    scene.camera.location = (0, 0, 6)
    for entry in (light, scene.camera):
        scene.collection.objects.link(entry)
    scene.render.engine = "CYCLES"
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    scene.cycles.samples, scene.cycles.use_denoising = 256, False
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    return node


def test_cycles_and_the_engine_show_one_wall_and_a_fit_finds_it(wall, tmp_path):
    path = str(tmp_path / "wall.exr")
    bpy.context.scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    cycles = image.read(path, encoding="linear")[..., :3]

    own = weft_blender.render(samples=256)["color"][..., :3]

    # Pixels at edges see different places of their footprint.
    assert np.abs(own - cycles).mean() < 2e-3
    truth = {"Mortar": (0.3,), "Tint": (0.2, 0.5, 0.7), "Variety": (0.4,)}
    wall.inputs["Mortar"].default_value = 0.15
    wall.inputs["Tint"].default_value = (0.5, 0.5, 0.5, 1)
    wall.inputs["Variety"].default_value = 0.2
    found = weft_blender.fit(
        targets={"Camera": path},
        parameters=[f"Wall.Brick.{name}" for name in truth],
        samples=8,
        max_iterations=60,
    )

    print(found.values, found.errors, found.reason)
    assert found.reason == "converged"
    for name, numbers in truth.items():
        value, error = (entry[f"Wall.Brick.{name}"] for entry in (found.values, found.errors))
        np.testing.assert_allclose(value, numbers, atol=5e-3)
        assert (error < 5e-3).all()
    assert wall.inputs["Mortar"].default_value == pytest.approx(0.3, abs=5e-3)
