# SPDX-License-Identifier: Apache-2.0
"""Calls over parts of arrays: what may be merged into one dimension, and what may not."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float twice(float a) { return a + a; }
float weigh(float a, float b) { return a + 3.f * b; }
void move(float a, out float b) { b = 1.f - a; }
float3 scale(float3 a) { return a * float3(1.f, 10.f, 100.f); }
float pick(float a[4]) { return a[0] + 10.f * a[1] + 100.f * a[2] + 1000.f * a[3]; }
float3 rows(float2x3 m) { return m[0] + 10.f * m[1]; }
"""
EVERY_OTHER = slice(None, None, 2)
FIRST = slice(0, 5)
KEYS = {
    "rows apart": (EVERY_OTHER,),
    "columns apart": (slice(None), EVERY_OTHER),
    "elements apart": (slice(None), slice(None), EVERY_OTHER),
    "both ends apart": (EVERY_OTHER, slice(None), EVERY_OTHER),
    "part of each row": (slice(None), slice(None), FIRST),
    "part of each plane": (slice(None), FIRST),
    "one plane": (3,),
    "one column": (slice(None), 2),
    "all": (),
}


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "strided_calls", SOURCE)


@pytest.fixture(scope="module", params=[(6, 8, 10), (32, 30, 20)], ids=["small", "large"])
def pair(request, device):
    """Two arrays and their tensors; the large ones are read in vectors."""
    rng = np.random.default_rng(5)
    arrays = [rng.random(request.param, dtype=np.float32) for _ in range(2)]
    return arrays, [Tensor.from_numpy(device, array) for array in arrays]


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_any_part_is_read_where_it_lies(module, kernels, pair, key):
    (array, _), (tensor, _) = pair

    assert np.array_equal(module.twice(tensor[key]).numpy(), 2 * array[key])


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_parts_of_different_strides_meet_element_by_element(device, module, kernels, pair, key):
    (a, b), (whole, other) = pair
    packed = Tensor.from_numpy(device, np.ascontiguousarray(b[key]))

    for left, right in ((whole[key], packed), (packed, whole[key]), (whole[key], other[key])):
        expected = left.numpy() + 3 * right.numpy()
        np.testing.assert_allclose(module.weigh(left, right).numpy(), expected, rtol=1e-6)
    assert np.array_equal(whole.numpy(), a)


@pytest.mark.parametrize("order", [(0, 2, 1), (1, 0, 2), (2, 1, 0), (1, 2, 0), (2, 0, 1)])
def test_axes_may_be_in_any_order(module, kernels, pair, order):
    (a, b), (tensor, other) = pair

    result = module.weigh(tensor.permute(order), other.permute(order))

    expected = a.transpose(order) + 3 * b.transpose(order)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-6)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_writing_to_a_part_leaves_the_rest(device, module, kernels, pair, key):
    (array, _), (tensor, _) = pair
    target = Tensor.from_numpy(device, np.full_like(array, 7))
    expected = np.full_like(array, 7)
    expected[key] = 1 - array[key]

    module.move(tensor[key], target[key])

    assert np.array_equal(target.numpy(), expected)


PARTS = {
    "transposed": lambda x: x.T,
    "reversed axes": lambda x: x.T[EVERY_OTHER],
}


@pytest.mark.parametrize("part", PARTS.values(), ids=PARTS)
@pytest.mark.parametrize("count", [5, 20_000])
def test_components_may_lie_apart(device, module, kernels, count, part):
    numbers = np.random.default_rng(count).random((4, count), dtype=np.float32)
    tensor = Tensor.from_numpy(device, numbers)
    threes, fours = part(numbers[:3]), part(numbers)

    scaled = module.scale(part(tensor[:3])).numpy().view(np.float32).reshape(threes.shape)
    np.testing.assert_allclose(scaled, threes * (1, 10, 100), rtol=1e-6)
    picked = module.pick(part(tensor)).numpy()
    np.testing.assert_allclose(picked, fours @ (1, 10, 100, 1000), rtol=1e-5)


def test_matrices_may_be_transposed(device, module, kernels):
    numbers = np.random.default_rng(1).random((50, 3, 2), dtype=np.float32)

    found = module.rows(Tensor.from_numpy(device, numbers).permute((0, 2, 1))).numpy()

    expected = numbers[:, :, 0] + 10 * numbers[:, :, 1]
    np.testing.assert_allclose(found.view(np.float32).reshape(50, 3), expected, rtol=1e-6)


@pytest.mark.parametrize("base", [1, 255, 4096, 1 << 14, 1 << 19])
@pytest.mark.parametrize("more", [0, 1, 2, 3])
def test_every_element_of_any_count_is_computed_once(device, module, kernels, base, more):
    values = np.arange(base + more, dtype=np.float32)
    target = Tensor.from_numpy(device, np.full(base + more + 8, 7, np.float32))

    module.move(Tensor.from_numpy(device, values), target[: base + more])

    assert np.array_equal(target.numpy()[: base + more], 1 - values)
    assert np.array_equal(target.numpy()[base + more :], np.full(8, 7))
