# SPDX-License-Identifier: Apache-2.0
"""The solver on a model whose noise and derivatives are known."""

import numpy as np
import pytest

from weft._native import ArgumentError, Prior, damped_step
from weft.fit.checkpoint import prefixed
from weft.fit.gauss_newton import GaussNewton
from weft.fit.information import LinearizedResiduals, gather_information, normal_equations


class NoisyCurves:
    """r(x) = f(x) - f(truth) with noise in values and in derivatives, correlated within a half."""

    def __init__(self, truth, seed, noise=0.3, points=4000):
        self.rng = np.random.default_rng(seed)
        self.t = np.linspace(0, 1, points)
        self.truth = np.asarray(truth)
        self.noise = noise
        self.target = self.curve(self.truth)

    def curve(self, x):
        return x[0] * np.exp(-3 * x[1] * self.t)

    def slopes(self, x):
        decay = np.exp(-3 * x[1] * self.t)
        return np.column_stack([decay, -3 * self.t * x[0] * decay])

    def draw(self, x):
        self.factors = 1 + self.noise * self.rng.standard_normal((2, len(self.t)))

    def half(self, x, factor):
        return LinearizedResiduals(
            factor * self.curve(x) - self.target, factor[:, None] * self.slopes(x)
        )

    def linearise(self, x):
        return self.half(x, self.factors[0]), self.half(x, self.factors[1])

    def residuals(self, x):
        return tuple(half.residual for half in self.linearise(x))


def solver(model, start=(0.3, 0.9), **others):
    return GaussNewton(model, np.array(start), np.zeros(2) + 1e-3, np.ones(2) * 2, **others)


def run(model, draws=40, **others):
    fit = solver(model, **others)
    for _ in range(draws):
        state = fit.step()
        if state.is_done:
            break
    return state


@pytest.mark.parametrize("seed", range(5))
def test_noise_that_residuals_and_derivatives_share_does_not_bias_the_result(seed):
    model = NoisyCurves([1.2, 0.5], seed)

    state = run(model, tolerance=1e-3)

    assert state.is_done
    assert np.abs(state.x - model.truth).max() < 0.01


def test_at_the_truth_gradient_and_loss_are_zero_on_average():
    model = NoisyCurves([1.2, 0.5], 3, points=200)
    found = []
    for _ in range(2000):
        model.draw(model.truth)
        normal = normal_equations(*model.linearise(model.truth))
        found.append([*normal.gradient, normal.loss])

    deviations = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0)) < 4 * deviations).all()


def test_standard_errors_cover_the_truth():
    covered = []
    for seed in range(60):
        model = NoisyCurves([1.2, 0.5], 100 + seed)
        state = run(model, draws=10, tolerance=1e-6)
        covered.append(np.abs(state.x - model.truth) < 2 * state.errors)

    assert np.mean(covered) > 0.88


def test_standard_errors_are_not_too_small_where_few_pixels_tell_the_parameters():
    rng = np.random.default_rng(5)
    pixels, parameters = 12, 4
    jacobian = rng.standard_normal((3 * pixels, parameters))
    distances = []
    for _ in range(2000):
        noise = rng.standard_normal(3 * pixels)
        found = -np.linalg.lstsq(jacobian, noise, rcond=None)[0]
        half = LinearizedResiduals(noise + jacobian @ found, jacobian)
        told = gather_information(normal_equations(half, half), half, half, together=3)
        distances.append(found / told.errors)

    # Without the leverages: 1.27, and 89 % within two.
    assert 0.9 < np.std(distances) < 1.1
    assert np.mean(np.abs(distances) < 2) > 0.92


def test_noise_that_the_channels_of_a_pixel_share_counts_once():
    class Pixels(NoisyCurves):
        """Channels see the same curve and the same noise: a third as much is known."""

        def half(self, x, factor):
            alone = super().half(x, factor)
            return LinearizedResiduals(
                np.repeat(alone.residual, 3), np.repeat(alone.jacobian, 3, axis=0)
            )

    alone = run(NoisyCurves([1.2, 0.5], 7), draws=10)
    together = run(Pixels([1.2, 0.5], 7), draws=10, together=3)

    np.testing.assert_allclose(together.errors, alone.errors, rtol=1e-3)


def test_a_parameter_that_nothing_depends_on_has_an_infinite_error():
    class Blind(NoisyCurves):
        def slopes(self, x):
            return super().slopes(x) * [1, 0]

        def curve(self, x):
            return x[0] * np.exp(-self.t)

    state = run(Blind([1.2, 0.5], 3), draws=6)

    assert np.isinf(state.errors[1])
    assert state.errors[0] < 0.05
    assert state.x[1] == pytest.approx(0.9, abs=1e-6)


def test_a_prior_decides_what_the_residuals_leave_open():
    class Blind(NoisyCurves):
        def slopes(self, x):
            return super().slopes(x) * [1, 0]

        def curve(self, x):
            return x[0] * np.exp(-self.t)

    prior = Prior(np.array([0.0, 0.4]), np.array([0.0, 1 / 0.05**2]))

    state = run(Blind([1.2, 0.5], 3), draws=8, prior=prior)

    assert state.x[0] == pytest.approx(1.2, abs=0.02)
    assert state.x[1] == pytest.approx(0.4, abs=1e-3)
    assert state.errors[1] == pytest.approx(0.05, rel=0.05)


def test_a_prior_gives_way_to_what_the_residuals_say():
    prior = Prior(np.array([0.0, 0.9]), np.array([0.0, 1 / 0.5**2]))

    state = run(NoisyCurves([1.2, 0.5], 2), draws=15, prior=prior)

    assert np.abs(state.x - [1.2, 0.5]).max() < 0.01


class Waves(NoisyCurves):
    """Frequencies: a valley at each beat."""

    def curve(self, x):
        return x[1] * np.sin(20 * x[0] * self.t)

    def slopes(self, x):
        angle = 20 * x[0] * self.t
        return np.column_stack([20 * self.t * x[1] * np.cos(angle), np.sin(angle)])


def test_other_starts_are_tried_where_more_than_noise_is_left():
    truth = np.array([1.4, 1.0])

    one = run(Waves(truth, 0), start=(0.2, 0.5), draws=60, starts=1)
    many = run(Waves(truth, 0), start=(0.2, 0.5), draws=200, starts=12)

    assert np.abs(one.x - truth).max() > 0.2
    assert np.abs(many.x - truth).max() < 0.01


def test_no_other_start_is_tried_where_noise_is_all_that_is_left():
    model = NoisyCurves([1.2, 0.5], 4)

    one, many = run(model, draws=12, starts=1), run(model, draws=12, starts=5)

    assert many.iterations == one.iterations


def test_steps_stay_within_the_bounds():
    model = NoisyCurves([1.2, 0.5], 1)
    fit = GaussNewton(model, np.array([0.3, 0.9]), np.array([0.001, 0.7]), np.array([2.0, 1.0]))

    for _ in range(8):
        state = fit.step()
        assert 0.7 <= state.x[1] <= 1.0

    assert state.x[1] == pytest.approx(0.7, abs=0.01)


def test_products_of_independent_halves_solve_a_linear_problem_exactly():
    rng = np.random.default_rng(0)
    jacobian = rng.normal(size=(50, 3))
    truth = np.array([0.2, -0.4, 0.9])
    half = LinearizedResiduals(-jacobian @ truth, jacobian)

    normal = normal_equations(half, half)

    assert np.allclose(damped_step(normal, 0.0), truth)
    assert normal.loss == pytest.approx(float(half.residual @ half.residual))


class Ridge:
    """A valley at 0.3 and, behind a ridge at 1.2, a worse one at the bound.

    Some iterations show another target in both sample sets, behind the ridge.
    """

    def __init__(self, seed, misleading):
        self.rng = np.random.default_rng(seed)
        self.misleading, self.iteration = misleading, 0
        self.weights = 1 + np.linspace(0, 1, 1500)

    def draw(self, x):
        self.iteration += 1
        shift = 1.5 if self.iteration in self.misleading else 0.0
        self.noise = 0.02 * self.rng.standard_normal((2, len(self.weights))) - shift

    def half(self, x, noise):
        slope = 1.0 if x[0] < 1.2 else -0.2
        value = 0.9 + slope * (x[0] - 1.2)
        return LinearizedResiduals(self.weights * (value + noise), self.weights[:, None] * slope)

    def linearise(self, x):
        return self.half(x, self.noise[0]), self.half(x, self.noise[1])

    def residuals(self, x):
        return tuple(half.residual for half in self.linearise(x))


@pytest.mark.parametrize("misleading", [(2, 3, 4), (3, 4, 5)])
def test_a_descent_returns_from_where_a_misleading_iteration_has_led(misleading):
    model = Ridge(4, misleading)
    fit = GaussNewton(model, np.array([1.0]), np.zeros(1), np.full(1, 2.0), tolerance=1e-9)
    for _ in range(20):
        state = fit.step()

    assert state.x[0] == pytest.approx(0.3, abs=0.01)


def test_a_mixture_of_places_that_is_worse_than_one_of_them_is_left():
    """Two groups that share residuals: each explains them best with the other of its own place."""
    model = NoisyCurves([1.2, 0.5], 2)
    fit = solver(model, groups=np.array([0, 1]), starts=1, tolerance=1e-9)
    while fit.averaged < 3:
        fit.step()
    best = fit.state
    # A place far off, whose first group claims to be better, is mixed into the best one.
    saved = {name: value for name, value in fit.save().items() if not name.startswith("seen")}
    far = prefixed("place0", place(np.array([0.05, 1.9]), 10.0, [-1.0, 10.0], best))
    near = prefixed("place1", place(best.x, best.loss, [best.loss, best.loss], best))
    saved |= prefixed("attempts", {"attempts": np.array([2.0, 0.0])} | far | near)
    saved |= {"x": np.array([0.05, best.x[1]]), "origin": np.array([0.05, best.x[1]])}
    saved["counts"][2:] = 1  # asked, and mixed
    saved["count"] = np.array(0.0)
    narrow = solver(model, groups=np.array([0, 1]), starts=1, tolerance=1e-9, radius=1e-4)
    saved["numbers"][1] = 1e-4  # the valley does not lead back
    narrow.restore(saved)
    assert narrow.is_elsewhere

    for _ in range(3):
        narrow.step()

    assert not narrow.is_elsewhere
    np.testing.assert_allclose(narrow.state.x, best.x, atol=1e-3)


def place(x, loss, losses, state):
    """Arrays of a place, with the errors of a state."""
    told = state.information
    own = {"loss": loss, "deviation": 0.1, "losses": losses, "x": x, "errors": state.errors}
    return {name: np.asarray(value) for name, value in own.items()} | {
        "moved": np.ones(len(x)),
        "information.matrix": told.matrix,
        "information.covariance": told.covariance,
        "information.lost": told.lost,
        "information.drawn_share": told.drawn_share,
        "information.is_silent": told.is_silent.astype(float),
    }


@pytest.mark.parametrize(("draws", "kept"), [(5, False), (17, True)])
def test_an_average_is_not_begun_anew_where_no_draws_are_left_for_it(draws, kept):
    fit = solver(NoisyCurves((1.3, 0.4), 1), max_iterations=20, tolerance=0.0)
    while fit.averaged < 3 or fit.state.iterations < draws - 1:
        fit.step()
    averaged = fit.averaged
    saved = fit.save()
    saved["origin"] = fit.state.x + 1.0  # far from where the average began
    for name in ("a", "b"):
        saved[f"{name}.residual"] += saved[f"{name}.jacobian"].sum(axis=1)
    fit.restore(saved)

    fit.step()

    assert fit.averaged == (averaged + 1 if kept else 1)


class Failing(NoisyCurves):
    """Raises at one of its calls."""

    def __init__(self, fails_at):
        super().__init__([1.2, 0.5], 3)
        self.calls, self.fails_at = 0, fails_at

    def count(self):
        self.calls += 1
        if self.calls == self.fails_at:
            raise KeyboardInterrupt

    def draw(self, x):
        self.count()
        super().draw(x)

    def linearise(self, x):
        self.count()
        return super().linearise(x)

    def residuals(self, x):
        self.count()
        return tuple(half.residual for half in super().linearise(x))


@pytest.mark.parametrize("fails_at", range(1, 40))
def test_a_step_that_is_cancelled_leaves_the_solver_as_it_was(fails_at):
    model = Failing(fails_at)
    fit = solver(model, tolerance=0.0)
    saved = [fit.save()]

    def step_to_the_end():
        while True:
            fit.step()
            saved.append(fit.save())

    with pytest.raises(KeyboardInterrupt):
        step_to_the_end()

    before, after = saved[-1], fit.save()
    assert before.keys() == after.keys()
    for name, value in before.items():
        np.testing.assert_array_equal(value, after[name])


def test_a_solver_goes_on_as_if_it_had_not_been_saved():
    first, second = NoisyCurves([1.2, 0.5], 3), NoisyCurves([1.2, 0.5], 3)
    whole, resumed = solver(first, tolerance=0.0), solver(second, tolerance=0.0)
    for _ in range(12):
        whole.step()
        second.draw(None)
    resumed.restore(whole.save())

    for _ in range(4):
        np.testing.assert_array_equal(whole.step().x, resumed.step().x)
        np.testing.assert_array_equal(whole.state.errors, resumed.state.errors)


@pytest.mark.parametrize("name", ["x", "counts", "a.jacobian", "attempts.moved"])
def test_what_is_missing_of_a_saved_state_is_named(name):
    fit = solver(NoisyCurves([1.2, 0.5], 3), tolerance=0.0)
    while fit.averaged < 2:
        fit.step()
    x, saved = fit.state.x, fit.save()
    saved["x"] = saved["x"] + 0.1
    del saved[name]

    with pytest.raises(ArgumentError, match=f"no array '{name.removeprefix('attempts.')}'"):
        fit.restore(saved)

    np.testing.assert_array_equal(fit.state.x, x)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("what", ["residual", "jacobian"])
def test_numbers_that_are_not_finite_are_refused_and_named(what, value):
    model = NoisyCurves([1.2, 0.5], 3)
    own = model.linearise

    def linearise(x):
        a, b = own(x)
        getattr(b, what)[7] = value
        return a, b

    model.linearise = linearise
    fit = solver(model)

    with pytest.raises(ArgumentError, match="of sample set B must be finite"):
        fit.step()

    assert fit.state.iterations == 0


def test_arrays_that_do_not_fit_together_are_refused():
    model = NoisyCurves([1.2, 0.5], 3)
    model.linearise = lambda x: [LinearizedResiduals(np.ones(5), np.ones((5, 3)))] * 2

    with pytest.raises(ArgumentError, match="n x 2 derivatives, got 5 and 5 residuals, 15"):
        solver(model).step()


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(ArgumentError, match="low must be below high, got 2 and 1 for parameter 1"):
        GaussNewton(NoisyCurves([1, 1], 0), np.ones(2), np.array([0.0, 2.0]), np.array([1.0, 1.0]))
