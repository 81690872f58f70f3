# SPDX-License-Identifier: Apache-2.0
"""Gradients of large tensors that many calls pick elements from, by the kernels of GPUs."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

COUNT = 1 << 20
"""Calls from which on neighbours meet in group-shared memory."""

SOURCE = """
[Differentiable] float pick(int i, float x, IDiffTensor<float, 1> table) { return x * table[i]; }
[Differentiable] float pick16(int i, IDiffTensor<half, 1> table) { return float(table[i]); }
[Differentiable] float3 pick3(int i, IDiffTensor<float3, 1> table) { return table[i]; }
[Differentiable] float both(int i, IDiffTensor<float, 1> a, IDiffTensor<float, 1> b)
{
    return a[i] * b[i + 1];
}
[Differentiable] float blur1(int i, IDiffTensor<float, 1> t)
{
    return .25f * t[i] + .5f * t[i + 1] + .25f * t[i + 2];
}
[Differentiable] float blur2(int2 at, IDiffTensor<float, 2> t)
{
    float sum = 0;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) sum += (1 + x + 2 * y) * t[at.y + y, at.x + x];
    return sum;
}
"""
IN_SHARED_MEMORY = "partly collected in shared memory"


@pytest.fixture
def module(device, monkeypatch):
    """The functions, compiled as for a GPU whatever the device is."""
    monkeypatch.setenv("WEFT_KERNELS_FOR", "gpu")
    return weft.Module.load_from_source(device, "gathered", SOURCE)


def given(device, values):
    """A result whose gradient is given."""
    return Tensor.zeros(device, values.shape).with_grads(grad_in=Tensor.from_numpy(device, values))


def places(kind, entries, count, rng):
    """Entries that calls pick, and what most of them meet."""
    if kind == "one":
        return np.full(count, entries // 2, np.int32)
    index = rng.integers(0, entries, count).astype(np.int32)
    if kind == "sorted":
        index.sort()
    if kind == "half at one":
        index[rng.random(count) < 0.5] = entries - 1
    return index


@pytest.mark.parametrize("kind", ["random", "sorted", "one", "half at one"])
@pytest.mark.parametrize("count", [COUNT, COUNT + 77])
def test_any_places_of_a_large_table(device, module, kind, count):
    rng = np.random.default_rng(1)
    entries = (1 << 16) + 5
    index = places(kind, entries, count, rng)
    slope = rng.integers(-4, 5, count).astype(np.float32)
    x = rng.integers(1, 3, count).astype(np.float32)
    table = Tensor.from_numpy(device, rng.random(entries, dtype=np.float32)).with_grads()
    result = given(device, slope)

    module.pick.bwds(index, x, table, _result=result)

    assert IN_SHARED_MEMORY in module.pick.bwds.explain(index, x, table, _result=result)
    expected = np.bincount(index, (slope * x).astype(np.float64), entries)
    assert np.array_equal(table.grad.to_numpy(), expected.astype(np.float32))
    assert np.array_equal(result.to_numpy(), x * table.to_numpy()[index])


def test_additions_come_on_top_of_what_a_gradient_holds(device, module):
    index = np.arange(COUNT, dtype=np.int32) % 20_000
    table = Tensor.zeros(device, (20_000,)).with_grads()
    result = given(device, np.ones(COUNT, np.float32))

    for _ in range(2):
        module.pick.bwds(index, 1.0, table, _result=result)

    assert np.array_equal(table.grad.to_numpy(), 2 * np.bincount(index).astype(np.float32))


def test_neighbours_of_every_element(device, module):
    rng = np.random.default_rng(2)
    slope = rng.integers(-4, 5, COUNT).astype(np.float32)
    line = Tensor.zeros(device, (COUNT + 2,)).with_grads()

    module.blur1.bwds(weft.grid((COUNT,)), line, _result=given(device, slope))

    expected = np.zeros(COUNT + 2, np.float32)
    for at, factor in enumerate((0.25, 0.5, 0.25)):
        expected[at : at + COUNT] += np.float32(factor) * slope
    assert np.array_equal(line.grad.to_numpy(), expected)


@pytest.mark.parametrize("shape", [(1024, 1024), (1030, 1021), (4, 1 << 18), (1 << 18, 4)])
def test_neighbours_in_rows(device, module, shape):
    rng = np.random.default_rng(3)
    slope = rng.integers(-4, 5, shape).astype(np.float32)
    picture = Tensor.zeros(device, (shape[0] + 2, shape[1] + 2)).with_grads()

    module.blur2.bwds(weft.grid(shape), picture, _result=given(device, slope))

    expected = np.zeros((shape[0] + 2, shape[1] + 2), np.float32)
    for y in range(3):
        for x in range(3):
            expected[y : y + shape[0], x : x + shape[1]] += (1 + x + 2 * y) * slope
    assert np.array_equal(picture.grad.to_numpy(), expected)


def test_views_with_steps_and_starts(device, module):
    rng = np.random.default_rng(4)
    index = rng.integers(0, 30_000, COUNT).astype(np.int32)
    slope = rng.integers(-4, 5, COUNT).astype(np.float32)
    flat = Tensor.zeros(device, (60_007,))
    table = Tensor.zeros(device, (30_000,)).with_grads(grad_out=flat[7:].view((30_000,), (2,)))

    module.pick.bwds(index, 1.0, table, _result=given(device, slope))

    expected = np.zeros(60_007, np.float32)
    expected[7::2] = np.bincount(index, slope.astype(np.float64), 30_000)
    assert np.array_equal(flat.to_numpy(), expected)


def test_halves_and_vectors(device, module):
    rng = np.random.default_rng(5)
    index = places("sorted", 40_000, COUNT, rng)
    slope = rng.integers(-4, 5, (COUNT, 3)).astype(np.float32)
    halves = Tensor.from_numpy(device, np.zeros(40_000, np.float16)).with_grads()
    vectors = Tensor.zeros(device, (40_000,), "float3").with_grads()
    result = Tensor.zeros(device, (COUNT,), "float3").with_grads(
        grad_in=Tensor.from_numpy(device, slope, "float3")
    )

    module.pick16.bwds(index, halves, _result=given(device, slope[:, 0].copy()))
    module.pick3.bwds(index, vectors, _result=result)

    expected = [np.bincount(index, slope[:, c].astype(np.float64), 40_000) for c in range(3)]
    assert np.array_equal(halves.grad.to_numpy().astype(np.float32), expected[0])
    assert np.array_equal(vectors.grad.to_numpy(), np.stack(expected, axis=1))


def test_two_tensors_of_one_call(device, module):
    a, b = (Tensor.ones(device, (COUNT + 1,)).with_grads() for _ in range(2))

    module.both.bwds(weft.grid((COUNT,)), a, b, _result=given(device, np.ones(COUNT, np.float32)))

    assert np.array_equal(a.grad.to_numpy(), np.r_[np.ones(COUNT), 0].astype(np.float32))
    assert np.array_equal(b.grad.to_numpy(), np.r_[0, np.ones(COUNT)].astype(np.float32))


@pytest.mark.parametrize("kind", ["random", "one"])
def test_deterministic_sums_are_the_same_and_right(device, module, kind):
    rng = np.random.default_rng(6)
    index = places(kind, 5000, COUNT, rng)
    slope = rng.standard_normal(COUNT).astype(np.float32)
    slope[::7] = 0
    found = []
    for order in (np.arange(COUNT), rng.permutation(COUNT)):
        table = Tensor.zeros(device, (5000,)).with_grads()
        result = given(device, slope[order].copy())
        module.pick.bwds(index[order].copy(), 1.0, table, _result=result, deterministic=True)
        found.append(table.grad.to_numpy())

    assert np.array_equal(found[0], found[1])
    expected = np.bincount(index, slope.astype(np.float64), 5000)
    assert np.allclose(found[0], expected, rtol=1e-6, atol=1e-6)
