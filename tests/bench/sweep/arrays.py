# SPDX-License-Identifier: Apache-2.0
"""Arrays of random layouts: views into larger arrays, with starts, steps and orders of axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

SCALARS: dict[str, type[np.generic]] = {
    "half": np.float16,
    "float": np.float32,
    "double": np.float64,
    "uint8_t": np.uint8,
    "int16_t": np.int16,
    "int": np.int32,
    "int64_t": np.int64,
}
FLOATS = ("half", "float", "double")


def is_exact(scalar: str) -> bool:
    """Return whether arithmetic of a type has no rounding."""
    return scalar not in FLOATS


def tolerance(scalar: str) -> float:
    """Return the relative error that results of a few operations may have."""
    return {"half": 4e-3, "float": 2e-5, "double": 1e-12}.get(scalar, 0.0)


@dataclass(frozen=True)
class Layout:
    """How a view lies in its storage.

    Attributes:
        name: In the table.
        offset: Elements before the first one.
        order: Axes of the storage from the slowest to the fastest; empty: as they are.
        wide: Along which axes one element stands for all: broadcast.
    """

    name: str
    offset: int = 0
    order: tuple[int, ...] = ()
    wide: tuple[int, ...] = ()

    def stored_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape in storage of an operand for results of `shape`."""
        kept = [1 if axis in self.wide else size for axis, size in enumerate(shape)]
        return tuple(kept[axis] for axis in self.order) if self.order else tuple(kept)

    def draw(self, rng: np.random.Generator, scalar: str, shape: Sequence[int]) -> np.ndarray:
        """Return random values, as they are stored."""
        dtype = SCALARS[scalar]
        size = self.stored_shape(shape)
        if is_exact(scalar):
            return rng.integers(0, 100, size).astype(dtype)
        return rng.uniform(0.5, 1.5, size).astype(dtype)

    def view_of(self, stored: Any) -> Any:
        """Return the view that a program sees: of an array of numpy, torch or Weft."""
        if not self.order:
            return stored
        back = [self.order.index(axis) for axis in range(len(self.order))]
        permute = getattr(stored, "permute", None)  # torch's transpose() swaps two axes
        return permute(*back) if permute else stored.transpose(*back)

    def upload(self, device: weft.Device, stored: np.ndarray) -> weft.Tensor:
        """Return the view on a device."""
        if not self.offset:
            return self.view_of(weft.Tensor.from_numpy(device, stored))
        flat = np.concatenate([np.zeros(self.offset, stored.dtype), stored.ravel()])
        whole = weft.Tensor.from_numpy(device, flat)[self.offset :]
        return self.view_of(whole.reshape(stored.shape))

    def upload_to_torch(self, torch: Any, stored: np.ndarray) -> Any:
        """Return the view as a tensor of torch on its GPU."""
        flat = np.concatenate([np.zeros(self.offset, stored.dtype), stored.ravel()])
        whole = torch.from_numpy(flat).cuda()[self.offset :]
        return self.view_of(whole.reshape(stored.shape))


PLAIN = Layout("plain")


def draw_layout(rng: random.Random, axes: int) -> Layout:
    """Return a layout for results of so many axes."""
    kinds = ["plain", "offset"] + ["order", "wide"] * (axes > 1)
    kind = rng.choice(kinds)
    if kind == "offset":
        offset = rng.choice((1, 2, 3, 5))
        return Layout(f"from {offset}", offset=offset)
    if kind == "order":
        order = list(range(axes))
        while order == sorted(order):
            rng.shuffle(order)
        return Layout("axes " + "".join(map(str, order)), order=tuple(order))
    if kind == "wide":
        axis = rng.randrange(axes)
        return Layout(f"along {axis}", wide=(axis,))
    return PLAIN


def draw_shape(rng: random.Random, count: int) -> tuple[int, ...]:
    """Return a shape of about `count` elements: one, two or three axes, round numbers and odd."""
    axes = rng.choice((1, 1, 2, 2, 3))
    odd = rng.choice((0, 0, 1, 3, 17))
    if axes == 1:
        return (count + odd,)
    side = round(count ** (1 / axes))
    shape = [side + odd] + [side] * (axes - 1)
    rng.shuffle(shape)
    return tuple(shape)
