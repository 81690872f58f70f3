# SPDX-License-Identifier: Apache-2.0
"""bwds: gradients against closed forms, central differences and forward mode."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float poly(float a, float b, float c, float x) { return a * x * x + b * x + c; }
[Differentiable] float weighted(float x, no_diff float weight, int power)
{
    float result = weight;
    [MaxIters(8)]
    for (int i = 0; i < power; i++)
        result *= x;
    return result;
}
struct Paint : IDifferentiable
{
    float3 color;
    float weight;
    int layer;
    [Differentiable] float shade(float light) { return dot(color, color) * weight * light; }
}
struct Plain { float x; }
[Differentiable] float energy(Paint paint) { return dot(paint.color, paint.color) * paint.weight; }
[Differentiable] float of_plain(Plain plain, float y) { return y; }
[Differentiable] float3 scale(float3 v, float s) { return v * s; }
[Differentiable] float2 pair(float2 v[2], float2x2 m) { return mul(m, v[0]) + v[1] * v[1]; }
[Differentiable] void split(float a, out float square, inout float s) { square = a * a; s = s * a; }
[Differentiable] double cube(double x) { return x * x * x; }
[Differentiable] half twice(half x) { return x + x; }
[Differentiable] float rosenbrock(float x, float y)
{
    return (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
}
[Differentiable] float wavy(float a, float b) { return sin(a) * exp(b) + a * b; }
float step_of(float x) { return x > 0 ? 1.f : 0.f; }

/// Forward mode, to check the other one against.
float wavy_forward(float a, float b, float da, float db)
{
    return fwd_diff(wavy)(diffPair(a, da), diffPair(b, db)).d;
}
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "gradients", SOURCE)


def holder(device, values, dtype=np.float32):
    """A tensor with a zero gradient."""
    return Tensor.from_numpy(device, np.asarray(values, dtype)).with_grads()


def result_with(device, gradient, dtype=None):
    """A tensor to write into whose gradient is given."""
    gradient = np.asarray(gradient, np.float32)
    components = gradient.shape[:-1] if dtype is not None else gradient.shape
    made = Tensor.zeros(device, components, dtype or weft.float32).with_grads()
    made.grad.copy_from_numpy(gradient)
    return made


@pytest.mark.parametrize("count", [1, 100, 100_000, (1 << 20) + 3, 5 << 20])
def test_gradients_of_one_to_one_and_shared_arguments(device, module, count):
    random = np.random.default_rng(0)
    x = random.random(count, np.float32)
    given = random.random(count, np.float32)
    a, b, c, xs = (holder(device, values) for values in (2.0, 3.0, 1.0, x))
    result = result_with(device, given)

    module.poly.bwds(a, b, c, xs, _result=result)

    assert np.allclose(xs.grad.numpy(), given * (4 * x + 3), rtol=1e-5)
    assert np.allclose(result.numpy(), 2 * x * x + 3 * x + 1, rtol=1e-5)
    exact = np.float64(given)
    assert np.isclose(a.grad.numpy(), (exact * x * x).sum(), rtol=1e-4)
    assert np.isclose(b.grad.numpy(), (exact * x).sum(), rtol=1e-4)
    assert np.isclose(c.grad.numpy(), exact.sum(), rtol=1e-4)


def test_gradients_add_up_over_calls(device, module):
    x = holder(device, [1.0, 2.0])
    result = result_with(device, [1.0, 1.0])

    module.poly.bwds(1.0, 0.0, 0.0, x, _result=result)
    module.poly.bwds(1.0, 0.0, 0.0, x, _result=result)

    assert np.array_equal(x.grad.numpy(), [4.0, 8.0])


def test_rows_and_columns_get_their_sums(device, module):
    random = np.random.default_rng(1)
    x, given = random.random((2, 64, 300), np.float32)
    row, column = holder(device, random.random(300)), holder(device, random.random((64, 1)))

    module.poly.bwds(column, row, 0.0, holder(device, x), _result=result_with(device, given))

    assert np.allclose(row.grad.numpy(), (given * x).sum(0), rtol=1e-4)
    assert np.allclose(column.grad.numpy(), (given * x * x).sum(1, keepdims=True), rtol=1e-4)


@hypothesis.given(
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    drop=st.tuples(st.integers(0, 7), st.integers(0, 7)),
    seed=st.integers(0, 99),
)
@hypothesis.settings(deadline=None, max_examples=30)
def test_any_broadcast_agrees_with_forward_mode(device, module, shape, drop, seed):
    """<given, J v> == <J^T given, v> for random directions v."""
    random = np.random.default_rng(seed)

    def array(mask):
        extents = [1 if mask >> i & 1 else extent for i, extent in enumerate(shape)]
        return random.standard_normal(extents).astype(np.float32)

    a, b = array(drop[0]), array(drop[1])
    da, db = random.standard_normal((2, 1))[0] * np.ones_like(a), array(drop[1])
    call_shape = np.broadcast_shapes(a.shape, b.shape)
    given = random.standard_normal(call_shape).astype(np.float32)
    at, bt = holder(device, a), holder(device, b)

    module.wavy.bwds(at, bt, _result=result_with(device, given))
    forward = module.wavy_forward(a, b, np.float32(da), db, _result="numpy").reshape(call_shape)

    backward = np.sum(at.grad.numpy() * da) + np.sum(bt.grad.numpy() * db)
    scale = 1 + np.abs(given * forward).sum()
    assert abs(np.sum(given * forward) - backward) < 1e-4 * scale


def test_gradients_agree_with_central_differences(device, module):
    random = np.random.default_rng(3)
    x, y = random.uniform(-1, 1, (2, 50))
    xs, ys = holder(device, x), holder(device, y)

    module.rosenbrock.bwds(xs, ys, _result=result_with(device, np.ones(50)))

    def rosenbrock(x, y):
        return (1 - x) ** 2 + 100 * (y - x * x) ** 2

    step = 1e-5
    slope_x = (rosenbrock(x + step, y) - rosenbrock(x - step, y)) / (2 * step)
    slope_y = (rosenbrock(x, y + step) - rosenbrock(x, y - step)) / (2 * step)
    assert np.allclose(xs.grad.numpy(), slope_x, rtol=1e-3, atol=1e-3)
    assert np.allclose(ys.grad.numpy(), slope_y, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("count", [10, 300_000])
def test_vectors_and_the_scalar_they_share(device, module, count):
    random = np.random.default_rng(4)
    v, given = random.random((2, count, 3), np.float32)
    vectors, s = holder(device, v), holder(device, 2.0)

    module.scale.bwds(vectors, s, _result=result_with(device, given, module.float3))

    assert np.allclose(vectors.grad.numpy(), 2 * given)
    assert np.isclose(s.grad.numpy(), np.float64(given * v).sum(), rtol=1e-4)


def test_arrays_and_matrices(device, module):
    random = np.random.default_rng(5)
    v, m, given = random.random((4, 2, 2)), random.random((2, 2)), random.random((4, 2))
    vs, ms = holder(device, v), holder(device, m)

    module.pair.bwds(vs, ms, _result=result_with(device, given, module.float2))

    assert np.allclose(vs.grad.numpy()[:, 0], given @ m, rtol=1e-5)
    assert np.allclose(vs.grad.numpy()[:, 1], 2 * given * v[:, 1], rtol=1e-5)
    assert np.allclose(ms.grad.numpy(), np.einsum("ni,nj->ij", given, v[:, 0]), rtol=1e-5)


PAINT = np.dtype([("color", "f4", 3), ("weight", "f4"), ("layer", "i4")])


def paints(count):
    """Random structures."""
    random = np.random.default_rng(6)
    made = np.zeros(count, PAINT)
    made["color"], made["weight"], made["layer"] = random.random((count, 3)), 2, 7
    return made


def test_the_gradient_of_a_structure_has_its_differentiable_fields(device, module):
    values = paints(50)
    tensor = Tensor.from_numpy(device, values, dtype=module.Paint).with_grads()

    module.energy.bwds(tensor, _result=result_with(device, np.ones(50)))

    gradient = tensor.grad.numpy()
    assert gradient.dtype.names == ("color", "weight")
    assert np.allclose(gradient["color"], 2 * values["color"] * values["weight"][:, None])
    assert np.allclose(gradient["weight"], (values["color"] ** 2).sum(1))


def test_one_structure_for_all_calls_gets_one_sum(device, module):
    value = paints(1)
    tensor = Tensor.from_numpy(device, value, dtype=module.Paint).with_grads()

    module.energy.bwds(tensor, _result=result_with(device, np.ones(40)))

    assert np.allclose(tensor.grad.numpy()["color"], 40 * 4 * value["color"], rtol=1e-5)


def test_fields_of_a_dict_have_gradients_of_their_own(device, module):
    values = paints(50)
    color, weight = holder(device, values["color"]), holder(device, 2.0)

    module.energy.bwds(
        {"color": color, "weight": weight, "layer": 1}, _result=result_with(device, np.ones(50))
    )

    assert np.allclose(color.grad.numpy(), 4 * values["color"])
    assert np.isclose(weight.grad.numpy(), (values["color"] ** 2).sum(), rtol=1e-5)


def test_out_and_inout_parameters_give_their_gradients(device, module):
    random = np.random.default_rng(7)
    a, s, given, given_s = random.random((4, 20), np.float32)
    at, square = holder(device, a), result_with(device, given)
    st_ = Tensor.from_numpy(device, s).with_grads(
        grad_in=Tensor.from_numpy(device, given_s), grad_out=Tensor.zeros(device, (20,))
    )

    module.split.bwds(at, square, st_)

    assert np.allclose(at.grad.numpy(), 2 * a * given + s * given_s, rtol=1e-5)
    assert np.allclose(st_.grad_out.numpy(), a * given_s, rtol=1e-5)
    assert np.array_equal(st_.grad_in.numpy(), given_s)


def test_methods_differentiate_this(device, module):
    values = paints(50)
    color, light = holder(device, values["color"]), holder(device, 3.0)

    method = module.Paint.shade.bind({"color": color, "weight": 2.0, "layer": 1})
    method.bwds(light, _result=result_with(device, np.ones(50)))

    assert np.allclose(color.grad.numpy(), 2 * 2 * 3 * values["color"], rtol=1e-5)
    assert np.isclose(light.grad.numpy(), 2 * (values["color"] ** 2).sum(), rtol=1e-5)


def test_what_is_not_differentiated_passes_through(device, module):
    x = holder(device, [1.0, 2.0, 3.0])

    module.weighted.bwds(x, np.array([1.0, 2.0, 4.0]), 3, _result=result_with(device, np.ones(3)))

    assert np.allclose(x.grad.numpy(), [3.0, 24.0, 108.0])


def test_doubles_keep_their_precision(device, module):
    x = Tensor.from_numpy(device, np.array([1.1, -2.3])).with_grads()
    result = Tensor.zeros(device, (2,), weft.float64).with_grads()
    result.grad.copy_from_numpy(np.ones(2))

    module.cube.bwds(x, _result=result)

    assert np.allclose(x.grad.numpy(), 3 * np.array([1.1, -2.3]) ** 2, rtol=1e-14)


def test_a_gradient_that_is_passed_is_never_cleared(device):
    mine = Tensor.ones(device, (3,))

    tensor = Tensor.zeros(device, (3,)).with_grads(mine, zero=True)

    assert np.array_equal(tensor.grad_in.numpy(), np.ones(3))
    assert tensor.grad_out is None
    assert tensor.grad is not None


def test_without_arguments_one_gradient_serves_both_ways(device):
    tensor = Tensor.ones(device, (2, 3)).with_grads()

    tensor.grad_in.copy_from_numpy(np.full((2, 3), 5, np.float32))

    assert np.array_equal(tensor.grad_out.numpy(), np.full((2, 3), 5))
    assert Tensor.ones(device, (2,)).grad is None


def test_the_explanation_names_how_gradients_are_added(device, module):
    x, a, row = holder(device, np.ones((8, 9))), holder(device, 1.0), holder(device, np.ones(9))
    result = result_with(device, np.ones((8, 9)))

    text = module.poly.bwds.explain(a, row, 0.0, x, _result=result)

    assert "a.grad_out: broadcast, summed in registers and the group" in text
    assert "b.grad_out: strided, summed in registers and the group" in text
    assert "x.grad_out: one-to-one, added to by one call" in text


BAD_CALLS = {
    "not differentiable": (
        lambda d, m: m.step_of.bwds(holder(d, [1.0]), _result=result_with(d, [1.0])),
        "it is not differentiable; put [Differentiable] in front of it",
    ),
    "no result": (
        lambda d, m: m.poly.bwds(1.0, 1.0, 1.0, holder(d, [1.0])),
        "_result must be given: a tensor with gradients (with_grads())",
    ),
    "result without gradient": (
        lambda d, m: m.poly.bwds(1.0, 1.0, 1.0, holder(d, [1.0]), _result=Tensor.zeros(d, (1,))),
        "its gradient is given by the caller: pass tensor.with_grads() and fill tensor.grad",
    ),
    "nothing to add to": (
        lambda d, m: m.poly.bwds(1.0, 1.0, 1.0, np.ones(1), _result=result_with(d, [1.0])),
        "no differentiable argument has a gradient to add to",
    ),
    "output left out": (
        lambda d, m: m.split.bwds(holder(d, [1.0])),
        "is an output and must be given: a tensor with gradients",
    ),
    "derivative of a derivative": (
        lambda d, m: m.poly.bwds.bwds,
        "'poly' is a derivative already; differentiate the function itself",
    ),
    "integers": (
        lambda d, m: Tensor.zeros(d, (3,), weft.int32).with_grads(),
        "with_grads: values of int have no derivatives; use half, float or double",
    ),
    "plain structure": (
        lambda d, m: Tensor.zeros(d, (3,), m.Plain).with_grads(),
        "with_grads: values of Plain have no derivatives; declare struct Plain : IDifferentiable",
    ),
    "gradient of another shape": (
        lambda d, m: Tensor.zeros(d, (3,)).with_grads(Tensor.zeros(d, (4,))),
        "grad_in must be a tensor of float of shape (3,), got one of float of shape (4,)",
    ),
    "two gradients": (
        lambda d, m: (
            Tensor.zeros(d, (3,)).with_grads(Tensor.zeros(d, (3,)), Tensor.zeros(d, (3,))).grad
        ),
        "the tensor has two gradients; name the one that you mean: grad_in",
    ),
}


@pytest.mark.parametrize("case", BAD_CALLS)
def test_a_wrong_backward_call_says_what_is_wrong(device, module, case):
    call, text = BAD_CALLS[case]

    with pytest.raises(weft.ArgumentError) as caught:
        call(device, module)

    assert text in str(caught.value)


def tangent_result(device, shape, dtype=None):
    """A tensor to write a value and a tangent into; the tangent is not zero before."""
    made = Tensor.zeros(device, shape, dtype or weft.float32).with_grads()
    made.grad.copy_from_numpy(np.full(made.grad.numpy().shape, 7, np.float32))
    return made


@pytest.mark.parametrize("count", [5, 1 << 20])
def test_forward_mode_writes_values_and_tangents(device, module, count):
    random = np.random.default_rng(8)
    x, dx = random.random((2, count), np.float32)
    xs = Tensor.from_numpy(device, x).with_grads(grad_in=Tensor.from_numpy(device, dx))
    a = Tensor.from_numpy(device, np.float32(2)).with_grads(
        grad_in=Tensor.from_numpy(device, np.float32(0.5))
    )
    result = tangent_result(device, (count,))

    module.poly.fwds(a, 3.0, 1.0, xs, _result=result)

    assert np.allclose(result.numpy(), 2 * x * x + 3 * x + 1, rtol=1e-5)
    assert np.allclose(result.grad_out.numpy(), (4 * x + 3) * dx + 0.5 * x * x, rtol=1e-5)


def test_forward_mode_takes_structures_vectors_and_outputs(device, module):
    random = np.random.default_rng(9)
    v, dv = random.random((2, 6, 3), np.float32)
    vs = Tensor.from_numpy(device, v).with_grads(grad_in=Tensor.from_numpy(device, dv))
    scaled = tangent_result(device, (6,), module.float3)
    energy, square, inout = (tangent_result(device, (6,)) for _ in range(3))
    a = vs[:, 0].with_grads(grad_in=vs.grad_in[:, 0])

    module.scale.fwds(vs, 2.0, _result=scaled)
    module.energy.fwds({"color": vs, "weight": 3.0, "layer": 1}, _result=energy)
    inout.copy_from_numpy(np.full(6, 4, np.float32))
    module.split.fwds(a, square, inout)

    assert np.allclose(scaled.grad_out.numpy(), 2 * dv)
    assert np.allclose(energy.grad_out.numpy(), 6 * (v * dv).sum(1), rtol=1e-5)
    assert np.allclose(square.grad_out.numpy(), 2 * v[:, 0] * dv[:, 0], rtol=1e-5)
    assert np.allclose(inout.numpy(), 4 * v[:, 0], rtol=1e-6)
    assert np.allclose(inout.grad_out.numpy(), 7 * v[:, 0] + 4 * dv[:, 0], rtol=1e-5)


def test_forward_and_backward_are_transposes(device, module):
    random = np.random.default_rng(10)
    a, b, da, db, given = random.standard_normal((5, 1000)).astype(np.float32)
    at, bt = holder(device, a), holder(device, b)
    tangent = tangent_result(device, (1000,))

    module.wavy.bwds(at, bt, _result=result_with(device, given))
    module.wavy.fwds(
        Tensor.from_numpy(device, a).with_grads(grad_in=Tensor.from_numpy(device, da)),
        Tensor.from_numpy(device, b).with_grads(grad_in=Tensor.from_numpy(device, db)),
        _result=tangent,
    )

    forward = given * tangent.grad_out.numpy()
    backward = at.grad.numpy() * da + bt.grad.numpy() * db
    assert np.allclose(forward, backward, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda d, m: m.poly.fwds(1.0, 1.0, 1.0, 2.0, _result=Tensor.zeros(d, ()).with_grads()),
            "poly.fwds: no input has a tangent (grad_in)",
        ),
        (
            lambda d, m: m.poly.fwds(
                1.0, 1.0, 1.0, holder(d, [1.0]), _result=Tensor.zeros(d, (1,))
            ),
            "poly.fwds: no output has a tangent to write (grad_out)",
        ),
    ],
)
def test_a_wrong_forward_call_says_what_is_wrong(device, module, call, text):
    with pytest.raises(weft.ArgumentError) as caught:
        call(device, module)

    assert text in str(caught.value)
