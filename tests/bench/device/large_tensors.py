# SPDX-License-Identifier: Apache-2.0
"""Tensors of more than 4 GiB on a GPU: every way to read and write them, at end and border.

``python large_tensors.py [cuda] [vulkan]`` needs 24 GiB of device memory and prints a line a check;
the exit status counts those that fail. A test runs the checks on small tensors, with the kernels
that large ones get.
"""

from __future__ import annotations

import sys
import time
import traceback

import numpy as np

import weft
from weft import Tensor

COUNT = 2**30 + 64  # floats; the last 64 lie beyond 4 GiB
TAIL = 64
STEP = 1e6  # what the tail is larger by

SOURCE = """
float value(int64_t i, int64_t border) { return float(i & 255) + (i >= border ? 1e6f : 0.f); }
float twice(float x) { return 2.f * x; }
[Differentiable] float square(float x) { return x * x; }
float at(int64_t i, Tensor<float, 1> A) { return A[i]; }
[Differentiable] float look_up(int64_t i, IDiffTensor<float, 1> A) { return A[i]; }
float through(int64_t i, float* p) { return p[i]; }
float by_uint(uint i, float* p) { return p[i]; }
void put(int64_t i, float v, RWTensor<float, 1> A) { A[i] = v; }
float3 triple(int64_t i, int64_t border)
{
    return float3(i & 63, i & 31, i >= border ? 5.f : 0.f);
}
float3 shift(float3 v) { return v + float3(1.f, 2.f, 3.f); }
half narrow(half x) { return x * half(2.f); }
"""


class Checks:
    """The checks; each method raises AssertionError if what it reads is wrong."""

    def __init__(self, device: weft.Device, count: int = COUNT) -> None:
        self.device, self.count, self.border = device, count, count - TAIL
        self.module = weft.Module.load_from_source(device, "large_tensors", SOURCE)
        self.values = self._empty()
        self.module.value(weft.grid((count,)), self.border, _result=self.values)

    def _empty(self) -> Tensor:
        return Tensor.empty(self.device, (self.count,), np.float32)

    def _expected(self, begin: int, end: int, step: int = 1) -> np.ndarray:
        index = np.arange(begin, end, step, dtype=np.int64)
        return ((index & 255) + (index >= self.border) * STEP).astype(np.float32)

    def _places(self) -> list[tuple[int, int]]:
        return [(0, 300), (self.border - 100, self.count)]

    def _check(self, tensor: Tensor, factor: float = 1.0) -> None:
        for begin, end in self._places():
            found, expected = tensor[begin:end].numpy(), factor * self._expected(begin, end)
            assert np.array_equal(found, expected), (begin, found[-4:], expected[-4:])

    def filled(self) -> None:
        self._check(self.values)

    def elementwise(self) -> None:
        result = self._empty()
        self.module.twice(self.values, _result=result)
        self._check(result, 2.0)

    def gathered(self) -> None:
        places = np.array([self.count - 1, self.border, 5, self.border - 1], np.int64)
        expected = [float(self._expected(int(i), int(i) + 1)[0]) for i in places]
        for way in (self.module.at, self.module.through):
            found = [float(way(i, self.values)) for i in places]
            assert found == expected, (way.name, found, expected)
            assert way(places, self.values, _result="numpy").tolist() == expected, way.name
        found = self.module.by_uint(places.astype(np.uint32), self.values, _result="numpy")
        assert found.tolist() == expected, ("by_uint", found)

    def scattered(self) -> None:
        target = Tensor.zeros(self.device, (self.count,), np.float32)
        places = np.array([self.count - 1, 7], np.int64)
        self.module.put(places, np.array([3, 4], np.float32), target)
        assert target[self.count - 2 :].numpy().tolist() == [0.0, 3.0]
        assert target[:64].numpy().tolist() == [0.0] * 7 + [4.0] + [0.0] * 56

    def strided(self) -> None:
        for start, step in ((1, 2), (0, 3)):
            view = self.values[start::step]
            result = Tensor.empty(self.device, view.shape, np.float32)
            self.module.twice(view, _result=result)
            found = result[result.shape[0] - 8 :].numpy()
            expected = 2 * self._expected(start, self.count, step)[-8:]
            assert np.array_equal(found, expected), (start, step, found, expected)

    def transposed(self) -> None:
        rows = 64
        columns = self.count // rows
        view = self.values[: rows * columns].reshape((rows, columns)).transpose(1, 0)
        result = Tensor.empty(self.device, view.shape, np.float32)
        self.module.twice(view, _result=result)
        last = result[columns - 1].numpy()
        begin = columns - 1
        expected = 2 * self._expected(begin, rows * columns, columns)
        assert np.array_equal(last, expected), (last, expected)

    def reduced(self) -> None:
        whole, rest = divmod(self.count, 256)
        total = whole * 255 * 128 + rest * (rest - 1) // 2 + TAIL * STEP
        found = float(weft.sum(self.values))
        assert abs(found - total) < 1e-5 * total, (found, total)
        assert float(weft.max(self.values)) == float(self._expected(self.border, self.count).max())
        tail = float(weft.sum(self.values[self.border :]))
        assert tail == float(self._expected(self.border, self.count).astype(np.float64).sum())

    def gradients(self) -> None:
        held = self.values.with_grads()
        result = self._empty().with_grads()
        result.grad.copy_from_numpy(np.ones(self.count, np.float32))
        self.module.square.bwds(held, _result=result)
        self._check(held.grad, 2.0)

    def gathered_gradients(self) -> None:
        held = self.values.with_grads()
        places = np.array([self.count - 1, 5, self.count - 1], np.int64)
        result = Tensor.zeros(self.device, (3,), np.float32).with_grads()
        result.grad.copy_from_numpy(np.array([1, 2, 4], np.float32))
        self.module.look_up.bwds(places, held, _result=result)
        assert held.grad[self.count - 4 :].numpy().tolist() == [0, 0, 0, 5]
        assert held.grad[:8].numpy().tolist() == [0, 0, 0, 0, 0, 2, 0, 0]

    def vectors(self) -> None:
        count = self.count // 3 + TAIL
        border = count - TAIL
        values = Tensor.empty(self.device, (count,), self.module.float3)
        result = Tensor.empty(self.device, (count,), self.module.float3)
        self.module.triple(weft.grid((count,)), border, _result=values)
        self.module.shift(values, _result=result)
        index = np.arange(count - 70, count)
        parts = [(index & 63) + 1, (index & 31) + 2, (index >= border) * 5 + 3]
        found = result[count - 70 :].numpy()
        assert np.array_equal(found, np.stack(parts, -1).astype(np.float32)), found[-3:]

    def halves(self) -> None:
        count = 2 * self.count
        values = Tensor.zeros(self.device, (count,), np.float16)
        values[count - 4 :].copy_from_numpy(np.array([1, 2, 3, 4], np.float16))
        result = Tensor.zeros(self.device, (count,), np.float16)
        self.module.narrow(values, _result=result)
        assert result[count - 5 :].numpy().tolist() == [0, 2, 4, 6, 8]
        assert result[:64].numpy().tolist() == [0] * 64


NAMES = [name for name in vars(Checks) if not name.startswith("_")]


def main(kinds: list[str]) -> int:
    """Run all checks on the devices of these kinds and return the number of failures."""
    failures = 0
    for kind in kinds:
        device = weft.create_device(type=kind)
        print(f"{device.info.name}, {device.info.driver} ({kind})")
        checks = Checks(device)
        for name in NAMES:
            begin = time.perf_counter()
            try:
                getattr(checks, name)()
                outcome = "right"
            except Exception:  # a failure must not hide the others
                failures += 1
                outcome = traceback.format_exc(limit=-1)
            print(f"  {name:20} {time.perf_counter() - begin:6.2f} s  {outcome}", flush=True)
        del checks
        device.close()
    return failures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ["cuda", "vulkan"]))
