# SPDX-License-Identifier: Apache-2.0
"""When one of many lights is drawn from a tree (shaders/weft/render/light_tree.slang).

Conty Estevez and Kulla 2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting";
native/scene/light_tree.hpp builds it.
"""

from __future__ import annotations

from typing import Literal

from weft._native import ArgumentError

LightSampling = Literal["auto", "power", "tree"]
LIGHT_SAMPLINGS: tuple[LightSampling, ...] = ("auto", "power", "tree")
FEWEST_LIGHTS = 8
"""Lamps at finite distance and objects that shine, together, from which ``auto`` takes the tree.

Not triangles: a lamp that is a mesh of many is drawn well by power, and in less time.
"""


def checked_sampling(name: LightSampling) -> LightSampling:
    """Return what a Renderer got for light_sampling; raise ArgumentError if there is no such."""
    if name not in LIGHT_SAMPLINGS:
        raise ArgumentError(
            f"Renderer: light_sampling must be one of {', '.join(LIGHT_SAMPLINGS)}, got {name!r}"
        )
    return name
