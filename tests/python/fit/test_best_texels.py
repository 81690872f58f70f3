# SPDX-License-Identifier: Apache-2.0
"""A fit of textures returns to the best ones it has seen where later steps raise the loss."""

from types import SimpleNamespace

import numpy as np
import pytest

import weft
from weft.fit.best_texels import BestTexels

ITERATIONS = 48


class Model:
    """Texels whose loss is what a test says, with noise."""

    def __init__(self, device, noise=1e-4):
        self.rng = np.random.default_rng(3)
        self.renderer = SimpleNamespace(device=device)
        self.texels = weft.Tensor.zeros(device, (4,))
        self.made = 0
        self.losses, self.noise = [], noise
        self.views = [SimpleNamespace(pixels=np.arange(300))]
        self.averages = 0

    def return_to(self, texels):
        self.texels = texels
        self.averages += 1

    def step(self, loss):
        self.made += 1
        values = np.full(4, self.made, np.float32)
        self.texels = weft.Tensor.from_numpy(self.renderer.device, values)
        self.losses.append(loss + 1e-5 * self.rng.standard_normal())

    @property
    def values(self):
        return self.texels.to_numpy()


def test_texels_return_where_the_loss_has_risen(device):
    model = Model(device)
    best = BestTexels(model, ITERATIONS)
    returned = []
    for loss in [*np.linspace(1, 0.1, 12), *np.linspace(0.2, 3, 12)]:
        model.step(loss)
        returned.append(best.note())

    # Windows of six iterations: the fourth is worse than the second by more than its own spread.
    assert returned.index(True) == 23
    assert model.averages >= 1
    assert model.values.max() <= 12


def test_texels_of_the_best_window_come_back_as_they_were(device):
    model = Model(device)
    best = BestTexels(model, ITERATIONS)
    for loss in np.linspace(1, 0.1, 12):
        model.step(loss)
        best.note()
    kept = model.values
    for _ in range(5):
        model.step(3.0)
        assert not best.note()
    model.step(3.0)

    assert best.note()
    np.testing.assert_array_equal(model.values, kept)


@pytest.mark.parametrize("losses", [np.linspace(1, 0.1, 48), np.full(48, 0.1)])
def test_texels_whose_loss_falls_or_stays_are_left_alone(device, losses):
    model = Model(device)
    best = BestTexels(model, ITERATIONS)
    for loss in losses:
        model.step(loss)
        assert not best.note()

    assert model.averages == 0


def test_noise_is_no_rise(device):
    model = Model(device, noise=1.0)
    best = BestTexels(model, ITERATIONS)
    for loss in 0.2 * np.random.default_rng(5).standard_normal(480):
        model.step(loss)
        best.note()

    assert model.averages <= 1


def test_scalars_that_move_with_the_textures_return_with_them(device):
    model, places = Model(device), []
    joint = SimpleNamespace(x=np.zeros(2), return_to=places.append)
    best = BestTexels(model, ITERATIONS, joint)
    for loss in [*np.linspace(1, 0.1, 12), *np.full(6, 3.0)]:
        model.step(loss)
        joint.x = joint.x + 1
        best.note()

    np.testing.assert_array_equal(places, [[12.0, 12.0]])


def test_what_was_seen_outlives_a_checkpoint(device):
    model = Model(device)
    best, other = BestTexels(model, ITERATIONS), BestTexels(model, ITERATIONS)
    for loss in np.linspace(1, 0.1, 12):
        model.step(loss)
        best.note()
    kept = model.values

    other.restore(best.state())
    for _ in range(6):
        model.step(3.0)

    assert other.note()
    np.testing.assert_array_equal(model.values, kept)


def test_what_was_seen_before_pixels_counted_otherwise_does_not_count(device):
    model = Model(device)
    best = BestTexels(model, ITERATIONS)
    for loss in np.full(12, 0.1):
        model.step(loss)
        best.note()
    best.restart()

    for _ in range(12):
        model.step(3.0)
        assert not best.note()
