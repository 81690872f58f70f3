# SPDX-License-Identifier: GPL-3.0-or-later
"""The one table of supported nodes: Blender's ``bl_idname`` -> how the node is compiled.

A new node is an entry in one of the modules of ``nodes/``, see docs/adding_a_blender_node.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from .nodes import (
    color,
    coordinates,
    curves,
    displacement,
    facing,
    images,
    inputs,
    light_path,
    lights,
    map_range,
    math,
    mix,
    normals,
    patterns,
    ramps,
    shaders,
    sky,
    spaces,
    textures,
    vector_math,
    volumes,
)
from .spec import NodeSpec

TOPICS: Mapping[str, Mapping[str, NodeSpec]] = MappingProxyType(
    {
        "Input": {
            **inputs.ENTRIES,
            **facing.ENTRIES,
            **lights.INPUTS,
            **light_path.ENTRIES,
            **coordinates.INPUTS,
            **spaces.INPUTS,
        },
        "Shader": {**shaders.ENTRIES, **volumes.ENTRIES},
        "Texture": {
            **textures.ENTRIES,
            **images.ENTRIES,
            **patterns.ENTRIES,
            **sky.ENTRIES,
            **lights.ENTRIES,
        },
        "Color": {**color.ENTRIES, **curves.COLORS, **mix.ENTRIES},
        "Vector": {
            **coordinates.VECTORS,
            **curves.VECTORS,
            **displacement.ENTRIES,
            **normals.ENTRIES,
            **spaces.VECTORS,
            **vector_math.VECTORS,
        },
        "Converter": {
            **color.CONVERTERS,
            **curves.CONVERTERS,
            **map_range.ENTRIES,
            **math.ENTRIES,
            **ramps.ENTRIES,
            **vector_math.ENTRIES,
        },
    }
)
"""Entries by the menu in which Blender offers the nodes."""

TABLE: Mapping[str, NodeSpec] = MappingProxyType(
    {kind: spec for entries in TOPICS.values() for kind, spec in entries.items()}
)
