# SPDX-License-Identifier: Apache-2.0
"""What the modules of ``shaders/weft`` for rendering need from the host."""

from __future__ import annotations

from weft.render.bsdf_tables import bsdf_tables

__all__ = ["bsdf_tables"]
