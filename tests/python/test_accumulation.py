# SPDX-License-Identifier: Apache-2.0
"""How gradients that several calls share reach memory, by kernels for CPUs and for GPUs."""

from __future__ import annotations

import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float product(float a, float b, float x) { return a * b * x; }
[Differentiable] half product16(half a, half x) { return a * x; }
[Differentiable] double product64(double a, double x) { return a * x; }
[Differentiable] float3 tint(float3 color, float x) { return color * x; }
struct Mixed : IDifferentiable { half weight; float bias; }
[Differentiable] float apply(Mixed m, float x) { return float(m.weight) * x + m.bias; }
struct Spread : IDifferentiable { float weight; int count; float2 bias; }
[Differentiable] float apply(Spread m, float x) { return m.weight * x + m.bias.x + m.bias.y; }
struct Halves : IDifferentiable { half weight; half2 bias; }
[Differentiable] float apply(Halves m, float x)
{
    return float(m.weight) * x + float(m.bias.x) + float(m.bias.y);
}
[Differentiable] float lookup(int i, float scale, IDiffTensor<float, 1> table)
{
    return scale * table[i] * table[i];
}
[Differentiable] float lookup3(int2 p, IDiffTensor<float3, 2> table, IDiffTensor<float, 1> row)
{
    const float3 v = table[p];
    return v.x + 2 * v.y * v.z + row[p.y];
}
[Differentiable] float lookup16(int i, IDiffTensor<half, 1> table) { return float(table[i]); }
[Differentiable] double lookup64(int i, IDiffTensor<double, 1> table) { return 2.0 * table[i]; }
"""


@pytest.fixture(params=["cpu", "gpu"])
def module(device, request, monkeypatch):
    """The functions, compiled as for a CPU or as for a GPU whatever the device is."""
    monkeypatch.setenv("WEFT_KERNELS_FOR", request.param)
    return weft.Module.load_from_source(device, f"accumulation_{request.param}", SOURCE)


def holder(device, values, dtype=np.float32):
    """A tensor with a zero gradient."""
    return Tensor.from_numpy(device, np.asarray(values, dtype)).with_grads()


def given(device, values, dtype=np.float32):
    """A result whose gradient is given."""
    values = np.asarray(values, dtype)
    return Tensor.from_numpy(device, np.zeros_like(values)).with_grads(
        grad_in=Tensor.from_numpy(device, values)
    )


def summed(values, shape):
    """Values of the call, summed along the dimensions that `shape` is broadcast over."""
    axes = tuple(i for i, extent in enumerate(shape) if extent == 1)
    return values.astype(np.float64).sum(axis=axes, keepdims=True)


def close(got, expected, tolerance=1e-5):
    """Hold sums against those in double precision, relative to the largest."""
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * np.abs(expected).max())


SHAPES = [(1000, 3), (70, 130), (3, 5000), (100_000, 10), (5, 77, 33), (300, 2, 100)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_way_to_share_a_gradient(device, module, shape):
    random = np.random.default_rng(1)
    x, weight = random.standard_normal((2, *shape))
    for dropped in range(1, 1 << len(shape)):
        own = [1 if dropped >> i & 1 else extent for i, extent in enumerate(shape)]
        a, b = holder(device, random.standard_normal(own)), holder(device, x)

        module.product.bwds(a, 2.0, b, _result=given(device, weight))

        close(a.grad.numpy(), summed(2 * weight * x, own))
        close(b.grad.numpy(), 2 * weight * a.numpy())


@hypothesis.settings(deadline=None, max_examples=25)
@hypothesis.given(
    shape=st.lists(st.integers(1, 40), min_size=1, max_size=4),
    drops=st.tuples(st.integers(0, 15), st.integers(0, 15)),
    seed=st.integers(0, 1000),
)
@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_two_shared_gradients_at_once(device, kind, shape, drops, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_KERNELS_FOR", kind)
        module = weft.Module.load_from_source(device, f"accumulation_{kind}", SOURCE)
        random = np.random.default_rng(seed)
        weight = random.standard_normal(shape)
        own = [[1 if drop >> i & 1 else n for i, n in enumerate(shape)] for drop in drops]
        a, b = (holder(device, random.standard_normal(entry)) for entry in own)

        module.product.bwds(a, b, 1.0, _result=given(device, weight))

        for got, other, entry in ((a, b, own[0]), (b, a, own[1])):
            terms = np.broadcast_to(weight * other.numpy(), shape)
            largest = summed(np.abs(terms), entry).max()
            np.testing.assert_allclose(
                got.grad.numpy(), summed(terms, entry), rtol=0, atol=2e-6 * largest
            )


@pytest.mark.parametrize(
    ("name", "dtype", "tolerance"),
    [("product16", np.float16, 1e-2), ("product64", np.float64, 1e-13)],
)
@pytest.mark.parametrize("own", [(1, 1), (1, 50), (40, 1)])
def test_halves_and_doubles_are_shared_too(device, module, name, dtype, tolerance, own):
    random = np.random.default_rng(2)
    x = random.uniform(0.5, 1, (40, 50)).astype(dtype)
    weight = random.uniform(0, 0.125, (40, 50)).astype(dtype)
    a = holder(device, random.uniform(0.5, 1, own), dtype)

    getattr(module, name).bwds(a, x, _result=given(device, weight, dtype))

    expected = (weight.astype(np.float64) * x).sum(
        axis=tuple(i for i in range(2) if own[i] == 1), keepdims=True
    )
    close(a.grad.numpy(), expected, tolerance)


@pytest.mark.parametrize("entries", [10, 3000])
def test_neighbouring_halves_do_not_disturb_each_other(device, module, entries):
    count = 16 * 1024
    index = np.arange(count, dtype=np.int32) % entries
    table = holder(device, np.ones(entries), np.float16)

    module.lookup16.bwds(index, table, _result=given(device, np.full(count, 0.5)))

    # Multiples of 0.5 up to 1024 are exact in half.
    assert np.array_equal(table.grad.numpy(), np.bincount(index) / 2)


def test_a_vector_is_shared_by_component(device, module):
    random = np.random.default_rng(3)
    x, weight = random.standard_normal((9, 400)), random.standard_normal((9, 400, 3))
    color = Tensor.zeros(device, (9, 1), module.float3).with_grads()
    result = Tensor.zeros(device, (9, 400), module.float3).with_grads()
    result.grad.copy_from_numpy(weight.astype(np.float32))

    module.tint.bwds(color, x, _result=result)

    close(color.grad.numpy()[:, 0], (weight * x[..., None]).sum(axis=1))


@pytest.mark.parametrize("own", [(1, 1), (40, 1), (1, 30), (1, 40, 1), (9, 1, 30)])
@pytest.mark.parametrize("name", ["Mixed", "Spread", "Halves"])
def test_a_structure_whose_scalars_are_no_words_is_shared(device, module, name, own):
    random = np.random.default_rng(6)
    slang = getattr(module, name)
    shape = np.broadcast_shapes(own, (9, 40, 30))
    weight, x = random.uniform(0.5, 1.5, (2, *shape)).astype(np.float32)
    held = Tensor.zeros(device, own, slang).with_grads()

    module.apply.bwds(held, x, _result=given(device, weight))

    by_weight, by_bias = (
        summed(values, (1,) * (3 - len(own)) + own).reshape(own) for values in (weight * x, weight)
    )
    gradient = held.grad.numpy()
    assert np.allclose(gradient["weight"], by_weight, rtol=1e-4 if name == "Spread" else 3e-2)
    bias = gradient["bias"].reshape((*own, -1))
    assert np.allclose(bias, by_bias[..., None], rtol=3e-2 if name == "Halves" else 1e-4)


@pytest.mark.parametrize("name", ["Spread", "Halves"])
def test_sums_of_such_a_structure_may_be_deterministic(device, module, name):
    held = Tensor.zeros(device, (2, 1), getattr(module, name)).with_grads()
    x = np.tile(np.float32([[1], [2]]), (1, 100))

    module.apply.bwds(held, x, _result=given(device, np.ones((2, 100))), deterministic=True)

    gradient = held.grad.numpy()
    assert gradient["weight"].tolist() == [[100], [200]]
    assert np.array_equal(gradient["bias"], np.full_like(gradient["bias"], 100))


@pytest.mark.parametrize("entries", [1, 7, 256, 2048, 5000])
@pytest.mark.parametrize("kind", ["random", "all on one"])
def test_elements_that_the_function_picks(device, module, entries, kind):
    random = np.random.default_rng(4)
    count = 100_000
    index = random.integers(0, entries, count) if kind == "random" else np.full(count, entries // 2)
    weight = random.standard_normal(count)
    table = holder(device, random.standard_normal(entries))

    module.lookup.bwds(index.astype(np.int32), 3.0, table, _result=given(device, weight))

    expected = np.zeros(entries)
    np.add.at(expected, index, 6 * weight * table.numpy()[index])
    close(table.grad.numpy(), expected, 1e-4)


def test_picked_vectors_and_a_second_table(device, module):
    random = np.random.default_rng(5)
    count, shape = 30_000, (9, 4)
    point = np.stack([random.integers(0, 4, count), random.integers(0, 9, count)], axis=1)
    weight = random.standard_normal(count)
    values = random.standard_normal((*shape, 3)).astype(np.float32)
    table = Tensor.zeros(device, shape, module.float3).with_grads()
    table.copy_from_numpy(values)
    row = holder(device, random.standard_normal(9))

    module.lookup3.bwds(point.astype(np.int32), table, row, _result=given(device, weight))

    x, y = point.T
    picked = values[y, x]
    slopes = np.stack([np.ones(count), 2 * picked[:, 2], 2 * picked[:, 1]], axis=1)
    expected, expected_row = np.zeros((*shape, 3)), np.zeros(9)
    np.add.at(expected, (y, x), weight[:, None] * slopes)
    np.add.at(expected_row, y, weight)
    close(table.grad.numpy(), expected, 1e-4)
    close(row.grad.numpy(), expected_row, 1e-4)


def test_picked_doubles_keep_their_precision(device, module):
    index = np.arange(20_000, dtype=np.int32) % 3
    weight = np.random.default_rng(6).standard_normal(20_000)
    table = holder(device, np.ones(3), np.float64)

    module.lookup64.bwds(index, table, _result=given(device, weight, np.float64))

    close(table.grad.numpy(), [2 * weight[k::3].sum() for k in range(3)], 1e-12)


def test_not_a_number_and_infinity_reach_shared_gradients(device, module):
    count = 40_000
    index = np.arange(count, dtype=np.int32) % 4
    weight = np.ones(count)
    weight[5], weight[6] = np.nan, np.inf
    table = holder(device, np.ones(4))
    a = holder(device, 1.0)

    module.lookup.bwds(index, 1.0, table, _result=given(device, weight))
    module.product.bwds(a, 1.0, 1.0, _result=given(device, weight))

    got = table.grad.numpy()
    assert math.isnan(got[1])
    assert math.isinf(got[2])
    assert np.isfinite(got[[0, 3]]).all()
    assert math.isnan(float(a.grad.numpy()))


@pytest.mark.parametrize(
    ("shape", "own", "text"),
    [
        ((64, 4096), (), "a.grad_out: broadcast, summed in registers and the group"),
        ((64, 4096), (1, 4096), "threads reduce along dimension 0"),
        ((64, 4096), (64, 1), "threads reduce along dimension 1"),
        ((64, 4096), (64, 4096), "a.grad_out: one-to-one, added to by one call"),
    ],
)
def test_the_explanation_names_the_pattern(device, module, shape, own, text):
    a = holder(device, np.ones(own))

    explanation = module.product.bwds.explain(a, 1.0, 1.0, _result=given(device, np.ones(shape)))

    assert text in explanation


def test_a_small_table_is_collected_by_the_group(device, monkeypatch):
    monkeypatch.setenv("WEFT_KERNELS_FOR", "gpu")
    module = weft.Module.load_from_source(device, "tables", SOURCE)
    index = np.zeros(1 << 16, np.int32)

    def explain(entries):
        return module.lookup.bwds.explain(
            index, 1.0, holder(device, np.ones(entries)), _result=given(device, np.ones(1 << 16))
        )

    assert "table.grad_out: whole tensor, collected in shared memory" in explain(256)
    assert "table.grad_out: whole tensor, one atomic addition a call" in explain(10_000)


@pytest.mark.parametrize("entries", [1, 100])
def test_deterministic_sums_are_exact_until_they_are_rounded(device, module, entries):
    random = np.random.default_rng(7)
    count = 20_000
    index = random.integers(0, entries, count)
    weight = random.integers(-(1 << 20), 1 << 20, count).astype(np.float32)
    table = holder(device, np.full(entries, 0.5))

    module.lookup.bwds(
        index.astype(np.int32), 1.0, table, _result=given(device, weight), deterministic=True
    )

    expected = np.bincount(index, weights=weight.astype(np.float64), minlength=entries)
    assert np.array_equal(table.grad.numpy(), expected.astype(np.float32))


def test_deterministic_sums_add_to_what_is_there(device, module):
    a, x = holder(device, 1.0), np.ones(1000, np.float32)

    for _ in range(3):
        module.product.bwds(a, 1.0, x, _result=given(device, x), deterministic=True)

    assert float(a.grad.numpy()) == 3000


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ([1.0, np.inf], np.inf),
        ([-np.inf, 1.0], -np.inf),
        ([np.inf, -np.inf], np.nan),
        ([1.0, np.nan], np.nan),
        ([0.0, -0.0], 0.0),
        ([2.0**-120, 2.0**-120], 2.0**-119),
        ([2.0**127, -(2.0**127)], 0.0),
        ([2.0**100, 2.0**-100], 2.0**100),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_deterministic_sums_of_unusual_numbers(device, module, weight, expected, dtype):
    lookup = module.lookup64 if dtype == np.float64 else module.lookup
    arguments = () if dtype == np.float64 else (1.0,)
    table = holder(device, [0.5], dtype)
    weight = np.asarray(weight, dtype)

    lookup.bwds(
        np.zeros(2, np.int32),
        *arguments,
        table,
        _result=given(device, weight, dtype),
        deterministic=True,
    )

    scale = 2.0 if dtype == np.float64 else 1.0
    assert np.array_equal(table.grad.numpy(), np.asarray([scale * expected], dtype), equal_nan=True)


def test_what_is_not_shared_is_added_once_by_a_deterministic_call(device, module):
    x = np.arange(1, 3001, dtype=np.float32)
    a, b = holder(device, 2.0), holder(device, x)
    result = given(device, np.ones(3000))

    module.product.bwds(a, b, 1.0, _result=result, deterministic=True)

    assert float(a.grad.numpy()) == x.sum(dtype=np.float64)
    assert np.array_equal(b.grad.numpy(), np.full(3000, 2))
    assert np.array_equal(result.numpy(), 2 * x)


def test_deterministic_must_be_a_bool(device, module):
    with pytest.raises(weft.ArgumentError) as caught:
        module.product.bwds(
            holder(device, 1.0), 1.0, 1.0, _result=given(device, 1.0), deterministic=1
        )

    assert str(caught.value) == (
        "product: deterministic must be True or False, got int; leave it out for what "
        "Device.deterministic says"
    )
