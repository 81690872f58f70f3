# SPDX-License-Identifier: GPL-3.0-or-later
"""The camera, as far as nodes know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from weft.scene import Camera

Vector3 = tuple[float, float, float]
Pair = tuple[float, float]


@dataclass(frozen=True)
class View:
    """A camera as Cycles' nodes see it: x to the right, y up, z into the picture.

    Args:
        rows: From the world, three of four numbers.
        window: Lower left and upper right corner of the film, at a distance of 1 in perspective;
            ``None``: it sees all around.
        is_perspective: It is not orthographic.
    """

    rows: tuple[tuple[float, float, float, float], ...]
    window: tuple[Pair, Pair] | None
    is_perspective: bool

    @classmethod
    def of(cls, camera: Camera) -> View:
        """Return the view of a camera of a scene."""
        matrix = np.eye(4)
        matrix[:3] = np.asarray(camera.transform, np.float64)[:3]
        # Cameras have no scale for Cycles.
        matrix[:3, :3] /= np.linalg.norm(matrix[:3, :3], axis=0)
        rows = np.linalg.inv(matrix)[:3]
        rows[2] *= -1
        low, high = camera.film()
        window = ((float(low[0]), float(low[1])), (float(high[0]), float(high[1])))
        return cls(
            tuple((float(a), float(b), float(c), float(d)) for a, b, c, d in rows),
            None if camera.kind == "equirectangular" else window,
            camera.kind == "perspective",
        )

    def columns(self) -> list[Vector3]:
        """Return the columns of the matrix from the world, the origin last."""
        return _columns(np.array(self.rows))

    def inverse_columns(self) -> list[Vector3]:
        """Return the columns of the matrix to the world, the origin last."""
        return _columns(np.linalg.inv(np.vstack([np.array(self.rows), (0, 0, 0, 1)]))[:3])


def _columns(matrix: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[Vector3]:
    return [(float(x), float(y), float(z)) for x, y, z in matrix.T]
