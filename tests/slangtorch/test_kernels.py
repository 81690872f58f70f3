# SPDX-License-Identifier: Apache-2.0
"""Kernels of SlangTorch: bound by name, launched over blocks, with their derivatives."""

from __future__ import annotations

import gc
import warnings

import numpy as np
import pytest

import weft
from support.slangtorch_modules import load
from weft import slangtorch

__all__ = ["load"]  # the fixture

SQUARE = """
[AutoPyBindCUDA]
[CUDAKernel]
[Differentiable]
void square(DiffTensorView x, DiffTensorView y)
{
    let i = (cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim()).x;
    if (i < x.size(0))
        y[i] = x[i] * x[i];
}

[AutoPyBindCUDA]
[CudaKernel]
void places(TensorView<int> t)
{
    let i = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();
    if (i.x < t.size(0) && i.y < t.size(1))
        t[i.xy] = int(100 * i.x + i.y);
}

[AutoPyBindCUDA]
[CUDAKernel]
[Differentiable]
void scale(DiffTensorView<half> x, no_diff float f, float g, DiffTensorView<double> y)
{
    let i = cudaThreadIdx().x;
    y.storeOnce(i, double(f * g * float(x.loadOnce(i))));
}

void helper(TensorView<float> t) {}
"""


@pytest.fixture
def module(load):
    return load(SQUARE)


def test_a_kernel_writes_where_it_is_launched(module):
    x, y = np.arange(100, dtype=np.float32), np.zeros(100, np.float32)

    module.square(x=x, y=y).launchRaw(blockSize=(32, 1, 1), gridSize=(2, 1, 1))

    assert y[:64].tolist() == (x[:64] ** 2).tolist()
    assert not y[64:].any()


def test_reverse_mode_adds_to_inputs_and_uses_outputs_up(module):
    x, y = np.arange(6, dtype=np.float32), np.full(6, 7, np.float32)
    gradient, upstream = np.ones(6, np.float32), np.arange(6, dtype=np.float32)
    expected = 1 + 2 * x * upstream

    module.square.bwd(x=(x, gradient), y=(y, upstream)).launchRaw((6, 1, 1), (1, 1, 1))

    assert gradient.tolist() == expected.tolist()
    assert not upstream.any()
    assert (y == 7).all()


def test_forward_mode_writes_values_and_tangents(module):
    x, y = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    tangent, found = np.full(6, 3, np.float32), np.zeros(6, np.float32)

    module.square.fwd(
        x=slangtorch.DiffTensorView(x, tangent), y=slangtorch.DiffTensorView(y, found)
    ).launchRaw((6, 1, 1), (1, 1, 1))

    assert y.tolist() == (x * x).tolist()
    assert found.tolist() == (6 * x).tolist()


@pytest.mark.parametrize("form", ["tuple of one", "alone", "view"])
def test_a_missing_gradient_is_zero_and_dropped(module, form):
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    gradient = np.zeros(4, np.float32)
    upstream = {"tuple of one": (y,), "alone": y, "view": slangtorch.DiffTensorView(y)}[form]

    module.square.bwd(x=(x, gradient), y=upstream).launchRaw((4, 1, 1), (1, 1, 1))

    assert not gradient.any()
    module.square.bwd(x=x, y=(y, np.ones(4, np.float32))).launchRaw((4, 1, 1), (1, 1, 1))
    assert x.tolist() == [0, 1, 2, 3]


def test_numbers_of_a_derivative_are_constants_and_halves_and_doubles_have_gradients(module):
    x, y = np.arange(4, dtype=np.float16), np.zeros(4)
    gradient, upstream = np.zeros(4, np.float16), np.array([1.0, 2, 3, 4])

    module.scale.bwd(x=(x, gradient), f=2.0, g=3.0, y=(y, upstream)).launchRaw((4, 1, 1), (1, 1, 1))

    assert gradient.tolist() == [6, 12, 18, 24]
    assert not upstream.any()


@pytest.mark.parametrize("shape", [(7, 5), (1, 9), (40, 1), (33, 33)])
@pytest.mark.parametrize("way", ["total", "auto"])
def test_launches_of_a_total_size_reach_every_element(module, shape, way):
    found = np.full(shape, -1, np.int32)

    bound = module.places(t=found)
    if way == "total":
        bound.launchTotal(blockSize=(8, 4, 1), totalSize=shape)
    else:
        bound.autoLaunch(shape)

    rows, columns = np.indices(shape)
    assert np.array_equal(found, 100 * rows + columns)


def test_arrays_with_gaps_and_arrays_that_overlap_are_written_in_place(module):
    whole = np.arange(24, dtype=np.float32).reshape(4, 6)
    before = whole.copy()

    module.square(x=whole[:, 1], y=whole[:, 4]).launchRaw((4, 1, 1), (1, 1, 1))

    before[:, 4] = before[:, 1] ** 2
    assert whole.tolist() == before.tolist()
    module.square(x=whole[0], y=whole[0]).launchRaw((6, 1, 1), (1, 1, 1))
    assert whole[0].tolist() == (before[0] ** 2).tolist()
    assert whole[1:].tolist() == before[1:].tolist()


def test_tensors_of_the_device_stay_there(device, module):
    x = weft.Tensor.from_numpy(device, np.arange(5, dtype=np.float32))
    y = weft.Tensor.zeros(device, (5,))

    module.square(x=x, y=y).launchRaw((8, 1, 1), (1, 1, 1))

    assert y.numpy().tolist() == [0, 1, 4, 9, 16]


def test_tensors_of_the_device_may_have_gaps(device, module):
    whole = weft.Tensor.from_numpy(device, np.arange(24, dtype=np.float32).reshape(4, 6))
    found = weft.Tensor.zeros(device, (6, 4))

    module.square(x=whole[:, 1], y=whole[:, 4]).launchRaw((4, 1, 1), (1, 1, 1))
    module.square(x=whole[1], y=found.T[2]).launchRaw((6, 1, 1), (1, 1, 1))

    expected = np.arange(24, dtype=np.float32).reshape(4, 6)
    expected[:, 4] = expected[:, 1] ** 2
    assert whole.numpy().tolist() == expected.tolist()
    assert found.numpy()[:, 2].tolist() == (expected[1] ** 2).tolist()
    assert not found.numpy()[:, [0, 1, 3]].any()


@pytest.mark.parametrize("count", [1, 3])
def test_repeated_launches_take_what_they_are_given(device, module, count):
    """The second launch of a kernel goes a shorter way."""
    tensors = [weft.Tensor.from_numpy(device, np.full(3, k, np.float32)) for k in range(1, 4)]
    for x in tensors * count:
        y = weft.Tensor.zeros(device, (3,))
        module.square(x=x, y=y).launchRaw((3, 1, 1), (1, 1, 1))
        assert y.numpy().tolist() == (x.numpy() ** 2).tolist()
        gradient, upstream = weft.Tensor.zeros(device, (3,)), weft.Tensor.zeros(device, (3,))
        upstream.fill(2)
        module.square.bwd(x=(x, gradient), y=(y, upstream)).launchRaw((3, 1, 1), (1, 1, 1))
        assert gradient.numpy().tolist() == (4 * x.numpy()).tolist()
        assert not upstream.numpy().any()
    rows = weft.Tensor.zeros(device, (4, 6))
    module.square(x=tensors[1], y=rows[2, ::2]).launchRaw([3], [1])
    assert rows.numpy()[2].tolist() == [4, 0, 4, 0, 4, 0]
    module.places(t=weft.Tensor.zeros(device, (5, 7), dtype=weft.int)).autoLaunch((5, 7))


def test_repeated_launches_name_what_is_wrong(device, module):
    x, y = weft.Tensor.zeros(device, (2,)), weft.Tensor.zeros(device, (2,))
    for _ in range(2):
        module.square(x=x, y=y).launchRaw((2, 1, 1), (1, 1, 1))
    wrong = weft.Tensor.zeros(device, (2,), dtype=weft.int)
    with pytest.raises(weft.ArgumentTypeError, match="'x' must have elements of float32, got int"):
        module.square(x=wrong, y=y).launchRaw((2, 1, 1), (1, 1, 1))
    many = weft.Tensor.zeros(device, (1,) * 6)
    with pytest.raises(weft.ArgumentError, match="'x' has 6 dimensions, expected 1 to 5"):
        module.square(x=many, y=y).launchRaw((1, 1, 1), (1, 1, 1))
    with pytest.raises(weft.ArgumentTypeError, match="there is no parameter 'z'"):
        module.square(x=x, y=y, z=y)
    with pytest.raises(weft.ArgumentError, match="the gradient of argument 'x' must be"):
        module.square.bwd(x=(x, weft.Tensor.zeros(device, (3,))), y=y)
    with pytest.raises(weft.ArgumentError, match="gridSize must be"):
        module.square(x=x, y=y).launchRaw((2, 1, 1), (0, 1, 1))


def test_elements_that_share_memory_are_read_and_never_written(device, module):
    x, y = np.broadcast_to(np.float32(3), (4,)), np.zeros(4, np.float32)
    module.square(x=x, y=y).launchRaw((4, 1, 1), (1, 1, 1))
    assert y.tolist() == [9] * 4

    repeated = np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (4,), (0,))
    with pytest.raises(weft.ArgumentError, match=r"'y' repeats elements in memory"):
        module.square(x=y, y=repeated).launchRaw((4, 1, 1), (1, 1, 1))
    assert repeated.tolist() == [0] * 4
    tensor = weft.Tensor.zeros(device, (1,)).broadcast_to((4,))
    with pytest.raises(weft.ArgumentError, match=r"'y' has strides \(0,\) in elements"):
        module.square(x=y, y=tensor).launchRaw((4, 1, 1), (1, 1, 1))


def test_no_elements_are_no_work(module):
    empty = np.zeros(0, np.float32)
    module.square(x=empty, y=empty).launchRaw((8, 1, 1), (1, 1, 1))


def forget(kernel, x):
    kernel(x=x, y=x)
    gc.collect()


def test_a_kernel_that_is_not_launched_is_told(module):
    x = np.zeros(2, np.float32)
    with pytest.warns(slangtorch.LaunchWarning, match=r"square got its arguments.*launchRaw"):
        forget(module.square, x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module.square(x=x, y=x).launchRaw((1, 1, 1), (1, 1, 1))
        gc.collect()


def vectors(n, dtype=np.float32):
    return np.zeros(n, dtype)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"z": 1}, weft.ArgumentTypeError, "square: there is no parameter 'z'; it has x, y"),
        ({"x": vectors(2)}, weft.ArgumentTypeError, "square: argument 'y' is missing"),
        ({"x": 3, "y": vectors(2)}, weft.ArgumentTypeError, "'x' must be a tensor or .*got int 3"),
        (
            {"x": vectors(2, np.float64), "y": vectors(2)},
            weft.ArgumentTypeError,
            "'x' must have elements of float32, got float64; convert it",
        ),
        (
            {"x": (vectors(2), vectors(3)), "y": vectors(2)},
            weft.ArgumentError,
            r"the gradient of argument 'x' must be a tensor of shape \(2,\), got ndarray",
        ),
        (
            {"x": (vectors(2), vectors(2), vectors(2)), "y": vectors(2)},
            weft.ArgumentTypeError,
            "got a tuple of 3",
        ),
        (
            {"x": np.zeros((1,) * 6, np.float32), "y": vectors(2)},
            weft.ArgumentError,
            "has 6 dimensions, expected 1 to 5",
        ),
        (
            {"x": np.float32(2), "y": vectors(2)},
            weft.ArgumentError,
            "has 0 dimensions, expected 1 to 5",
        ),
        ({"x": vectors(4)[::-1], "y": vectors(4)}, weft.ArgumentError, r"strides \(-4,\)"),
    ],
)
def test_wrong_arguments_are_named(module, arguments, error, message):
    with pytest.raises(error, match=message):
        module.square(**arguments)


def test_arguments_have_names(module):
    with pytest.raises(weft.ArgumentTypeError, match=r"by name \(x, y\), got 2 without"):
        module.square(vectors(2), vectors(2))


@pytest.mark.parametrize(
    ("block", "grid", "message"),
    [
        ((0, 1, 1), (1, 1, 1), "blockSize must be one to three whole numbers from 1 on"),
        ((1, 1, 1), (1, -1, 1), "gridSize must be one to three whole numbers"),
        ((1.5, 1, 1), (1, 1, 1), "blockSize must be"),
        ((1, 1, 1, 1), (1, 1, 1), "blockSize must be"),
        ("wide", (1, 1, 1), "blockSize must be"),
        ((1 << 12, 2, 1), (1, 1, 1), r"has 8192 threads, expected at most \d+"),
        ((1, 1, 1), (1, 1, 1 << 30), "blocks along z, expected at most"),
    ],
)
def test_sizes_that_cannot_be_are_named(module, block, grid, message):
    x = vectors(2)
    bound = module.square(x=x, y=x)
    with pytest.raises(weft.ArgumentError, match=f"square.*{message}"):
        bound.launchRaw(block, grid)
    bound.launchRaw((1, 1, 1), (1, 1, 1))


def test_what_is_no_kernel_is_named(module):
    with pytest.raises(AttributeError, match=r"no 'cube'; it has square, places, scale"):
        _ = module.cube
    with pytest.raises(AttributeError, match=r"'helper' is no kernel; mark it"):
        _ = module.helper
    with pytest.raises(AttributeError, match=r"places has no derivatives; mark it"):
        _ = module.places.bwd
    with pytest.raises(AttributeError, match="derivatives of derivatives"):
        _ = module.square.bwd.fwd
    assert {"square", "places", "scale"} <= set(dir(module))
    assert "square.bwd(x: DiffTensorView" in repr(module.square.bwd)


def test_writes_to_read_only_memory_are_an_error(module):
    x, y = vectors(3) + 2, vectors(3)
    x.flags.writeable = y.flags.writeable = False
    with pytest.raises(weft.ArgumentError, match="argument 'y' is read only, and the kernel wrote"):
        module.square(x=x, y=y).launchRaw((3, 1, 1), (1, 1, 1))
    out = vectors(3)
    module.square(x=x, y=out).launchRaw((3, 1, 1), (1, 1, 1))
    assert out.tolist() == [4, 4, 4]
