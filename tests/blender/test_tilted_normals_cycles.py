# SPDX-License-Identifier: Apache-2.0
"""Smooth normals far from those of the faces, beside Cycles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from blender.beside_cycles import (
    add_camera,
    add_material,
    add_plane,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
)

TILTS = [(angle, turn) for angle in (20, 40, 60) for turn in (0, 90, -90)]


def make_scene(kind, angle, turn):
    """A floor whose normals lean by `angle` degrees, `turn` degrees from the x axis."""
    add_camera((0, -3, 3), (0, 0, 0))
    add_world((0.5, 0.5, 0.5))
    add_sun((0.7, 0.3, -1), angle=0.05)
    floor = add_plane(20)
    lean, around = math.radians(angle), math.radians(turn)
    x, y = math.sin(lean) * math.cos(around), math.sin(lean) * math.sin(around)
    for face in floor.data.polygons:
        face.use_smooth = True
    floor.data.normals_split_custom_set([(x, y, math.cos(lean))] * 4)
    material = add_material("tilted", (0.7, 0.5, 0.3), 0.4)
    floor.data.materials.append(material)
    tree = material.node_tree
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    if kind == "sheen":
        shader.inputs["Sheen Weight"].default_value = 0.7
    if kind == "coat":
        shader.inputs["Coat Weight"].default_value = 0.7
    if kind in ("diffuse", "mixed"):
        output = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
        diffuse = tree.nodes.new("ShaderNodeBsdfDiffuse")
        diffuse.inputs["Color"].default_value = (0.7, 0.5, 0.3, 1)
        tree.links.new(diffuse.outputs[0], output.inputs["Surface"])
    if kind == "mixed":
        mix, glossy = (
            tree.nodes.new(f"Shader{name}") for name in ("NodeMixShader", "NodeBsdfGlossy")
        )
        mix.inputs[0].default_value = 0.1
        glossy.inputs["Roughness"].default_value = 0.4
        tree.links.new(diffuse.outputs[0], mix.inputs[1])
        tree.links.new(glossy.outputs[0], mix.inputs[2])
        tree.links.new(mix.outputs[0], output.inputs["Surface"])


@pytest.mark.sweep(3)
@pytest.mark.parametrize(("angle", "turn"), TILTS)
@pytest.mark.parametrize("kind", ["diffuse", "principled"])
def test_floors_are_as_bright_as_in_cycles(device, tmp_path, kind, angle, turn):
    make_scene(kind, angle, turn)

    expected = by_cycles(tmp_path, samples=128).mean(axis=(0, 1))
    picture = by_weft(device, samples=128)[0].mean(axis=(0, 1))

    assert picture == pytest.approx(expected, rel=0.005)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("kind", ["sheen", "coat", "mixed"])
def test_lobes_keep_their_own_normals(device, tmp_path, kind):
    make_scene(kind, 60, 90)

    expected = by_cycles(tmp_path, samples=256).mean(axis=(0, 1))
    picture = by_weft(device, samples=256)[0].mean(axis=(0, 1))

    # Sharp lobes that Cycles samples to below the smooth normal count there, and not here.
    assert picture == pytest.approx(expected, rel=0.01)
    assert np.all(picture > 0)
