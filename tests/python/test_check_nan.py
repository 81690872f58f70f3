# SPDX-License-Identifier: Apache-2.0
"""check_nan: the first call that writes NaN or infinity is named."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float logarithm(float x) { return log(x); }
float ratio(float a, float b) { return a / b; }
int count(float x) { return int(x); }
struct Paint { float3 color; float weight; }
Paint paint(float x) { return { float3(1, 1 / x, 1), 2 }; }
void write(int i, ITensor<float, 1> x, IWTensor<float, 1> y) { y[i] = 1 / x[i]; }
[Differentiable]
void write_logarithm(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y) { y[i] = log(x[i]); }
void change(inout float x, float by) { x /= by; }
"""


@pytest.fixture
def checked(device):
    """The device, with the check on for one test."""
    device.check_nan = True
    yield device
    device.check_nan = False


@pytest.fixture
def module(checked):
    return weft.Module.load_from_source(checked, "check_nan", SOURCE)


@pytest.mark.parametrize(
    ("call", "found"),
    [
        (lambda d, m: m.ratio(np.ones((2, 3)), np.array([1.0, 0.0, 1.0])), "_result[0, 1] = inf"),
        (lambda d, m: m.ratio(0.0, 0.0), "_result = nan"),
        (lambda d, m: m.paint(0.0), "_result.color[1] = inf"),
        (lambda d, m: m.paint(np.array([1.0, 0.0])), "_result.color[1, 1] = inf"),
        (
            lambda d, m: m.write(weft.grid((3,)), np.array([1.0, 2.0, 0.0]), Tensor.zeros(d, (3,))),
            "y[2] = inf",
        ),
        (lambda d, m: m.change(Tensor.ones(d, (2,)), np.array([1.0, 0.0])), "x[1] = inf"),
        (lambda d, m: m.change(np.ones(2, np.float32), np.array([0.0, 1.0])), "x[0] = inf"),
    ],
)
def test_the_value_is_named(checked, module, call, found):
    with pytest.raises(weft.NonFiniteError) as caught:
        call(checked, module)

    assert f"the results must be finite (check_nan), got {found};" in str(caught.value)


def test_gradients_are_looked_at(checked, module):
    x = Tensor.from_numpy(checked, np.array([1.0, 0.0, 4.0], np.float32)).with_grads()
    result = Tensor.empty(checked, (3,)).with_grads(Tensor.ones(checked, (3,)))

    with pytest.raises(weft.NonFiniteError) as caught:
        module.logarithm.bwds(x, _result=result)
    with pytest.raises(weft.NonFiniteError) as whole:
        module.write_logarithm.bwds(weft.grid((3,)), x.with_grads(), result)

    assert str(caught.value).startswith(
        "logarithm.bwds: the results must be finite (check_nan), got"
    )
    assert "got x.grad_out[1] = inf;" in str(caught.value)
    assert "write_logarithm.bwds" in str(whole.value)
    assert "got x.grad_out[1] = inf;" in str(whole.value)


def test_finite_results_and_integers_pass(checked, module):
    x = Tensor.from_numpy(checked, np.array([1.0, 4.0], np.float32)).with_grads()
    uninitialised = Tensor.empty(checked, (2,)).with_grads(Tensor.ones(checked, (2,)))

    module.logarithm.bwds(x, _result=uninitialised)
    module.write_logarithm.bwds(weft.grid((2,)), x, uninitialised)

    assert module.count(np.array([1.0, 2.0])).numpy().tolist() == [1, 2]
    assert np.allclose(x.grad.numpy(), [2, 0.5])


def test_it_is_off_unless_asked_for(device):
    module = weft.Module.load_from_source(device, "check_nan", SOURCE)

    assert not device.check_nan
    assert np.isinf(module.ratio(1.0, 0.0))
    assert issubclass(weft.NonFiniteError, weft.Error)
    assert issubclass(weft.NonFiniteError, ArithmeticError)


def test_a_device_is_created_with_it(device, monkeypatch):
    kind = device.type
    monkeypatch.setenv("WEFT_CHECK_NAN", "1")
    with weft.create_device(type=kind) as by_environment:
        assert by_environment.check_nan
    with weft.create_device(type=kind, check_nan=False) as by_argument:
        assert not by_argument.check_nan
    monkeypatch.setenv("WEFT_CHECK_NAN", "yes")

    with pytest.raises(weft.ArgumentError, match="WEFT_CHECK_NAN must be 0 or 1, got 'yes'"):
        weft.create_device(type=kind)
