# SPDX-License-Identifier: GPL-3.0-or-later
"""Photos beside the scene as it is now, in the panel."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import bpy
import bpy.utils.previews
import numpy as np

from ...blender.session import require_session
from ...core.job import Job
from ..waiting import WaitingOperator

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from weft.fit.pairs import Pair

    from ...core.fitting.run import FitRun

SCALE = 6.0  # of a picture, lines of text


class WEFT_OT_compare_pictures(WaitingOperator, bpy.types.Operator):
    """Render the scene as it is now, small, beside each picture"""

    bl_idname = "weft.compare_pictures"
    bl_label = "Compare Pictures"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there are pictures and no fit runs."""
        return bool(context.scene.weft_fit.targets) and not require_session().is_fitting

    def start(self, context: bpy.types.Context) -> Job:
        """Export the scene, and render in a thread."""
        # The engine is loaded here, not when the extension is enabled.
        from ...blender.thumbnails import prepare_pairs, render_pairs
        from .gathering import gather_pictures

        fit, session = context.scene.weft_fit, require_session()
        self._keys = [key_of(target) for target in fit.targets if target.use]
        sitting = prepare_pairs(
            context.evaluated_depsgraph_get(),
            session.exporter(),
            gather_pictures(fit),
            fit.bounces,
        )

        def work(cancelled: threading.Event) -> list[Pair]:
            return render_pairs(sitting, session.device, cancelled)

        return Job(work, "weft: pictures")

    def begin(self, context: bpy.types.Context) -> None:
        """Start the job; what keeps it from starting is its result."""
        try:
            super().begin(context)
        except (ValueError, OSError, RuntimeError) as error:
            failed = error

            def fail(cancelled: threading.Event) -> None:
                raise failed

            self._job = Job(fail, "weft: pictures")

    def finish(self, context: bpy.types.Context, result: list[Pair]) -> None:
        """Keep the pictures for the panel."""
        shelf = require_session().pairs
        for key, pair in zip(self._keys, result, strict=False):
            shelf.keep(key, pair)


class Shelf:
    """The small pictures of the panel, as icons of Blender's."""

    def __init__(self) -> None:
        """Begin without pictures."""
        self._icons = None
        self._live: object = None  # the last pairs of a running fit
        self.pairs: dict[str, Pair] = {}

    def keep_live(self, fit: bpy.types.PropertyGroup, run: FitRun) -> None:
        """Keep the pairs of a running fit, or of one that has ended."""
        number, pairs = latest = run.pairs
        if number == 0 or latest is self._live:
            return
        from ...blender.fit_scene import target_names
        from .gathering import gather_pictures

        self._live = latest
        used = [target for target in fit.targets if target.use]
        for target, name in zip(used, target_names(gather_pictures(fit)), strict=True):
            if name in pairs:
                self.keep(key_of(target), pairs[name])

    def keep(self, key: str, pair: Pair) -> None:
        """Keep a pair under a key instead of the one there was."""
        if self._icons is None:
            self._icons = bpy.utils.previews.new()
        self.pairs[key] = pair
        for name in ("photo", "render", "difference"):
            place = f"{key} {name}"
            if place in self._icons:
                del self._icons[place]
            fill_icon(self._icons.new(place), getattr(pair, name))

    def forget(self, keys: Iterable[str]) -> None:
        """Drop pairs."""
        for key in keys:
            self.pairs.pop(key, None)

    def icon(self, key: str, name: str) -> int:
        """Return the number of an icon: ``photo``, ``render`` or ``difference``."""
        return self._icons[f"{key} {name}"].icon_id

    def close(self) -> None:
        """Forget all."""
        self.pairs.clear()
        if self._icons is not None:
            bpy.utils.previews.remove(self._icons)
            self._icons = None


def fill_icon(icon: bpy.types.ImagePreview, pixels: NDArray[np.float32]) -> None:
    """Give an icon pixels of shape ``(height, width, 3)``, the top row first."""
    height, width = pixels.shape[:2]
    rgba = np.dstack([pixels, np.ones((height, width), np.float32)])[::-1]
    icon.image_size = (width, height)
    icon.image_pixels_float.foreach_set(np.ascontiguousarray(rgba, np.float32).ravel())


def key_of(target: bpy.types.PropertyGroup) -> str:
    """Return the name under which the pictures of a target are kept."""
    image = target.image.name_full if target.image else ""
    return f"{image} {target.camera.name_full if target.camera else ''} {target.frame}"


def open_shelf() -> None:
    """Make room for pictures."""
    require_session().pairs = Shelf()


def close_shelf() -> None:
    """Undo open_shelf()."""
    require_session().pairs.close()


def draw_pairs(layout: bpy.types.UILayout, fit: bpy.types.PropertyGroup) -> None:
    """Draw each photo beside the scene."""
    if not fit.targets:
        return
    header, body = layout.panel("WEFT_fit_pairs", default_closed=False)
    header.label(text="Photo and Render")
    if body is None:
        return
    row = body.row(align=True)
    row.operator("weft.compare_pictures", icon="FILE_REFRESH")
    row.prop(fit, "shows_difference", text="", icon="MOD_MASK", toggle=True)
    shelf = require_session().pairs
    for target in fit.targets:
        pair = shelf.pairs.get(key_of(target))
        if pair is None or not target.use:
            continue
        off = "" if pair.error is None else f": {100 * pair.error:.0f} % off"
        body.label(text=f"{target.image.name}{off}")
        row = body.row(align=True)
        second = "difference" if fit.shows_difference else "render"
        for name in ("photo", second):
            row.template_icon(icon_value=shelf.icon(key_of(target), name), scale=SCALE)
