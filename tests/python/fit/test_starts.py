# SPDX-License-Identifier: Apache-2.0
"""Which numbers begin elsewhere, and where."""

from __future__ import annotations

import numpy as np

from weft._native import find_left, neighbor_products, other_start
from weft.fit.information import LinearizedResiduals

PIXELS = 900
GROUPS = np.array([0, 0, 1, 1, 2])


def halves(misfit):
    """Three groups with a third of the pixels each, noise of one target and of two draws."""
    rng = np.random.default_rng(5)
    owner = np.repeat([0, 1, 2], PIXELS)
    jacobian = rng.uniform(0.5, 1, (3 * PIXELS, 5)) * (owner[:, None] == GROUPS)
    shared = rng.standard_normal(3 * PIXELS) + np.asarray(misfit)[owner]
    residuals = [shared + rng.standard_normal(3 * PIXELS) for _ in range(2)]
    return [LinearizedResiduals(residual, jacobian) for residual in residuals]


def left_of(misfit, groups=GROUPS, together=3):
    a, b = halves(misfit)
    return find_left(
        neighbor_products(a.residual, b.residual, together), a.jacobian, groups, together
    )


def test_only_the_group_in_another_valley_begins_elsewhere():
    assert left_of((0, 1, 0)).tolist() == [False, False, True, True, False]
    assert left_of((1, 0, -1)).tolist() == [True, True, False, False, True]


def test_noise_moves_no_group():
    assert not left_of((0, 0, 0)).any()


def test_all_begin_elsewhere_where_no_group_explains_what_is_left():
    a, b = halves((0.8, 0.8, 0.8))
    nowhere = np.zeros_like(a.jacobian)

    assert find_left(neighbor_products(a.residual, b.residual, 3), nowhere, GROUPS, 3).all()
    assert left_of((0, 1, 0), np.zeros(5, np.int64)).all()


def test_other_starts_spread_over_the_range_of_many_numbers():
    low, high = np.full(220, -1.0), np.full(220, 3.0)

    places = np.array([(other_start(number, low, high) + 1) / 4 for number in (1, 2, 3)])

    assert (places >= 0.1).all()
    assert (places <= 0.9).all()
    assert np.abs(places.mean(axis=1) - 0.5).max() < 0.05
    assert np.abs(np.diff(places, axis=0)).mean(axis=1).min() > 0.15
