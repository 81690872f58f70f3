# SPDX-License-Identifier: GPL-3.0-or-later
"""What a camera has in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.scene import Camera


def is_in_view(
    camera: Camera, centre: Sequence[float] | NDArray[np.float64], radius: float
) -> bool:
    """Return whether a camera may see a part of a sphere; what lies before it does not count.

    Args:
        camera: Of the scene.
        centre: World space, metres.
        radius: Metres.
    """
    if camera.kind == "equirectangular":
        return True
    matrix = np.asarray(camera.transform, np.float64)
    x, y, z = matrix[:, :3].T @ (np.asarray(centre, np.float64) - matrix[:, 3])
    distance = -z
    if distance + radius < camera.near or distance - radius > camera.far:
        return False
    low, high = camera.film()
    if camera.kind == "perspective":
        if distance <= radius:
            # The sphere reaches to the plane of the camera: it is taken to be seen.
            return bool(distance > -radius)
        x, y, radius = x / distance, y / distance, radius / distance
    place = np.array([x, y])
    # In perspective a sphere off the axis is an ellipse; twice its radius covers it.
    return bool((place + 2 * radius >= low).all() and (place - 2 * radius <= high).all())
