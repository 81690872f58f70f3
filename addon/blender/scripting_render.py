# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes and pictures for scripts, which addon/api.py offers."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import bpy

import weft

from ..core.devices import give_back_memory
from .export import SceneExporter
from .path_settings import path_settings
from .session import require_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("weft")


def export_scene(
    context: bpy.types.Context | None = None,
    *,
    cameras: Sequence[bpy.types.Object] | None = None,
    resolution: tuple[int, int] | None = None,
) -> weft.Scene:
    """Return the open scene; see ``weft_blender.export_scene``."""
    depsgraph = (context or bpy.context).evaluated_depsgraph_get()
    exported = SceneExporter(require_session().device).export(
        depsgraph, cameras=cameras, resolution=resolution
    )
    for problem in exported.problems:
        log.warning("%s", problem)
    return exported.scene


def render(
    context: bpy.types.Context | None = None,
    *,
    camera: bpy.types.Object | None = None,
    resolution: tuple[int, int] | None = None,
    samples: int | None = None,
    aovs: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
) -> dict[str, NDArray[np.float32]]:
    """Render the open scene; see ``weft_blender.render``.

    Raises:
        ArgumentError: The scene has no camera.
    """
    context = context or bpy.context
    cameras = None if camera is None else [camera]
    scene = export_scene(context, cameras=cameras, resolution=resolution)
    if not scene.cameras:
        raise weft.ArgumentError(
            f"render: scene '{context.scene.name}' has no camera; add one, make one active, or "
            "pass one"
        )
    settings = context.scene.weft_render
    paths = path_settings(context.scene, settings.samples if samples is None else samples)
    device = require_session().device()
    try:
        renderer = weft.Renderer(device, scene)
        return renderer.render(0, paths, aovs=list(aovs), progress=progress)
    finally:
        renderer = None  # its memory first
        give_back_memory(device)
