# SPDX-License-Identifier: Apache-2.0
"""Rendering of scenes, and what the modules of ``shaders/weft`` for it need from the host."""

from __future__ import annotations

from weft.render.bsdf_tables import bsdf_tables
from weft.render.layers import AOVS
from weft.render.path_settings import PathSettings
from weft.render.pictures import save_picture
from weft.render.renderer import Renderer

__all__ = ["AOVS", "PathSettings", "Renderer", "bsdf_tables", "save_picture"]
