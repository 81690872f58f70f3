# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (messages stand as they are printed)
"""Levenberg-Marquardt on problems whose solution, or whose statistics, are known."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import Tensor
from weft.optim import LevenbergMarquardt

T = np.linspace(0, 4, 40)


def decay(x):
    return x[0] * np.exp(-x[1] * T) + x[2]


def decay_jacobian(x):
    e = np.exp(-x[1] * T)
    return np.stack([e, -x[0] * T * e, np.ones_like(T)], axis=-1)


def rosenbrock(x):
    return np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def rosenbrock_jacobian(x):
    return np.array([[-20 * x[0], 10.0], [-1.0, 0.0]])


def powell(x):
    """Powell's singular function: the Jacobian loses its rank at the minimum, 0."""
    return np.array(
        [x[0] + 10 * x[1], 5**0.5 * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2, 10**0.5 * (x[0] - x[3]) ** 2]
    )  # fmt: skip


@pytest.mark.parametrize("jacobian", [rosenbrock_jacobian, None])
@pytest.mark.parametrize("damping", [1e-3, 1.0, 0.0])
def test_rosenbrock(jacobian, damping):
    fit = LevenbergMarquardt(rosenbrock, jacobian, initial_damping=damping).fit([-1.2, 1.0])

    assert fit.is_converged
    np.testing.assert_allclose(fit.parameters, 1, atol=1e-7)
    assert fit.cost < 1e-15
    assert fit.iterations < 40


def test_powells_singular_function():
    fit = LevenbergMarquardt(powell).fit([3.0, -1.0, 0.0, 1.0])

    assert fit.cost < 1e-12
    np.testing.assert_allclose(fit.parameters, 0, atol=1e-2)


@given(
    st.floats(0.5, 5), st.floats(0.2, 3), st.floats(-2, 2), st.sampled_from([None, decay_jacobian])
)
@settings(max_examples=40, deadline=None)
def test_exact_data_are_fitted_exactly(amplitude, rate, offset, jacobian):
    truth = np.array([amplitude, rate, offset])
    data = decay(truth)

    fit = LevenbergMarquardt(lambda x: decay(x) - data, jacobian).fit([1.0, 1.0, 0.0])

    assert fit.is_converged
    np.testing.assert_allclose(fit.parameters, truth, rtol=1e-5, atol=1e-5)


def test_a_linear_problem_takes_one_gauss_newton_step():
    rng = np.random.default_rng(1)
    matrix, right = rng.normal(size=(30, 5)), rng.normal(size=30)

    fit = LevenbergMarquardt(lambda x: matrix @ x - right, lambda x: matrix, initial_damping=0).fit(
        np.zeros(5)
    )

    np.testing.assert_allclose(fit.parameters, np.linalg.lstsq(matrix, right, rcond=None)[0])
    assert fit.iterations <= 2
    residual = matrix @ fit.parameters - right
    expected = np.linalg.inv(matrix.T @ matrix) * (residual @ residual) / 25
    np.testing.assert_allclose(fit.covariance, expected, rtol=1e-9)


def test_units_of_the_parameters_do_not_matter():
    data = decay([2.0, 0.7, 0.3]) + 0.01 * np.sin(9 * T)
    scale = np.array([1e9, 1e-9, 1e3])
    plain = LevenbergMarquardt(lambda x: decay(x) - data, decay_jacobian)
    scaled = LevenbergMarquardt(
        lambda x: decay(x * scale) - data, lambda x: decay_jacobian(x * scale) * scale
    )

    a, b = plain.fit([1.0, 1.0, 0.0]), scaled.fit(np.array([1.0, 1.0, 0.0]) / scale)

    np.testing.assert_allclose(b.parameters * scale, a.parameters, rtol=1e-6)
    np.testing.assert_allclose(b.standard_errors * scale, a.standard_errors, rtol=1e-5)


def test_error_bars_are_the_scatter_of_repeated_fits():
    rng = np.random.default_rng(7)
    truth = np.array([2.0, 0.7, 0.3])
    fits = []
    for _ in range(400):
        data = decay(truth) + 0.05 * rng.normal(size=T.size)
        fits.append(
            LevenbergMarquardt(lambda x, data=data: decay(x) - data, decay_jacobian).fit(truth)
        )

    scatter = np.std([fit.parameters for fit in fits], axis=0)
    bars = np.mean([fit.standard_errors for fit in fits], axis=0)

    # 400 repetitions give the scatter to 1/sqrt(800) = 3.5 %; three times that.
    np.testing.assert_allclose(bars, scatter, rtol=0.11)


def test_a_known_noise_is_used_for_the_error_bars():
    data = decay([2.0, 0.7, 0.3])

    fit = LevenbergMarquardt(lambda x: decay(x) - data, decay_jacobian, noise=0.1).fit([1, 1, 0])

    j = decay_jacobian(fit.parameters)
    expected = 0.1 * np.sqrt(np.diag(np.linalg.inv(j.T @ j)))
    np.testing.assert_allclose(fit.standard_errors, expected, rtol=1e-8)


def test_a_parameter_that_changes_nothing_has_an_infinite_error_bar():
    data = decay([2.0, 0.7, 0.3]) + 0.01 * np.cos(5 * T)

    fit = LevenbergMarquardt(lambda x: decay(x[:3]) - data).fit([1, 1, 0, 5])

    assert fit.parameters[3] == 5
    assert np.isinf(fit.standard_errors[3])
    assert np.all(np.isfinite(fit.standard_errors[:3]))


def test_as_many_residuals_as_parameters_leave_no_estimate_of_the_noise():
    assert np.all(np.isnan(LevenbergMarquardt(rosenbrock).fit([0, 0]).standard_errors))
    assert np.all(np.isfinite(LevenbergMarquardt(rosenbrock, noise=1).fit([0, 0]).standard_errors))


@pytest.mark.parametrize("jacobian", [decay_jacobian, None])
def test_bounds_hold_at_every_evaluation(jacobian):
    data = decay([2.0, 0.7, 0.3])
    lower, upper = np.array([0.0, 0.0, 0.6]), np.array([1.5, 9.0, 9.0])
    seen = []

    def residuals(x):
        seen.append(x)
        return decay(x) - data

    fit = LevenbergMarquardt(residuals, jacobian, bounds=(lower, upper)).fit([9.0, 1.0, 0.0])

    assert np.all((np.array(seen) >= lower) & (np.array(seen) <= upper))
    assert fit.is_converged
    # The best point of a grid inside the bounds; two parameters end at theirs.
    rates, offsets = np.linspace(0.5, 1.5, 2001), np.linspace(0.6, 0.7, 11)
    models = 1.5 * np.exp(-rates[:, None, None] * T) + offsets[:, None]
    best = np.unravel_index(np.argmin(((models - data) ** 2).sum(-1)), (2001, 11))
    assert fit.parameters[[0, 2]].tolist() == [1.5, 0.6] == [1.5, offsets[best[1]]]
    assert fit.parameters[1] == pytest.approx(rates[best[0]], abs=5e-4)
    assert np.isnan(fit.standard_errors).tolist() == [True, False, True]


def test_steps_to_where_residuals_do_not_exist_are_taken_back():
    def residuals(x):
        with np.errstate(invalid="ignore"):
            return np.array([np.sqrt(x[0]) - 0.1, 0.01 * (x[0] - 0.01)])

    fit = LevenbergMarquardt(residuals, lambda x: np.array([[0.5 / np.sqrt(x[0])], [0.01]])).fit(
        [9.0]
    )

    assert fit.parameters[0] == pytest.approx(0.01, rel=1e-6)


def test_a_function_in_slang_is_fitted_in_float(device):
    module = weft.Module.load_from_source(
        device,
        "decays",
        "float decay(float t, float a, float b, float c) { return a * exp(-b * t) + c; }",
    )
    times = Tensor.from_numpy(device, T.astype(np.float32))
    data = decay([2.0, 0.7, 0.3]).astype(np.float32)

    def residuals(x):
        return module.decay(times, *x, _result="numpy") - data

    fit = LevenbergMarquardt(residuals).fit([1.0, 1.0, 0.0])

    np.testing.assert_allclose(fit.parameters, [2.0, 0.7, 0.3], rtol=1e-5)
    as_tensor = LevenbergMarquardt(lambda x: Tensor.from_numpy(device, residuals(x)))
    assert as_tensor.fit([1.0, 1.0, 0.0]).parameters.tolist() == fit.parameters.tolist()


def test_iterations_are_limited():
    fit = LevenbergMarquardt(rosenbrock).fit([-1.2, 1.0], max_iterations=3)

    assert (fit.iterations, fit.reason, fit.is_converged) == (3, "iterations", False)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda: LevenbergMarquardt(3), "LevenbergMarquardt: residuals must be callable, got int"),
        (lambda: LevenbergMarquardt(powell, initial_damping=-1), "LevenbergMarquardt: initial_damping must be 0 or greater, got -1"),
        (lambda: LevenbergMarquardt(powell).fit([[1.0]]), "fit: start must have shape (n,), got (1, 1)"),
        (lambda: LevenbergMarquardt(rosenbrock).fit([np.nan, 0]), "fit: residuals of start are not all finite; start where they are, or check bounds"),
        (lambda: LevenbergMarquardt(rosenbrock, bounds=(1, 0)).fit([0, 0]), "fit: bounds has a lower bound that is not below its upper one; swap them"),
        (lambda: LevenbergMarquardt(rosenbrock, bounds=(np.zeros(3), None)).fit([0, 0]), "fit: bounds must be numbers or have shape (2,), got (3,)"),
        (lambda: LevenbergMarquardt(rosenbrock, bounds=3).fit([0, 0]), "fit: bounds must be a tuple (lower, upper), got int; None leaves a side open"),
        (lambda: LevenbergMarquardt(rosenbrock, lambda x: np.eye(3)).fit([0, 0]), "fit: jacobian must return shape (2, 2), residuals by parameters, got (3, 3)"),
        (lambda: LevenbergMarquardt(lambda x: []).fit([0]), "fit: residuals must return the same number of values each time, at least 1, got 0"),
    ],
)  # fmt: skip
def test_mistakes_are_named(action, text):
    with pytest.raises(weft.ArgumentError, match=re.escape(text)):
        action()
