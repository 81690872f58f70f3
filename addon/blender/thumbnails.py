# SPDX-License-Identifier: GPL-3.0-or-later
"""Small pictures for the panel: each photo, the scene as it is now, and their difference.

Only the main thread calls what is here, but for render_pairs().
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import weft
from weft.fit.lighting import lit_scenes
from weft.fit.pairs import Pair, make_pair
from weft.render import PathSettings

from .fit_scene import light_pictures, target_names
from .fit_targets import make_target

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Sequence

    import bpy

    from weft.fit import Target

    from .export import SceneExporter
    from .fit_targets import Picture

SIDE = 192  # pixels, the longer one
SAMPLES = 32


@dataclass(frozen=True, eq=False)
class Sitting:
    """What is to be rendered: a scene with one camera a picture."""

    scene: weft.Scene
    targets: list[Target]
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
    exported = exporter.export(depsgraph, cameras=[])
    targets = [target for target, _camera in made]
    targets, _names = light_pictures(depsgraph, exporter, exported, pictures, targets)
    cameras = [camera for _target, camera in made]
    return Sitting(replace(exported.scene, cameras=cameras), targets, bounces)


def render_pairs(
    sitting: Sitting, device: Callable[[], weft.Device], cancelled: threading.Event
) -> list[Pair]:
    """Render each picture's view. Called in a thread of its own."""
    scenes = lit_scenes(sitting.scene, sitting.targets)
    others = [entry for entry in scenes if entry is not sitting.scene]
    renderer = weft.Renderer(device(), sitting.scene, lit_by=others)
    pairs = []
    for number, (entry, lit) in enumerate(zip(sitting.targets, scenes, strict=True)):
        if cancelled.is_set():
            break
        settings = PathSettings(
            samples=SAMPLES,
            bounces=sitting.bounces,
            filter=entry.filter,
            filter_width=entry.filter_width,
        )
        render = renderer.relit(lit).render(number, settings)
        pairs.append(make_pair(entry, render))
    return pairs
