# SPDX-License-Identifier: Apache-2.0
"""Records of single lights, as shaders/weft/render/light.slang reads them.

native/scene/light_rows.hpp makes them: of lights, and of emissive triangles.
"""

from __future__ import annotations

from weft._native import NO_LIGHT, LightRows, analytic_light_rows, triangle_bounds, triangle_rows

__all__ = ["NONE", "LightRows", "analytic_light_rows", "triangle_bounds", "triangle_rows"]

NONE = NO_LIGHT
"""Stands for no light, and for no image of an environment."""
