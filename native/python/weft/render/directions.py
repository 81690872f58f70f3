# SPDX-License-Identifier: Apache-2.0
"""Directions in the space of parameters, as forward mode walks along them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import Tensor, lay_out_directions

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

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
        table = lay_out_directions(materials.records, wanted)
        self.lengths: list[int] = table["lengths"]  # directions of each material
        self.count = len(wanted)
        self.moved = table["moved"].astype(bool)  # which parameters any of them moves
        self.most: int = max(self.lengths)
        self.seeds = Tensor.from_numpy(device, table["seeds"])
        self.tensors = [self.seeds]
        self.view = {
            "starts": Tensor.from_numpy(device, table["starts"]),
            "numbers": Tensor.from_numpy(device, table["numbers"]),
            "slots": table["slots"],
        }
        self.tensors += [entry for entry in self.view.values() if isinstance(entry, Tensor)]
