# SPDX-License-Identifier: Apache-2.0
"""What distances and scattered points promise beyond single values: slopes, evenness, spacing."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support import template_cases as templates

SIZE = 256


def results(name, build, values):
    file = templates.FOLDER / f"{name}.slang"
    function = templates.node_functions(file)[0].name
    graph = weft.lower(file, function, build=build, to="dag")
    count = len(next(iter(values.values())))
    given = {}
    for variable in graph.parameters:
        kind = {"float": np.float32}.get(variable.scalar, np.int32)
        value = np.asarray(values[variable.name])
        shape = (count,) if variable.components == 1 else (count, variable.components)
        given[variable.name] = np.broadcast_to(value, shape).astype(kind)
    return graph.evaluate(given)


def cells(size):
    x, y = np.meshgrid(np.arange(size) + 0.5, np.arange(size) + 0.5)
    return np.stack([x.ravel(), y.ravel(), np.zeros(size * size)], 1)


@pytest.mark.parametrize("shape", ["Box", "Sphere", "Cylinder", "Capsule", "Ring", "Torus"])
def test_distances_to_solids_have_slopes_of_one(shape):
    points = np.random.default_rng(1).uniform(-2, 2, (4000, 3))

    def distance(p):
        given = {"position": p, "size": [1.6, 1.2, 0.9], "rounding": 0.15}
        found = results("distance/rounded_primitive", {"shape": f"Primitive.{shape}"}, given)
        return found["Result"].astype(np.float64)

    step = 1e-3
    slopes = [
        (distance(points + step * e) - distance(points - step * e)) / (2 * step) for e in np.eye(3)
    ]

    steepness = np.linalg.norm(slopes, axis=0)
    assert np.mean(np.abs(steepness - 1) < 2e-3) > 0.99
    assert steepness.max() < 1 + 2e-3


def ranks(order):
    given = {
        "position": cells(SIZE),
        "index": np.arange(SIZE * SIZE),
        "cell_size": 1,
        "density": 0.5,
        "seed": 3,
    }
    found = results("scatter/blue_noise_rank", {"order": f"Ranking.{order}"}, given)
    return found["Result.rank"].astype(np.float64).reshape(SIZE, SIZE)


def low_power(kept):
    """Power at low frequencies, beside that of white noise, and the highest of all frequencies."""
    density = kept.mean()
    power = np.abs(np.fft.fft2(kept - density)) ** 2 / (SIZE * SIZE * density * (1 - density))
    x, y = np.meshgrid(np.fft.fftfreq(SIZE), np.fft.fftfreq(SIZE))
    frequency = np.hypot(x, y)
    return power[(frequency > 0) & (frequency < np.sqrt(density) / 4)].mean(), power.max()


def nearest(points):
    """Mean and least distance to the nearest other point."""
    chosen = points[:400]
    apart = np.linalg.norm(chosen[:, None] - points[None], axis=2)
    apart[apart == 0] = np.inf
    return apart.min(1).mean(), apart.min()


@pytest.mark.parametrize("density", [0.05, 0.1, 0.25, 0.5])
def test_scrambled_ranks_have_little_power_at_low_frequencies_and_no_lines(density):
    low, highest = low_power(ranks("Scrambled") < density)
    white, _ = low_power(np.random.default_rng(2).random((SIZE, SIZE)) < density)

    assert low < 0.2 * white
    assert highest < 50


def test_blocks_of_scrambled_ranks_keep_their_share():
    rank = ranks("Scrambled")
    for side in (2, 4, 8, 16):
        count = side * side
        blocks = rank.reshape(SIZE // side, side, SIZE // side, side).transpose(0, 2, 1, 3)
        ordered = np.sort(blocks.reshape(-1, count), axis=1) * count
        assert (np.floor(ordered) == np.arange(count)).all(), side


@pytest.mark.parametrize("density", [0.05, 0.1, 0.25])
def test_lattice_ranks_keep_cells_further_apart_than_white_noise_does(density):
    lattice = np.argwhere(ranks("Lattice") < density)
    white = np.argwhere(np.random.default_rng(2).random((SIZE, SIZE)) < density)

    assert nearest(lattice)[0] > 1.3 * nearest(white)[0]
    assert low_power(ranks("Lattice") < density)[0] < 0.1
    assert np.abs(len(lattice) - density * SIZE * SIZE) < 20


def test_ranks_by_index_are_even_in_every_run():
    rank = ranks("Index").ravel()
    for run in (10, 100, 1000):
        for density in (0.1, 0.5, 0.73):
            kept = np.convolve(rank < density, np.ones(run), "valid")
            assert np.abs(kept - density * run).max() < 3


@pytest.mark.parametrize("distance", [0.5, 0.9, 1.0])
def test_masked_points_keep_their_distance(distance):
    given = {"position": cells(60), "cell_size": 1, "distance": distance, "jitter": 1, "seed": 5}
    found = results("scatter/poisson_mask", {}, given)
    kept = found["Result.position"][found["Result.keep"].astype(bool), :2].astype(np.float64)

    apart = np.concatenate(
        [np.where((d := np.linalg.norm(kept - p, axis=1)) > 0, d, np.inf)[None] for p in kept]
    )

    assert apart.min() >= distance - 1e-5
    assert len(kept) > 0.33 * 60 * 60
