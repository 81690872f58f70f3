# SPDX-License-Identifier: GPL-3.0-or-later
"""What `weft_blender` forwards to: the extension's functions for scripts."""

from __future__ import annotations

from .blender.scripting import FitReport, fit

__all__ = ["FitReport", "fit"]
