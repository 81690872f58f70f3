# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures for the panel: each photo, the scene as it is now, and their difference.

Only the main thread calls what is here, but for render_pairs().
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

import weft
from weft.fit import Target
from weft.fit.comparison import choose_exposure, color_map, encode_display
from weft.render import PathSettings

from .fit_scene import target_names
from .fit_targets import make_target

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    import bpy
    from numpy.typing import NDArray

    from ..core.fitting.request import TargetRequest
    from .export import SceneExporter
    from .fit_targets import Picture

SIDE = 192  # pixels, the longer one
SAMPLES = 32


@dataclass(frozen=True, eq=False)
class Pair:
    """A photo beside a render, sRGB numbers of shape ``(height, width, 3)``, the top row first.

    Args:
        photo: The picture.
        render: The scene through its camera, as bright.
        difference: Dark where they agree, yellow where they differ most.
        error: Root mean square of the difference, relative to that of the picture.
    """

    photo: NDArray[np.float32]
    render: NDArray[np.float32]
    difference: NDArray[np.float32]
    error: float


@dataclass(frozen=True, eq=False)
class Sitting:
    """What is to be rendered: a scene with one camera a picture."""

    scene: weft.Scene
    targets: list[TargetRequest]
    bounces: int


def prepare_pairs(
    depsgraph: bpy.types.Depsgraph,
    exporter: SceneExporter,
    pictures: Sequence[Picture],
    bounces: int,
) -> Sitting:
    """Export the scene and read the pictures, small.

    Raises:
        ArgumentError: A picture or a camera is missing or cannot be read.
    """
    made = [
        make_target(replace(picture, size=min(picture.size, SIDE)), name, depsgraph)
        for picture, name in zip(pictures, target_names(pictures), strict=True)
    ]
    scene = exporter.export(depsgraph, cameras=[]).scene
    cameras = [camera for _target, camera in made]
    return Sitting(replace(scene, cameras=cameras), [target for target, _camera in made], bounces)


def render_pairs(
    sitting: Sitting, device: Callable[[], weft.Device], cancelled: threading.Event
) -> list[Pair]:
    """Render each picture's view. Called in a thread of its own."""
    renderer = weft.Renderer(device(), sitting.scene)
    pairs = []
    for number, entry in enumerate(sitting.targets):
        if cancelled.is_set():
            break
        settings = PathSettings(
            samples=SAMPLES,
            bounces=sitting.bounces,
            filter=entry.filter,
            filter_width=entry.filter_width,
        )
        pairs.append(make_pair(entry, renderer.render(number, settings)))
    return pairs


def make_pair(entry: TargetRequest, render: NDArray[np.float32]) -> Pair:
    """Return a picture beside a render of its size."""
    assert entry.mask is not None
    photo, counts = entry.image[..., :3], entry.mask > 0
    target = Target(photo, entry.camera, entry.mask, name=entry.name)
    scale = 2.0 ** choose_exposure(target)
    difference = np.abs(render - photo).max(axis=2) * counts
    largest = max(float(np.percentile(difference[counts], 99.5)), 1e-6)
    size = max(float(np.mean(photo[counts] ** 2)), 1e-30)
    error = float(np.sqrt(np.mean((render - photo)[counts] ** 2) / size))
    return Pair(
        encode_display(photo * scale),
        encode_display(render * scale),
        encode_display(color_map(difference / largest)),
        error,
    )
