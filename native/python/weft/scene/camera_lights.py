# SPDX-License-Identifier: Apache-2.0
"""Lights that move with a camera."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene.camera import Camera
    from weft.scene.lights import Light


def at_camera(light: Light, camera: Camera) -> Light:
    """Return a light that was placed in a camera's own space, in the world.

    Args:
        light: Its positions, directions and transform are the camera's: x to the right, y up, and
            the camera looks along -z, metres. A flash beside the lens is
            ``PointLight((0.05, 0, 0), 10)``.
        camera: Which.

    Returns:
        A new light; the one given stays as it is.

    Raises:
        ArgumentError: Its profile differs with directions, which are those of the world.
    """
    if light.profile is not None and light.profile.image.shape[:2] != (1, 1):
        raise ArgumentError(
            f"at_camera: the profile of light '{light.name}' lies in world space and does not "
            "turn with a camera; place the light in the world"
        )
    assert camera.transform is not None
    matrix: NDArray[np.float64] = np.asarray(camera.transform, np.float64)
    turn, origin = matrix[:, :3], matrix[:, 3]
    changes: dict[str, Any] = {}
    for name in {field.name for field in fields(light)} & {"transform", "position", "direction"}:
        own = np.asarray(getattr(light, name), np.float64)
        if name == "transform":
            changes[name] = np.column_stack([turn @ own[:3, :3], turn @ own[:3, 3] + origin])
        else:
            changes[name] = (turn @ own + (origin if name == "position" else 0)).tolist()
    return replace(light, **changes)
