# SPDX-License-Identifier: GPL-3.0-or-later
"""A final render: F12, animations, and `blender -f`."""

from __future__ import annotations

import logging
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...blender.denoiser import blender_denoiser
from ...blender.path_settings import path_settings
from ...blender.picture_size import crop_of, picture_size
from ...blender.session import require_session
from ...core.devices import give_back_memory
from ...core.progressive import ALPHA, CancelledError, ProgressiveRender, with_alpha
from .passes import wanted_passes

if TYPE_CHECKING:
    import bpy
    from numpy.typing import NDArray

    import weft

    from ...core.problems import Problem
    from ...core.progressive import Picture

log = logging.getLogger("weft")
MAX_WARNINGS = 5
PREVIEW_SAMPLES = 32
"""Of the small pictures of materials and worlds."""


class KeptRender:
    """What one frame, or view layer, leaves for the next one.

    Attributes:
        exporter: Of scenes; parts that do not change stay the same objects.
        renderer: Of the scene before; ``None``: there is none.
    """

    def __init__(self) -> None:
        """Begin with nothing."""
        from ...blender.export import SceneExporter

        self.exporter = SceneExporter(require_session().device)
        self.renderer: weft.Renderer | None = None

    def close(self) -> None:
        """Give the memory of the renderer back to the system; called more than once."""
        renderer, self.renderer = self.renderer, None
        if renderer is not None:
            device = renderer.device
            del renderer  # its memory first
            give_back_memory(device)

    def take(self, scene: weft.Scene) -> weft.Renderer:
        """Return a renderer of a scene, the one before if it can take it over."""
        if self.renderer is None or not update_renderer(self.renderer, scene):
            self.renderer = None  # its memory first
            self.renderer = make_renderer(scene)
        return self.renderer


class FinalRender:
    """Renders one view layer of one frame.

    Args:
        engine: Blender's side of it.
        depsgraph: The evaluated scene.
        kept: Of the frame before.
    """

    def __init__(
        self, engine: bpy.types.RenderEngine, depsgraph: bpy.types.Depsgraph, kept: KeptRender
    ) -> None:
        """Look what is asked for."""
        self.engine = engine
        self.kept = kept
        self.depsgraph = depsgraph
        self.scene = depsgraph.scene
        self.settings = self.scene.weft_render
        self.layer_name = depsgraph.view_layer.name
        self.passes = wanted_passes(self.scene, depsgraph.view_layer)
        self.part: tuple[slice, slice] = (slice(None), slice(None))
        self.samples = self.settings.samples
        self.denoises = self.settings.use_denoising
        if engine.is_preview:
            self.samples = min(self.samples, PREVIEW_SAMPLES)
            self.denoises = blender_denoiser() is not None

    def run(self) -> None:
        """Render and hand the picture to Blender.

        Raises:
            CancelledError: Blender said so.
            Error: What keeps the scene from being rendered.
        """
        self.add_passes()
        # Blender 4.5 crashes when it writes passes of a render that has no result.
        left, bottom, right, top = self.window()
        size = (right - left, top - bottom)
        result = self.engine.begin_result(0, 0, *size, layer=self.layer_name)
        try:
            self.render(result)
        finally:
            # What there is is kept, also after a failure or ESC, as Cycles does.
            self.engine.end_result(result)

    def render(self, result: bpy.types.RenderResult) -> None:
        """Render into a result of Blender's; see run()."""
        self.tell("Exporting the scene")
        scene, camera = self.export()
        self.tell("Preparing the scene")
        renderer = self.kept.take(scene)
        self.tell("Compiling the materials")
        layers = dict.fromkeys(entry.layer for entry in self.passes)
        if self.denoises:
            layers |= dict.fromkeys(("albedo", "normal"))
        if self.scene.render.film_transparent:
            layers[ALPHA] = None
        last = ProgressiveRender(renderer, camera, self.path_settings(), list(layers)).run(
            lambda picture: self.show(result, picture),
            self.is_cancelled,
            self.engine.update_progress,
        )
        self.finish(result, last)

    def window(self) -> tuple[int, int, int, int]:
        """Return left, bottom, right and top of what is rendered, pixels from the lower left."""
        size = picture_size(self.scene)
        if self.scene.render.use_border:
            return crop_of(self.scene.render, size)
        return (0, 0, *size)

    def is_cancelled(self) -> bool:
        """Return whether ESC was pressed."""
        return self.engine.test_break()

    def export(self) -> tuple[weft.Scene, weft.scene.Camera]:
        """Return the scene, and the camera with the part of its picture that is rendered.

        Raises:
            ArgumentError: The scene has no camera.
        """
        import weft

        from ...blender.cameras import cropped
        from ...blender.materials import EVERYTHING

        has_uvs = any(entry.layer == "uv" for entry in self.passes)
        exported = self.kept.exporter.export(
            self.depsgraph, unwrapped=EVERYTHING if has_uvs else ()
        )
        if not self.engine.is_preview:
            self.warn(exported.problems)
        if not exported.scene.cameras:
            raise weft.ArgumentError(
                f"render: scene '{self.scene.name}' has no camera; add one, or make one active"
            )
        camera = exported.scene.cameras[0]
        left, bottom, right, top = self.window()
        if camera.kind == "equirectangular":  # of which the whole is rendered and a part is taken
            self.part = (slice(camera.height - top, camera.height - bottom), slice(left, right))
        elif (camera.width, camera.height) != (right - left, top - bottom):
            camera = cropped(camera, self.window())
        return exported.scene, camera

    def path_settings(self) -> weft.render.PathSettings:
        """Return how paths are traced."""
        settings = path_settings(self.scene, self.samples)
        if self.settings.use_animated_seed:
            settings = replace(settings, seed=settings.seed + self.scene.frame_current)
        return settings

    def add_passes(self) -> None:
        """Announce the layers beside the picture."""
        for entry in self.passes:
            self.engine.add_pass(
                entry.name, len(entry.channels), entry.channels, layer=self.layer_name
            )

    def show(self, result: bpy.types.RenderResult, picture: Picture) -> None:
        """Show what is known so far."""
        self.tell(f"Sample {picture.samples} of {self.samples}")
        fill(result, "Combined", with_alpha(picture.color, picture)[self.part])
        self.engine.update_result(result)

    def finish(self, result: bpy.types.RenderResult, picture: Picture) -> None:
        """Hand over the finished picture and its layers."""
        color = picture.color
        if self.denoises:
            color = self.denoised(picture)
        fill(result, "Combined", with_alpha(color, picture)[self.part])
        for entry in self.passes:
            fill(result, entry.name, entry.convert(picture.layers[entry.layer][self.part]))

    def denoised(self, picture: Picture) -> NDArray[np.float32]:
        """Return the picture without noise, as it is where there is no denoiser."""
        denoiser = blender_denoiser()
        if denoiser is None:
            self.engine.report({"WARNING"}, "Weft: this Blender has no Open Image Denoise")
            return picture.color
        self.tell("Denoising")
        layers = picture.layers
        return denoiser.denoise(picture.color, albedo=layers["albedo"], normal=layers["normal"])

    def tell(self, text: str) -> None:
        """Show what is going on; end here if it is not wanted any more."""
        self.engine.update_stats("", text)
        log.debug("render: %s", text)
        if self.is_cancelled():
            raise CancelledError

    def warn(self, problems: list[Problem]) -> None:
        """Report what is left out or replaced."""
        for problem in problems:
            log.info("%s", problem)
        for problem in problems[:MAX_WARNINGS]:
            self.engine.report({"WARNING"}, f"Weft: {problem}")
        if len(problems) > MAX_WARNINGS:
            rest = len(problems) - MAX_WARNINGS
            self.engine.report({"WARNING"}, f"Weft: {rest} more; log level Info lists them")


def make_renderer(scene: weft.Scene) -> weft.Renderer:
    """Return a renderer on the session's device. A scene without light is no mistake here."""
    import weft

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Renderer: the scene has no light")
        return weft.Renderer(require_session().device(), scene)


def update_renderer(renderer: weft.Renderer, scene: weft.Scene) -> bool:
    """Have a renderer take over another scene; return whether it did.

    It does not on another device than the session's, or where there is no room for both scenes.
    """
    if renderer.device is not require_session().device():
        return False
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Renderer: the scene has no light")
        try:
            renderer.update(scene)
        except MemoryError:
            return False
    return True


def fill(result: bpy.types.RenderResult, name: str, pixels: NDArray[np.float32]) -> None:
    """Write a layer, whose rows Blender counts from the bottom."""
    target = result.layers[0].passes[name].rect
    target.foreach_set(np.ascontiguousarray(pixels[::-1], np.float32).reshape(-1))
