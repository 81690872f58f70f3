# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that are computed: Noise, Checker, Gradient."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from ..spec import NodeSpec
from ..texture_coordinates import coordinates_of, lattice_coordinates
from ..values import call, call_with

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

NOISE_KINDS = MappingProxyType(
    {
        "MULTIFRACTAL": 0,
        "FBM": 1,
        "HYBRID_MULTIFRACTAL": 2,
        "RIDGED_MULTIFRACTAL": 3,
        "HETERO_TERRAIN": 4,
    }
)
"""Numbers of shaders/weft/nodes/fractal.slang."""

_SHAPES = MappingProxyType(
    {
        "HYBRID_MULTIFRACTAL": ("", ("Offset", "Gain")),
        "RIDGED_MULTIFRACTAL": ("", ("Offset", "Gain")),
        "HETERO_TERRAIN": ("Hetero", ("Offset",)),
    }
)


def _noise_coordinates(context: NodeContext) -> Value:
    """Return where the noise is looked up, once for all outputs."""
    dimensions = int(str(context.properties["noise_dimensions"])[0])
    coordinates = lattice_coordinates(context, dimensions)
    distortion = context.input("Distortion")
    return call(f"noiseDistort<{dimensions}>", 4, p=coordinates, distortion=distortion)


def _noise(context: NodeContext, output: str) -> Value:
    kind = str(context.properties["noise_type"])
    if kind not in NOISE_KINDS:
        return context.unsupported(f"noise of type {kind}")
    if output == "Fac" and context.is_used("Color"):
        return call("redOf", 1, color=context.once("Color", lambda: _fractal(context, kind, True)))
    if output == "Fac":
        return _fractal(context, kind, False)
    return context.once("Color", lambda: _fractal(context, kind, True))


def _fractal(context: NodeContext, kind: str, is_color: bool) -> Value:
    """Return one of the outputs of a Noise Texture."""
    dimensions = str(context.properties["noise_dimensions"])[0]
    normalizes = "true" if context.properties.get("normalize", True) else "false"
    suffix, more = _SHAPES.get(kind, ("Plain", ()))
    inputs = ("Detail", "Roughness", "Lacunarity", *more)
    function = f"noise{'Color' if is_color else 'Factor'}{suffix}"
    coordinates = context.once("place", lambda: _noise_coordinates(context))
    arguments = {"p": coordinates, **{name.lower(): context.input(name) for name in inputs}}
    return call_with(
        f"{function}<{dimensions}, {NOISE_KINDS[kind]}, {normalizes}>",
        3 if is_color else 1,
        arguments,
    )


GRADIENTS = (
    "LINEAR",
    "QUADRATIC",
    "EASING",
    "DIAGONAL",
    "RADIAL",
    "QUADRATIC_SPHERE",
    "SPHERICAL",
)
"""In the order of shaders/weft/nodes/gradient.slang."""


def _gradient(context: NodeContext, output: str) -> Value:
    kind = str(context.properties["gradient_type"])
    if kind not in GRADIENTS:
        return context.unsupported(f"a gradient of type {kind}")
    function = f"gradientFactor<{GRADIENTS.index(kind)}>"
    factor = context.once(
        "factor", lambda: call(function, 1, vector=coordinates_of(context, "Vector"))
    )
    return factor if output == "Fac" else call("floatToVector", 3, x=factor)


def _checker(context: NodeContext, output: str) -> Value:
    vector, scale = coordinates_of(context, "Vector"), context.input("Scale")
    if output == "Fac":
        return call("checkerFactor", 1, False, vector=vector, scale=scale)
    one, two = context.input("Color1"), context.input("Color2")
    return call("checkerColor", 3, vector=vector, color1=one, color2=two, scale=scale)


ENTRIES = MappingProxyType(
    {
        "ShaderNodeTexNoise": NodeSpec(
            "Noise Texture",
            _noise,
            bounds={"Detail": (0.0, 15.0), "Roughness": (0.0, 1.0), "Distortion": (-10.0, 10.0)},
        ),
        "ShaderNodeTexGradient": NodeSpec("Gradient Texture", _gradient),
        "ShaderNodeTexChecker": NodeSpec("Checker Texture", _checker),
    }
)
