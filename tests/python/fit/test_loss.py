# SPDX-License-Identifier: Apache-2.0
"""The loss of a fit: one quantity whatever pixels a phase draws and however it weighs them."""

from types import SimpleNamespace

import numpy as np
import pytest

from weft.fit.loss import LossMeter, noise_floor_of

SIDE = 32
ALL = np.arange(SIDE * SIDE, dtype=np.uint32)


def view_with(weights=2.0):
    return SimpleNamespace(
        image=np.zeros((SIDE * SIDE, 3), np.float32),
        weights=np.full((SIDE * SIDE, 3), weights, np.float32),
        trust=np.ones(SIDE * SIDE, np.float32),
        lost=np.zeros(SIDE * SIDE, bool),
        pixels=ALL,
        camera=SimpleNamespace(width=SIDE, height=SIDE),
    )


def record(meter, view, off, noise=0.0, seed=0, call="record"):
    """Record residuals that are off by as much as `off` says of each pixel, and noise."""
    rng = np.random.default_rng(seed)
    weights = view.weights[view.pixels]
    a, b = (
        ((off[view.pixels, None] + noise * rng.standard_normal(weights.shape)) * weights).ravel()
        for _ in range(2)
    )
    getattr(meter, call)(a, b)


def test_nothing_is_known_at_first():
    meter = LossMeter([view_with()])

    assert np.isinf(meter.loss)
    assert np.isinf(meter.noise_floor)


def test_the_loss_is_the_mean_squared_residual_without_the_noise():
    view = view_with()
    meter, off = LossMeter([view]), np.full(SIDE * SIDE, 0.1)
    found = []
    for seed in range(40):
        record(meter, view, off, 0.3, seed)
        found.append(meter.loss)

    assert np.mean(found) == pytest.approx((2 * 0.1) ** 2, rel=0.1)


def test_the_floor_is_what_noise_alone_makes_of_the_loss():
    view = view_with()
    meter, floors, losses = LossMeter([view]), [], []
    for seed in range(300):
        record(meter, view, np.zeros(SIDE * SIDE), 0.3, seed)
        losses.append(meter.loss)
        floors.append(meter.noise_floor)

    # Channels whose noise goes together would make it larger: it is an upper bound.
    assert 1 <= np.mean(floors) / np.std(losses) < 1.5
    assert noise_floor_of(0.6**2 / 2, 3 * SIDE**2) / np.std(losses) == pytest.approx(
        3**0.5, rel=0.1
    )


def test_weights_of_a_phase_make_no_difference():
    view = view_with()
    meter, off = LossMeter([view]), np.full(SIDE * SIDE, 0.1)
    record(meter, view, off)
    before = meter.loss

    view.weights = view.weights / 7
    record(meter, view, off)

    assert meter.loss == pytest.approx(before)


def test_pixels_that_a_phase_does_not_draw_keep_what_was_seen_last():
    view = view_with()
    meter, off = LossMeter([view]), np.where(ALL % 2, 0.1, 0.3)
    record(meter, view, off, call="begin")

    view.pixels = ALL[1::2]
    record(meter, view, np.zeros(SIDE * SIDE))

    assert meter.loss == pytest.approx((2 * 0.3) ** 2 / 2)


def test_only_pixels_of_the_fit_count():
    view = view_with()
    meter, off = LossMeter([view]), np.where(ALL % 2, 0.1, 0.3)
    view.pixels = ALL[1::2]
    record(meter, view, off)

    view.pixels = ALL
    record(meter, view, off)
    assert meter.loss == pytest.approx((2 * 0.1) ** 2)

    meter.keep([ALL[:0]])
    assert meter.loss == 0


def test_pixels_that_nothing_explains_lose_their_part():
    view = view_with()
    meter, off = LossMeter([view]), np.where(ALL < 16, 5.0, 0.1)
    record(meter, view, off)

    view.trust = np.where(ALL < 16, 0, 1).astype(np.float32)

    assert meter.loss == pytest.approx((2 * 0.1) ** 2, rel=0.03)


def test_a_meter_goes_on_where_another_one_was():
    view = view_with()
    meter, other = LossMeter([view]), LossMeter([view])
    record(meter, view, np.full(SIDE * SIDE, 0.1), 0.2, call="begin")

    other.restore(meter.state())

    assert (other.loss, other.noise_floor) == (meter.loss, meter.noise_floor)
