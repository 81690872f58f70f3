# SPDX-License-Identifier: Apache-2.0
"""Random numbers of paths, and drawing from tables."""

import numpy as np
import pytest

import weft
from weft._native import build_alias_table, light_probabilities
from weft.layouts import LightKind


@pytest.fixture(scope="module")
def sampler(device):
    return weft.Module.load_from_source(
        device,
        "sampler",
        """
        import weft.render;
        float2 point(uint seed, uint pixel, uint index, uint pair)
        {
            SampleStream stream = SampleStream(seed, pixel, index);
            return stream.next2(pair);
        }
        """,
    )


def points(sampler, count, *, seed=0, pixel=0, pair=0, first=0):
    index = np.arange(first, first + count, dtype=np.uint32)
    return sampler.point(seed, pixel, index, pair, _result="numpy")


@pytest.mark.parametrize("pair", [0, 5])
@pytest.mark.parametrize("first", [0, 256])
def test_each_elementary_interval_holds_one_of_256_points(sampler, pair, first):
    p = points(sampler, 256, pair=pair, first=first, seed=7)

    for k in range(9):
        cells = np.floor(p * (2**k, 2 ** (8 - k))).astype(int)
        assert len({tuple(cell) for cell in cells}) == 256


def test_pairs_pixels_and_seeds_are_independent(sampler):
    columns = [
        points(sampler, 4096, **where)
        for where in ({}, {"pair": 1}, {"pixel": 1}, {"seed": 1}, {"pair": 2})
    ]
    correlation = np.corrcoef(np.concatenate(columns, axis=1).T)

    # Five standard deviations of independent ones.
    assert np.abs(correlation - np.eye(10)).max() < 5 / np.sqrt(4096)


def test_points_lie_below_one(sampler):
    p = points(sampler, 1 << 16)

    assert p.min() >= 0
    assert p.max() < 1


@pytest.mark.parametrize("count", [1, 2, 7, 1000])
def test_alias_tables_keep_the_probabilities(count):
    weights = np.random.default_rng(count).random(count) ** 8

    threshold, other = build_alias_table(weights)
    chance = threshold.astype(np.float64) / count
    np.add.at(chance, other, (1 - threshold.astype(np.float64)) / count)

    assert np.allclose(chance, weights / weights.sum(), atol=1e-7)


def test_weights_of_zero_are_never_drawn():
    threshold, other = build_alias_table(np.array([0.0, 3.0, 0.0, 1.0]))

    assert threshold[[0, 2]].tolist() == [0, 0]
    assert set(other[[0, 2]].tolist()) <= {1, 3}


def test_weights_that_are_all_zero_count_as_equal():
    assert build_alias_table(np.zeros(3))[0].tolist() == [1, 1, 1]


def test_lights_are_drawn_by_power_and_none_is_forgotten():
    chance = light_probabilities(
        np.array([LightKind.point, LightKind.area, LightKind.point]), np.array([3.0, 1.0, 0.0])
    )

    assert chance == pytest.approx([0.9 * 0.75 + 0.1 / 3, 0.9 * 0.25 + 0.1 / 3, 0.1 / 3])


@pytest.mark.parametrize("power", [1e-6, 1e9])
def test_lights_far_and_near_both_keep_a_share(power):
    kinds = np.array([LightKind.point, LightKind.sun, LightKind.area, LightKind.environment])
    chance = light_probabilities(kinds, np.array([1.0, power, 1.0, power]))

    assert chance.sum() == pytest.approx(1)
    assert chance[[0, 2]].sum() > 0.25
    assert chance[[1, 3]].sum() > 0.25


def test_probabilities_of_lights_add_up_to_one_however_powers_round():
    for power in np.random.default_rng(3).uniform(0.1, 100, (200, 2)):
        assert light_probabilities(
            np.array([LightKind.sun, LightKind.environment]), power
        ).sum() == pytest.approx(1)
