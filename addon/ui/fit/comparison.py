# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the last fit: before, after, target and difference, and the loss."""

import tempfile
import threading
from pathlib import Path

import bpy

from ...blender.session import require_session
from ...core.job import Job
from ..waiting import WaitingOperator


class WEFT_OT_show_comparison(WaitingOperator, bpy.types.Operator):
    """Render before and after, and open them beside the photo, with the loss curve"""

    bl_idname = "weft.show_comparison"
    bl_label = "Show Comparison"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether there is a fit to show."""
        last = require_session().last_fit
        return last is not None and last.run.result is not None

    def start(self, context: bpy.types.Context) -> Job:
        """Render into a temporary folder."""
        result = require_session().last_fit.run.result
        self._folder = tempfile.TemporaryDirectory(prefix="weft-")
        folder = self._folder.name

        def work(cancelled: threading.Event) -> dict:
            return result.save_report(folder)

        return Job(work, "weft: comparison")

    def finish(self, context: bpy.types.Context, result: dict) -> None:
        """Load the pictures, pack them, and show the first one."""
        folder = Path(self._folder.name)
        names = [target["picture"] for target in result["targets"]] + [result["loss_curve"]]
        images = [load_packed(folder / name, f"Weft {Path(name).stem}") for name in names]
        self._folder.cleanup()
        show_image(context, images[0])


def load_packed(path: Path, name: str) -> bpy.types.Image:
    """Return an image of a file that may go; one of the same name is replaced."""
    old = bpy.data.images.get(name)
    image = bpy.data.images.load(str(path))
    image.pack()
    if old is not None:
        old.user_remap(image)
        bpy.data.images.remove(old)
    image.name = name
    return image


def show_image(context: bpy.types.Context, image: bpy.types.Image) -> None:
    """Show an image in the first image editor of the window, if there is one."""
    screen = context.screen
    for area in screen.areas if screen else ():
        if area.type == "IMAGE_EDITOR":
            area.spaces.active.image = image
            return
