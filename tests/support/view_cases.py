# SPDX-License-Identifier: Apache-2.0
"""Views of small pictures, as the engine has them for fits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import weft
from support.render_scenes import placed, quad
from weft import _native
from weft.render import PathSettings
from weft.render.record import Recorder
from weft.scene import Camera, Environment, principled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

WEIGHT = 2.0
"""Of each residual that counts."""


def recorder_of(device: weft.Device) -> tuple[Recorder, Camera]:
    """Return what records paths to a plate, and a camera that sees it."""
    camera = Camera(8, 6, transform=Camera.look_at((0, -1.2, 2.6), (0, 0, 0)), fov=0.75)
    plate = principled("plate", base_color=(0.5, 0.4, 0.3))
    sky = Environment(np.full(3, 0.5))
    scene = weft.Scene([placed(quad(), plate)], cameras=[camera], environment=sky)
    return Recorder(weft.Renderer(device, scene), [0], None), camera


def add_view(
    views: _native.Views,
    recorder: Recorder,
    image: NDArray[np.float32],
    *,
    weights: NDArray[np.float32] | None = None,
    robust: bool = False,
) -> None:
    """Add a view of a picture, whose camera has its size.

    Args:
        views: Of a fit.
        recorder: Of its paths.
        image: The picture.
        weights: One a pixel; ``None``: `WEIGHT`.
        robust: The picture is a photo.
    """
    height, width = image.shape[:2]
    if weights is None:
        weights = np.full((height, width), WEIGHT, np.float32)
    views.add(
        _native.Observation(image, np.ones((height, width), np.float32), robust=robust),
        Camera(width, height),
        PathSettings(),
        np.repeat(weights.reshape(-1, 1), 3, axis=1).astype(np.float32),
        [(recorder.native, None)],
        np.zeros(0, np.uint32),
    )


def views_of(
    device: weft.Device,
    sizes: Sequence[tuple[int, int]],
    *,
    weights: NDArray[np.float32] | None = None,
    robust: bool = False,
) -> _native.Views:
    """Return views of white pictures of these heights and widths."""
    views, (recorder, _) = _native.Views(), recorder_of(device)
    for size in sizes:
        image = np.ones((*size, 3), np.float32)
        add_view(views, recorder, image, weights=weights, robust=robust)
    return views


def change(views: _native.Views, **arrays: Mapping[str, object] | NDArray[np.generic]) -> None:
    """Go on with other pixels, trust, noise or flags of the first view."""
    views.restore(views.save() | {f"{name}.0": value for name, value in arrays.items()})
