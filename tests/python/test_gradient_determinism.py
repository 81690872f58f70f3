# SPDX-License-Identifier: Apache-2.0
"""Deterministic sums: equal bits from every run, for every way in which gradients add up."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.gradient_patterns import SOURCE
from weft import Tensor

RUNS = 1000
ROWS, COLUMNS, TABLE = 96, 128, 50


@pytest.fixture(scope="module")
def module(device, kernels):
    return weft.Module.load_from_source(device, "determinism", SOURCE)


class Sums:
    """Calls whose gradients many threads share; each returns the gradients."""

    def __init__(self, module):
        self._module, self._device = module, module.device
        random = np.random.default_rng(0)
        # Sizes that differ by 2^20: the order of additions shows in most bits.
        shape = (ROWS, COLUMNS)
        scales = np.exp2(random.integers(-10, 10, shape))
        self._given = (random.standard_normal(shape) * scales).astype(np.float32)
        self._x = Tensor.from_numpy(self._device, random.random(shape, np.float32))
        entries = random.integers(0, TABLE, ROWS * COLUMNS)
        self._entries = Tensor.from_numpy(self._device, entries.astype(np.int32))
        self._result = self._with_gradient(self._given)
        self._flat_result = self._with_gradient(self._given.reshape(-1))

    def _with_gradient(self, gradient):
        made = Tensor.zeros(self._device, gradient.shape).with_grads()
        made.grad.copy_from_numpy(gradient)
        return made

    def _weigh(self, shape):
        weight = Tensor.ones(self._device, shape).with_grads()
        self._module.weigh.bwds(weight, self._x, _result=self._result, deterministic=True)
        return weight.grad

    def one_number(self):
        return self._weigh(())

    def row(self):
        return self._weigh((COLUMNS,))

    def column(self):
        return self._weigh((ROWS, 1))

    def gather(self):
        table = Tensor.zeros(self._device, (TABLE,)).with_grads()
        self._module.look_up.bwds(
            self._entries, table, _result=self._flat_result, deterministic=True
        )
        return table.grad

    def expected(self, pattern):
        x = np.float64(self._given) * np.float64(self._x.numpy()) ** 2
        if pattern == "gather":
            weights = np.float64(self._given.reshape(-1))
            return np.bincount(self._entries.numpy(), weights, TABLE)
        axes = {"one_number": None, "row": 0, "column": 1}
        return x.sum(axes[pattern], keepdims=pattern == "column")


@pytest.fixture(scope="module")
def sums(module):
    return Sums(module)


@pytest.mark.sweep(9)
@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["one_number", "row", "column", "gather"])
def test_a_thousand_runs_are_equal_bit_for_bit(sums, pattern):
    run = getattr(sums, pattern)
    first = run().numpy()

    different = sum(not np.array_equal(run().numpy(), first) for _ in range(RUNS - 1))

    assert different == 0
    scale = np.abs(first).max()
    assert np.allclose(first, sums.expected(pattern), rtol=0, atol=1e-4 * scale)


LIT = "[Differentiable] float lit(float albedo, float light) { return albedo * light; }"
WORDS = "deterministic: the function runs twice"


@pytest.fixture
def ordered(device):
    """The device, with deterministic sums asked for by one test."""
    device.deterministic = True
    yield device
    device.deterministic = False


def test_the_device_decides_where_the_call_does_not(ordered):
    lit = weft.Module.load_from_source(ordered, "deterministic_device", LIT).lit
    light = Tensor.ones(ordered, ()).with_grads()
    result = Tensor.zeros(ordered, (4,)).with_grads(Tensor.ones(ordered, (4,)))
    albedo = np.arange(4, dtype=np.float32)

    assert WORDS in lit.bwds.explain(albedo, light, _result=result)
    assert WORDS not in lit.bwds.explain(albedo, light, _result=result, deterministic=False)
    assert WORDS not in lit.explain(albedo, 1.0)

    lit.bwds(albedo, light, _result=result)
    lit.bwds(albedo, light, _result=result, deterministic=False)
    assert float(light.grad) == 12


def test_value_and_grad_asks_the_device(ordered):
    source = """
        [Differentiable]
        float pick(int i, float x, IDiffTensor<float, 1> table) { return x * table[i % 16]; }
    """
    module = weft.Module.load_from_source(ordered, "deterministic_gradient", source)
    i = np.arange(20_000, dtype=np.int32)
    x = np.random.default_rng(1).integers(-(1 << 20), 1 << 20, i.size).astype(np.float32)

    _, (slope,) = weft.value_and_grad(module.pick, wrt=("table",))(i, x, np.ones(16, np.float32))

    # Rounded once; a sum of floats rounds each time that it is above 2^24.
    exact = np.bincount(i % 16, weights=x.astype(np.float64))
    assert np.array_equal(slope.numpy(), exact.astype(np.float32))


def test_a_network_cannot_have_what_the_device_says(ordered):
    source = (
        "import mlp; [Differentiable] float run(MLP<2, 1> m, float x[2]) { return m.run(x)[0]; }"
    )
    module = weft.Module.load_from_source(ordered, "deterministic_network", source)
    weights = Tensor.ones(ordered, (2, 1)).with_grads()
    x, result = np.ones((5, 2), np.float32), Tensor.zeros(ordered, (5,)).with_grads()

    with pytest.raises(weft.ArgumentError, match=r"or turn Device\.deterministic off"):
        module.run.bwds(weights, x, _result=result)

    module.run.bwds(weights, x, _result=result, deterministic=False)


def test_a_device_is_created_with_deterministic_sums(device, monkeypatch):
    assert not device.deterministic
    monkeypatch.setenv("WEFT_DETERMINISTIC", "1")
    with weft.create_device(type=device.type) as by_environment:
        assert by_environment.deterministic
    with weft.create_device(type=device.type, deterministic=False) as by_argument:
        assert not by_argument.deterministic
    monkeypatch.setenv("WEFT_DETERMINISTIC", "yes")

    with pytest.raises(weft.ArgumentError, match="WEFT_DETERMINISTIC must be 0 or 1, got 'yes'"):
        weft.create_device(type=device.type)
