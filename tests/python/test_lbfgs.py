# SPDX-License-Identifier: Apache-2.0
"""L-BFGS on functions whose minimum is known, and its line searches."""
# ruff: noqa: E501  (messages stand as they are printed)

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from weft import Tensor, optim
from weft.optim.line_search import Point, search_backtracking, search_strong_wolfe

SEARCHES = ("strong_wolfe", "backtracking")


def rosenbrock(x):
    """Return value and gradient of the chained Rosenbrock function; minimum 0 at ones."""
    a, b = x[:-1], x[1:]
    gradient = np.zeros_like(x)
    gradient[:-1] = -400 * a * (b - a**2) - 2 * (1 - a)
    gradient[1:] += 200 * (b - a**2)
    return float((100 * (b - a**2) ** 2 + (1 - a) ** 2).sum()), gradient


def closure_of(function, tensor):
    """Evaluate a numpy function at a tensor."""

    def closure():
        value, gradient = function(tensor.to_numpy().reshape(-1).astype(np.float64))
        shaped = gradient.reshape(tensor.to_numpy().shape)
        return value, [Tensor.from_numpy(tensor.device, shaped)]

    return closure


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("size", [2, 12])
def test_rosenbrock_in_double(device, search, size):
    x = Tensor.from_numpy(device, np.tile([-1.2, 1.0], size // 2))
    optimiser = optim.LBFGS(x, line_search=search, tolerance_gradient=1e-9, tolerance_change=0)

    found = optimiser.minimise(closure_of(rosenbrock, x), 400)

    assert found.is_converged
    assert found.reason == "gradient"
    assert found.evaluations < 250
    np.testing.assert_allclose(x.numpy(), 1, atol=1e-7)
    assert found.loss == pytest.approx(0, abs=1e-14)


@pytest.mark.parametrize("dtype", ["float", "float2"])
def test_rosenbrock_in_float(device, dtype):
    x = Tensor.zeros(device, (4,) if dtype == "float" else (2,), dtype)

    found = optim.LBFGS([x], tolerance_gradient=1e-3).minimise(closure_of(rosenbrock, x))

    assert found.is_converged
    np.testing.assert_allclose(x.numpy().ravel(), 1, atol=5e-3)


def test_a_quadratic_bowl_is_solved_like_a_linear_system(device):
    rng = np.random.default_rng(0)
    root = rng.normal(size=(20, 20))
    matrix, right = root @ root.T + np.eye(20), rng.normal(size=20)
    x = Tensor.zeros(device, (20,), weft.float64)

    def bowl(v):
        return float(0.5 * v @ matrix @ v - right @ v), matrix @ v - right

    found = optim.LBFGS(x, history=20, tolerance_gradient=1e-6, tolerance_change=0).minimise(
        closure_of(bowl, x), 200
    )

    assert found.is_converged
    # At the minimum the loss is flat: 1e-16 of it are 1e-8 of x, times the condition number of 60.
    np.testing.assert_allclose(x.numpy(), np.linalg.solve(matrix, right), rtol=1e-5, atol=1e-6)


def test_parameters_of_any_kinds_are_minimised_together(device):
    kinds = {"a": ((3,), "float"), "b": ((2, 2), "half"), "c": ((), "double"), "d": ((0,), "float")}
    tensors = {name: Tensor.zeros(device, *kind) for name, kind in kinds.items()}
    whole = Tensor.zeros(device, (4, 4))
    tensors["e"] = whole[::2, 1::2]
    targets = {"a": 1.0, "b": -2.0, "c": 3.0, "d": 0.0, "e": 0.5}

    def closure():
        values = {name: tensor.to_numpy().astype(np.float64) for name, tensor in tensors.items()}
        loss = sum(((values[n] - targets[n]) ** 2).sum() for n in values)
        return loss, {
            n: Tensor.from_numpy(device, np.asarray(2 * (values[n] - targets[n]))) for n in values
        }

    optim.LBFGS(tensors).minimise(closure)

    for name, tensor in tensors.items():
        np.testing.assert_allclose(tensor.to_numpy(), targets[name], atol=1e-3)
    assert np.count_nonzero(whole.numpy()) == 4


def test_steps_descend_and_a_restored_state_goes_on_bit_for_bit(device, tmp_path):
    x = Tensor.from_numpy(device, np.array([-1.2, 1.0, 0.5, 2.0]))
    optimiser = optim.LBFGS(x, history=3)
    closure = closure_of(rosenbrock, x)
    losses = [optimiser.step(closure) for _ in range(6)]
    np.savez(tmp_path / "state.npz", **optimiser.state_dict())
    middle = x.to_numpy()
    losses += [optimiser.step(closure) for _ in range(6)]

    y = Tensor.from_numpy(device, middle)
    other = optim.LBFGS(y, history=3)
    with np.load(tmp_path / "state.npz") as state:
        other.load_state_dict(state)
    again = [other.step(closure_of(rosenbrock, y)) for _ in range(6)]

    assert np.all(np.diff(losses) < 0)
    assert again == losses[6:]
    assert x.to_numpy().tobytes() == y.to_numpy().tobytes()
    assert other.step_count == optimiser.step_count == 12


def test_a_loss_that_is_infinite_far_away_is_still_minimised(device):
    x = Tensor.from_numpy(device, np.array([5.0]))

    def barrier(v):
        with np.errstate(all="ignore"):
            return float(v[0] - np.log(v[0])), 1 - 1 / v

    for search in SEARCHES:
        x.fill(5.0)
        optim.LBFGS(x, line_search=search).minimise(closure_of(barrier, x))
        assert x.item() == pytest.approx(1, abs=1e-4)


def test_a_wrong_gradient_leaves_the_parameters_where_they_were(device):
    x = Tensor.from_numpy(device, np.array([1.0, 2.0]))

    found = optim.LBFGS(x).minimise(closure_of(lambda v: (float(v @ v), -2 * v), x))

    assert found.reason == "line search"
    assert not found.is_converged
    assert x.numpy().tolist() == [1.0, 2.0]


def test_a_minimum_is_left_alone(device):
    x = Tensor.zeros(device, (3,))
    optimiser = optim.LBFGS(x)
    closure = closure_of(lambda v: (float(v @ v), 2 * v), x)

    assert optimiser.step(closure) == 0
    assert optimiser.minimise(closure).iterations == 0


def test_a_tensor_may_be_the_loss(device):
    x = Tensor.ones(device, (3,))

    def closure():
        loss, gradients = closure_of(lambda v: (float(v @ v), 2 * v), x)()
        return Tensor.full(device, (), loss), gradients

    optim.LBFGS(x).minimise(closure)

    np.testing.assert_allclose(x.numpy(), 0, atol=1e-4)


@given(st.floats(0.01, 100), st.floats(0.05, 20), st.floats(-3, 3))
@settings(max_examples=60, deadline=None)
def test_accepted_points_meet_the_wolfe_conditions(first, minimum, skew):
    def function(t):
        # One valley with its bottom at `minimum`, more or less steep on its sides.
        u = t / minimum - 1
        value = math.exp(min(skew * u, 50)) * u * u if abs(skew) < 0.5 else u * u + 0.1 * u**4
        h = 1e-6 * minimum
        return value, h

    def evaluate(t):
        value, h = function(t)
        slope = (function(t + h)[0] - function(t - h)[0]) / (2 * h)
        return Point(t, value, slope)

    start = evaluate(0.0)
    wolfe = search_strong_wolfe(evaluate, start, first, 60)
    halved = search_backtracking(evaluate, start, first, 60)

    for point in (wolfe, halved):
        assert point is not None
        assert point.value <= start.value + 1e-4 * point.distance * start.slope
    assert abs(wolfe.slope) <= 0.9 * abs(start.slope) * (1 + 1e-6)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda x: optim.LBFGS(x, history=0), "LBFGS: history must be 1 or greater, got 0; pass for example 10"),
        (lambda x: optim.LBFGS(x, line_search="exact"), "LBFGS: line_search must be strong_wolfe or backtracking, got 'exact'"),
        (lambda x: optim.LBFGS(x).step(lambda: "low"), "LBFGS.step: closure must return the loss, or (loss, gradients), got str"),
        (lambda x: optim.LBFGS(x).step(lambda: 1.0), "LBFGS.step: parameter '0' has no gradient; make it with with_grads()"),
        (lambda x: optim.LBFGS(x).step(lambda: (1.0, [])), "LBFGS.step: gradients has 0 entries for 1 parameters; pass one for each"),
        (lambda x: optim.LBFGS(x).step(lambda: (math.nan, [x])), "LBFGS.step: the loss of the parameters is nan; begin where it is finite"),
        (lambda x: optim.LBFGS(x).load_state_dict({"optimiser": "Adam"}), "LBFGS.load_state_dict: the state is of Adam; make that optimizer, or pass a state of this one"),
        (lambda x: optim.LBFGS(x).load_state_dict(optim.LBFGS(x, history=2).state_dict()), "LBFGS.load_state_dict: 's' must have shape (10, 2) and dtype float32, got (2, 2) and float32; make it with the same parameters and history"),
    ],
)  # fmt: skip
def test_mistakes_are_named(device, make, text):
    with pytest.raises(weft.ArgumentError, match=re.escape(text)):
        make(Tensor.ones(device, (2,)))
