# SPDX-License-Identifier: Apache-2.0
"""The anchor scene against Cycles 5.0.1 and Mitsuba 3.9.1, block by block.

``tests/golden/cycles_grid.py`` and ``tests/golden/mitsuba_lambert.py`` rendered the references.
"""

from pathlib import Path

import numpy as np
import pytest

import weft
from bench.rendering.anchor import anchor_scene
from support import anchor_cases as cases
from support import bsdf_cases
from weft.render import PathSettings
from weft.scene import Closure, Material, principled

GOLDEN = Path(__file__).parents[2] / "golden"
GRID = bsdf_cases.furnace_inputs()
PICTURES = 8

SHARP_COATS = {10: 0.015, 11: 0.015}
"""Where one channel of a block may be off by more: metal of roughness 0.05 under a coat of 0.03.

Cycles computes the distribution of facets in single precision from a cosine near 1, and its coat
reflects 4 % too much where the sharp metal samples it; blue, which the metal swallows, shows it.
With a coat of roughness 0.1 both agree. A coat that is a mirror must look the same in a smooth sky,
and does in Weft (below).
"""

# Smooth and rough, metal and not, each layer alone and both.
FEW = (0, 11, 18, 33, 42, 57)


def render_blocks(device, scene, samples):
    """Block means of `samples` samples a pixel, and their standard errors.

    Samples of different pixels are independent, so that the variance of a block's mean is that of
    its pixels: better known than from the few means.
    """
    renderer = weft.Renderer(device, scene)
    pictures = [
        renderer.render(
            settings=PathSettings(
                samples=samples // PICTURES, bounces=cases.BOUNCES, roulette_from=None, seed=seed
            )
        )
        for seed in range(PICTURES)
    ]
    variance = np.var(pictures, axis=0, ddof=1) / PICTURES
    mean = cases.block_means(np.mean(pictures, axis=0))
    return mean, np.sqrt(cases.block_means(variance) / cases.BLOCK**2)


def require_equal(found, expected, expected_error, limit=0.01):
    """Compare block means.

    The picture's mean must agree within 0.5 %. A block must agree within the limit, or within five
    standard errors where noise is more than that: a picture has hundreds of blocks, and the
    reference's own errors are rough estimates. Deviations that are small but everywhere would pass
    both; their mean square, less that of noise, is therefore held below that of 0.3 of the limit.
    """
    mean, error = found
    expected, expected_error = expected.astype(np.float64), expected_error.astype(np.float64)
    noise = np.hypot(error, expected_error)
    overall = expected.mean(axis=(0, 1))
    assert mean.mean(axis=(0, 1)) == pytest.approx(overall, rel=0.005)
    off = np.abs(mean - expected)
    assert (off / np.maximum(limit * expected, 5 * noise)).max() < 1
    unexplained = ((off**2 - noise**2) / expected**2).mean()
    assert unexplained < (0.3 * limit) ** 2


def point_scene(number, **others):
    values = {name: float(column[number]) for name, column in GRID.items()}
    ball = principled(
        "ball",
        base_color=cases.TRUTH["base_color"],
        roughness=values["roughness"],
        metallic=values["metallic"],
        coat_weight=values["coatWeight"],
        sheen_weight=values["sheenWeight"],
        **others,
    )
    return anchor_scene(ball, 128)


@pytest.mark.sweep(12)
@pytest.mark.slow
@pytest.mark.parametrize("number", FEW)
def test_principled_balls_look_as_in_cycles(device, number):
    golden = np.load(GOLDEN / "cycles_grid.npz")

    found = render_blocks(device, point_scene(number), 128)

    require_equal(
        found, golden["means"][number], golden["errors"][number], SHARP_COATS.get(number, 0.01)
    )


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("number", range(len(GRID["roughness"])))
def test_principled_balls_look_as_in_cycles_at_converged_samples(device, number):
    golden = np.load(GOLDEN / "cycles_grid.npz")

    found = render_blocks(device, point_scene(number), 1024)

    require_equal(
        found, golden["means"][number], golden["errors"][number], SHARP_COATS.get(number, 0.01)
    )


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("samples", [64, pytest.param(1024, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", ["ball", "suzanne"])
def test_lambert_objects_look_as_in_mitsuba(device, name, samples):
    golden = np.load(GOLDEN / "mitsuba_lambert.npz")
    shape = {"ball": cases.ball, "suzanne": cases.suzanne}[name]()
    clay = Material("clay", Closure("diffuse", color=cases.TRUTH["base_color"]))

    found = render_blocks(device, anchor_scene(clay, 256, shape), samples)

    require_equal(found, golden[name], golden[f"{name}_error"])


@pytest.mark.full
def test_a_sharp_coat_looks_like_a_mirror_in_a_smooth_sky(device):
    sharp, mirror = (
        render_blocks(device, point_scene(10, coat_roughness=roughness), 256)
        for roughness in (0.03, 0.0)
    )

    require_equal(sharp, *mirror, limit=0.005)
