# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate in renders: each frame has its own values, whatever stands before the modifier."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.evaluating import add, grid, shown


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


@pytest.mark.parametrize("before", ["none", "same for both", "finer in renders"])
def test_rendered_frames_have_their_own_values(tmp_path, before):
    pytest.importorskip("cycles")
    scene = bpy.context.scene
    thing = grid(2)
    if before != "none":
        modifier = thing.modifiers.new("Subdivision", "SUBSURF")
        modifier.subdivision_type, modifier.levels = "SIMPLE", 1
        modifier.render_levels = 3 if before == "finer in renders" else 1
    add(thing, "float f(float frame, float3 position) { return frame / 8; }")
    material = bpy.data.materials.new("Glow")
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    attribute = tree.nodes.new("ShaderNodeAttribute")
    attribute.attribute_name = "result"
    glow = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(attribute.outputs["Fac"], glow.inputs["Color"])
    tree.links.new(glow.outputs[0], end.inputs[0])
    thing.data.materials.append(material)
    camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
    camera.location.z = 1
    scene.collection.objects.link(camera)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples = "CYCLES", 1
    scene.cycles.use_denoising = False
    scene.render.resolution_x = scene.render.resolution_y = 4
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = str(tmp_path / "frame_")
    scene.frame_start, scene.frame_end = 2, 4

    bpy.ops.render.render(animation=True)
    scene.frame_set(6)
    scene.render.filepath = str(tmp_path / "still")
    bpy.ops.render.render(write_still=True)

    for name, wanted in (("frame_0002", 2), ("frame_0003", 3), ("frame_0004", 4), ("still", 6)):
        image = bpy.data.images.load(str(tmp_path / f"{name}.exr"))
        assert image.pixels[:][0::4] == pytest.approx([wanted / 8] * 16, rel=1e-3)
    scene.frame_set(7)
    assert np.allclose(shown(thing), 7 / 8)
