# SPDX-License-Identifier: Apache-2.0
"""Random calls over memory of every type, stride, offset and alignment, against numpy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import weft
from weft import Tensor

SOURCE = """
uint8_t mix_uint8(uint8_t a, uint8_t b) { return uint8_t(a * 3 + b); }
int8_t mix_int8(int8_t a, int8_t b) { return int8_t(a - b); }
int16_t mix_int16(int16_t a, int16_t b) { return int16_t(a * 5 - b); }
half mix_half(half a, half b) { return a + half(2) * b; }
[Differentiable] float mix_float(float a, float b) { return a * b + 2 * a; }
int mix_int(int a, int b) { return a * 7 - b; }
double mix_double(double a, double b) { return a + 3 * b; }
int64_t mix_int64(int64_t a, int64_t b) { return a * 3 - b; }
half3 mix_half3(half3 a, half3 b) { return a + half(2) * b.zyx; }
float2 mix_float2(float2 a, float2 b) { return a + 2 * b.yx; }
[Differentiable] float3 mix_float3(float3 a, float3 b) { return a * b + 2 * a; }
float4 mix_float4(float4 a, float4 b) { return a - 2 * b.wzyx; }
float mix_unequal(half a, uint8_t b) { return float(a) * 2 + float(b); }
"""


@dataclass(frozen=True)
class Kind:
    """A function `mix_NAME`, what its arguments hold, and what numpy says of it."""

    name: str
    dtypes: tuple[type, type]
    components: int
    expected: Any
    result: type


def _kinds() -> list[Kind]:
    def same(name: str, dtype: type, components: int, expected: Any) -> Kind:
        return Kind(name, (dtype, dtype), components, expected, dtype)

    return [
        same("uint8", np.uint8, 1, lambda a, b: a * np.uint8(3) + b),
        same("int8", np.int8, 1, lambda a, b: a - b),
        same("int16", np.int16, 1, lambda a, b: a * np.int16(5) - b),
        same("half", np.float16, 1, lambda a, b: a + np.float16(2) * b),
        same("float", np.float32, 1, lambda a, b: a * b + 2 * a),
        same("int", np.int32, 1, lambda a, b: a * 7 - b),
        same("double", np.float64, 1, lambda a, b: a + 3 * b),
        same("int64", np.int64, 1, lambda a, b: a * 3 - b),
        same("half3", np.float16, 3, lambda a, b: a + np.float16(2) * b[..., ::-1]),
        same("float2", np.float32, 2, lambda a, b: a + 2 * b[..., ::-1]),
        same("float3", np.float32, 3, lambda a, b: a * b + 2 * a),
        same("float4", np.float32, 4, lambda a, b: a - 2 * b[..., ::-1]),
        Kind(
            "unequal",
            (np.float16, np.uint8),
            1,
            lambda a, b: a.astype(np.float32) * 2 + b.astype(np.float32),
            np.float32,
        ),
    ]


KINDS = {kind.name: kind for kind in _kinds()}
SHAPES = [(1 << 19,), ((1 << 19) + 5,), (1024, 520), (740, 721), (24, 150, 160), (3, 700, 260)]


class Layout:
    """Memory of `shape` in a larger array: its axes in some order, from some element on."""

    def __init__(self, rng: np.random.Generator, shape: tuple[int, ...], pattern: str) -> None:
        rank = len(shape)
        self.broadcast = tuple(
            1
            if (pattern == "row" and axis == 0) or (pattern == "column" and axis == rank - 1)
            else n
            for axis, n in enumerate(shape)
        )
        order = list(range(rank))
        if pattern in ("transposed", "permuted"):
            order = order[::-1] if pattern == "transposed" else list(rng.permutation(rank))
        self.order = order
        self.inner_offset = int(rng.choice([0, 0, 1, 3])) if pattern != "plain" else 0
        self.step = 2 if pattern == "apart" else 1
        self.offset = int(rng.choice([0, 1, 2, 3, 8])) if pattern in ("plain", "row") else 0
        stored = [self.broadcast[axis] for axis in order]
        stored[-1] = stored[-1] * self.step + self.inner_offset
        self.stored = tuple(stored)

    def count(self) -> int:
        return int(np.prod(self.stored)) + self.offset

    def pick(self, flat: Any, components: int) -> Any:
        """The part of a flat array or tensor, with the components as last axis."""
        tail = (components,) if components > 1 else ()
        whole = flat[self.offset * components :].reshape(*self.stored, *tail)
        key = (*[slice(None)] * (len(self.stored) - 1), slice(self.inner_offset, None, self.step))
        back = [self.order.index(axis) for axis in range(len(self.order))]
        extra = [len(back)] if tail else []
        part = whole[key]
        return (
            part.permute(*back, *extra)
            if isinstance(part, Tensor)
            else part.transpose(*back, *extra)
        )


PATTERNS = ["plain", "plain", "transposed", "permuted", "row", "column", "apart"]


def _numbers(rng: np.random.Generator, dtype: type, count: int) -> np.ndarray:
    if np.issubdtype(dtype, np.floating):
        return rng.integers(-8, 8, count).astype(dtype)
    low = 0 if np.issubdtype(dtype, np.unsignedinteger) else -100
    return rng.integers(low, 100, count).astype(dtype)


def check_forward(device: weft.Device, module: Any, kind: Kind, seed: int) -> None:
    """Make one random call; its result is given from some element on, or made."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[rng.integers(len(SHAPES))]
    views = []
    for dtype in kind.dtypes:
        layout = Layout(rng, shape, PATTERNS[rng.integers(len(PATTERNS))])
        flat = _numbers(rng, dtype, layout.count() * kind.components)
        tensor = Tensor.from_numpy(device, flat)
        views.append((layout.pick(tensor, kind.components), layout.pick(flat, kind.components)))
    full = np.broadcast_shapes(*(array.shape[: len(shape)] for _, array in views))
    tail = (kind.components,) if kind.components > 1 else ()
    with np.errstate(over="ignore"):
        expected = np.broadcast_to(kind.expected(views[0][1], views[1][1]), (*full, *tail))
    function = getattr(module, "mix_" + kind.name)
    arguments = [tensor for tensor, _ in views]
    if rng.integers(3) == 0:
        found = function(*arguments).numpy()
        assert np.array_equal(found.view(kind.result).reshape(expected.shape), expected)
        return
    layout = Layout(rng, full, ["plain", "plain", "transposed"][rng.integers(3)])
    base = _numbers(rng, kind.result, layout.count() * kind.components + 7)
    kept = base.copy()
    target: Any = Tensor.from_numpy(device, base)
    used = layout.count() * kind.components
    function(*arguments, _result=layout.pick(target[:used], kind.components))
    layout.pick(kept[:used], kind.components)[...] = expected
    assert np.array_equal(target.numpy(), kept)


def check_backward(device: weft.Device, module: Any, kind: Kind, seed: int) -> None:
    """Add the gradients of a * b + 2 * a to what memory holds; those of broadcast arguments sum."""
    rng = np.random.default_rng(seed)
    shape = SHAPES[rng.integers(len(SHAPES))]
    tail = (kind.components,) if kind.components > 1 else ()
    tensors: list[Tensor] = []
    arrays: list[np.ndarray] = []
    gradients: list[tuple[Any, np.ndarray]] = []
    layouts: list[Layout] = []
    for patterns in (["plain", "transposed", "apart"], PATTERNS):
        layout = Layout(rng, shape, patterns[rng.integers(len(patterns))])
        flat = _numbers(rng, np.float32, layout.count() * kind.components)
        start = _numbers(rng, np.float32, flat.size)
        gradient = Tensor.from_numpy(device, start)
        tensor: Tensor = layout.pick(Tensor.from_numpy(device, flat), kind.components)
        tensors.append(tensor.with_grads(None, layout.pick(gradient, kind.components)))
        arrays.append(layout.pick(flat, kind.components))
        gradients.append((gradient, start.astype(np.float64)))
        layouts.append(layout)
    weight = _numbers(rng, np.float32, int(np.prod(shape)) * kind.components)
    offset = int(rng.choice([0, 1, 2, 3]))
    given = Tensor.from_numpy(device, np.concatenate([np.zeros(offset, np.float32), weight]))
    given = given[offset:].reshape(*shape, *tail)
    result = Tensor.from_numpy(device, np.zeros((*shape, *tail), np.float32))
    function = getattr(module, "mix_" + kind.name)
    function.bwds(*tensors, _result=result.with_grads(given, None))
    a, b = (array.astype(np.float64) for array in arrays)
    weights = weight.reshape(*shape, *tail).astype(np.float64)
    for layout, (gradient, start), slope in zip(
        layouts, gradients, (weights * (b + 2), weights * a), strict=True
    ):
        part = layout.pick(start, kind.components)
        axes = tuple(i for i, n in enumerate(part.shape) if n == 1 and slope.shape[i] != 1)
        part += slope.sum(axis=axes, keepdims=True)
        np.testing.assert_allclose(gradient.numpy(), start, rtol=2e-5, atol=2e-3)
