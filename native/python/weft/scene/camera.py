# SPDX-License-Identifier: Apache-2.0
"""Cameras, with Blender's conventions: a camera looks along its own -z, y is up."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import numpy as np

from weft._native import ArgumentError, camera_film, check_camera

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CameraKind = Literal["perspective", "orthographic", "equirectangular"]
SensorFit = Literal["auto", "horizontal", "vertical"]
KINDS: tuple[CameraKind, ...] = ("perspective", "orthographic", "equirectangular")


@dataclass(eq=False)
class Camera:
    """A view of the scene.

    Args:
        width: Pixels.
        height: Pixels.
        kind: ``perspective``, ``orthographic`` or ``equirectangular`` (the whole sphere).
        fov: Angle of view along the side that `sensor_fit` says, radians. Perspective.
        scale: Extent of the view along that side, metres. Orthographic.
        sensor_fit: Which side of the image `fov` and `scale` measure; ``auto``: the longer one.
        shift: Displacement of the film, right and up, in units of that side.
        transform: Camera to world, shape ``(4, 4)`` or ``(3, 4)``; scale is ignored.
        near: Nothing is seen nearer than this, metres.
        far: Nor farther.
        aperture: Radius of the lens, metres; 0: everything is sharp.
        focus: Distance of the sharp plane, metres.
        name: What files and messages call it.
    """

    width: int
    height: int
    kind: CameraKind = "perspective"
    fov: float = math.radians(40)
    scale: float = 6.0
    sensor_fit: SensorFit = "auto"
    shift: Sequence[float] = (0.0, 0.0)
    transform: NDArray[np.float64] | None = None
    near: float = 0.0
    far: float = math.inf
    aperture: float = 0.0
    focus: float = 10.0
    name: str = field(default="camera", kw_only=True)

    def __post_init__(self) -> None:
        """Check the numbers."""
        matrix = np.eye(4) if self.transform is None else np.asarray(self.transform, np.float64)
        if matrix.shape not in ((4, 4), (3, 4)) or not np.isfinite(matrix).all():
            raise ArgumentError(
                f"Camera '{self.name}': transform must be a finite (4, 4) or (3, 4) matrix, "
                f"got shape {matrix.shape}"
            )
        matrix = matrix[:3].copy()
        matrix[:, :3] /= np.linalg.norm(matrix[:, :3], axis=0, keepdims=True)
        self.transform = matrix
        check_camera(self)

    @staticmethod
    def look_at(
        origin: Sequence[float], target: Sequence[float], up: Sequence[float] = (0, 0, 1)
    ) -> NDArray[np.float64]:
        """Return the transform of a camera at `origin` that looks at `target`, shape ``(3, 4)``."""
        back = np.subtract(origin, target).astype(np.float64)
        back /= np.linalg.norm(back)
        right = np.cross(up, back)
        length = np.linalg.norm(right)
        if length < 1e-9:
            raise ArgumentError(
                "Camera.look_at: up must not be parallel to the view direction; choose another"
            )
        right /= length
        return np.column_stack([right, np.cross(back, right), back, origin])

    def film(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the lower left and upper right corners of the film (render/camera.slang)."""
        low, high = camera_film(self)
        return np.array(low), np.array(high)
