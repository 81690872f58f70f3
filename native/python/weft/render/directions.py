# SPDX-License-Identifier: Apache-2.0
"""Directions in the space of parameters, as forward mode walks along them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import Tensor

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from weft._native import Device
    from weft.render.upload import MaterialTable


class Directions:
    """Directions laid out by material: a surface answers only those that move its own parameters.

    Work and memory of a replay are proportional to the directions of the materials that paths meet,
    and kernels do not depend on how many there are.

    Args:
        device: Where the tables go.
        materials: Of the scene.
        rows: One direction a row, shape ``(directions, parameters)``; a direction may move several
            materials.
    """

    def __init__(self, device: Device, materials: MaterialTable, rows: ArrayLike) -> None:
        """Upload the tables."""
        wanted = np.asarray(rows, np.float32).reshape(-1, len(materials.values))
        firsts = materials.records[:, 1].astype(np.int64)
        ends = np.append(firsts[1:], wanted.shape[1])
        own = [
            np.flatnonzero((wanted[:, first:end] != 0).any(axis=1))
            for first, end in zip(firsts, ends, strict=True)
        ]
        lengths = self.lengths = [len(numbers) for numbers in own]  # directions of each material
        self.count = len(wanted)
        self.moved = (wanted != 0).any(axis=0)  # which parameters any of them moves
        self.most = max(lengths)
        slots = max(int((ends - firsts).max()), 1)
        # The last row is for materials without directions: they evaluate one, and keep nothing.
        seeds = np.zeros((sum(lengths) + 1, slots), np.float32)
        starts = np.cumsum([0, *lengths])
        for numbers, first, end, start in zip(own, firsts, ends, starts[:-1], strict=True):
            seeds[start : start + len(numbers), : end - first] = wanted[numbers, first:end]
        empty: list[NDArray[np.int64]] = [np.zeros(1, np.int64)]
        self.seeds = Tensor.from_numpy(device, seeds.ravel())
        self.tensors = [self.seeds]
        self.view = {
            "starts": Tensor.from_numpy(device, starts.astype(np.uint32)),
            "numbers": Tensor.from_numpy(device, np.concatenate([*own, *empty]).astype(np.uint32)),
            "slots": slots,
        }
        self.tensors += [entry for entry in self.view.values() if isinstance(entry, Tensor)]
