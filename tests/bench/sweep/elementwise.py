# SPDX-License-Identifier: Apache-2.0
"""Functions over elements: every type, layout and number of axes; forward and backward."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from bench.sweep.arrays import FLOATS, PLAIN, SCALARS, Layout, draw_layout, draw_shape
from bench.sweep.case import Ready, Work, require_close

if TYPE_CHECKING:
    import random


@dataclass(frozen=True)
class Sum:
    """`a + b`: as many bytes as the arrays have."""

    scalar: str
    shape: tuple[int, ...]
    layouts: tuple[Layout, Layout]
    family = "add"

    @property
    def name(self) -> str:
        """Type, shape and layouts."""
        both = ", ".join(layout.name for layout in self.layouts)
        return f"{self.scalar} {'x'.join(map(str, self.shape))} {both}"

    @property
    def work(self) -> Work:
        """Operands once, broadcast ones as small as they are, and the result."""
        elements = prod(self.shape) + sum(prod(x.stored_shape(self.shape)) for x in self.layouts)
        return Work(bytes=float(elements * np.dtype(SCALARS[self.scalar]).itemsize))

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Load `add` and draw the operands."""
        text = f"{self.scalar} add({self.scalar} a, {self.scalar} b) {{ return a + b; }}"
        module = weft.Module.load_from_source(device, "sweep_add", text)
        rng = np.random.default_rng(1)
        stored = [layout.draw(rng, self.scalar, self.shape) for layout in self.layouts]
        pairs = list(zip(self.layouts, stored, strict=True))
        a, b = (layout.upload(device, array) for layout, array in pairs)
        result = weft.Tensor.zeros(device, self.shape, SCALARS[self.scalar])

        def check() -> None:
            x, y = (layout.view_of(array) for layout, array in pairs)
            require_close(result.to_numpy(), np.broadcast_to(x + y, self.shape), self.scalar)

        beside = None
        if torch is not None:
            x, y = (layout.upload_to_torch(torch, array) for layout, array in pairs)
            out = torch.empty(self.shape, dtype=x.dtype, device="cuda")
            beside = lambda: torch.add(x, y, out=out)  # noqa: E731
        return Ready(lambda: module.add(a, b, _result=result), check, beside)


@dataclass(frozen=True)
class VectorSum:
    """A sum of small vectors: elements of 8 to 16 bytes, those of 12 unaligned."""

    width: int
    count: int
    offset: int
    family = "vectors"

    @property
    def name(self) -> str:
        """Type, number and start."""
        return f"float{self.width} {self.count} from {self.offset}"

    @property
    def work(self) -> Work:
        """Two operands and the result."""
        return Work(bytes=12.0 * self.width * self.count)

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Load `add` of vectors and draw the operands."""
        kind = f"float{self.width}"
        text = f"{kind} add({kind} a, {kind} b) {{ return a + b; }}"
        module = weft.Module.load_from_source(device, "sweep_vectors", text)
        rng = np.random.default_rng(2)
        size = (self.count + self.offset, self.width)
        arrays = [rng.uniform(0.5, 1.5, size).astype(np.float32) for _ in range(2)]
        dtype = getattr(module, kind)
        views = []
        for array in arrays:
            whole = weft.Tensor.empty(device, (len(array),), dtype)
            whole.copy_from_numpy(array)
            views.append(whole[self.offset :])
        result = weft.Tensor.empty(device, (self.count,), dtype)

        def check() -> None:
            expected = arrays[0][self.offset :] + arrays[1][self.offset :]
            require_close(result.to_numpy().reshape(expected.shape), expected, "float")

        beside = None
        if torch is not None:
            x, y = (torch.from_numpy(array).cuda()[self.offset :] for array in arrays)
            out = torch.empty_like(x)
            beside = lambda: torch.add(x, y, out=out)  # noqa: E731
        return Ready(lambda: module.add(*views, _result=result), check, beside)


@dataclass(frozen=True)
class Backward:
    """Gradients of `s x^2 + s`: of `x`, and of `s` the sum over the elements that share it."""

    scalar: str
    shape: tuple[int, ...]
    shared: Layout | None  # of `s`; None: it has no gradient and is one number
    family = "backward"

    @property
    def name(self) -> str:
        """Type, shape and what is shared."""
        shared = "no shared gradient" if self.shared is None else f"s {self.shared.name}"
        return f"{self.scalar} {'x'.join(map(str, self.shape))} {shared}"

    @property
    def work(self) -> Work:
        """Reads x and the given derivative, writes the value and x's gradient."""
        size = np.dtype(SCALARS[self.scalar]).itemsize
        small = 0 if self.shared is None else 2 * prod(self.shared.stored_shape(self.shape))
        return Work(bytes=float(size * (4 * prod(self.shape) + small)))

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Load the function and draw the operands."""
        del torch  # has no kernel that does the same
        kind = self.scalar
        text = f"[Differentiable] {kind} f({kind} s, {kind} x) {{ return s * x * x + s; }}"
        module = weft.Module.load_from_source(device, "sweep_backward", text)
        rng = np.random.default_rng(3)
        dtype = SCALARS[kind]
        x, given = (rng.uniform(0.5, 1.5, self.shape).astype(dtype) for _ in range(2))
        # Sums of so many halves would leave the range of their type.
        given /= dtype(max(1, x.size / 1000)) if kind == "half" else dtype(1)
        layout = self.shared or PLAIN
        stored = layout.draw(rng, kind, self.shape) if self.shared else np.array(1.25, dtype)
        inputs = weft.Tensor.from_numpy(device, x).with_grads()
        factor: Any = 1.25
        if self.shared:
            factor = layout.upload(device, stored).with_grads()
        result = weft.Tensor.zeros(device, self.shape, dtype).with_grads(
            grad_in=weft.Tensor.from_numpy(device, given)
        )

        def run() -> None:
            module.f.bwds(factor, inputs, _result=result)

        def check() -> None:
            inputs.grad.copy_from_numpy(np.zeros_like(x))
            if self.shared:
                factor.grad.copy_from_numpy(np.zeros_like(stored))
            run()
            s = np.float64(stored) if self.shared else np.float64(1.25)
            wide = given.astype(np.float64)
            require_close(inputs.grad.to_numpy(), wide * 2 * s * x.astype(np.float64), kind)
            if self.shared:
                terms = wide * (x.astype(np.float64) ** 2 + 1)
                axes = tuple(a for a, size in enumerate(stored.shape) if size != self.shape[a])
                expected = terms.sum(axis=axes, keepdims=True)
                shared = x.size / max(stored.size, 1)
                require_close(factor.grad.to_numpy(), expected, kind, shared)

        return Ready(run, check)


def draw_sum(rng: random.Random, count: int) -> Sum:
    """Return a random sum."""
    scalar, shape = rng.choice(list(SCALARS)), draw_shape(rng, count)
    layouts = [draw_layout(rng, len(shape)) for _ in range(2)]
    if any(layout.wide for layout in layouts):
        layouts[1] = PLAIN if layouts[0].wide else layouts[1]
    return Sum(scalar, shape, (layouts[0], layouts[1]))


def draw_vectors(rng: random.Random, count: int) -> VectorSum:
    """Return a random sum of vectors."""
    width = rng.choice((2, 3, 4))
    return VectorSum(width, count // width + rng.choice((0, 1, 17)), rng.choice((0, 0, 1, 3)))


def draw_backward(rng: random.Random, count: int) -> Backward:
    """Return a random backward call."""
    shape = draw_shape(rng, count // 2)
    wide = [Layout("of all", wide=tuple(range(len(shape))))]
    wide += [Layout(f"along {axis}", wide=(axis,)) for axis in range(len(shape))] * (len(shape) > 1)
    return Backward(rng.choice(FLOATS), shape, rng.choice([None, *wide]))
