# SPDX-License-Identifier: GPL-3.0-or-later
"""Light Path: what a surface knows of the ray that has met it."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.scene import Attribute

from ..spec import NodeSpec

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

_OUTPUTS = MappingProxyType(
    {
        "Is Camera Ray": Attribute.IS_CAMERA_RAY,
        "Is Shadow Ray": Attribute.IS_SHADOW_RAY,
        "Is Diffuse Ray": Attribute.IS_DIFFUSE_RAY,
        "Is Glossy Ray": Attribute.IS_GLOSSY_RAY,
        "Is Singular Ray": Attribute.IS_SINGULAR_RAY,
        "Is Reflection Ray": Attribute.IS_REFLECTION_RAY,
        "Is Transmission Ray": Attribute.IS_TRANSMISSION_RAY,
        "Is Volume Scatter Ray": Attribute.IS_VOLUME_SCATTER_RAY,
        "Ray Length": Attribute.RAY_LENGTH,
        "Ray Depth": Attribute.RAY_DEPTH,
        "Diffuse Depth": Attribute.DIFFUSE_DEPTH,
        "Glossy Depth": Attribute.GLOSSY_DEPTH,
        "Transparent Depth": Attribute.TRANSPARENT_DEPTH,
        "Transmission Depth": Attribute.TRANSMISSION_DEPTH,
    }
)

ABSENT = ("Portal Depth",)
"""Outputs that are 0: no ray comes through a portal."""

_KINDS = MappingProxyType(
    {
        "camera": ("Is Camera Ray",),
        "diffuse": ("Is Diffuse Ray",),
        "glossy": ("Is Glossy Ray",),
        "singular": ("Is Glossy Ray", "Is Singular Ray"),
        "reflection": ("Is Reflection Ray",),
        "transmission": ("Is Transmission Ray",),
        "light": (),
        "sun": (),
    }
)


def true_outputs(view: str) -> tuple[str, ...]:
    """Return the outputs that are 1 for a kind of ray of ``weft.scene.ray_kinds.SEEN_BY``.

    ``light``: for those that light is drawn by, for which Cycles has no kind.
    """
    return tuple(name for word in view.split() for name in _KINDS[word])


def _light_path(context: NodeContext, output: str) -> Value:
    known = context.compiler.ray
    if output in ABSENT:
        return 0.0
    if known is None:
        return _OUTPUTS[output]
    if output == "Is Volume Scatter Ray":
        context.problem(f"'{output}' is not supported in worlds", "0")
        return 0.0
    if output.startswith("Is "):
        return 1.0 if output in true_outputs(known) else 0.0
    if known != "camera":
        context.problem(f"'{output}' is not supported in worlds", "that of the first bounce")
    if output == "Ray Depth":
        return 0.0 if known == "camera" else 1.0
    return context.unsupported(f"'{output}' in worlds") if output == "Ray Length" else 0.0


ENTRIES = MappingProxyType(
    {
        "ShaderNodeLightPath": NodeSpec(
            "Light Path",
            _light_path,
            "of several closures that one ray sees, the kind of a bounce is that of the one drawn; "
            "in worlds without depths, lengths and Is Volume Scatter Ray",
        )
    }
)
