# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that lights have: IES Texture, Light Falloff."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from weft.scene import Texture
from weft.scene.values import Attribute

from ...ies import ies_image
from ..spec import NodeSpec
from ..values import call

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

POWERS = MappingProxyType({"Quadratic": 0.0, "Linear": 1.0, "Constant": 2.0})
"""By output of Light Falloff: of the distance, beside its inverse square."""

UNREADABLE = 100.0
"""What Cycles takes for each candela of a file that it cannot read."""


def _ies(context: NodeContext, _output: str) -> Value:
    strength = context.input("Strength")
    text = str(context.properties.get("ies_text") or "")
    image = ies_image(text, ends_dark=context.scope.graph.ies_ends_dark)
    if image is None:
        context.problem("its IES file cannot be read; choose another", "100, as Cycles")
        return call("mathMultiply", 1, a=UNREADABLE, b=strength)
    if context.is_driven("Vector"):
        coordinates = context.input("Vector")
    elif context.compiler.light_axes is not None:
        # The direction that light takes, in the space of the light.
        rows = {f"row{k}": (*row, 0.0) for k, row in enumerate(context.compiler.light_axes)}
        coordinates = call("placeInSpace", 3, False, position=Attribute.INCOMING, **rows)
    else:
        return context.unsupported("an IES Texture without a Vector, but for lights,")
    uv = call("iesCoordinates", 2, False, vector=coordinates)
    pixels = np.ascontiguousarray(image[::-1])
    texel = Texture(pixels, "extend", "linear", uv, name=context.texture_name())
    return call("mathMultiply", 1, a=texel, b=strength)


def _falloff(context: NodeContext, output: str) -> Value:
    strength = context.input("Strength")
    if context.compiler.light_axes is None:
        return context.unsupported("a Light Falloff node on a mesh")
    smooth = context.number("Smooth")
    if not isinstance(smooth, (int, float)):
        context.problem("a Smooth that varies is not supported", "0")
        smooth = 0.0
    context.compiler.falloffs.add((POWERS[output], max(float(smooth), 0.0)))
    return call("lightFalloff", 1, strength=strength)


ENTRIES = MappingProxyType(
    {
        "ShaderNodeTexIES": NodeSpec(
            "IES Texture", _ies, "on lights, and on meshes where something drives its Vector"
        )
    }
)

INPUTS = MappingProxyType(
    {
        "ShaderNodeLightFalloff": NodeSpec(
            "Light Falloff", _falloff, "as a factor of a light's strength; not on meshes"
        )
    }
)
