# SPDX-License-Identifier: Apache-2.0
"""Gradients over random shapes, broadcasts and element types, against closed forms in float64."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import weft
from weft import Tensor

# Element type: Slang type, scalar, dimensions of an element, tolerance.
ELEMENTS = {
    "float": ("float", "float", (), 1e-4),
    "half": ("half", "half", (), 3e-2),
    "double": ("double", "double", (), 1e-12),
    "vector": ("float3", "float", (3,), 1e-4),
    "half vector": ("half2", "half", (2,), 3e-2),
    "matrix": ("float2x3", "float", (2, 3), 1e-4),
    "array": ("float[4]", "float", (4,), 1e-4),
    "array of vectors": ("float2[3]", "float", (3, 2), 1e-4),
}
SCALARS = {"float": np.float32, "half": np.float16, "double": np.float64}


def slang_name(name):
    return name.replace(" ", "_")


def loops(type_name, inner):
    """The product of all components, for types that have no operator for it."""
    index = "".join(f"[i{axis}]" for axis in range(len(inner)))
    heads = " ".join(
        f"[ForceUnroll] for (int i{axis} = 0; i{axis} < {extent}; i{axis}++)"
        for axis, extent in enumerate(inner)
    )
    return f"{type_name} r; {heads} r{index} = a{index} * a{index} * b{index} * s; return r;"


SOURCE = (
    "\n".join(
        f"typealias T_{slang_name(name)} = {slang};\n"
        f"[Differentiable] T_{slang_name(name)} f_{slang_name(name)}"
        f"(T_{slang_name(name)} a, T_{slang_name(name)} b, {scalar} s)\n"
        "{ " + loops(f"T_{slang_name(name)}", inner) + " }"
        for name, (slang, scalar, inner, _) in ELEMENTS.items()
    )
    + """
struct Inner : IDifferentiable { float2 v; }
struct Item : IDifferentiable { float x; int n; Inner inner; }
[Differentiable]
float f_item(Item a, float s) { return a.x * a.x * s + dot(a.inner.v, a.inner.v) * s; }
[Differentiable]
void f_tensor(int i, IDiffTensor<float, 1> a, IDiffTensor<float, 1> b, IWDiffTensor<float, 1> y)
{
    y[i] = a[(i * 7) % int(a.shape[0])] * b[i % int(b.shape[0])];
}
"""
)

ITEM = np.dtype([("x", "f4"), ("n", "i4"), ("inner", [("v", "f4", 2)])])


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "gradient_properties", SOURCE)


def shrunk(shape, mask):
    """A shape that broadcasts to `shape`: some extents are 1, or leading ones are left out."""
    extents = [1 if mask >> axis & 1 else extent for axis, extent in enumerate(shape)]
    return extents[1:] if mask & 8 and extents and extents[0] == 1 else extents


def summed(values, shape, inner):
    """Values of the call's shape, added up to the shape of an argument."""
    extra = values.ndim - len(shape) - len(inner)
    values = values.sum(tuple(range(extra)))
    ones = tuple(axis for axis, extent in enumerate(shape) if extent == 1)
    return values.sum(ones, keepdims=True)


shapes = st.lists(st.integers(1, 6), min_size=0, max_size=3)
masks = st.tuples(st.integers(0, 15), st.integers(0, 15), st.integers(0, 15))


@pytest.mark.sweep(6)
@pytest.mark.parametrize("name", ELEMENTS)
@hypothesis.given(shape=shapes, mask=masks, seed=st.integers(0, 99))
@hypothesis.settings(deadline=None, max_examples=15)
def test_gradients_of_any_broadcast_are_sums(device, module, name, shape, mask, seed):
    _, scalar, inner, tolerance = ELEMENTS[name]
    random = np.random.default_rng(seed)
    kind = SCALARS[scalar]
    shape_a, shape_b, shape_s = (shrunk(shape, one) for one in mask)
    a, b = (
        random.uniform(0.5, 1.5, (*extents, *inner)).astype(kind) for extents in (shape_a, shape_b)
    )
    s = random.uniform(0.5, 1.5, shape_s).astype(kind)
    call_shape = np.broadcast_shapes(tuple(shape_a), tuple(shape_b), tuple(shape_s))
    given = random.uniform(0.5, 1.5, (*call_shape, *inner)).astype(kind)
    held = [Tensor.from_numpy(device, values).with_grads() for values in (a, b, s)]
    result = Tensor.from_numpy(device, np.zeros_like(given)).with_grads(
        Tensor.from_numpy(device, given)
    )

    getattr(module, f"f_{slang_name(name)}").bwds(*held, _result=result)

    wide_a, wide_b, wide_g = (values.astype(np.float64) for values in (a, b, given))
    wide_s = s.astype(np.float64).reshape((*s.shape, *[1] * len(inner)))
    full = (*call_shape, *inner)
    by_a = np.broadcast_to(2 * wide_a * wide_b * wide_s * wide_g, full)
    by_b = np.broadcast_to(wide_a**2 * wide_s * wide_g, full)
    by_s = np.broadcast_to(wide_a**2 * wide_b * wide_g, full)
    by_s = by_s.sum(tuple(range(len(call_shape), len(full))))
    for tensor, expected, extents, own in zip(
        held, (by_a, by_b, by_s), (shape_a, shape_b, shape_s), (inner, inner, ()), strict=True
    ):
        exact = summed(expected, extents, own)
        assert np.allclose(tensor.grad.numpy(), exact, rtol=tolerance)


@hypothesis.given(shape=shapes, mask=masks, seed=st.integers(0, 99))
@hypothesis.settings(deadline=None, max_examples=15)
def test_gradients_of_structures_are_sums(device, module, shape, mask, seed):
    random = np.random.default_rng(seed)
    shape_a, shape_s = shrunk(shape, mask[0]), shrunk(shape, mask[1])
    items = np.zeros(shape_a, ITEM)
    items["x"] = random.uniform(0.5, 1.5, shape_a)
    items["inner"]["v"] = random.uniform(0.5, 1.5, (*shape_a, 2))
    s = random.uniform(0.5, 1.5, shape_s).astype(np.float32)
    call_shape = np.broadcast_shapes(tuple(shape_a), tuple(shape_s))
    given = random.uniform(0.5, 1.5, call_shape).astype(np.float32)
    tensor = Tensor.from_numpy(device, items, module.Item).with_grads()
    scale = Tensor.from_numpy(device, s).with_grads()
    result = Tensor.zeros(device, call_shape).with_grads(Tensor.from_numpy(device, given))

    module.f_item.bwds(tensor, scale, _result=result)

    x, v = items["x"], items["inner"]["v"]
    weight = np.broadcast_to(s * given, call_shape)
    by_x = summed(np.broadcast_to(2 * x * weight, call_shape), shape_a, ())
    by_v = summed(np.broadcast_to(2 * v * weight[..., None], (*call_shape, 2)), shape_a, (2,))
    by_s = summed(np.broadcast_to((x**2 + (v**2).sum(-1)) * given, call_shape), shape_s, ())
    assert np.allclose(tensor.grad.numpy()["x"], by_x, rtol=1e-4)
    assert np.allclose(tensor.grad.numpy()["inner"]["v"], by_v, rtol=1e-4)
    assert np.allclose(scale.grad.numpy(), by_s, rtol=1e-4)


@hypothesis.given(
    sizes=st.tuples(st.integers(1, 40), st.integers(1, 40), st.integers(1, 300)),
    seed=st.integers(0, 99),
)
@hypothesis.settings(deadline=None, max_examples=20)
def test_gradients_of_picked_elements_are_sums_over_the_picks(device, module, sizes, seed):
    random = np.random.default_rng(seed)
    a, b = (random.uniform(0.5, 1.5, size).astype(np.float32) for size in sizes[:2])
    count = sizes[2]
    given = random.uniform(0.5, 1.5, count).astype(np.float32)
    at, bt = (Tensor.from_numpy(device, values).with_grads() for values in (a, b))
    y = Tensor.zeros(device, (count,)).with_grads(Tensor.from_numpy(device, given))

    module.f_tensor.bwds(weft.grid((count,)), at, bt, y)

    calls = np.arange(count)
    of_a, of_b = (calls * 7) % sizes[0], calls % sizes[1]
    by_a, by_b = np.zeros(sizes[0]), np.zeros(sizes[1])
    np.add.at(by_a, of_a, given * b[of_b])
    np.add.at(by_b, of_b, given * a[of_a])
    assert np.allclose(at.grad.numpy(), by_a, rtol=1e-4)
    assert np.allclose(bt.grad.numpy(), by_b, rtol=1e-4)


@hypothesis.given(shape=shapes, mask=masks, seed=st.integers(0, 99))
@hypothesis.settings(deadline=None, max_examples=10)
def test_any_broadcast_passes_check_gradients(device, module, shape, mask, seed):
    random = np.random.default_rng(seed)
    a, b, s = (random.uniform(0.5, 1.5, (*shrunk(shape, one), *inner))
               for one, inner in zip(mask, ((3,), (3,), ()), strict=True))  # fmt: skip

    check = weft.check_gradients(module.f_vector, a, b, s, wrt=(0, 1, 2), samples=5)

    assert check.passed, check.differences
