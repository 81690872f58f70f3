# SPDX-License-Identifier: Apache-2.0
"""Gradients of structures that are read from whole tensors."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
struct Inner : IDifferentiable { float2 a; float b[3]; }
struct Paint : IDifferentiable { float3 color; float weight; int layer; Inner inner; }
struct Pair : IDifferentiable { float x; float y; }
extension Pair : IAtomicAddable
{
    static void atomicAdd(Pair* target, Pair value)
    {
        float.atomicAdd(&target.x, 10 * value.x);
        float.atomicAdd(&target.y, value.y);
    }
}
[Differentiable]
float energy(int i, IDiffTensor<Paint, 1> paints)
{
    const Paint paint = paints[0];
    return paint.weight * paint.color.y + paints[i].inner.b[1] * paint.inner.a.x;
}
[Differentiable]
float product(int i, IDiffTensor<Pair, 1> pairs) { return pairs[i].y * pairs[i].y; }
"""

PAINT = np.dtype(
    [
        ("color", "f4", 3),
        ("weight", "f4"),
        ("layer", "i4"),
        ("inner", [("a", "f4", 2), ("b", "f4", 3)]),
    ]
)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "gradient_structures", SOURCE)


def ones(device, count):
    return Tensor.zeros(device, (count,)).with_grads(Tensor.ones(device, (count,)))


def test_nested_structures_of_a_whole_tensor_get_their_sums(device, module):
    values = np.zeros(5, PAINT)
    values["color"], values["weight"], values["inner"]["a"] = [1, 2, 3], 4, [5, 6]
    values["inner"]["b"] = np.arange(15).reshape(5, 3)
    paints = Tensor.from_numpy(device, values, module.Paint).with_grads()

    module.energy.bwds(weft.grid((5,)), paints, _result=ones(device, 5))

    gradient = paints.grad.numpy()
    assert np.allclose(gradient["weight"], [5 * 2, 0, 0, 0, 0])
    assert np.allclose(gradient["color"][0], [0, 5 * 4, 0])
    assert np.allclose(gradient["inner"]["b"][:, 1], 5)
    assert np.allclose(gradient["inner"]["a"][0], [values["inner"]["b"][:, 1].sum(), 0])


def test_a_structure_may_say_itself_how_it_is_added(device, module):
    pairs = Tensor.zeros(device, (3,), module.Pair).with_grads()
    pairs.copy_from_numpy({"x": np.ones(3), "y": np.array([1.0, 2.0, 3.0])})

    module.product.bwds(weft.grid((3,)), pairs, _result=ones(device, 3))

    assert np.allclose(pairs.grad.numpy()["y"], [2, 4, 6])
