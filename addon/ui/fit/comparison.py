# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the last fit: before, after, target and difference, and the loss."""

import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ...blender.lettering import blender_lettering
from ...blender.session import require_session
from ...core.job import Job
from ..waiting import WaitingOperator

if TYPE_CHECKING:
    from weft.fit.lettering import Lettering


class WEFT_OT_show_comparison(WaitingOperator, bpy.types.Operator):
    """Render before and after, and open them beside the photo, with the loss curve"""

    bl_idname = "weft.show_comparison"
    bl_label = "Show Comparison"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is a fit to show."""
        last = require_session().last_fit
        return last is not None and last.run is not None and last.run.result is not None

    def start(self, context: bpy.types.Context) -> Job:
        """Render into Blender's temporary folder, which goes when Blender ends."""
        result = require_session().last_fit.run.result
        folder = Path(tempfile.mkdtemp(prefix="weft-", dir=bpy.app.tempdir))
        lettering = blender_lettering()

        def work(cancelled: threading.Event) -> list[Path]:
            return write_pictures(result, folder, cancelled, lettering)

        return Job(work, "weft: comparison")

    def finish(self, context: bpy.types.Context, result: list[Path]) -> None:
        """Load the pictures and show the first one."""
        images = [load_image(path, f"Weft {path.stem}") for path in result]
        if images and not show_image(context, images[0]):
            self.report({"INFO"}, f"fit: the pictures are called {images[0].name} and the like")


def write_pictures(
    result: object, folder: Path, cancelled: threading.Event, lettering: "Lettering"
) -> list[Path]:
    """Write a picture a target and the loss curve; return the files. Called in the job's thread."""
    from weft import image
    from weft.fit.loss_curve import LossCurve
    from weft.fit.report import compare_targets, file_name, write_loss_curve

    taken: set[str] = set()
    files = []
    for target, shown in compare_targets(result.fit, result, lettering=lettering):
        files.append(folder / f"target_{file_name(target.name, taken)}.png")
        image.write(files[-1], shown.pixels, encoding="linear")
        if cancelled.is_set():
            return files
    write_loss_curve(folder, LossCurve.from_history(result.history), lettering)
    return [*files, folder / "loss.png"]


def load_image(path: Path, name: str) -> bpy.types.Image:
    """Return the image of a file; one of the same name is replaced. It is not packed."""
    old = bpy.data.images.get(name)
    image = bpy.data.images.load(str(path))
    if old is not None:
        old.user_remap(image)
        bpy.data.images.remove(old)
    image.name = name
    return image


def show_image(context: bpy.types.Context, image: bpy.types.Image) -> bool:
    """Show an image in an image editor, in a new window if there is none; return whether it is."""
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "IMAGE_EDITOR":
                area.spaces.active.image = image
                return True
    area = new_area(context)
    if area is None:
        return False
    area.ui_type = "IMAGE_EDITOR"
    area.spaces.active.image = image
    return True


def new_area(context: bpy.types.Context) -> bpy.types.Area | None:
    """Return the area of a new window; ``None``: Blender has no windows."""
    if bpy.app.background or context.window is None:
        return None
    known = set(context.window_manager.windows)
    bpy.ops.wm.window_new()
    made = [window for window in context.window_manager.windows if window not in known]
    return made[0].screen.areas[0] if made else None
