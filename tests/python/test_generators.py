# SPDX-License-Identifier: Apache-2.0
"""grid(), call_id(), thread_id(), rand_float() and wang_hash() make values from the call index."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
int one(int i) { return i; }
int2 two(int2 i) { return i; }
int3 three(int3 i) { return i; }
int[2] pair(int i[2]) { return i; }
float real(float x) { return x; }
uint identity(uint x) { return x; }
uint3 identity3(uint3 x) { return x; }
float2 random2(float2 x) { return x; }
float value_at(int2 xy, ITensor<float, 2> t) { return t[xy]; }
float plus(int i, float x) { return i + x; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "generators", SOURCE)


def rows_and_columns(rows, columns):
    return np.stack(np.meshgrid(np.arange(rows), np.arange(columns), indexing="ij"), -1)


def test_grid_counts_an_integer_parameter(module):
    assert np.array_equal(module.one(weft.grid((6,))).numpy(), np.arange(6))


def test_grid_takes_its_shape_by_name_and_from_a_tensor(device, module):
    assert module.one(weft.grid(shape=(4,))).shape == (4,)
    assert module.two(weft.grid(Tensor.zeros(device, (2, 3)).shape)).shape == (2, 3)


def test_vectors_count_x_from_the_innermost_dimension(module):
    assert np.array_equal(module.two(weft.grid((2, 3))).numpy(), rows_and_columns(2, 3)[..., ::-1])
    assert tuple(module.three(weft.grid((2, 3, 4))).numpy()[1, 2, 3]) == (3, 2, 1)


def test_arrays_keep_the_order_of_the_dimensions(module):
    assert np.array_equal(module.pair(weft.grid((2, 3))).numpy(), rows_and_columns(2, 3))


def test_a_vector_index_reads_the_element_at_the_grids_own_place(device, module):
    image = np.arange(12, dtype=np.float32).reshape(3, 4)

    result = module.value_at(weft.grid((3, 4)), Tensor.from_numpy(device, image))

    assert np.array_equal(result.numpy(), image)


@pytest.mark.parametrize("name", ["one", "real"])
def test_offset_and_stride_reach_scalar_parameters(module, name):
    counted = getattr(module, name)(weft.grid((4,), offset=10, stride=3)).numpy()

    assert np.array_equal(counted, [10, 13, 16, 19])


@pytest.mark.parametrize("name", ["two", "pair"])
def test_offset_and_stride_reach_each_dimension(module, name):
    counted = getattr(module, name)(weft.grid((2, 3), offset=(10, -5), stride=(2, 4))).numpy()
    expected = rows_and_columns(2, 3) * (2, 4) + (10, -5)

    assert np.array_equal(counted, expected[..., ::-1] if name == "two" else expected)


def test_a_grid_joins_other_arguments(module):
    assert np.array_equal(
        module.plus(weft.grid((3,)), np.full((2, 3), 10.0)).numpy(), [[10, 11, 12]] * 2
    )


def test_call_id_is_the_index_within_the_call(module):
    assert np.array_equal(module.plus(weft.call_id(), np.zeros(4)).numpy(), np.arange(4))
    assert module.pair(weft.call_id(), _result="numpy").shape == (1, 1, 2)


def test_thread_id_covers_the_elements_of_a_plain_call(device, module):
    out = Tensor.empty(device, (300,), weft.uint32)
    module.identity(weft.thread_id(), _result=out)

    assert set(out.numpy().tolist()) <= set(range(512))
    assert out.numpy()[0] == 0
    assert len(np.unique(out.numpy())) >= 300 // 4


def test_rand_float_stays_in_its_range_and_repeats_with_its_seed(device, module):
    out = Tensor.empty(device, (1000,), weft.float32)
    module.real(weft.rand_float(-2, 3, seed=5), _result=out)
    first = out.numpy().copy()
    module.real(weft.rand_float(-2, 3, seed=5), _result=out)
    repeated = out.numpy().copy()
    module.real(weft.rand_float(-2, 3, seed=6), _result=out)

    assert first.min() >= -2
    assert first.max() < 3
    assert abs(first.mean() - 0.5) < 0.2
    assert abs(first.std() - 5 / 12**0.5) < 0.1
    assert len(np.unique(first)) > 990
    assert np.array_equal(first, repeated)
    assert not np.array_equal(first, out.numpy())


def test_rand_float_fills_vectors_with_different_components(device, module):
    out = Tensor.empty(device, (100,), weft.float2)
    module.random2(weft.rand_float(), _result=out)

    assert np.abs(out.numpy()[:, 0] - out.numpy()[:, 1]).min() > 0


def test_wang_hash_gives_distinct_bits(device, module):
    out = Tensor.empty(device, (256,), weft.uint32)
    module.identity(weft.wang_hash(seed=1), _result=out)

    assert len(np.unique(out.numpy())) > 250
    assert 0.4 < np.unpackbits(out.numpy().view(np.uint8)).mean() < 0.6
