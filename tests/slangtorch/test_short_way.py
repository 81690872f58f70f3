# SPDX-License-Identifier: Apache-2.0
"""Launches that were made before: arrays of the host and structures go the short way."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.slangtorch_modules import load
from weft.slangtorch import quick

__all__ = ["load"]  # the fixture

SOURCE = """
struct Pair { TensorView<float> x; TensorView<float> y; float factor; }
struct Nested { Pair pair; float offsets[2]; }

[AutoPyBindCUDA] [CUDAKernel]
void twice(TensorView<float> x, TensorView<float> y)
{
    let i = (cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim()).x;
    if (i < x.size(0))
        y[i] = 2 * x[i];
}
[AutoPyBindCUDA] [CUDAKernel]
void scale(Pair pair)
{
    let i = cudaThreadIdx().x;
    if (i < pair.x.size(0))
        pair.y[i] = pair.factor * pair.x[i];
}
[AutoPyBindCUDA] [CUDAKernel]
void nested(Nested at)
{
    let i = cudaThreadIdx().x;
    if (i < at.pair.x.size(0))
        at.pair.y[i] = at.pair.factor * at.pair.x[i] + at.offsets[1];
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
def short(monkeypatch):
    """The launches that went the short way."""
    launches = []
    launch = quick.QuickLaunch.launch

    def noted(self, values, sizes):
        is_known = launch(self, values, sizes)
        launches.extend([sizes] if is_known else [])
        return is_known

    monkeypatch.setattr(quick.QuickLaunch, "launch", noted)
    return launches


def repeat(kernel, **arguments):
    """Launch by the long way, then with known parameters, then with known sizes."""
    for _ in range(3):
        kernel(**arguments).launchRaw(**SIZES)


def numbers(count=8):
    return np.arange(count, dtype=np.float32)


def test_arrays_of_the_host_take_the_short_way(module, short):
    x, y = numbers(), np.zeros(8, np.float32)

    repeat(module.twice, x=x, y=y)
    x += 1
    module.twice(x=x, y=y).launchRaw(**SIZES)

    assert len(short) == 2
    assert np.array_equal(y, 2 * x)


@pytest.mark.parametrize("form", ["dict", "tuple", "named"])
def test_structures_take_the_short_way(module, short, form):
    x, y = numbers(), np.zeros(8, np.float32)
    given = {
        "dict": {"factor": 3.0, "x": x, "y": y},
        "tuple": (x, y, 3.0),
        "named": module.Pair(x=x, y=y, factor=3.0),
    }[form]

    repeat(module.scale, pair=given)

    assert len(short) == 1
    assert np.array_equal(y, 3 * x)


def test_structures_of_structures_and_arrays_of_numbers_take_it(module, short):
    x, y = numbers(), np.zeros(8, np.float32)

    repeat(module.nested, at=((x, y, 3.0), [1.0, 2.0]))

    assert len(short) == 1
    assert np.array_equal(y, 3 * x + 2)


def test_gradients_in_arrays_of_the_host_add_up_and_are_consumed(module, short):
    x, y = numbers(), np.zeros(8, np.float32)
    gradient = np.zeros_like(x)
    for _ in range(3):
        upstream = np.ones_like(x)
        module.square.bwd(x=(x, gradient), y=(y, upstream)).launchRaw(**SIZES)
        assert not upstream.any()

    assert len(short) == 1
    assert np.array_equal(gradient, 6 * x)


def test_the_values_are_those_of_the_launch_and_not_of_the_call(module):
    x, y = numbers(), np.zeros(8, np.float32)
    repeat(module.twice, x=x, y=y)

    bound = module.twice(x=x, y=y)
    x[:] = 5
    bound.launchRaw(**SIZES)
    first = y.copy()
    x[:] = 6
    bound.launchRaw(**SIZES)

    assert set(first) == {10}
    assert set(y) == {12}


def test_overlaps_gaps_and_read_only_arrays_go_the_long_way(module, short):
    repeat(module.twice, x=numbers(), y=np.zeros(8, np.float32))
    short.clear()
    memory = numbers(12)
    gaps, fixed = np.zeros(16, np.float32), numbers()
    fixed.flags.writeable = False

    module.twice(x=memory[:8], y=memory[:8]).launchRaw(**SIZES)
    module.twice(x=numbers(), y=gaps[::2]).launchRaw(**SIZES)
    with pytest.raises(weft.ArgumentError, match="'y' is read only"):
        module.twice(x=numbers() + 1, y=fixed).launchRaw(**SIZES)

    assert short == []
    assert np.array_equal(memory[:8], 2 * numbers())
    assert np.array_equal(gaps[::2], 2 * numbers())


def test_wrong_members_and_types_are_named_after_a_launch_as_before(module):
    y = np.zeros(8, np.float32)
    repeat(module.scale, pair=(numbers(), y, 3.0))

    with pytest.raises(weft.ArgumentTypeError, match="no member 'z'"):
        module.scale(pair={"x": numbers(), "y": y, "factor": 3.0, "z": 1})
    with pytest.raises(weft.ArgumentTypeError, match="got 2 values"):
        module.scale(pair=(numbers(), y))
    with pytest.raises(weft.ArgumentTypeError, match="elements of float32, got float64"):
        module.scale(pair=(numbers().astype(np.float64), y, 3.0)).launchRaw(**SIZES)


def test_torch_hears_of_what_kernels_write_and_of_nothing_else(module, short):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x, y = torch.arange(8.0), torch.zeros(8)
    repeat(module.twice, x=x, y=y)
    y.zero_()
    versions = x._version, y._version

    module.twice(x=x, y=y).launchRaw(**SIZES)

    assert len(short) == 2
    assert torch.equal(y, 2 * x)
    assert x._version == versions[0]
    assert y._version > versions[1]


def test_tensors_that_require_gradients_go_the_long_way(module, short):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.arange(8.0)
    repeat(module.square, x=x, y=torch.zeros(8))
    short.clear()
    leaf, y = torch.arange(8.0, requires_grad=True), torch.zeros(8)

    module.square(x=leaf, y=y).launchRaw(**SIZES)
    y.sum().backward()

    assert short == []
    assert torch.equal(leaf.grad, 2 * x)
