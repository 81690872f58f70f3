# SPDX-License-Identifier: GPL-3.0-or-later
"""Fresnel and Layer Weight; functions in nodes/facing.slang."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.scene import Attribute

from ..spec import NodeSpec
from ..values import call

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext


def _normal(context: NodeContext) -> Value:
    """Return the normal that drives the node, or that of the surface."""
    linked = context.direction("Normal")
    return context.normal if linked is None else linked


def _both_sides(context: NodeContext, function: str, number: str) -> Value:
    """Return a function of the angle to the viewer that differs on the inside."""
    return call(
        function,
        1,
        number=context.input(number),
        normal=_normal(context),
        incoming=Attribute.INCOMING,
        backfacing=Attribute.BACKFACING,
    )


def _fresnel(context: NodeContext, output: str) -> Value:
    return _both_sides(context, "fresnel", "IOR")


def _layer_weight(context: NodeContext, output: str) -> Value:
    if output == "Fresnel":
        return _both_sides(context, "layerWeightFresnel", "Blend")
    return call(
        "layerWeightFacing",
        1,
        blend=context.input("Blend"),
        normal=_normal(context),
        incoming=Attribute.INCOMING,
    )


_UNIT = MappingProxyType({"Blend": (0.0, 1.0)})
_INDEX = MappingProxyType({"IOR": (1.0, 4.0)})

ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeFresnel": NodeSpec("Fresnel", _fresnel, bounds=_INDEX),
        "ShaderNodeLayerWeight": NodeSpec("Layer Weight", _layer_weight, bounds=_UNIT),
    }
)
