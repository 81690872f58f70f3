# SPDX-License-Identifier: GPL-3.0-or-later
"""Mix and Mix (Legacy); functions in nodes/mix.slang."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..spec import NodeSpec, clamp_unit
from ..values import SIZES, call
from .math import camel_case

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

BLENDS = frozenset(
    (
        "MIX DARKEN MULTIPLY BURN LIGHTEN SCREEN DODGE ADD OVERLAY SOFT_LIGHT LINEAR_LIGHT "
        "DIFFERENCE EXCLUSION SUBTRACT DIVIDE HUE SATURATION COLOR VALUE"
    ).split()
)
"""The modes in which colours mix."""


def _factor(context: NodeContext, identifier: str, clamps: bool) -> Value:
    """Return a factor."""
    value = context.input(identifier)
    return clamp_unit(value, SIZES[context.socket(identifier).kind]) if clamps else value


def _colors(context: NodeContext, factor: Value, first: str, second: str, clamps: bool) -> Value:
    """Return the mix of two colours in the node's mode."""
    mode = str(context.properties["blend_type"])
    if mode not in BLENDS:
        return context.unsupported(f"the mode {mode}")
    function = camel_case("mix", mode)
    mixed = call(function, 3, factor=factor, a=context.input(first), b=context.input(second))
    return clamp_unit(mixed, 3) if clamps else mixed


def _mix(context: NodeContext, output: str) -> Value:
    properties = context.properties
    clamps = bool(properties["clamp_factor"])
    kind = str(properties["data_type"])
    if kind == "RGBA":
        factor = _factor(context, "Factor_Float", clamps)
        return _colors(context, factor, "A_Color", "B_Color", bool(properties["clamp_result"]))
    if kind == "FLOAT":
        return _numbers(context, "mixFloat", "Factor_Float", "Float", clamps)
    if kind != "VECTOR":
        return context.unsupported(f"mixing {kind}")
    if properties["factor_mode"] == "NON_UNIFORM":
        return _numbers(context, "mixVectors", "Factor_Vector", "Vector", clamps)
    return _numbers(context, "mixVector", "Factor_Float", "Vector", clamps)


def _numbers(context: NodeContext, function: str, factor: str, kind: str, clamps: bool) -> Value:
    """Return the mix of two numbers or vectors."""
    part = _factor(context, factor, clamps)
    first, second = context.input(f"A_{kind}"), context.input(f"B_{kind}")
    return call(function, 1 if kind == "Float" else 3, factor=part, a=first, b=second)


def _mix_legacy(context: NodeContext, output: str) -> Value:
    factor = _factor(context, "Fac", clamps=True)
    return _colors(context, factor, "Color1", "Color2", bool(context.properties["use_clamp"]))


ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeMix": NodeSpec("Mix", _mix),
        "ShaderNodeMixRGB": NodeSpec("Mix (Legacy)", _mix_legacy),
    }
)
