# SPDX-License-Identifier: Apache-2.0
"""Pictures that a fit explains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene import Camera


@dataclass(eq=False)
class Target:
    """One picture of the scene.

    Args:
        image: Radiance, linear Rec.709, shape ``(height, width, 3)`` or 4 with alpha, the top row
            first.
        camera: Camera of the scene that sees it: name or number, or a camera.
        mask: Weights of pixels in [0, 1], shape ``(height, width)``; ``None``: all count, or those
            that the alpha channel covers.
        saturation: Values from here on were clipped by the sensor and do not count; ``None``: none
            were.
        name: What messages and reports call it.

    Raises:
        ArgumentError: The shapes do not fit, or a pixel that counts is not finite.
    """

    image: NDArray[np.float32]
    camera: str | int | Camera = 0
    mask: NDArray[np.float32] | None = None
    saturation: float | None = None
    name: str = field(default="target", kw_only=True)

    def __post_init__(self) -> None:
        """Check shapes and pixels."""
        image = np.asarray(self.image, np.float32)
        if image.ndim != 3 or image.shape[2] not in (3, 4) or image.size == 0:
            raise ArgumentError(
                f"Target '{self.name}': image must be (height, width, 3 or 4), got shape "
                f"{image.shape}"
            )
        weights = np.ones(image.shape[:2], np.float32)
        if self.mask is not None:
            weights = np.asarray(self.mask, np.float32)
            if weights.shape != image.shape[:2]:
                raise ArgumentError(
                    f"Target '{self.name}': mask must have shape {image.shape[:2]}, got "
                    f"{weights.shape}"
                )
        elif image.shape[2] == 4:
            weights = (image[..., 3] >= 0.999).astype(np.float32)
        if self.saturation is not None:
            weights = weights * (image[..., :3].max(axis=2) < self.saturation)
        bad = ~np.isfinite(image[..., :3]).all(axis=2) & (weights > 0)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise ArgumentError(
                f"Target '{self.name}': {int(bad.sum())} pixels are not finite, the first in "
                f"row {row}, "
                f"column {column}; mask them out"
            )
        if not (weights > 0).any():
            raise ArgumentError(f"Target '{self.name}': the mask leaves no pixel; widen it")
        self.image = np.where(weights[..., None] > 0, image[..., :3], 0).astype(np.float32)
        self.mask = weights

    def require_size(self, camera: Camera) -> None:
        """Refuse a camera of another size."""
        height, width = self.image.shape[:2]
        if (camera.width, camera.height) != (width, height):
            raise ArgumentError(
                f"Target '{self.name}': the image is {width} x {height}, "
                f"camera "
                f"'{camera.name}' sees "
                f"{camera.width} x {camera.height}; resize one"
            )

    def noise_weights(self) -> NDArray[np.float32]:
        """Return one weight a pixel and channel, for noise that grows with the radiance around.

        Relative errors count, down to half of the picture's mean.
        """
        assert self.mask is not None
        weighted = self.image * self.mask[..., None]
        around = box_blur(weighted) / np.maximum(box_blur(self.mask[..., None]), 1e-6)
        typical = float(weighted.sum() / max(self.mask.sum() * 3, 1e-6))
        floor = max(typical, 1e-6) * 0.5
        return (np.sqrt(self.mask)[..., None] / (around + floor)).astype(np.float32)


def box_blur(image: NDArray[np.float32], radius: int = 2) -> NDArray[np.float32]:
    """Return the mean over squares of side 2 `radius` + 1, smaller at the edges."""
    out = image.astype(np.float64)
    for axis in (0, 1):
        padded = np.concatenate([np.zeros_like(out.take([0], axis)), np.cumsum(out, axis)], axis)
        size = out.shape[axis]
        high = np.minimum(np.arange(size) + radius + 1, size)
        low = np.maximum(np.arange(size) - radius, 0)
        shape = [1, 1, 1]
        shape[axis] = size
        out = (padded.take(high, axis) - padded.take(low, axis)) / (high - low).reshape(shape)
    return out.astype(np.float32)
