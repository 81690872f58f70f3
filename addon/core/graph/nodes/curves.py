# SPDX-License-Identifier: GPL-3.0-or-later
"""RGB Curves, Vector Curves and Float Curve: Blender's samples, in textures of one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from weft.scene import Texture

from ..spec import NodeSpec
from ..values import call

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext


def _curve(mapping: Mapping[str, Any], samples: Sequence[float], x: Value) -> Value:
    """Return the value of one curve."""
    low, high, count = mapping["low"], mapping["high"], float(len(samples))
    uv = call("curveUv", 2, x=x, low=low, high=high, count=count)
    row = np.array(samples, np.float32).reshape(1, -1, 1)
    goes_on = mapping["extend"] == "EXTRAPOLATED"
    return call(
        "curveValue",
        1,
        x=x,
        sample=Texture(row, wrap="extend", uv=uv, name="curve"),
        low=low,
        high=high,
        count=count,
        first=float(samples[1] - samples[0]) if goes_on else 0.0,
        last=float(samples[-1] - samples[-2]) if goes_on else 0.0,
    )


def _vectors(context: NodeContext, output: str) -> Value:
    """Return three curves, each of one channel."""
    source, mapping = context.input(output), context.properties["mapping"]
    x, y, z = (
        _curve(mapping, samples, call(f"separate{axis}", 1, vector=source))
        for axis, samples in zip("XYZ", mapping["samples"], strict=True)
    )
    changed = call("combineXyz", 3, x=x, y=y, z=z)
    return call("mixVector", 3, factor=context.input("Fac"), a=source, b=changed)


def _number(context: NodeContext, output: str) -> Value:
    source, mapping = context.input("Value"), context.properties["mapping"]
    changed = _curve(mapping, mapping["samples"][0], source)
    return call("mixFloat", 1, factor=context.input("Factor"), a=source, b=changed)


COLORS: Mapping[str, NodeSpec] = MappingProxyType(
    {"ShaderNodeRGBCurve": NodeSpec("RGB Curves", _vectors)}
)
VECTORS: Mapping[str, NodeSpec] = MappingProxyType(
    {"ShaderNodeVectorCurve": NodeSpec("Vector Curves", _vectors)}
)
CONVERTERS: Mapping[str, NodeSpec] = MappingProxyType(
    {"ShaderNodeFloatCurve": NodeSpec("Float Curve", _number)}
)
