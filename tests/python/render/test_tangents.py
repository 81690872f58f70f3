# SPDX-License-Identifier: Apache-2.0
"""Tangents of long highlights: where they lie, and derivatives beside them."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad, sphere
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import (
    Attribute,
    Camera,
    Closure,
    Environment,
    Material,
    Mix,
    Scene,
    SlangCall,
    UVTangent,
    principled,
)

ACROSS = "float3 across(float3 n, float3 t) { return cross(n, t); }"
SETTINGS = PathSettings(samples=4, bounces=2, roulette_from=None, seed=3)


def scene_of(material):
    rng = np.random.default_rng(5)
    return Scene(
        [placed(sphere(), material, move=(0, 0, 1)), placed(quad(8), principled("floor"))],
        cameras=[Camera(12, 12, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        environment=Environment(rng.random((4, 8, 3))),
    )


def brushed(rotation, **tangent):
    inputs = {"roughness": 0.5, "anisotropy": 0.6, "rotation": rotation}
    return Material("m", Closure("glossy", **inputs, **tangent))


def test_a_tangent_across_another_is_a_quarter_turn(device):
    along = UVTangent(0)
    arguments = {"n": Attribute.NORMAL, "t": along}
    across = SlangCall("across", ACROSS, arguments, size=3, is_differentiable=False)
    turned, given, plain = (
        weft.Renderer(device, scene_of(material)).render(settings=SETTINGS)
        for material in (
            brushed(0.35, tangent=along),
            brushed(0.1, tangent=across),
            brushed(0.1, tangent=along),
        )
    )

    assert np.abs(given - turned).max() < 1e-3
    assert np.abs(given - plain).max() > 0.01


@pytest.mark.full
def test_amount_and_rotation_have_derivatives_about_any_tangent(device):
    long = {"roughness": 0.5, "tangent": UVTangent(0)}
    metal = Closure("principled", metallic=0.7, anisotropic=0.6, anisotropic_rotation=0.1, **long)
    gloss = Closure("glossy", anisotropy=0.4, rotation=0.2, **long)
    renderer = weft.Renderer(device, scene_of(Material("m", Mix(metal, gloss, 0.4))))
    ranges, values = renderer.tables.materials.ranges, renderer.tables.values.to_numpy()
    names = ("first.anisotropic", "first.anisotropic_rotation", "second.rotation")
    rows = np.zeros((len(names), len(values)), np.float32)
    for row, name in zip(rows, names, strict=True):
        row[ranges[f"m.{name}"].first] = 1
    recorder = Recorder(renderer, [0], Directions(device, renderer.tables.materials, rows))
    recorder.draw(renderer.scene.cameras[0], SETTINGS)
    recorder.replay(renderer.tables.values, with_tangents=True)
    tangents = recorder.resolve_to_host(0, 4, with_tangents=True)[1:]

    for row, tangent in zip(rows, tangents, strict=True):
        sides = []
        for step in (2e-3, -2e-3):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(step) * row))
            sides.append(recorder.resolve_to_host(0, 4, with_tangents=False)[0])
        differences = (sides[0] - sides[1]) / 4e-3
        assert np.abs(tangent).max() > 0.01
        assert np.abs(differences - tangent).max() < 2e-3 * max(1.0, np.abs(tangent).max())


def test_a_tangent_is_a_vector():
    with pytest.raises(weft.ArgumentError, match="input 'tangent' takes a vector of 3 numbers"):
        Closure("glossy", tangent=0.5)
    with pytest.raises(weft.ArgumentError, match="no input 'tangent'"):
        Closure("diffuse", tangent=UVTangent(0))
