# SPDX-License-Identifier: GPL-3.0-or-later
"""What `weft_blender` forwards to: the extension's functions for scripts."""

from __future__ import annotations

from .blender.scripting import FitReport, fit
from .blender.scripting_render import export_scene, render

__all__ = ["FitReport", "export_scene", "fit", "render"]
