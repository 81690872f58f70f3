# SPDX-License-Identifier: Apache-2.0
"""Lamps that move with a camera."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.scene.lights import AreaLight, PointLight, SpotLight

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene.camera import Camera
    from weft.scene.lights import Light


def at_camera(light: Light, camera: Camera) -> Light:
    """Return a lamp that was placed in a camera's own space, in the world.

    Args:
        light: Its positions, directions and transform are the camera's: x to the right, y up, and
            the camera looks along -z, metres. A flash beside the lens is
            ``PointLight((0.05, 0, 0), 10)``.
        camera: Which.

    Returns:
        A new lamp; the one given stays as it is.

    Raises:
        ArgumentError: Its profile differs with directions, which are those of the world.
    """
    if light.profile is not None and light.profile.image.shape[:2] != (1, 1):
        raise ArgumentError(
            f"at_camera: the profile of light '{light.name}' lies in world space and does not "
            "turn with a camera; place the lamp in the world"
        )
    assert camera.transform is not None
    matrix: NDArray[np.float64] = np.asarray(camera.transform, np.float64)
    turn, origin = matrix[:, :3], matrix[:, 3]
    if isinstance(light, AreaLight):
        own = np.asarray(light.transform, np.float64)[:3]
        moved = np.concatenate([turn @ own[:, :3], (turn @ own[:, 3] + origin)[:, None]], axis=1)
        return replace(light, transform=moved)
    if isinstance(light, PointLight):
        return replace(light, position=(turn @ np.asarray(light.position) + origin).tolist())
    direction = (turn @ np.asarray(light.direction)).tolist()
    if isinstance(light, SpotLight):
        position = (turn @ np.asarray(light.position) + origin).tolist()
        return replace(light, position=position, direction=direction)
    return replace(light, direction=direction)
