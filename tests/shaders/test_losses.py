# SPDX-License-Identifier: Apache-2.0
"""The losses of shaders/losses.slang: values and derivatives against formulas and differences."""

from __future__ import annotations

import numpy as np
import pytest

import weft

VALUES = {
    "l1Loss": lambda p, t: np.abs(p - t),
    "l2Loss": lambda p, t: (p - t) ** 2,
    "relativeL2Loss": lambda p, t: (p - t) ** 2 / (p + 0.01) ** 2,
    "huberLoss": lambda p, t: np.where(
        np.abs(p - t) <= 0.25, (p - t) ** 2 / 2, 0.25 * (np.abs(p - t) - 0.125)
    ),
    "smapeLoss": lambda p, t: np.abs(p - t) / (np.abs(p) + np.abs(t) + 0.01),
    "logL2Loss": lambda p, t: (np.log1p(p) - np.log1p(t)) ** 2,
}
"""Independent formulas, with the third argument of LAST."""

LAST = {"relativeL2Loss": "0.01", "huberLoss": "0.25", "smapeLoss": "0.01"}

SLOPES = {
    "l1Loss": lambda p, t: np.sign(p - t),
    "l2Loss": lambda p, t: 2 * (p - t),
    "relativeL2Loss": lambda p, t: 2 * (p - t) / (p + 0.01) ** 2,
    "huberLoss": lambda p, t: np.clip(p - t, -0.25, 0.25),
    "smapeLoss": lambda p, t: np.sign(p - t) / (p + t + 0.01) - np.abs(p - t) / (p + t + 0.01) ** 2,
    "logL2Loss": lambda p, t: 2 * (np.log1p(p) - np.log1p(t)) / (1 + p),
}
"""Derivatives by the prediction, for positive arguments; relativeL2Loss keeps its denominator."""

SINGLE = {"logL2Loss"}
"""Tested in float: Vulkan has no logarithm of doubles."""


def wrapped(name):
    """Return Slang around one loss: its value and its derivatives, of numbers and of float3."""
    number = "float" if name in SINGLE else "double"
    last, color_last = (
        (f", {number}({LAST[name]}L)", f", {LAST[name]}f") if name in LAST else ("", "")
    )
    call, color_call = f"{name}(p, t{last})", f"{name}(p, t{color_last})"
    arguments = f"{number} p, {number} t"
    return f"""
        [Differentiable] {number} {name}Number({arguments}) {{ return {call}; }}
        [Differentiable] float {name}Color(float3 p, float3 t) {{ return {color_call}; }}
        {number}2 {name}Backward({arguments})
        {{
            var x = diffPair(p);
            var y = diffPair(t);
            bwd_diff({name}Number)(x, y, {number}(1));
            return {number}2(x.d, y.d);
        }}
        {number} {name}Forward({arguments}, {number} dp, {number} dt)
        {{
            return fwd_diff({name}Number)(diffPair(p, dp), diffPair(t, dt)).d;
        }}
        float3 {name}ColorBackward(float3 p, float3 t)
        {{
            var x = diffPair(p);
            var y = diffPair(t);
            bwd_diff({name}Color)(x, y, 1.f);
            return x.d;
        }}
    """


@pytest.fixture(scope="module")
def module(device):
    source = "import losses;\n" + "".join(map(wrapped, VALUES))
    return weft.Module.load_from_source(device, "all_losses", source)


@pytest.fixture
def pairs():
    """Positive predictions and targets, a third of them within 0.25 of each other."""
    rng = np.random.default_rng(8)
    target = rng.uniform(0.02, 3, 600)
    near = target[:200] + rng.uniform(-0.015, 0.24, 200)
    return np.concatenate([near, rng.uniform(0.02, 3, 400)]), target


def tolerance(name):
    """Return what rounding makes of values and slopes of about 1."""
    return {"rtol": 1e-3, "atol": 3e-6} if name in SINGLE else {"rtol": 1e-9, "atol": 1e-12}


def call(module, name, *arguments):
    return getattr(module, name)(*arguments, _result="numpy")


@pytest.mark.parametrize("name", VALUES)
def test_values_follow_the_formula(module, pairs, name):
    prediction, target = pairs

    values = call(module, name + "Number", prediction, target)

    np.testing.assert_allclose(values, VALUES[name](prediction, target), **tolerance(name))


@pytest.mark.parametrize("name", VALUES)
def test_equal_arguments_have_no_loss_and_no_slope(module, name):
    assert getattr(module, name + "Number")(0.7, 0.7) == 0
    assert tuple(getattr(module, name + "Backward")(0.7, 0.7)) == (0, 0)


@pytest.mark.parametrize("name", VALUES)
def test_losses_of_colors_are_means_over_the_components(module, pairs, name):
    prediction, target = (array.reshape(-1, 3).astype(np.float32) for array in pairs)

    values = call(module, name + "Color", prediction, target)
    slopes = call(module, name + "ColorBackward", prediction, target)

    p, t = prediction.astype(np.float64), target.astype(np.float64)
    # Differences of nearly equal floats lose digits.
    np.testing.assert_allclose(values, VALUES[name](p, t).mean(-1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(slopes, SLOPES[name](p, t) / 3, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", VALUES)
def test_backward_derivatives_equal_the_closed_form(module, pairs, name):
    prediction, target = pairs

    slopes = call(module, name + "Backward", prediction, target)

    np.testing.assert_allclose(slopes[:, 0], SLOPES[name](prediction, target), **tolerance(name))


@pytest.mark.parametrize("name", sorted(set(VALUES) - {"relativeL2Loss"} - SINGLE))
def test_backward_derivatives_equal_central_differences(module, pairs, name):
    prediction, target = pairs
    h = 1e-5
    # A step across the corner at equality, or at delta, has another slope.
    distance = np.abs(prediction - target)
    smooth = (distance > 2 * h) & (np.abs(distance - 0.25) > 2 * h)
    p, t = prediction[smooth], target[smooth]

    def value(*arguments):
        return call(module, name + "Number", *arguments)

    slopes = call(module, name + "Backward", p, t)

    by_prediction = (value(p + h, t) - value(p - h, t)) / (2 * h)
    by_target = (value(p, t + h) - value(p, t - h)) / (2 * h)
    # The error of the differences is h^2 f''' / 6, below 1e-4 near 0 for SMAPE.
    np.testing.assert_allclose(
        slopes, np.stack([by_prediction, by_target], -1), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("name", VALUES)
def test_forward_and_backward_derivatives_agree(module, pairs, name):
    prediction, target = pairs
    dp, dt = np.random.default_rng(1).normal(size=(2, prediction.size))

    forward = call(module, name + "Forward", prediction, target, dp, dt)
    slopes = call(module, name + "Backward", prediction, target)

    expected = slopes[:, 0] * dp + slopes[:, 1] * dt
    np.testing.assert_allclose(forward, expected, **tolerance(name))


def test_noisy_targets_have_their_mean_as_the_minimum_of_relative_l2(module):
    rng = np.random.default_rng(4)
    target = rng.exponential(2.0, 4000)

    slopes = call(module, "relativeL2LossBackward", np.full(4000, target.mean()), target)

    assert abs(slopes[:, 0].mean()) < 1e-12


@pytest.mark.parametrize("signs", [(1, -1), (-1, 1), (-1, -1)])
@pytest.mark.parametrize("name", ["l1Loss", "l2Loss", "huberLoss", "smapeLoss"])
def test_values_follow_the_formula_whatever_the_signs(module, pairs, name, signs):
    prediction, target = (sign * values for sign, values in zip(signs, pairs, strict=True))

    values = call(module, name + "Number", prediction, target)

    np.testing.assert_allclose(values, VALUES[name](prediction, target), **tolerance(name))


@pytest.mark.parametrize("signs", [(1, -1), (-1, 1), (-1, -1)])
def test_slopes_of_smape_are_those_of_its_formula_whatever_the_signs(module, pairs, signs):
    prediction, target = (sign * values[200:] for sign, values in zip(signs, pairs, strict=True))
    size = np.abs(prediction) + np.abs(target) + 0.01

    slopes = call(module, "smapeLossBackward", prediction, target)

    distance, ahead = np.abs(prediction - target), np.sign(prediction - target)
    by_prediction = ahead / size - distance * np.sign(prediction) / size**2
    by_target = -ahead / size - distance * np.sign(target) / size**2
    np.testing.assert_allclose(slopes, np.stack([by_prediction, by_target], 1), rtol=1e-9)


def test_smape_stays_below_one(module):
    p, t = np.array([0.0, 1e9, 1e-12, 0.0]), np.array([1e9, 0.0, 0.0, 0.0])

    values = call(module, "smapeLossNumber", p, t)

    assert np.all((values >= 0) & (values <= 1))
    assert values[3] == 0
