# SPDX-License-Identifier: Apache-2.0
"""Maps of the shape of reflections follow the maps beside them where noise hides their detail."""

import numpy as np
import pytest

from weft.fit.guided import Windows, follow_guides, guided, is_shape

SIZE = 48
ALL = np.ones((SIZE, SIZE), bool)


def patches(seed=0):
    """Four numbers of two materials in patches: three of a color, one that depends on them."""
    y, x = np.mgrid[:SIZE, :SIZE]
    share = (np.sin(x / 4) + np.cos(y / 5) > 0).astype(np.float64)[..., None]
    return share * [0.8, 0.3, 0.1, 0.7] + (1 - share) * [0.2, 0.4, 0.6, 0.25]


def noisy(maps, size, seed=1):
    rng = np.random.default_rng(seed)
    return maps + size * rng.standard_normal(maps.shape)


def distance(maps, truth):
    return float(np.sqrt(np.mean((maps[..., 3] - truth[..., 3]) ** 2)))


def test_a_map_that_depends_on_the_others_is_reproduced():
    truth = patches()

    found = guided(truth, Windows(ALL), [3], [0, 1, 2])

    # The ridge flattens it by little.
    assert found[..., 0] == pytest.approx(truth[..., 3], abs=0.02)


def test_noise_of_a_map_goes_and_edges_of_the_others_stay():
    truth = patches()
    maps = np.concatenate([noisy(truth[..., :3], 0.02), noisy(truth[..., 3:], 0.2)], axis=2)

    found = follow_guides(maps, ALL, np.full(maps.shape, 0.2**2), [3])

    assert distance(found, truth) < 0.4 * distance(maps, truth)
    np.testing.assert_array_equal(found[..., :3], maps[..., :3])


def test_detail_of_its_own_that_is_told_stays():
    truth = patches()
    y, x = np.mgrid[:SIZE, :SIZE]
    truth[..., 3] = np.where((x // 2 + y // 2) % 2, 0.7, 0.2)

    found = follow_guides(truth, ALL, np.full(truth.shape, 0.01**2), [3])

    assert distance(found, truth) < 0.002


def test_texels_that_say_nothing_lead_nobody():
    truth = patches()
    maps, seen = truth.copy(), ALL.copy()
    seen[10:20] = False
    maps[10:20] = 50.0

    found = follow_guides(maps, seen, np.full(maps.shape, 1.0), [3])

    assert np.abs(found - truth)[:10].max() < 0.05
    assert np.abs(found - truth)[20:].max() < 0.05


def test_without_another_map_nothing_moves():
    maps = patches()

    assert follow_guides(maps, ALL, np.ones(maps.shape), [0, 1, 2, 3]) is maps
    assert follow_guides(maps, ~ALL, np.ones(maps.shape), [3]) is maps


def test_inputs_that_shape_reflections_are_known_by_name():
    assert all(map(is_shape, ["a.roughness", "a.coat_roughness", "a.Clay.b/Roughness", "a.ior"]))
    assert not any(map(is_shape, ["roughness.base_color", "a.metallic", "a.coat_weight"]))
