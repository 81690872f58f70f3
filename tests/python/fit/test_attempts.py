# SPDX-License-Identifier: Apache-2.0
"""Other starts: groups of numbers begin anew on their own, and the best place of each counts."""

import numpy as np
import pytest

from weft._native import safe_quadratic
from weft.fit.gauss_newton import GaussNewton
from weft.fit.information import LinearizedResiduals, normal_equations

TRUTH = np.array([1.4, 1.0, 0.9, 0.7, 1.1, 1.3])
GROUPS = np.array([0, 0, 1, 1, 2, 2])
START = np.array([0.2, 0.5, 0.25, 0.5, 1.1, 1.0])


class Waves:
    """Three waves side by side, each with a frequency and an amplitude: a valley at each beat."""

    def __init__(self, seed, extra=0.0, points=1500):
        self.rng = np.random.default_rng(seed)
        self.t = np.linspace(0, 1, points)
        self.target = self.curve(TRUTH) + extra * np.tile(np.cos(40 * self.t), 3)

    def curve(self, x):
        return np.concatenate([a * np.sin(20 * f * self.t) for f, a in x.reshape(3, 2)])

    def slopes(self, x):
        out = np.zeros((3, len(self.t), 6))
        for number, (f, a) in enumerate(x.reshape(3, 2)):
            angle = 20 * f * self.t
            out[number, :, 2 * number] = 20 * self.t * a * np.cos(angle)
            out[number, :, 2 * number + 1] = np.sin(angle)
        return out.reshape(-1, 6)

    def draw(self, x):
        self.factors = 1 + 0.1 * self.rng.standard_normal((2, 3 * len(self.t)))

    def linearise(self, x):
        return tuple(
            LinearizedResiduals(
                factor * self.curve(x) - self.target, factor[:, None] * self.slopes(x)
            )
            for factor in self.factors
        )

    def residuals(self, x):
        return tuple(half.residual for half in self.linearise(x))


def solver(model, **others):
    return GaussNewton(model, START, np.zeros(6) + 1e-3, np.ones(6) * 2, **others)


def run(fit, draws):
    while not fit.state.is_done and fit.state.iterations < draws:
        fit.step()
    return fit.state


def test_groups_begin_anew_on_their_own():
    fit = solver(Waves(0), groups=GROUPS, starts=20)

    state = run(fit, 250)

    assert np.abs(state.x - TRUTH).max() < 0.01
    # The third group begins in its valley, and is never moved from there.
    assert all(not place.moved[GROUPS == 2].any() for place in fit.candidates[1:])


def test_each_group_ends_where_it_explains_its_residuals_best():
    fit = solver(Waves(0), groups=GROUPS, starts=20)
    run(fit, 250)
    candidates = fit.candidates

    gathered = fit.gathered()

    for group in range(3):
        best = min(candidates, key=lambda own: own.losses[group])
        np.testing.assert_array_equal(gathered[GROUPS == group], best.x[GROUPS == group])


def test_what_no_start_explains_does_not_use_up_all_starts():
    """A wave that no frequency explains is left everywhere."""
    model = Waves(0, extra=0.5)
    fit = GaussNewton(model, TRUTH, TRUTH * 0.9, TRUTH * 1.1, groups=GROUPS, starts=20)

    run(fit, 200)

    assert 3 <= len(fit.candidates) <= 4


@pytest.mark.parametrize("most", [12, 20, 40])
def test_no_start_begins_that_could_not_come_to_its_end(most):
    fit = solver(Waves(0), groups=GROUPS, starts=20, max_iterations=most)

    state = run(fit, most)

    assert state.iterations == most
    assert fit.averaged >= 1
    assert np.isfinite(state.errors).any()
    assert not fit.is_elsewhere


def test_attempts_survive_a_checkpoint():
    fit = solver(Waves(0), groups=GROUPS, starts=20)
    run(fit, 30)
    assert len(fit.candidates) >= 2
    other = solver(Waves(0), groups=GROUPS, starts=20)

    other.restore(fit.save())

    saved, restored = fit.save(), other.save()
    assert saved.keys() == restored.keys()
    for name, value in saved.items():
        np.testing.assert_array_equal(value, restored[name])


def test_one_number_whose_derivatives_are_noise_takes_no_long_steps():
    """Of one number there is no skew part: its own noise says how little is known."""
    rng = np.random.default_rng(1)
    floors = []
    for _ in range(100):
        halves = [
            LinearizedResiduals(rng.standard_normal(60), rng.standard_normal((60, 1)))
            for _ in range(2)
        ]
        floors.append(safe_quadratic(normal_equations(*halves)).matrix[0, 0])

    assert np.median(floors) > 0.1


def test_one_number_that_is_told_without_noise_is_not_cautious():
    slope = np.linspace(0.5, 1, 60)[:, None]
    halves = [LinearizedResiduals(np.ones(60), slope), LinearizedResiduals(np.ones(60), slope)]

    quadratic = safe_quadratic(normal_equations(*halves), 0)

    assert quadratic.matrix[0, 0] == pytest.approx(1)
