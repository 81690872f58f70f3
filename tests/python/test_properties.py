# SPDX-License-Identifier: Apache-2.0
"""Random shapes, strides, dtypes and broadcasts give what numpy gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from weft import Tensor

SOURCE = """
float affine(float a, float b) { return 2 * a - b; }
int mix(int a, int b) { return 3 * a + b; }
float3 blend(float3 a, float b) { return a + b; }
"""

# One device and few kernels serve all examples; the seed is fixed so that a failure repeats.
few = settings(
    max_examples=30,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

float_dtypes = st.sampled_from([np.float32, np.float64, np.float16, np.int32, np.uint8])
int_dtypes = st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.int64])
shapes = st.lists(st.integers(1, 6), min_size=0, max_size=3).map(tuple)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "properties", SOURCE)


@st.composite
def broadcast_pair(draw):
    """Two shapes that join: dimensions of the second are dropped in front or made 1."""
    full = draw(shapes)
    dropped = draw(st.integers(0, len(full)))
    other = tuple(1 if draw(st.booleans()) else extent for extent in full[dropped:])
    return (full, other) if draw(st.booleans()) else (other, full)


@st.composite
def strided(draw, shape, dtype):
    """An array of that shape whose memory is transposed, stepped or reversed."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 2, -1])) for _ in shape]
    base_shape = [shape[axis] * abs(steps[axis]) for axis in order]
    values = np.arange(1, 1 + int(np.prod(base_shape)), dtype=np.int64) % 100
    view = values.astype(dtype).reshape(base_shape).transpose(np.argsort(order))
    return view[tuple(slice(None, None, step) for step in steps)]


@few
@given(data=st.data())
def test_numpy_arguments_of_any_layout_broadcast_as_in_numpy(module, data):
    left, right = data.draw(broadcast_pair())
    a = data.draw(strided(left, data.draw(float_dtypes)))
    b = data.draw(strided(right, data.draw(float_dtypes)))

    result = module.affine(a, b, _result="numpy")

    expected = 2 * a.astype(np.float64) - b
    assert np.shape(result) == expected.shape
    assert np.array_equal(result, expected.astype(np.float32))


@few
@given(data=st.data())
def test_tensors_of_any_layout_broadcast_as_in_numpy(device, module, data):
    left, right = data.draw(broadcast_pair())
    order = data.draw(st.permutations(range(len(left))))
    base = np.arange(int(np.prod(left)), dtype=np.float32).reshape([left[axis] for axis in order])
    a = (
        Tensor.from_numpy(device, base).transpose(*np.argsort(order).tolist())
        if left
        else Tensor.full(device, (), 2.0)
    )
    b = np.arange(int(np.prod(right)), dtype=np.float32).reshape(right)

    result = module.affine(a, Tensor.from_numpy(device, b), _result="numpy")

    assert np.array_equal(result, 2 * a.numpy() - b)


@few
@given(data=st.data())
def test_integers_of_any_width_give_exact_results(module, data):
    left, right = data.draw(broadcast_pair())
    a = data.draw(strided(left, data.draw(int_dtypes)))
    b = data.draw(strided(right, data.draw(int_dtypes)))

    result = module.mix(a, b, _result="numpy")

    assert np.array_equal(result, 3 * a.astype(np.int64) + b)


@few
@given(data=st.data())
def test_vectors_take_the_trailing_dimension_of_any_layout(module, data):
    left, right = data.draw(broadcast_pair())
    a = data.draw(strided((*left, 3), np.float32))
    b = data.draw(strided(right, np.float32))

    result = module.blend(a, b, _result="numpy")

    assert np.array_equal(result, a + np.asarray(b)[..., None])
