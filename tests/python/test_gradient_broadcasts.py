# SPDX-License-Identifier: Apache-2.0
"""Gradients of random broadcasts, types, strides and tables, against numpy in float64.

The extents lie on both sides of every size at which the engine changes how it adds.
"""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import weft
from weft import Tensor

SOURCE = """
[Differentiable] T blend<T : IFloat & IDifferentiable>(T a, T b, T c) { return a * b + c; }
[Differentiable] float3 tint(float3 colour, float weight, float3 offset) { return colour * weight + offset; }
[Differentiable] float pick(int i, IDiffTensor<float, 1> table, float weight) { return table[i] * weight; }
[Differentiable] float2 pick2(int i, IDiffTensor<float2, 1> table) { return table[i] * 2.f; }
[Differentiable] float pick_cell(int2 at, IDiffTensor<float, 2> table) { return table[at.x, at.y]; }
"""  # noqa: E501
TOLERANCES = {np.float16: 1e-2, np.float32: 2e-5, np.float64: 1e-13}
EXTENTS = st.sampled_from([1, 2, 3, 4, 5, 8, 63, 64, 65, 129, 257])
MOST = 1 << 16

shapes = st.lists(EXTENTS, min_size=1, max_size=4).filter(lambda shape: np.prod(shape) <= MOST)
masks = st.integers(0, 15)
OPTIONS = st.sampled_from([{}, {}, {"deterministic": True}])


@pytest.fixture(scope="module")
def module(device, kernels):
    return weft.Module.load_from_source(device, "broadcasts", SOURCE)


class Draw:
    """Random tensors with gradients, and what these should hold after a call."""

    def __init__(self, device, seed, dtype=np.float32):
        self._device, self._dtype = device, dtype
        self._random = np.random.default_rng(seed)

    def array(self, shape):
        return self._random.uniform(-1, 1, shape).astype(self._dtype)

    def tensor(self, array, *, is_turned=False):
        """Return a tensor with a gradient of zeros; `is_turned`: both with reversed strides."""
        if not is_turned:
            return Tensor.from_numpy(self._device, array).with_grads()
        turned = Tensor.from_numpy(self._device, np.ascontiguousarray(array.T)).with_grads()
        return turned.transpose()

    def result(self, gradient, dtype=None):
        components = gradient.shape[:-1] if dtype is not None else gradient.shape
        made = Tensor.zeros(self._device, components, dtype or gradient.dtype.name).with_grads()
        made.grad.copy_from_numpy(gradient)
        return made


def masked(shape, mask, drop=0):
    """Return a shape with some extents 1, without the first `drop` dimensions."""
    extents = [1 if mask >> i & 1 else extent for i, extent in enumerate(shape)]
    return tuple(extents[min(drop, len(shape) - 1) :])


def summed(values, shape):
    """Add up what is broadcast from a shape."""
    values = values.sum(tuple(range(values.ndim - len(shape))))
    kept = tuple(i for i, extent in enumerate(shape) if extent == 1 and values.shape[i] != 1)
    return values.sum(kept, keepdims=True)


def test_kernels_for_gpus_are_other_ones(device, module, kernels):
    draw, index = Draw(device, 0), Tensor.zeros(device, (1 << 15,), weft.int32)
    result = draw.result(draw.array((1 << 15,)))

    text = module.pick.bwds.explain(index, draw.tensor(draw.array((64,))), 1.0, _result=result)

    is_gpu = kernels == "gpu" or not device.info.features.is_software
    assert ("collected in shared memory" in text) == is_gpu, text


def require_near(tensor, terms, shape, tolerance):
    """Hold a gradient against the sum of its terms, relative to the sum of their sizes."""
    expected, size = summed(terms, shape), summed(np.abs(terms), shape)
    found = tensor.grad.numpy().astype(np.float64)
    assert found.shape == expected.shape
    assert np.all(np.abs(found - expected) <= tolerance * (size + 1))


@pytest.mark.sweep(2)
@pytest.mark.slow
@hypothesis.given(
    shape=shapes,
    a=masks,
    b=masks,
    c=masks,
    drop=st.integers(0, 3),
    turned=st.integers(0, 7),
    dtype=st.sampled_from(list(TOLERANCES)),
    seed=st.integers(0, 9),
    options=OPTIONS,
)
@hypothesis.settings(deadline=None, max_examples=40)
def test_any_broadcast_of_numbers(
    device, module, shape, a, b, c, drop, turned, dtype, seed, options
):
    draw = Draw(device, seed, dtype)
    extents = [masked(shape, a), masked(shape, b, drop), masked(shape, c)]
    arrays = [draw.array(extent) for extent in extents]
    tensors = [
        draw.tensor(array, is_turned=bool(turned >> i & 1)) for i, array in enumerate(arrays)
    ]
    given = draw.array(np.broadcast_shapes(*extents))

    module.blend.bwds(*tensors, _result=draw.result(given), **options)

    values = [np.float64(array) for array in arrays]
    wide = np.float64(given)
    for tensor, terms, extent in zip(
        tensors, (wide * values[1], wide * values[0], wide), extents, strict=True
    ):
        require_near(tensor, np.broadcast_to(terms, wide.shape), extent, TOLERANCES[dtype])


@pytest.mark.sweep(2)
@pytest.mark.slow
@hypothesis.given(shape=shapes, a=masks, b=masks, c=masks, seed=st.integers(0, 9), options=OPTIONS)
@hypothesis.settings(deadline=None, max_examples=20)
def test_any_broadcast_of_vectors(device, module, shape, a, b, c, seed, options):
    draw = Draw(device, seed)
    extents = [(*masked(shape, a), 3), masked(shape, b), (*masked(shape, c), 3)]
    arrays = [draw.array(extent) for extent in extents]
    tensors = [draw.tensor(array) for array in arrays]
    call = np.broadcast_shapes(extents[0][:-1], extents[1], extents[2][:-1])
    given = draw.array((*call, 3))

    module.tint.bwds(*tensors, _result=draw.result(given, module.float3), **options)

    colour, weight, wide = (
        np.float64(arrays[0]),
        np.float64(arrays[1])[..., None],
        np.float64(given),
    )
    of_weight = np.broadcast_to(wide * colour, wide.shape).sum(-1)
    terms = (np.broadcast_to(wide * weight, wide.shape), of_weight, wide)
    for tensor, term, extent in zip(tensors, terms, extents, strict=True):
        require_near(tensor, term, extent, 1e-4)


@pytest.mark.sweep(2)
@pytest.mark.slow
@hypothesis.given(
    count=st.sampled_from([1, 100, 1 << 14, (1 << 14) + 1, 1 << 16, 100_000]),
    size=st.sampled_from([1, 2, 31, 32, 256, 1000, 1024, 3072, 3073, 5000]),
    spread=st.sampled_from(["random", "one", "runs"]),
    is_shared=st.booleans(),
    seed=st.integers(0, 9),
    options=OPTIONS,
)
@hypothesis.settings(deadline=None, max_examples=20)
def test_tables_of_any_size(device, module, count, size, spread, is_shared, seed, options):
    draw, random = Draw(device, seed), np.random.default_rng(seed)
    entries = {
        "random": random.integers(0, size, count),
        "one": np.full(count, size // 2),
        "runs": np.arange(count) // 37 % size,
    }[spread].astype(np.int32)
    values, given = draw.array((size,)), draw.array((count,))
    weights = draw.array((1,) if is_shared else (count,))
    table, weight = draw.tensor(values), draw.tensor(weights)
    index = Tensor.from_numpy(device, entries)

    module.pick.bwds(index, table, weight, _result=draw.result(given), **options)

    terms = np.float64(given) * weights
    found = table.grad.numpy()
    added = np.bincount(entries, np.abs(terms), size) + 1
    assert np.all(np.abs(found - np.bincount(entries, terms, size)) <= 1e-4 * added)
    require_near(weight, np.float64(given) * values[entries], weights.shape, 2e-5)


@hypothesis.given(
    count=st.sampled_from([50, 1 << 14, 40_000]),
    rows=st.sampled_from([1, 16, 60]),
    seed=st.integers(0, 9),
)
@hypothesis.settings(deadline=None, max_examples=15)
def test_tables_of_vectors_and_of_two_dimensions(device, module, count, rows, seed):
    draw, random = Draw(device, seed), np.random.default_rng(seed)
    at = random.integers(0, rows, (count, 2)).astype(np.int32)
    pairs, cells = draw.tensor(draw.array((rows, 2))), draw.tensor(draw.array((rows, rows)))
    given2, given = draw.array((count, 2)), draw.array((count,))

    module.pick2.bwds(
        Tensor.from_numpy(device, at[:, 0].copy()),
        pairs,
        _result=draw.result(given2, module.float2),
    )
    module.pick_cell.bwds(
        Tensor.from_numpy(device, at, dtype=module.int2), cells, _result=draw.result(given)
    )

    expected2, expected = np.zeros((rows, 2)), np.zeros((rows, rows))
    np.add.at(expected2, at[:, 0], 2 * np.float64(given2))
    np.add.at(expected, (at[:, 0], at[:, 1]), np.float64(given))
    assert np.allclose(pairs.grad.numpy(), expected2, atol=2e-3)
    assert np.allclose(cells.grad.numpy(), expected, atol=2e-3)
