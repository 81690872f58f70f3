# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample: a scene whose materials are grey, with photos that tell what they are."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import bpy

SAMPLE = Path(__file__).resolve().parents[2] / "sample"


class WEFT_OT_open_sample(bpy.types.Operator):
    """Open a scene with three photos whose materials are not known, ready for Fit"""

    bl_idname = "weft.open_sample"
    bl_label = "Open Sample"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Return whether the extension brought the sample."""
        return (SAMPLE / "sample.blend").is_file()

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Open it; Blender asks first if the open file has changes."""
        return set(
            bpy.ops.wm.open_mainfile(
                "INVOKE_DEFAULT",
                filepath=str(copy_of_sample()),
                load_ui=False,
                use_scripts=False,
                display_file_selector=False,
            )
        )

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Open it in place of the open file."""
        return set(
            bpy.ops.wm.open_mainfile(
                filepath=str(copy_of_sample()), load_ui=False, use_scripts=False
            )
        )


def copy_of_sample() -> Path:
    """Return the sample in a new temporary folder: saving it must not change the extension's."""
    folder = Path(tempfile.mkdtemp(prefix="weft_sample_"))
    shutil.copytree(SAMPLE, folder, dirs_exist_ok=True)
    return folder / "sample.blend"
