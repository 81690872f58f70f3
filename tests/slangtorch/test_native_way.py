# SPDX-License-Identifier: Apache-2.0
"""Launches that were made before, with tensors of the device's memory: the bindings make them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

import weft
import weft.slangtorch
from support.slangtorch_modules import load
from weft import Tensor

__all__ = ["load"]  # the fixture

SOURCE = """
struct Pair { TensorView<float> x; TensorView<float> y; float factor; }

[AutoPyBindCUDA] [CUDAKernel]
void twice(TensorView<float> x, TensorView<float> y)
{
    let i = (cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim()).x;
    if (i < x.size(0))
        y[i] = 2 * x[i];
}
[AutoPyBindCUDA] [CUDAKernel]
void scale(Pair pair, float offset)
{
    let i = cudaThreadIdx().x;
    if (i < pair.x.size(0))
        pair.y[i] = pair.factor * pair.x[i] + offset;
}
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void square(DiffTensorView x, DiffTensorView y)
{
    let i = cudaThreadIdx().x;
    if (i < x.size(0))
        y[i] = x[i] * x[i];
}
"""
SIZES = {"blockSize": (32, 1, 1), "gridSize": (1, 1, 1)}


@pytest.fixture
def module(load):
    return load(SOURCE)


@pytest.fixture
def x(module):
    return Tensor.from_numpy(module.device, np.arange(8, dtype=np.float32))


@pytest.fixture
def y(module):
    return Tensor.zeros(module.device, (8,))


def repeat(kernel, **arguments):
    """Launch by the long way, with known parameters, and with known sizes."""
    for _ in range(3):
        kernel(**arguments).launchRaw(**SIZES)


def python_calls(run):
    """Return the functions of Python that run calls."""
    called = []

    def note(frame, event, _argument):
        if event == "call":
            called.append(frame.f_code.co_name)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return called


def test_a_repeated_launch_runs_no_code_of_python(module, x, y):
    repeat(module.twice, x=x, y=y)
    repeat(module.square.bwd, x=(x, y), y=(x, y))

    def launches():
        module.twice(x=x, y=y).launchRaw(blockSize=(32, 1, 1), gridSize=(1, 1, 1))
        module.twice(x=x, y=y).launchRaw((32, 1, 1), (1, 1, 1))

    assert python_calls(launches) == ["launches"]
    backward = module.square.bwd
    assert python_calls(lambda: backward(x=(x, y), y=(x, y)).launchRaw(**SIZES)) == ["<lambda>"]


@pytest.mark.parametrize("form", ["dict", "tuple", "named"])
def test_structures_are_read_in_each_form(module, x, y, form):
    given = {
        "dict": {"factor": 3.0, "x": x, "y": y},
        "tuple": (x, y, 3.0),
        "named": module.Pair(x=x, y=y, factor=3.0),
    }[form]
    repeat(module.scale, pair=given, offset=1)
    y.clear()

    run = module.scale(offset=2, pair=given)
    assert python_calls(lambda: run.launchRaw(**SIZES)) == ["<lambda>"]

    assert np.array_equal(y.to_numpy(), 3 * x.to_numpy() + 2)


def test_gradients_are_read_in_each_form_and_may_be_left_out(module, x, y):
    upstream, gradient = Tensor.ones(module.device, (8,)), Tensor.zeros(module.device, (8,))
    pair = weft.slangtorch.DiffTensorView(value=x, grad=gradient)
    repeat(module.square, x=x, y=y)
    repeat(module.square.bwd, x=pair, y=(y, upstream))
    upstream.copy_from_numpy(np.ones(8, np.float32))

    module.square(x=x, y=y).launchRaw(**SIZES)
    module.square.bwd(x=pair, y=(y, upstream)).launchRaw(**SIZES)

    assert np.array_equal(y.to_numpy(), x.to_numpy() ** 2)
    assert np.array_equal(gradient.to_numpy(), 4 * x.to_numpy())
    assert not upstream.to_numpy().any()


def test_other_sizes_totals_and_lists_are_taken_as_before(module, x, y):
    repeat(module.twice, x=x, y=y)
    ways = (
        lambda bound: bound.launchRaw(blockSize=[4, 1, 1], gridSize=[2]),
        lambda bound: bound.launchRaw(4, gridSize=2),
        lambda bound: bound.launchTotal(blockSize=4, totalSize=8),
        lambda bound: bound.autoLaunch(8),
    )
    for way in ways:
        y.clear()
        way(module.twice(x=x, y=y))
        assert np.array_equal(y.to_numpy(), 2 * x.to_numpy())


def test_errors_are_those_of_the_long_way(module, x, y):
    repeat(module.twice, x=x, y=y)
    repeat(module.square.bwd, x=(x, y), y=(x, y))
    wide = Tensor.zeros(module.device, (8,), dtype="double")

    with pytest.raises(weft.ArgumentTypeError, match="argument 'y' is missing"):
        module.twice(x=x)
    with pytest.raises(weft.ArgumentTypeError, match="no parameter 'z'"):
        module.twice(x=x, z=y)
    with pytest.raises(weft.ArgumentTypeError, match="got 2 without"):
        module.twice(x, y)
    with pytest.raises(weft.ArgumentError, match=r"^twice: argument 'y' must have elements"):
        module.twice(x=x, y=wide).launchRaw(**SIZES)
    with pytest.raises(weft.ArgumentError, match="gridSize must be one to three whole numbers"):
        module.twice(x=x, y=y).launchRaw(blockSize=(32, 1, 1), gridSize=(0, 1, 1))
    with (
        pytest.warns(weft.slangtorch.LaunchWarning),
        pytest.raises(TypeError, match="gridSize"),
    ):
        module.twice(x=x, y=y).launchRaw(blockSize=(32, 1, 1))
    short = Tensor.zeros(module.device, (4,))
    with pytest.raises(weft.ArgumentError, match=r"square\.bwd: .*'x'"):
        module.square.bwd(x=(x, short), y=(x, y)).launchRaw(**SIZES)


def test_a_launch_that_was_forgotten_is_warned_of(module, x, y):
    repeat(module.twice, x=x, y=y)

    with pytest.warns(weft.slangtorch.LaunchWarning, match="^twice got its arguments") as caught:
        module.twice(x=x, y=y)

    assert [warning.filename for warning in caught] == [__file__]


def test_an_edit_takes_effect(module, x, y):
    repeat(module.twice, x=x, y=y)
    Path(module.path).write_text(SOURCE.replace("2 * x[i]", "5 * x[i]"))
    module.refresh()
    time.sleep(0.6)

    repeat(module.twice, x=x, y=y)

    assert np.array_equal(y.to_numpy(), 5 * x.to_numpy())
