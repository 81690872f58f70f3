# SPDX-License-Identifier: GPL-3.0-or-later
"""Where Blender keeps Open Image Denoise."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ..core.denoise import find_denoiser

if TYPE_CHECKING:
    from ..core.denoise import Denoiser


def blender_denoiser() -> Denoiser | None:
    """Return Blender's denoiser; None for a Blender that was built without."""
    root = Path(bpy.utils.system_resource("SCRIPTS")).parents[1]
    places = (root / "lib", root / "blender.shared", root.parent / "Resources" / "lib")
    return find_denoiser(places)
