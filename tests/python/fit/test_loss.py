# SPDX-License-Identifier: Apache-2.0
"""The loss of a fit: one quantity whatever pixels a phase draws and however it weighs them."""

import numpy as np
import pytest

from support.view_cases import WEIGHT, change, views_of
from weft._native import LossMeter

SIDE = 32
ALL = np.arange(SIDE * SIDE, dtype=np.uint32)


@pytest.fixture
def views(device):
    return views_of(device, [(SIDE, SIDE)])


def record(meter, views, off, noise=0.0, seed=0, call="record"):
    """Record residuals that are off by as much as `off` says of each pixel, and noise."""
    rng, view = np.random.default_rng(seed), views[0]
    weights = view.weights[view.pixels]
    a, b = (
        ((off[view.pixels, None] + noise * rng.standard_normal(weights.shape)) * weights).ravel()
        for _ in range(2)
    )
    getattr(meter, call)(a, b)


def test_nothing_is_known_at_first(views):
    meter = LossMeter(views)

    assert meter.is_open
    assert np.isinf(meter.loss)
    assert np.isinf(meter.noise_floor)


def test_the_loss_is_the_mean_squared_residual_without_the_noise(views):
    meter, off = LossMeter(views), np.full(SIDE * SIDE, 0.1)
    found = []
    for seed in range(40):
        record(meter, views, off, 0.3, seed)
        found.append(meter.loss)

    assert np.mean(found) == pytest.approx((WEIGHT * 0.1) ** 2, rel=0.1)


def test_the_floor_is_what_noise_alone_makes_of_the_loss(views):
    meter, floors, losses = LossMeter(views), [], []
    for seed in range(300):
        record(meter, views, np.zeros(SIDE * SIDE), 0.3, seed)
        losses.append(meter.loss)
        floors.append(meter.noise_floor)

    # Channels whose noise goes together would make it larger: it is an upper bound.
    assert 1 <= np.mean(floors) / np.std(losses) < 1.5


def test_weights_of_a_phase_make_no_difference(views):
    meter, off = LossMeter(views), np.full(SIDE * SIDE, 0.1)
    record(meter, views, off)
    before = meter.loss

    change(views, noise=np.full(SIDE * SIDE, 7, np.float32))
    record(meter, views, off)

    assert views[0].weights[0, 0] == pytest.approx(WEIGHT / 7)
    assert meter.loss == pytest.approx(before, rel=1e-5)


def test_pixels_that_a_phase_does_not_draw_keep_what_was_seen_last(views):
    meter, off = LossMeter(views), np.where(ALL % 2, 0.1, 0.3)
    record(meter, views, off, call="begin")

    views[0].pixels = ALL[1::2]
    record(meter, views, np.zeros(SIDE * SIDE))

    assert meter.loss == pytest.approx((WEIGHT * 0.3) ** 2 / 2)


def test_only_pixels_of_the_fit_count(views):
    meter, off = LossMeter(views), np.where(ALL % 2, 0.1, 0.3)
    views[0].pixels = ALL[1::2]
    record(meter, views, off)

    views[0].pixels = ALL
    record(meter, views, off)
    assert meter.loss == pytest.approx((WEIGHT * 0.1) ** 2)

    meter.keep([ALL[:0]])
    assert meter.loss == 0


def test_pixels_that_nothing_explains_lose_their_part(views):
    meter, off = LossMeter(views), np.where(ALL < 16, 5.0, 0.1)
    record(meter, views, off)

    change(views, trust=np.where(ALL < 16, 1e-9, 1).astype(np.float32))

    assert meter.loss == pytest.approx((WEIGHT * 0.1) ** 2, rel=0.03)


def test_pixels_that_are_no_numbers_count_no_more(views):
    meter, off = LossMeter(views), np.where(ALL < 16, 5.0, 0.1)
    record(meter, views, off)

    change(views, lost=ALL < 16)

    assert meter.loss == pytest.approx((WEIGHT * 0.1) ** 2, rel=1e-5)


def test_noisy_pixels_count_less_from_the_first_record(views):
    meter, rng = LossMeter(views), np.random.default_rng(2)
    spread = np.where((ALL // SIDE < 8) & (ALL % SIDE < 8), 40.0, 1.0)
    a, b = (WEIGHT * (spread[:, None] * rng.normal(size=(SIDE**2, 3))).ravel() for _ in range(2))

    meter.begin(a, b)

    noise = meter.state()["noise.0"].reshape(SIDE, SIDE)
    assert (noise[14:, 14:] == 1).all()
    assert noise[3, 3] == pytest.approx(20, rel=0.15)  # from twice the usual on


def test_a_meter_goes_on_where_another_one_was(views):
    meter, other = LossMeter(views), LossMeter(views)
    record(meter, views, np.full(SIDE * SIDE, 0.1), 0.2, call="begin")

    other.restore(meter.state())

    assert not other.is_open
    assert (other.loss, other.noise_floor) == (meter.loss, meter.noise_floor)
