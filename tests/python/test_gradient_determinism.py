# SPDX-License-Identifier: Apache-2.0
"""deterministic=True: the same bits from every run, for every way in which gradients add up."""

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


@pytest.mark.slow
@pytest.mark.parametrize("pattern", ["one_number", "row", "column", "gather"])
def test_a_thousand_runs_are_equal_bit_for_bit(sums, pattern):
    run = getattr(sums, pattern)
    first = run().numpy()

    different = sum(not np.array_equal(run().numpy(), first) for _ in range(RUNS - 1))

    assert different == 0
    scale = np.abs(first).max()
    assert np.allclose(first, sums.expected(pattern), rtol=0, atol=1e-4 * scale)
