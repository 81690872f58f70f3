# SPDX-License-Identifier: Apache-2.0
"""Backward calls of inout parameters: one gradient walks backwards with its value."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
[Differentiable] void inc(float a, inout float v) { v = v * 3 + a; }
[Differentiable] void shear(float a, inout float3 v) { v = float3(v.y + a, 2 * v.x, v.z * v.x); }
[Differentiable] void turn(float a, inout float2x2 v)
{
    v = a * float2x2(v[1][0], v[0][0], v[1][1], v[0][1]);
}
[Differentiable] void swap(float a, inout float v[3])
{
    float t = v[0];
    v[0] = v[2] * a;
    v[2] = t;
}
[Differentiable] void inc_half(half a, inout half v) { v = v * 3.h + a; }
[Differentiable] void inc_double(double a, inout double v) { v = v * 3 + a; }
[Differentiable] void two(inout float u, inout float v) { float t = u; u = 2 * v; v = 5 * t; }
[Differentiable] float both(float x, inout float v) { v = v * x; return v + x; }
[Differentiable] void leave(inout float v, float a) {}
struct Particle : IDifferentiable
{
    float3 position;
    float speed;
    int layer;
    [Differentiable, mutating] void move(float t) { position += t * speed; speed *= 2; }
}
[Differentiable] void move(float t, inout Particle p) { p.position += t * p.speed; p.speed *= 2; }
[Differentiable] float add(float a, float b) { return a + b; }
"""

COUNTS = [1, 2, 7, 64, 1000]


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "inout_gradients", SOURCE)


def held(device, values, given=1.0, dtype=np.float32):
    """A tensor with one gradient that holds `given`."""
    tensor = Tensor.from_numpy(device, np.asarray(values, dtype)).with_grads()
    shape = tensor.grad.to_numpy().shape
    tensor.grad.copy_from_numpy(np.broadcast_to(np.asarray(given, dtype), shape).copy())
    return tensor


def test_the_gradient_of_one_step_is_the_chain_rule(device, module):
    v = held(device, [2.0])

    module.inc.bwds(1.0, v)

    assert v.grad.numpy().tolist() == [3.0]


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("name", "dtype"), [("inc", np.float32), ("inc_half", np.float16), ("inc_double", np.float64)]
)
def test_every_scalar_type_is_replaced_element_by_element(
    device, module, kernels, name, dtype, count
):
    features = device.info.features
    if not (features.float64 if dtype == np.float64 else features.float16):
        pytest.skip(f"this device has no {dtype.__name__}")
    given = np.linspace(-2, 2, count).astype(dtype)
    a, v = held(device, np.ones(count), 0, dtype), held(device, np.ones(count), given, dtype)

    getattr(module, name).bwds(a, v)

    assert np.allclose(v.grad.numpy(), 3 * given, rtol=2e-3)
    assert np.allclose(a.grad.numpy(), given)


def test_vectors_matrices_and_arrays_are_replaced_whole(device, module, kernels):
    random = np.random.default_rng(0)
    x, g = random.standard_normal((2, 50, 3)).astype(np.float32)
    v = held(device, x, g)
    module.shear.bwds(0.5, v)
    by_x = np.stack([2 * g[:, 1] + x[:, 2] * g[:, 2], g[:, 0], x[:, 0] * g[:, 2]], 1)
    assert np.allclose(v.grad.numpy(), by_x, rtol=1e-5, atol=1e-6)

    m, g = random.standard_normal((2, 50, 2, 2)).astype(np.float32)
    v = held(device, m, g)
    module.turn.bwds(2.0, v)
    expected = 2 * np.stack([g[:, 0, 1], g[:, 1, 1], g[:, 0, 0], g[:, 1, 0]], 1)
    assert np.allclose(v.grad.numpy().reshape(50, 4), expected, rtol=1e-5)

    x, g = random.standard_normal((2, 50, 3)).astype(np.float32)
    v = held(device, x, g)
    module.swap.bwds(2.0, v)
    assert np.allclose(v.grad.numpy(), np.stack([g[:, 2], g[:, 1], 2 * g[:, 0]], 1), rtol=1e-5)


@pytest.mark.parametrize("as_method", [False, True])
@pytest.mark.parametrize("as_tensor", [False, True])
def test_fields_of_structures_are_replaced(device, module, kernels, as_method, as_tensor):
    count, t = 20, 0.5
    random = np.random.default_rng(1)
    position, given = random.standard_normal((2, count, 3)).astype(np.float32)
    speed, given_speed = random.standard_normal((2, count)).astype(np.float32)
    if as_tensor:
        whole = Tensor.empty(device, (count,), module.Particle)
        whole.copy_from_numpy(structured(whole, position=position, speed=speed))
        particle = whole.with_grads()
        particle.grad.copy_from_numpy(structured(particle.grad, position=given, speed=given_speed))
    else:
        particle = {
            "position": held(device, position, given),
            "speed": held(device, speed, given_speed),
            "layer": 3,
        }

    if as_method:
        module.Particle.move.bind(particle).bwds(t)
    else:
        module.move.bwds(t, particle)

    if as_tensor:
        found = particle.grad.to_numpy()
        by_position, by_speed = found["position"], found["speed"]
    else:
        by_position = particle["position"].grad.numpy()
        by_speed = particle["speed"].grad.numpy()
    assert np.allclose(by_position, given, rtol=1e-6)
    assert np.allclose(by_speed, 2 * given_speed + t * given.sum(1), rtol=1e-4, atol=1e-5)


def structured(tensor, **fields):
    """A structured array like `tensor`, zero but for `fields`."""
    array = np.zeros_like(tensor.to_numpy())
    for name, values in fields.items():
        array[name] = values
    return array


def test_diff_pairs_are_replaced(device, module):
    v = weft.diffPair(np.array([1, 2], np.float32), np.array([1, 10], np.float32))
    a = weft.diffPair(4.0)

    module.inc.bwds(a, v)

    assert v.grad.tolist() == [3.0, 30.0]
    assert a.grad == 11.0


def test_an_untouched_value_keeps_its_gradient(device, module):
    v = held(device, np.ones(5), np.arange(5))

    module.leave.bwds(v, 1.0)

    assert v.grad.numpy().tolist() == [0, 1, 2, 3, 4]


def test_several_inout_parameters_are_replaced_at_once(device, module):
    u, v = held(device, np.ones(4), 3), held(device, np.ones(4), 7)

    module.two.bwds(u, v)

    assert u.grad.numpy().tolist() == [35] * 4
    assert v.grad.numpy().tolist() == [6] * 4


def test_a_result_beside_an_inout_parameter(device, module):
    x, v = held(device, [2, 3], 0), held(device, [5, 7], 1)
    result = held(device, [0, 0], 10)

    module.both.bwds(x, v, _result=result)

    assert v.grad.numpy().tolist() == [22, 33]  # (1 + 10) x
    assert x.grad.numpy().tolist() == [65, 87]  # (1 + 10) v + 10
    assert result.numpy().tolist() == [12, 24]


@pytest.mark.parametrize("steps", [1, 3, 10])
def test_steps_called_backwards_are_the_derivative_of_all(device, module, steps):
    a, v = held(device, np.zeros(4), 0), held(device, np.ones(4), 1)

    for _ in range(steps):
        module.inc.bwds(a, v)

    assert v.grad.numpy().tolist() == [3.0**steps] * 4
    assert a.grad.numpy().tolist() == [sum(3.0**step for step in range(steps))] * 4


def test_two_gradients_are_read_and_added_to(device, module):
    given, sums = Tensor.ones(device, (4,)), Tensor.ones(device, (4,))
    v = Tensor.ones(device, (4,)).with_grads(grad_in=given, grad_out=sums)

    module.inc.bwds(1.0, v)

    assert sums.numpy().tolist() == [4.0] * 4
    assert given.numpy().tolist() == [1.0] * 4


def test_one_gradient_given_twice_is_one(device, module):
    gradient = Tensor.ones(device, (4,))
    v = Tensor.ones(device, (4,)).with_grads(grad_in=gradient, grad_out=gradient)

    module.inc.bwds(1.0, v)

    assert gradient.numpy().tolist() == [3.0] * 4


def test_views_of_one_gradient_are_one(device, module):
    v = held(device, np.ones((4, 6)), np.arange(24).reshape(4, 6))

    module.inc.bwds(1.0, v.T[1:5:2])

    expected = np.arange(24.0).reshape(4, 6)
    expected[:, 1:5:2] *= 3
    assert np.array_equal(v.grad.numpy(), expected)


def test_deterministic_calls_replace_as_well(device, module):
    if not device.info.features.int64_atomics:
        pytest.skip("this device has no 64-bit atomics")
    a, v = held(device, 1.0, 0), held(device, np.ones(100), 1)

    module.inc.bwds(a, v, deterministic=True)

    assert v.grad.numpy().tolist() == [3.0] * 100
    assert float(a.grad) == 100.0


def test_forward_mode_replaces_one_tangent(device, module):
    v = held(device, np.ones(3), 2)

    module.inc.fwds(0.0, v)

    assert v.grad.numpy().tolist() == [6.0] * 3
    assert v.numpy().tolist() == [3.0] * 3


def test_two_shared_gradients_of_calls_that_meet_add_up(device, module):
    given, sums = Tensor.ones(device, (1,)), Tensor.zeros(device, (1,))
    v = Tensor.ones(device, (1,)).with_grads(grad_in=given, grad_out=sums)

    module.inc.bwds(np.ones(10, np.float32), v)

    assert sums.numpy().tolist() == [30.0]


A, V = np.array([2, 3], np.float32), np.array([1, 2], np.float32)
SLOPES = {0: 2 * A + 3 * V, 1: 3 * A}
"""Of carried by a and by v: the value is (3 v + a) a."""


@pytest.fixture(scope="module")
def carried(device):
    source = """
    [Differentiable] float carried(float a, inout float v) { v = v * 3 + a; return v * a; }
    [Differentiable] float counted(float a, inout int n, no_diff inout float q)
    {
        n += 1;
        q += 1;
        return a * a * n * q;
    }
    """
    return weft.Module.load_from_source(device, "carried_values", source)


FORMS = {
    "tensor": Tensor.from_numpy,
    "array": lambda device, values: values.copy(),
    "list": lambda device, values: values.tolist(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("wrt", [(0,), (1,), (0, 1), ("v", "a")])
def test_functional_derivatives_are_those_at_the_values_given(device, carried, form, wrt):
    a, v = FORMS[form](device, A), FORMS[form](device, V)

    value, gradients = weft.value_and_grad(carried.carried, wrt=wrt)(a, v)
    again, pullback = weft.vjp(carried.carried, a, v, wrt=wrt)

    places = [{"a": 0, "v": 1}.get(entry, entry) for entry in wrt]
    assert value.numpy().tolist() == again.numpy().tolist() == [10, 27]
    for place, gradient, first, second in zip(
        places, gradients, pullback(1.0), pullback(2.0), strict=True
    ):
        assert np.allclose(gradient.numpy(), SLOPES[place])
        assert np.allclose(first.numpy(), SLOPES[place])
        assert np.allclose(second.numpy(), 2 * SLOPES[place])
    assert np.asarray(v).tolist() == V.tolist()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("place", [0, 1])
def test_forward_mode_as_a_function_leaves_its_arguments(device, carried, form, place):
    a, v = FORMS[form](device, A), FORMS[form](device, V)
    tangent = Tensor.ones(device, (2,))

    value, moved = weft.jvp(carried.carried, (a, v), (tangent,), wrt=(place,))

    assert value.numpy().tolist() == [10, 27]
    assert np.allclose(moved.numpy(), SLOPES[place])
    assert np.asarray(v).tolist() == V.tolist()
    assert tangent.numpy().tolist() == [1, 1]


@pytest.mark.parametrize("form", ["tensor", "array"])
def test_counters_and_constants_that_a_function_changes_are_left(device, carried, form):
    n = FORMS[form](device, np.array([1, 1], np.int32))
    q = FORMS[form](device, np.array([1, 1], np.float32))

    value, (gradient,) = weft.value_and_grad(carried.counted)(A, n, q)

    assert value.numpy().tolist() == [16, 36]
    assert gradient.numpy().tolist() == [16, 24]
    assert np.asarray(n).tolist() == np.asarray(q).tolist() == [1, 1]


def test_inout_parameters_are_no_outputs(device, module):
    v = held(device, [1.0])

    with pytest.raises(weft.ArgumentError, match="outputs names 'v', an inout parameter"):
        weft.vjp(module.inc, Tensor.ones(device, (1,)), v, outputs=("v",))
