# SPDX-License-Identifier: GPL-3.0-or-later
"""The camera of a 3D viewport."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import bpy

    import weft


def view_camera(
    view: bpy.types.RegionView3D, size: tuple[int, int], clip: tuple[float, float]
) -> weft.scene.Camera:
    """Return a camera that sees what a viewport shows, zoom and shift of a camera view included.

    The film follows from the projection matrix P: a perspective one maps x / -z of the film to
    P[0][0] x - P[0][2], an orthographic one x to P[0][0] x + P[0][3].

    Args:
        view: Of the viewport's region.
        size: Width and height of the region, pixels.
        clip: Nearest and farthest distance that is seen, metres.
    """
    import weft

    projection = np.array(view.window_matrix)
    is_perspective = projection[3, 3] == 0
    extent = 2 / projection[0, 0]
    if is_perspective:
        centre = projection[:2, 2] / np.diag(projection)[:2]
    else:
        centre = -projection[:2, 3] / np.diag(projection)[:2]
    return weft.scene.Camera(
        *size,
        kind="perspective" if is_perspective else "orthographic",
        fov=2 * math.atan(extent / 2) if is_perspective else math.radians(40),
        scale=1.0 if is_perspective else extent,
        sensor_fit="horizontal",
        shift=tuple(centre / extent),
        transform=np.linalg.inv(np.array(view.view_matrix)),
        near=clip[0] if is_perspective else 0.0,
        far=clip[1],
        name="viewport",
    )
