# SPDX-License-Identifier: Apache-2.0
"""The tensor types of module weft, reached from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_file(device, Path(__file__).parent / "tensor_types.slang")


def upload(device, values):
    return weft.Tensor.from_numpy(device, np.asarray(values))


@pytest.mark.parametrize("function", ["copyByIndices", "copyByArray", "copyByCoordinate"])
def test_rows_come_first_in_indices_and_last_in_coordinates(device, module, function):
    values = np.arange(15, dtype=np.float32).reshape(3, 5)
    target = weft.Tensor.zeros(device, (3, 5))

    getattr(module, function)(weft.grid((3, 5)), upload(device, values), target)

    np.testing.assert_array_equal(target.to_numpy(), values)


def test_a_transposed_view_is_read_through_its_strides(device, module):
    values = np.arange(15, dtype=np.float32).reshape(3, 5)
    view = upload(device, values).transpose()

    sums = module.sumRow(np.arange(5, dtype=np.int32), view, _result="numpy")

    np.testing.assert_array_equal(sums, values.sum(axis=0))


def test_a_buffer_parameter_can_be_written(device, module):
    buffer = weft.NDBuffer(device, dtype=weft.int32, shape=(6,))

    module.increment(weft.grid((6,)), buffer)
    module.increment(weft.grid((6,)), buffer)

    np.testing.assert_array_equal(buffer.to_numpy(), np.full(6, 2))


def test_structures_are_read_and_written_whole(device, module):
    particles = weft.Tensor.zeros(device, (4,), module.Particle)

    module.hit(weft.grid((4,)), particles)

    result = particles.to_numpy()
    np.testing.assert_array_equal(result["hits"], [0, 1, 2, 3])
    np.testing.assert_array_equal(result["position"], np.ones((4, 3)))


def test_forward_calls_need_no_gradients(device, module):
    x = upload(device, np.array([1, 2, 3, 4], np.float32))
    result = weft.Tensor.zeros(device, (4,))

    module.polynomial(weft.grid((4,)), 2.0, 1.0, x, result)
    module.doubleInPlace(weft.grid((4,)), result)

    np.testing.assert_array_equal(result.to_numpy(), 2 * (2 * np.array([1, 4, 9, 16]) + 1))


def test_a_concrete_differentiable_tensor_accepts_one_without_gradients(device, module):
    x = upload(device, np.array([1, 2, 3], np.float32))

    with pytest.warns(weft.GradientWarning, match="'x' is a DiffTensor"):
        values = module.readConcrete(np.arange(3, dtype=np.int32), x, _result="numpy")

    np.testing.assert_array_equal(values, [2, 4, 6])


def test_sources_written_for_slangpy_find_the_same_types(device):
    source = "import slangpy;\nfloat first(ITensor<float, 1> t) { return t[0]; }\n"
    module = weft.Module.load_from_source(device, "ported", source)

    assert module.first(upload(device, np.array([7, 8], np.float32))) == 7
