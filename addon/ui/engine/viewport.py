# SPDX-License-Identifier: GPL-3.0-or-later
"""Rendered shading in the 3D viewport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from ...blender.denoiser import blender_denoiser
from ...blender.path_settings import path_settings
from ...blender.session import require_session
from ...blender.view_camera import view_camera
from ...core.picture_server import PictureServer, Request
from .final import make_renderer, update_renderer

if TYPE_CHECKING:
    import gpu

    from weft import Scene

TICK = 0.05  # seconds between two looks whether there is a new picture


class Viewport:
    """One viewport: asks for pictures when scene or view change, and draws the newest."""

    def __init__(self) -> None:
        """Start the thread that renders, and look for its pictures from time to time."""
        self._exporter: Any = None
        self._scene: Scene | None = None
        self._failure = ""
        self._asked: tuple[Any, ...] = ()
        self._texture: gpu.types.GPUTexture | None = None
        self._drawn = self._noticed = -1
        self._denoiser = blender_denoiser()
        session = require_session()
        self._server = PictureServer(make_renderer, update_renderer)
        session.add_job(self._server.job)
        bpy.app.timers.register(self._tick, first_interval=TICK)

    def close(self) -> None:
        """End the thread; called more than once."""
        self._server.close()

    def update(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Export what changed."""
        from ...blender.export import SceneExporter
        from ...blender.mesh_store import may_change_meshes

        try:
            if self._exporter is None:
                self._exporter = SceneExporter(require_session().device)
            # What a failed export did not read is not told of again.
            is_known = self._scene is not None and not may_change_meshes(depsgraph)
            self._scene = self._exporter.export(depsgraph, has_same_meshes=is_known).scene
            self._failure = ""
        except Exception as error:
            self._scene = None
            self._failure = str(error)

    def draw(
        self, engine: bpy.types.RenderEngine, context: bpy.types.Context, scene: bpy.types.Scene
    ) -> None:
        """Draw the newest picture over the region."""
        region = context.region
        if self._scene is not None:
            self._ask(context, scene, (region.width, region.height))
        number, color = self._server.picture()
        if number != self._drawn:
            self._texture = None if color is None else make_texture(color)
            self._drawn = number
        if self._texture is not None:
            draw_texture(engine, scene, self._texture, (region.width, region.height))
        failure = self._failure or self._server.failure
        engine.update_stats("Weft", failure.splitlines()[0] if failure else self._server.status)

    def _ask(
        self, context: bpy.types.Context, scene: bpy.types.Scene, size: tuple[int, int]
    ) -> None:
        """Ask for a picture unless the last one asked for would be the same."""
        settings = scene.weft_render
        view, space = context.region_data, context.space_data
        numbers = np.array([*map(tuple, view.window_matrix), *map(tuple, view.view_matrix)])
        paths = path_settings(scene, settings.viewport_samples)
        wanted = (
            self._scene,
            size,
            numbers.tobytes(),
            tuple(vars(paths).items()),
            settings.use_viewport_denoising,
        )
        if wanted == self._asked:
            return
        self._asked = wanted
        camera = view_camera(view, size, (space.clip_start, space.clip_end))
        denoiser = self._denoiser if settings.use_viewport_denoising else None
        self._server.request(Request(self._scene, camera, paths, denoiser))

    def _tick(self) -> float | None:
        """Have viewports drawn again if there is something new; a timer of Blender's."""
        if self._server.job.cancelled.is_set():
            return None
        number, _ = self._server.picture()
        state = (number, self._server.status, self._server.failure)
        if state != self._noticed:
            self._noticed = state
            redraw_viewports()
        return TICK


def redraw_viewports() -> None:
    """Have all viewports with rendered shading drawn again."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D" and area.spaces.active.shading.type == "RENDERED":
                area.tag_redraw()


def make_texture(color: np.ndarray) -> gpu.types.GPUTexture:
    """Return a picture on the graphics card; (height, width, 4), the top row first."""
    import gpu

    pixels = np.ascontiguousarray(color[::-1], np.float32)
    height, width = pixels.shape[:2]
    data = gpu.types.Buffer("FLOAT", width * height * 4, pixels.reshape(-1))
    return gpu.types.GPUTexture((width, height), format="RGBA16F", data=data)


def draw_texture(
    engine: bpy.types.RenderEngine,
    scene: bpy.types.Scene,
    texture: gpu.types.GPUTexture,
    size: tuple[int, int],
) -> None:
    """Fill a region of `size` pixels, through the scene's view transform."""
    import gpu
    from gpu_extras.presets import draw_texture_2d

    gpu.state.blend_set("ALPHA_PREMULT")
    engine.bind_display_space_shader(scene)
    draw_texture_2d(texture, (0, 0), *size)
    engine.unbind_display_space_shader()
    gpu.state.blend_set("NONE")
