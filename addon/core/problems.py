# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a scene cannot be rendered or fitted as Blender has it."""

from __future__ import annotations

from weft.scene import Problem

__all__ = ["Problem"]
