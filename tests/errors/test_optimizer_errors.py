# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (messages stand as they are printed)
"""Every message of weft.optim: its class, its text, and that nothing has changed."""

import re

import numpy as np
import pytest

import weft
from weft import Tensor, optim

Adam, SGD = optim.Adam, optim.SGD


def assert_raises(kinds, text, action):
    with pytest.raises(weft.ArgumentError, match=re.escape(text)) as caught:
        action()
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        assert isinstance(caught.value, kind)
    assert "\n" not in str(caught.value)


@pytest.fixture
def weights(device):
    return Tensor.ones(device, (2, 3))


@pytest.mark.parametrize(
    ("parameters", "kind", "text"),
    [
        ([], ValueError, "Adam: parameters are empty; pass at least one tensor"),
        (3, TypeError, "Adam: parameters must be a Tensor, a list of them or a dict of them by name, got int"),
        ([np.zeros(3)], TypeError, "Adam: parameter '0' must be a Tensor, got ndarray; make one with Tensor.from_numpy()"),
    ],
)  # fmt: skip
def test_parameters_must_be_tensors(parameters, kind, text):
    assert_raises(kind, text, lambda: Adam(parameters))


def test_parameters_must_hold_floats(device):
    module = weft.Module.load_from_source(device, "fields", "struct Pair { float a; float b; };")
    text = "Adam: parameter 'w' must hold half, float, double, or vectors of these, got "
    remedy = "; convert it with astype(), or optimize the fields one by one"

    assert_raises(
        TypeError, text + "int" + remedy, lambda: Adam({"w": Tensor.zeros(device, (2,), int)})
    )
    assert_raises(
        TypeError,
        text + "Pair" + remedy,
        lambda: Adam({"w": Tensor.zeros(device, (2,), module.Pair)}),
    )


def test_parameters_must_have_memory_of_their_own(device, weights):
    broadcast = Tensor.ones(device, (1, 3)).broadcast_to((4, 3))

    assert_raises(
        ValueError,
        "Adam: parameter '0' is a broadcast view, several elements share memory; pass a copy from contiguous()",
        lambda: Adam([broadcast]),
    )
    assert_raises(
        ValueError,
        "Adam: parameters '0' and '1' share memory; pass each tensor once",
        lambda: Adam([weights, weights]),
    )


def test_parameters_must_be_on_one_device(device, weights):
    with weft.create_device(type=device.info.type) as other:
        there = Tensor.ones(other, (2,))

        assert_raises(
            ValueError,
            "Adam: parameter '1' is on another device than '0'; make one optimizer a device",
            lambda: Adam([weights, there]),
        )
        assert_raises(
            ValueError,
            "Adam.step: the gradient of parameter '0' is on another device than the parameter; copy it there",
            lambda: Adam([weights]).step([Tensor.ones(other, (2, 3))]),
        )


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda w: Adam(w, -0.1), ValueError, "Adam: learning_rate must be 0 or greater, got -0.1; pass for example 0.01 or a schedule"),
        (lambda w: Adam(w, float("nan")), ValueError, "Adam: learning_rate must be 0 or greater, got nan"),
        (lambda w: Adam(w, "fast"), TypeError, "Adam: learning_rate must be a number, got str; pass for example 0.01 or a schedule"),
        (lambda w: Adam(w, [0.1, 0.2]), ValueError, "Adam: learning_rate has 2 entries for 1 parameters; pass one for each"),
        (lambda w: Adam({"w": w}, {"v": 1}), ValueError, "Adam: learning_rate names 'v', which is no parameter; they are w"),
        (lambda w: Adam({"w": w}, {}), ValueError, "Adam: learning_rate has no entry for parameter 'w'; add it"),
        (lambda w: Adam({"w": w}, {"w": -1}), ValueError, "Adam: learning_rate['w'] must be 0 or greater, got -1"),
        (lambda w: Adam(w, betas=(0.9, 1.0)), ValueError, "Adam: betas[1] must be below 1, got 1; pass for example 0.9"),
        (lambda w: Adam(w, betas=(0.9,)), ValueError, "Adam: betas must be two numbers, got 1"),
        (lambda w: Adam(w, epsilon=-1), ValueError, "Adam: epsilon must be 0 or greater, got -1; pass for example 1e-8"),
        (lambda w: optim.AdamW(w, weight_decay=-1), ValueError, "AdamW: weight_decay must be 0 or greater, got -1; 0 is none"),
        (lambda w: SGD(w, 1, momentum=-0.5), ValueError, "SGD: momentum must be 0 or greater, got -0.5; pass for example 0.9"),
        (lambda w: SGD(w, 1, nesterov=True), ValueError, "SGD: nesterov needs a momentum above 0; pass for example 0.9"),
        (lambda w: SGD(w, 1, clip_value=1, clip_norm=1), ValueError, "SGD: clip_value and clip_norm are both given; pass one of them"),
        (lambda w: SGD(w, 1, clip_norm=-1), ValueError, "SGD: clip_norm must be 0 or greater, got -1; pass for example 1.0"),
        (lambda w: SGD(w, 1, bounds=0.5), TypeError, "SGD: bounds must be a tuple (lower, upper), got float; None leaves a side open"),
        (lambda w: SGD(w, 1, bounds=(1, 0)), ValueError, "SGD: bounds has a lower bound that is not below its upper one; swap them"),
        (lambda w: SGD(w, 1, bounds=(np.zeros(2), None)), ValueError, "SGD: bounds of parameter '0' have shape (2,), which does not broadcast to its shape (2, 3)"),
    ],
)  # fmt: skip
def test_settings_must_make_sense(weights, make, kind, text):
    assert_raises(kind, text, lambda: make(weights))


@pytest.mark.parametrize(
    ("gradients", "kind", "text"),
    [
        (lambda device: None, ValueError, "SGD.step: parameter 'w' has no gradient; make it with with_grads() and run a backward pass, or pass gradients="),
        (lambda device: [], ValueError, "SGD.step: gradients has 0 entries for 1 parameters; pass one for each"),
        (lambda device: {}, ValueError, "SGD.step: gradients has no entry for parameter 'w'; add it"),
        (lambda device: [np.zeros((2, 3))], TypeError, "SGD.step: the gradient of parameter 'w' must be a Tensor, got ndarray; make one with Tensor.from_numpy()"),
        (lambda device: [Tensor.zeros(device, (3, 2))], ValueError, "SGD.step: the gradient of parameter 'w' has shape (3, 2), the parameter has (2, 3); make them equal"),
        (lambda device: [Tensor.zeros(device, (2, 3), int)], TypeError, "SGD.step: the gradient of parameter 'w' must hold half, float, double, or vectors of these, got int"),
    ],
)  # fmt: skip
def test_gradients_must_fit(device, weights, gradients, kind, text):
    optimizer = SGD({"w": weights}, 1.0)

    assert_raises(kind, text, lambda: optimizer.step(gradients(device)))

    assert optimizer.step_count == 0
    assert np.all(weights.numpy() == 1)


def test_schedules_must_return_rates(device, weights):
    optimizer = SGD({"w": weights}, lambda step: 1.0 - 2 * step)
    optimizer.step([weights])

    assert_raises(
        ValueError,
        "SGD.step: learning_rate of parameter 'w' is -1 at step 1; a schedule must return a finite number of 0 or greater",
        lambda: optimizer.step([weights]),
    )
    assert optimizer.step_count == 1


def test_states_must_be_of_the_same_optimizer(device, weights):
    state = Adam({"w": weights}).state_dict()
    column = Tensor.ones(device, (6,))

    assert_raises(
        ValueError,
        "SGD.load_state_dict: the state is of Adam; make that optimizer, or pass a state of this one",
        lambda: SGD(weights, 1).load_state_dict(state),
    )
    assert_raises(
        ValueError,
        "Adam.load_state_dict: the state and this optimizer differ in first_moment/v, first_moment/w, second_moment/v, second_moment/w; make it with the same parameters",
        lambda: Adam({"v": weights}).load_state_dict(state),
    )
    assert_raises(
        ValueError,
        "Adam.load_state_dict: 'first_moment/w' must have shape (6,) and dtype float32, got (2, 3) and float32; make it with the same parameters",
        lambda: Adam({"w": column}).load_state_dict(state),
    )


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: optim.constant_rate(-1), "constant_rate: rate must be 0 or greater, got -1; pass for example 0.01"),
        (lambda: optim.step_rate(1, every=0), "step_rate: every must be 1 or greater, got 0; pass a whole number"),
        (lambda: optim.step_rate(1, every=1.5), "step_rate: every must be a whole number of steps, got 1.5"),
        (lambda: optim.exponential_rate(1, -0.5), "exponential_rate: factor must be 0 or greater, got -0.5"),
        (lambda: optim.cosine_rate(1, 5, warm_up=5), "cosine_rate: steps must be greater than warm_up, got 5 and 5; steps counts the warm-up too"),
    ],
)  # fmt: skip
def test_schedules_must_make_sense(make, text):
    assert_raises(ValueError, text, make)
