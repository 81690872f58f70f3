# SPDX-License-Identifier: Apache-2.0
"""Materials that artists build, compiled: pictures of Cycles, derivatives by differences.

tests/golden/cycles_graphs.py has rendered them.
"""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import light_cases
from support.graph_scenes import GOLDEN, compiled, graph_texts, scene_of
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder

EXPECTED = np.load(GOLDEN / "cycles_graphs.npz")
SAMPLES = {"carbon_fibre": 1536, "car_paint": 768}
QUICK = ("tiled_floor", "brick_wall")


def blocks_of(image):
    """Means of blocks of 16 x 16 pixels."""
    count = light_cases.PIXELS // 16
    return image.reshape(count, 16, count, 16, 3).mean(axis=(1, 3))


def names(quick=QUICK):
    """All graphs; a few of them in every run."""
    return [pytest.param(n, marks=[] if n in quick else [pytest.mark.full]) for n in graph_texts()]


@pytest.mark.full
@pytest.mark.parametrize("name", names())
def test_pictures_equal_those_of_cycles(device, name):
    settings = PathSettings(
        samples=SAMPLES.get(name, 384),
        bounces=light_cases.BOUNCES + 1,
        roulette_from=None,
        seed=1,
    )

    image = weft.Renderer(device, scene_of(compiled(name))).render(settings=settings)

    expected, blocks = EXPECTED[name], blocks_of(image)
    error = np.abs(blocks - expected) / expected
    assert error.max() < 0.01, (name, error.max(axis=2))


DERIVED = {
    "brick_wall": ["Map Range.To Min", "Principled BSDF.IOR"],
    "brushed_steel": ["Noise Texture.Roughness", "Map Range.To Max"],
    "car_paint": [
        "Layer Weight.Blend",
        "Color Ramp.Stop 1 Position",
        "Principled BSDF.Coat Weight",
    ],
    "carbon_fibre": ["Color Ramp.Stop 2 Color", "Color Ramp.Stop 2 Position"],
    "checkered_fabric": ["Hue/Saturation/Value.Hue", "Checker Texture.Color1"],
    "chrome_ball": ["Emission.Strength", "Mix.Factor"],
    "crate": ["Principled BSDF.Roughness", '"Mapping.001".Location'],
    "dusty_plastic": ["Noise Texture.Offset", "Noise Texture.Roughness", "Diffuse BSDF.Color"],
    "marble": ["Noise Texture.Scale", "Color Ramp.Stop 2 Color", "Math.inputs[1]"],
    "painted_wood": [
        '"Noise Texture.001".Roughness',
        "Color Ramp.Stop 1 Color",
        "Math.inputs[1]",
    ],
    "rusty_iron": ["Noise Texture.Gain", "Color Ramp.Stop 3 Color", "Noise Texture.Roughness"],
    "tiled_floor": ["Noise Texture.Roughness", "Checker Texture.Color1", "Mix.Factor"],
    "wet_stone": ["Noise Texture.Offset", "Mix.A", '"Math.001".inputs[0]'],
    "worn_metal": ["Noise Texture.Roughness", "Color Ramp.Stop 1 Position", "Mix.A"],
}
"""Numbers whose derivatives are asked; none that move edges, where there is no derivative."""

STEPS = {"Scale": 1e-3, "Location": 1e-3, "Position": 1e-3}


def direction(renderer, name, parameter):
    """A step of a parameter: all its components together."""
    entry = renderer.tables.materials.ranges[f"{name}.{parameter}"]
    row = np.zeros(renderer.tables.values.shape[0], np.float32)
    row[entry.first : entry.first + entry.size] = 1
    return row


@pytest.mark.parametrize("name", names(()))
def test_derivatives_are_differences(device, name):
    renderer = weft.Renderer(device, scene_of(compiled(name), pixels=16))
    rows = np.stack([direction(renderer, name, entry) for entry in DERIVED[name]])
    recorder = Recorder(renderer, [0], Directions(device, renderer.tables.materials, rows))
    settings = PathSettings(samples=4, bounces=3, roulette_from=None, seed=3)
    recorder.draw(renderer.scene.cameras[0], settings)
    values = renderer.tables.values.to_numpy()

    recorder.replay(renderer.tables.values, with_tangents=True)
    tangents = recorder.resolve_to_host(0, 4, with_tangents=True)[1:]

    for row, tangent, parameter in zip(rows, tangents, DERIVED[name], strict=True):
        step = STEPS.get(parameter.split()[-1].rpartition(".")[2], 4e-3)
        sides = []
        for by in (step, -step):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(by) * row))
            sides.append(recorder.resolve_to_host(0, 4, with_tangents=False)[0])
        difference = (sides[0] - sides[1]) / (2 * step)
        size = np.abs(difference).mean()
        # The grain of painted wood is seen in a few pixels.
        assert np.abs(difference).max() > 1e-4, parameter
        assert np.abs(difference - tangent).mean() < 0.05 * size, parameter

    weights = np.random.default_rng(1).normal(size=(256, 3)).astype(np.float32)
    gradients = weft.Tensor.zeros(device, (rows.shape[1],))
    recorder.replay(renderer.tables.values)
    recorder.gradients(
        renderer.tables.values, weft.Tensor.from_numpy(device, weights.ravel()), gradients
    )
    forward = (tangents * weights).sum(axis=(1, 2))
    assert rows @ gradients.to_numpy() == pytest.approx(forward, rel=5e-3, abs=5e-3)
