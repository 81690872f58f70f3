# SPDX-License-Identifier: Apache-2.0
"""fwds of functions that read and write through whole tensors."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
[Differentiable]
void polynomial(int i, float a, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> result)
{
    result[i] = a * x[i] * x[i] + x[i];
}
[Differentiable]
void dense(int i, IDiffTensor<float, 2> weights, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y)
{
    float sum = 0;
    [MaxIters(16)]
    for (int j = 0; j < weights.shape[1]; j++)
        sum += weights[i, j] * x[j];
    y[i] = sum * sum;
}
[Differentiable]
void in_place(int i, IRWDiffTensor<float3, 1> x) { x[i] = x[i] * x[i]; }
[Differentiable]
float3 pick(int2 at, IDiffTensor<float3, 2> image) { return image[at] * image[at].x; }
[Differentiable] float concrete(int i, DiffTensor<float, 1> x) { return x[i]; }
[Differentiable]
float cubes(int i, IDiffTensor<double, 1> x) { return float(x[i] * x[i] * x[i]); }
struct Paint : IDifferentiable { float3 color; float weight; int layer; }
[Differentiable]
float energy(int i, IDiffTensor<Paint, 1> paints) { return paints[i].weight * paints[i].color.y; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "forward_tensors", SOURCE)


def moving(device, values, tangent, dtype=None):
    """A tensor with a tangent."""
    made = Tensor.from_numpy(device, np.asarray(values, np.float32), dtype)
    return made.with_grads(
        grad_in=Tensor.from_numpy(device, np.asarray(tangent, np.float32), dtype)
    )


def target(device, shape, dtype=None):
    """A tensor to write into, whose tangent is not zero before."""
    made = Tensor.zeros(device, shape, dtype or weft.float32).with_grads()
    made.grad.fill(7.0)
    return made


def test_reading_takes_the_tangent_and_writing_stores_it(device, module):
    x, dx = np.random.default_rng(0).random((2, 50), np.float32)
    result = target(device, (50,))

    module.polynomial.fwds(weft.grid((50,)), 2.0, moving(device, x, dx), result)

    assert np.allclose(result.numpy(), 2 * x * x + x, rtol=1e-5)
    assert np.allclose(result.grad_out.numpy(), (4 * x + 1) * dx, rtol=1e-5)


def test_scalars_move_beside_tensors(device, module):
    x = np.array([1, 2, 3], np.float32)
    result = target(device, (3,))

    module.polynomial.fwds(
        weft.grid((3,)), weft.diffPair(2.0, 0.5), Tensor.from_numpy(device, x), result
    )

    assert np.allclose(result.grad_out.numpy(), 0.5 * x * x)


def test_a_loop_over_rows_agrees_with_the_jacobian(device, module):
    random = np.random.default_rng(1)
    w, dw = random.standard_normal((2, 6, 5)).astype(np.float32)
    x, dx = random.standard_normal((2, 5)).astype(np.float32)
    y = target(device, (6,))

    module.dense.fwds(weft.grid((6,)), moving(device, w, dw), moving(device, x, dx), y)

    assert np.allclose(y.grad_out.numpy(), 2 * (w @ x) * (dw @ x + w @ dx), rtol=1e-4, atol=1e-4)


def test_outputs_without_tangents_are_an_error(device, module):
    result, other = Tensor.zeros(device, (2,)), np.ones(2, np.float32)
    with pytest.raises(weft.ArgumentError, match="no output has a tangent to write"):
        module.polynomial.fwds(weft.grid((2,)), 2.0, moving(device, other, other), result)


def test_a_tensor_in_place_reads_and_writes_one_tangent(device, module):
    x, dx = np.random.default_rng(2).random((2, 8, 3), np.float32)
    tensor = Tensor.from_numpy(device, x, weft.float3).with_grads()
    tensor.grad.copy_from_numpy(dx)

    module.in_place.fwds(weft.grid((8,)), tensor)

    assert np.allclose(tensor.numpy(), x * x)
    assert np.allclose(tensor.grad.numpy(), 2 * x * dx)


def test_a_tensor_in_place_may_have_two_tangents(device, module):
    x, dx = np.random.default_rng(3).random((2, 8, 3), np.float32)
    tensor = Tensor.from_numpy(device, x, weft.float3).with_grads(
        Tensor.from_numpy(device, dx, weft.float3), Tensor.zeros(device, (8,), weft.float3)
    )

    module.in_place.fwds(weft.grid((8,)), tensor)

    assert np.allclose(tensor.grad_in.numpy(), dx)
    assert np.allclose(tensor.grad_out.numpy(), 2 * x * dx)


def test_vectors_are_picked_by_coordinate(device, module):
    image, step = np.random.default_rng(4).random((2, 4, 5, 3), np.float32)
    result = target(device, (4, 5), weft.float3)

    module.pick.fwds(weft.grid((4, 5)), moving(device, image, step, weft.float3), _result=result)

    expected = image * step[..., :1] + step * image[..., :1]
    assert np.allclose(result.grad_out.numpy(), expected, rtol=1e-5)


def test_doubles_and_structures_have_tangents(device, module):
    x = Tensor.from_numpy(device, np.array([2.0, 3.0])).with_grads()
    x.grad.copy_from_numpy(np.array([1.0, 10.0]))
    paints = Tensor.zeros(device, (2,), module.Paint).with_grads()
    kinds = np.dtype([("color", "f4", 3), ("weight", "f4"), ("layer", "i4")])
    values = np.array([((1, 2, 3), 4, 5)] * 2, kinds)
    paints.copy_from_numpy(values)
    paints.grad.copy_from_numpy({"color": np.ones((2, 3)), "weight": np.array([0.0, 1.0])})
    result, energy = target(device, (2,)), target(device, (2,))

    module.cubes.fwds(weft.grid((2,)), x, _result=result)
    module.energy.fwds(weft.grid((2,)), paints, _result=energy)

    assert np.allclose(result.grad_out.numpy(), [12, 270])
    assert np.allclose(energy.grad_out.numpy(), [4, 6])


def test_a_concrete_type_says_which_interface_has_tangents(device, module):
    with pytest.raises(weft.ArgumentError) as caught:
        module.concrete.fwds(
            weft.grid((2,)), moving(device, [1, 2], [1, 2]), _result=target(device, (2,))
        )

    assert ("DiffTensor has no place for tangents: declare the parameter as IDiffTensor") in str(
        caught.value
    )


def test_a_tensor_without_tangent_is_a_constant(device, module):
    y = target(device, (2,))
    w = Tensor.from_numpy(device, np.array([[1, 2], [3, 4]], np.float32))

    module.dense.fwds(weft.grid((2,)), w, moving(device, [1, 1], [0, 1]), y)

    assert np.allclose(y.grad_out.numpy(), [2 * 3 * 2, 2 * 7 * 4])
