# SPDX-License-Identifier: Apache-2.0
"""One backward call for each way in which gradients add up, each checked against numpy.

Tests run it under Vulkan's synchronisation validation, tests/bench/device/run_h200.sh under
compute-sanitizer. As a program it takes the kind of device, and prints the messages of the
validation layer.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

COUNT = 1 << 14
TABLE = 64
# Sums of 2^14 floats of size 1 in any order.
TOLERANCE = 1e-4

SOURCE = """
struct Lamp : IDifferentiable { float3 colour; float power; }

[Differentiable] float weigh(float weight, float x) { return weight * x * x; }
[Differentiable] float3 tint(float3 colour, float x) { return colour * x; }
[Differentiable] float light(Lamp lamp, float x)
{
    return dot(lamp.colour, float3(1.f)) * lamp.power * x;
}
[Differentiable] float look_up(int entry, IDiffTensor<float, 1> table) { return table[entry]; }
[Differentiable] void blur(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> result)
{
    const int last = x.shape[0] - 1;
    result[i] = 0.25f * x[max(i - 1, 0)] + 0.5f * x[i] + 0.25f * x[min(i + 1, last)];
}
[Differentiable] void twice(int i, IRWDiffTensor<float, 1> data) { data[i] = data[i] * 2.f; }
"""


class Patterns:
    """The calls; each method runs one and raises AssertionError if its gradients are wrong."""

    def __init__(self, device: weft.Device, count: int = COUNT) -> None:
        self.device, self.count = device, count
        self._module = weft.Module.load_from_source(device, "gradient_patterns", SOURCE)
        random = np.random.default_rng(0)
        self._x, self._given = random.uniform(0.5, 1.5, (2, count)).astype(np.float32)

    def _tensor(self, array: Any) -> Tensor:
        return Tensor.from_numpy(self.device, np.asarray(array, np.float32))

    def _held(self, array: Any) -> Tensor:
        return self._tensor(array).with_grads()

    def _result(self, gradient: np.ndarray, dtype: Any = weft.float32) -> Tensor:
        shape = gradient.shape if dtype is weft.float32 else gradient.shape[:-1]
        made = Tensor.zeros(self.device, shape, dtype).with_grads()
        made.grad.copy_from_numpy(gradient)
        return made

    def one_to_one(self) -> None:
        x = self._held(self._x)
        for _ in range(2):  # the second call must see what the first has added
            self._module.weigh.bwds(3.0, x, _result=self._result(self._given))
        near(x.grad, 2 * 6 * self._x * self._given)

    def one_number(self) -> None:
        weight, x = self._held(3.0), self._held(self._x)
        self._module.weigh.bwds(weight, x, _result=self._result(self._given))
        near(weight.grad, (np.float64(self._given) * self._x**2).sum())
        near(x.grad, 6 * self._x * self._given)

    def one_vector(self) -> None:
        colour, given = self._held([1.0, 2.0, 3.0]), np.stack([self._given] * 3, -1)
        self._module.tint.bwds(
            colour, self._held(self._x), _result=self._result(given, self._module.float3)
        )
        near(colour.grad, np.full(3, (np.float64(self._given) * self._x).sum()))

    def one_structure(self) -> None:
        colour, power = self._held([1.0, 2.0, 3.0]), self._held(0.5)
        lamp = {"colour": colour, "power": power}
        self._module.light.bwds(lamp, self._tensor(self._x), _result=self._result(self._given))
        total = (np.float64(self._given) * self._x).sum()
        near(colour.grad, np.full(3, 0.5 * total))
        near(power.grad, 6 * total)

    def row_and_column(self) -> None:
        x, given = self._x.reshape(-1, 128), self._given.reshape(-1, 128)
        each = np.float64(given) * x * x
        for shape, axis in (((128,), 0), ((len(x), 1), 1)):
            weight = self._held(np.full(shape, 3.0))
            self._module.weigh.bwds(weight, self._held(x), _result=self._result(given))
            near(weight.grad, each.sum(axis).reshape(shape))

    def gather(self) -> None:
        random = np.random.default_rng(1)
        for entries in (
            random.integers(0, TABLE, self.count),
            np.full(self.count, 5),
            np.arange(self.count) // 32 % TABLE,
        ):
            table = self._held(np.zeros(TABLE))
            index = Tensor.from_numpy(self.device, entries.astype(np.int32))
            self._module.look_up.bwds(index, table, _result=self._result(self._given))
            near(table.grad, np.bincount(entries, np.float64(self._given), TABLE))

    def neighbours(self) -> None:
        x, result = self._held(self._x), self._result(self._given)
        self._module.blur.bwds(weft.grid((self.count,)), x, result)
        given = np.float64(self._given)
        expected = 0.5 * given
        expected[1:] += 0.25 * given[:-1]
        expected[:-1] += 0.25 * given[1:]
        expected[0] += 0.25 * given[0]
        expected[-1] += 0.25 * given[-1]
        near(x.grad, expected)

    def in_place(self) -> None:
        gradient = Tensor.zeros(self.device, (self.count,))
        data = self._tensor(self._x).with_grads(
            grad_in=self._tensor(self._given), grad_out=gradient
        )
        self._module.twice.bwds(weft.grid((self.count,)), data)
        near(gradient, 2 * self._given)

    def training_steps(self) -> None:
        """Clear, differentiate and step without a wait between: each must see the one before."""
        weight, goal = self._held(np.zeros(TABLE)), np.linspace(-1, 1, TABLE)
        x = self._tensor(np.ones((self.count // TABLE, TABLE)))
        value = Tensor.zeros(self.device, x.shape).with_grads()
        value.grad.copy_from_numpy(np.tile(-goal / len(x.to_numpy()), (x.shape[0], 1)))
        optimiser = weft.optim.SGD([weight], 0.125)
        for _ in range(8):
            optimiser.zero_grad()
            self._module.weigh.bwds(weight, x, _result=value)
            optimiser.step()
        near(weight, goal)

    def run_all(self) -> list[str]:
        """Run every pattern and return their names."""
        patterns: list[Callable[[], None]] = [
            self.one_to_one, self.one_number, self.one_vector, self.one_structure,
            self.row_and_column, self.gather, self.neighbours, self.in_place, self.training_steps,
        ]  # fmt: skip
        for pattern in patterns:
            pattern()
        return [pattern.__name__ for pattern in patterns]


def near(found: Tensor, expected: Any) -> None:
    """Assert that a tensor holds what is expected."""
    wanted = np.asarray(expected)
    scale = max(float(np.abs(wanted).max()), 1.0)
    np.testing.assert_allclose(found.to_numpy(), wanted, rtol=0, atol=TOLERANCE * scale)


if __name__ == "__main__":
    chosen = weft.create_device(type=sys.argv[1], debug=sys.argv[1] == "vulkan")
    print("right:", ", ".join(Patterns(chosen).run_all()))
    chosen.wait()
    for message in chosen.validation_messages:
        print("validation:", message)
