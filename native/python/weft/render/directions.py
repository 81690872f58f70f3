# SPDX-License-Identifier: Apache-2.0
"""Directions in the space of parameters, for forward mode (native/render/directions.hpp)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import Directions as NativeDirections

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
        self.native = native = NativeDirections(device, materials.records, wanted)
        self.lengths = native.lengths  # directions of each material
        self.count, self.most = native.count, native.most
        self.moved = native.moved  # which parameters any of them moves
        self.seeds, self.view = native.seeds, native.view
        self.tensors = [self.seeds, self.view["starts"], self.view["numbers"]]
