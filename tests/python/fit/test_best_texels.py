# SPDX-License-Identifier: Apache-2.0
"""A fit of textures returns to the best ones it has seen where later steps raise the loss."""

from types import SimpleNamespace

import numpy as np
import pytest

from weft.fit.best_texels import BestTexels

ITERATIONS = 48


class Model:
    """Texels whose loss is what a test says, with noise."""

    def __init__(self, noise=1e-4):
        self.rng = np.random.default_rng(3)
        self.texels = np.zeros(4, np.float32)
        self.velocity = np.ones(4, np.float32)
        self.losses, self.noise = [], noise
        self.views = [SimpleNamespace(pixels=np.arange(300))]
        self.averages = 0

    def save(self):
        return {"texels": self.texels, "velocity": self.velocity}

    def restore(self, saved):
        self.texels, self.velocity = saved["texels"], saved["velocity"]

    def restart_average(self):
        self.averages += 1

    def step(self, loss):
        self.texels = self.texels + 1
        self.losses.append(loss + 1e-5 * self.rng.standard_normal())


def test_texels_return_where_the_loss_has_risen():
    model = Model()
    best = BestTexels(model, ITERATIONS)
    returned = []
    for loss in [*np.linspace(1, 0.1, 12), *np.linspace(0.2, 3, 12)]:
        model.step(loss)
        returned.append(best.note())

    # Windows of six iterations: the fourth is worse than the second by more than its own spread.
    assert returned.index(True) == 23
    assert model.averages >= 1
    assert (model.velocity == 0).all()
    assert model.texels.max() <= 12


def test_texels_of_the_best_window_come_back_as_they_were():
    model = Model()
    best = BestTexels(model, ITERATIONS)
    for loss in np.linspace(1, 0.1, 12):
        model.step(loss)
        best.note()
    kept = model.texels.copy()
    for _ in range(5):
        model.step(3.0)
        assert not best.note()
    model.step(3.0)

    assert best.note()
    np.testing.assert_array_equal(model.texels, kept)


@pytest.mark.parametrize("losses", [np.linspace(1, 0.1, 48), np.full(48, 0.1)])
def test_texels_whose_loss_falls_or_stays_are_left_alone(losses):
    model = Model()
    best = BestTexels(model, ITERATIONS)
    for loss in losses:
        model.step(loss)
        assert not best.note()

    assert model.averages == 0


def test_noise_is_no_rise():
    model = Model(noise=1.0)
    best = BestTexels(model, ITERATIONS)
    for loss in 0.2 * np.random.default_rng(5).standard_normal(480):
        model.step(loss)
        best.note()

    assert model.averages <= 1


def test_scalars_that_move_with_the_textures_return_with_them():
    model, places = Model(), []
    joint = SimpleNamespace(x=np.zeros(2), return_to=places.append)
    best = BestTexels(model, ITERATIONS, joint)
    for loss in [*np.linspace(1, 0.1, 12), *np.full(6, 3.0)]:
        model.step(loss)
        joint.x = joint.x + 1
        best.note()

    np.testing.assert_array_equal(places, [[12.0, 12.0]])


def test_what_was_seen_outlives_a_checkpoint():
    model = Model()
    best, other = BestTexels(model, ITERATIONS), BestTexels(model, ITERATIONS)
    for loss in np.linspace(1, 0.1, 12):
        model.step(loss)
        best.note()
    kept = model.texels.copy()

    other.restore(best.state())
    for _ in range(6):
        model.step(3.0)

    assert other.note()
    np.testing.assert_array_equal(model.texels, kept)


def test_what_was_seen_before_pixels_counted_otherwise_does_not_count():
    model = Model()
    best = BestTexels(model, ITERATIONS)
    for loss in np.full(12, 0.1):
        model.step(loss)
        best.note()
    best.restart()

    for _ in range(12):
        model.step(3.0)
        assert not best.note()
