# SPDX-License-Identifier: GPL-3.0-or-later
"""Colours taken apart, put together and changed; functions in nodes/color.slang, adjust.slang."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from ..spec import Call, Calls, NodeSpec, function_node

_AXES = ("X", "Y", "Z")
_PREFIXES = MappingProxyType({"RGB": "", "HSV": "Hsv", "HSL": "Hsl"})


def _separate(mode: str, source: str, outputs: tuple[str, ...]) -> Calls:
    if mode not in _PREFIXES:
        return {}
    names = (f"separate{_PREFIXES[mode]}{axis}" for axis in _AXES)
    return {output: Call(name, (source,)) for output, name in zip(outputs, names, strict=True)}


def _combine(mode: str, inputs: tuple[str, ...], output: str) -> Calls:
    if mode not in _PREFIXES:
        return {}
    return {output: Call(f"combine{_PREFIXES[mode] or 'Xyz'}", inputs, 3)}


_RGB = ("Red", "Green", "Blue")


def _separate_color(properties: Mapping[str, Any]) -> Calls:
    return _separate(str(properties["mode"]), "Color", _RGB)


def _combine_color(properties: Mapping[str, Any]) -> Calls:
    return _combine(str(properties["mode"]), _RGB, "Color")


CONVERTERS: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeBlackbody": function_node(
            "Blackbody",
            {"Color": Call("blackbody", ("Temperature",), 3)},
            note="Within 0.002",
            bounds={"Temperature": (800.0, 12000.0)},
        ),
        "ShaderNodeCombineColor": function_node("Combine Color", choose=_combine_color),
        "ShaderNodeCombineHSV": function_node(
            "Combine HSV (Legacy)", _combine("HSV", ("H", "S", "V"), "Color")
        ),
        "ShaderNodeCombineRGB": function_node(
            "Combine RGB (Legacy)", _combine("RGB", ("R", "G", "B"), "Image")
        ),
        "ShaderNodeRGBToBW": function_node("RGB to BW", {"Val": Call("colorToFloat", ("Color",))}),
        "ShaderNodeSeparateColor": function_node("Separate Color", choose=_separate_color),
        "ShaderNodeSeparateHSV": function_node(
            "Separate HSV (Legacy)", _separate("HSV", "Color", ("H", "S", "V"))
        ),
        "ShaderNodeSeparateRGB": function_node(
            "Separate RGB (Legacy)", _separate("RGB", "Image", ("R", "G", "B"))
        ),
    }
)

_HSV_INPUTS = ("Hue", "Saturation", "Value", "Fac", "Color")

ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeBrightContrast": function_node(
            "Brightness/Contrast",
            {"Color": Call("brightnessContrast", ("Color", "Bright", "Contrast"), 3)},
        ),
        "ShaderNodeGamma": function_node(
            "Gamma", {"Color": Call("gammaColor", ("Color", "Gamma"), 3)}
        ),
        "ShaderNodeHueSaturation": function_node(
            "Hue/Saturation/Value", {"Color": Call("hueSaturationValue", _HSV_INPUTS, 3)}
        ),
        "ShaderNodeInvert": function_node(
            "Invert Color", {"Color": Call("invertColor", ("Fac", "Color"), 3)}
        ),
    }
)
