# SPDX-License-Identifier: Apache-2.0
"""Reads at other places than a thread's own: tables and stencils, forward and backward."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from bench.sweep.case import Ready, Work, require_close

if TYPE_CHECKING:
    import random

LOOK_UP = """
[Differentiable]
float look_up(int i, IDiffTensor<float, 1> table) { return table[i]; }
"""


@dataclass(frozen=True)
class LookUp:
    """Reads of a table, or their gradients.

    Attributes:
        entries: Of the table.
        reads: Threads.
        places: ``random``, ``sorted`` or ``one``: which entries they read.
        is_backward: Whether gradients are added to the table.
    """

    entries: int
    reads: int
    places: str
    is_backward: bool
    family = "tables"

    @property
    def name(self) -> str:
        """Direction, entries, reads and places."""
        way = "gradients" if self.is_backward else "reads"
        return f"{self.reads} {way} of {self.entries}, {self.places}"

    @property
    def work(self) -> Work:
        """Indices and values, and the table once; twice where gradients are added to it."""
        table = 4 * min(self.entries, self.reads)
        return Work(bytes=float(8 * self.reads + table * (2 if self.is_backward else 1)))

    def _indices(self) -> np.ndarray:
        rng = np.random.default_rng(4)
        if self.places == "one":
            return np.full(self.reads, self.entries // 2, np.int32)
        drawn = rng.integers(0, self.entries, self.reads).astype(np.int32)
        return np.sort(drawn) if self.places == "sorted" else drawn

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Draw the table and the places."""
        module = weft.Module.load_from_source(device, "sweep_tables", LOOK_UP)
        rng = np.random.default_rng(5)
        index = self._indices()
        values = rng.uniform(0.5, 1.5, self.entries).astype(np.float32)
        given = rng.uniform(0.5, 1.5, self.reads).astype(np.float32)
        places = weft.Tensor.from_numpy(device, index)
        table = weft.Tensor.from_numpy(device, values)
        result = weft.Tensor.zeros(device, (self.reads,))
        if not self.is_backward:
            check = lambda: require_close(result.to_numpy(), values[index], "float")  # noqa: E731
            beside = None
            if torch is not None:
                source, where = torch.from_numpy(values).cuda(), torch.from_numpy(index).cuda()
                out = torch.empty(self.reads, device="cuda")
                beside = lambda: torch.index_select(source, 0, where, out=out)  # noqa: E731
            return Ready(lambda: module.look_up(places, table, _result=result), check, beside)
        table = table.with_grads()
        result = result.with_grads(grad_in=weft.Tensor.from_numpy(device, given))

        def run() -> None:
            module.look_up.bwds(places, table, _result=result)

        def check_gradients() -> None:
            table.grad.copy_from_numpy(np.zeros_like(values))
            run()
            expected = np.bincount(index, given.astype(np.float64), self.entries)
            terms = self.reads if self.places == "one" else self.reads / self.entries
            require_close(table.grad.to_numpy(), expected, "float", terms)

        beside = None
        if torch is not None:
            add, where = torch.from_numpy(given).cuda(), torch.from_numpy(index).cuda()
            out = torch.zeros(self.entries, device="cuda")
            beside = lambda: out.index_add_(0, where, add)  # noqa: E731
        return Ready(run, check_gradients, beside)


@dataclass(frozen=True)
class Stencil:
    """A sum of weighted neighbours along one axis or over a square; threads at the edge do nothing.

    Attributes:
        shape: Of the image.
        radius: Neighbours on each side.
        is_backward: Whether gradients are added to the image.
    """

    shape: tuple[int, ...]
    radius: int
    is_backward: bool
    family = "stencils"

    @property
    def name(self) -> str:
        """Direction, shape and size."""
        way = "gradient" if self.is_backward else "value"
        size = "x".join([str(2 * self.radius + 1)] * len(self.shape))
        return f"{way} of {size} over {'x'.join(map(str, self.shape))}"

    @property
    def work(self) -> Work:
        """The image and the result once; the image's gradient is read and written."""
        return Work(bytes=4.0 * prod(self.shape) * (4 if self.is_backward else 2))

    def _source(self) -> str:
        axes, r = len(self.shape), self.radius
        offsets = range(-r, r + 1)
        if axes == 1:
            body = " + ".join(f"{self._weight(c)}f * t[i + {c + r}]" for c in offsets)
            return f"[Differentiable] float f(int i, IDiffTensor<float, 1> t) {{ return {body}; }}"
        body = " + ".join(
            f"{self._weight(a) * self._weight(b)}f * t[i.y + {a + r}, i.x + {b + r}]"
            for a in offsets
            for b in offsets
        )
        return f"[Differentiable] float f(int2 i, IDiffTensor<float, 2> t) {{ return {body}; }}"

    @staticmethod
    def _weight(offset: int) -> float:
        return 0.5 ** abs(offset)

    def prepare(self, device: weft.Device, torch: Any) -> Ready:
        """Draw the image; the result is smaller by the neighbours at its edges."""
        module = weft.Module.load_from_source(device, "sweep_stencils", self._source())
        rng = np.random.default_rng(6)
        image = rng.uniform(0.5, 1.5, self.shape).astype(np.float32)
        inner = tuple(size - 2 * self.radius for size in self.shape)
        given = rng.uniform(0.5, 1.5, inner).astype(np.float32)
        values = weft.Tensor.from_numpy(device, image)
        result = weft.Tensor.zeros(device, inner)
        places = weft.grid(inner)
        weights = [self._weight(c) for c in range(-self.radius, self.radius + 1)]
        beside = self._beside(torch, image, weights)
        if not self.is_backward:

            def check() -> None:
                require_close(result.to_numpy(), self._filtered(image, weights), "float")

            return Ready(lambda: module.f(places, values, _result=result), check, beside)
        values = values.with_grads()
        result = result.with_grads(grad_in=weft.Tensor.from_numpy(device, given))

        def run() -> None:
            module.f.bwds(places, values, _result=result)

        def check_gradient() -> None:
            values.grad.copy_from_numpy(np.zeros_like(image))
            run()
            wide = np.pad(given.astype(np.float64), 2 * self.radius)
            require_close(values.grad.to_numpy(), self._filtered(wide, weights), "float")

        return Ready(run, check_gradient)

    def _filtered(self, image: np.ndarray, weights: list[float]) -> np.ndarray:
        """Return the sum over neighbours, smaller by the edges."""
        out = image.astype(np.float64)
        for axis in range(image.ndim):
            size = out.shape[axis] - 2 * self.radius
            parts = [np.take(out, range(c, c + size), axis) * w for c, w in enumerate(weights)]
            out = np.sum(parts, axis=0)
        return out

    def _beside(self, torch: Any, image: np.ndarray, weights: list[float]) -> Any:
        """Return the convolution of torch; its gradient is another operation."""
        if torch is None or self.is_backward:
            return None
        kernel = np.array(weights, np.float32)
        if image.ndim == 2:
            kernel = np.outer(kernel, kernel)
        source, weight = (torch.from_numpy(a)[None, None].cuda() for a in (image, kernel))
        convolve = torch.nn.functional.conv1d if image.ndim == 1 else torch.nn.functional.conv2d
        return lambda: convolve(source, weight)


def draw_look_up(rng: random.Random, count: int) -> LookUp:
    """Return random reads of a table, of 16 entries to many times the cache."""
    entries = min(2 ** rng.randrange(4, 25) + rng.choice((0, 0, 1)), 4 * count)
    places = rng.choice(("random", "random", "sorted", "one"))
    return LookUp(entries, count // 4 + rng.choice((0, 17)), places, rng.random() < 0.7)


def draw_stencil(rng: random.Random, count: int) -> Stencil:
    """Return a random stencil."""
    side = round(count**0.5)
    shape = rng.choice(((count,), (count + 5,), (side, side), (side + 3, side - 1)))
    return Stencil(shape, rng.choice((1, 1, 2)), rng.random() < 0.5)
