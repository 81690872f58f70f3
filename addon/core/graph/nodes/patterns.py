# SPDX-License-Identifier: GPL-3.0-or-later
"""Textures that are patterns: White Noise, Wave, Magic, Brick, Voronoi."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from ..spec import NodeSpec
from ..texture_coordinates import coordinates_of, lattice_coordinates
from ..values import call, call_with

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext


def _white_noise(context: NodeContext, output: str) -> Value:
    dimensions = int(str(context.properties["noise_dimensions"])[0])
    arguments: dict[str, Value] = {}
    if dimensions > 1:
        # Unlinked it is 0, not a place as those of other textures.
        arguments["vector"] = context.input("Vector")
    if dimensions in (1, 4):
        arguments["w"] = context.input("W")
    if output == "Value":
        return call_with(f"whiteNoise{dimensions}", 1, arguments, differentiable=False)
    return call_with(f"whiteNoiseColor{dimensions}", 3, arguments, differentiable=False)


_AXES = ("X", "Y", "Z", "DIAGONAL")
_CENTRES = ("X", "Y", "Z", "SPHERICAL")
_PROFILES = ("SIN", "SAW", "TRI")


def _wave_factor(context: NodeContext) -> Value:
    has_rings = context.properties["wave_type"] == "RINGS"
    name = str(context.properties["rings_direction" if has_rings else "bands_direction"])
    direction = (_CENTRES if has_rings else _AXES).index(name)
    vector = coordinates_of(context, "Vector")
    coordinates = call("wavePosition", 3, vector=vector, scale=context.input("Scale"))
    phase: Value = call(
        f"wavePhase<{str(has_rings).lower()}, {direction}>",
        1,
        p=coordinates,
        offset=context.input("Phase Offset"),
    )
    if context.number("Distortion") != 0 or context.is_kept("Distortion"):
        names = ("Distortion", "Detail", "Detail Scale", "Detail Roughness")
        inputs = {f"x{k}": context.input(name) for k, name in enumerate(names)}
        phase = call_with("waveDistort", 1, {"phase": phase, "p": coordinates, **inputs})
    profile = _PROFILES.index(str(context.properties["wave_profile"]))
    return call(f"waveProfile<{profile}>", 1, phase=phase)


def _wave(context: NodeContext, output: str) -> Value:
    factor = context.once("factor", lambda: _wave_factor(context))
    return factor if output == "Fac" else call("floatToVector", 3, x=factor)


def _magic(context: NodeContext, output: str) -> Value:
    depth = min(max(int(context.properties["turbulence_depth"]), 0), 10)

    def make() -> Value:
        inputs = {name.lower(): context.input(name) for name in ("Scale", "Distortion")}
        return call_with(
            f"magicColor<{depth}>", 3, {"vector": coordinates_of(context, "Vector"), **inputs}
        )

    color = context.once("color", make)
    return color if output == "Color" else call("vectorToFloat", 1, x=color)


def _brick_pattern(context: NodeContext) -> Value:
    names = ("Brick Width", "Row Height", "Mortar Size", "Mortar Smooth")
    size = call_with("brickSize", 4, {f"x{k}": context.input(n) for k, n in enumerate(names)})
    rows = [int(context.properties[f"{name}_frequency"]) for name in ("offset", "squash")]
    arguments = {
        "vector": coordinates_of(context, "Vector"),
        "scale": context.input("Scale"),
        "size": size,
        "bias": context.input("Bias"),
        "offset": float(context.properties["offset"]),
        "squash": float(context.properties["squash"]),
    }
    return call_with(f"brickPattern<{rows[0]}, {rows[1]}>", 2, arguments)


def _brick(context: NodeContext, output: str) -> Value:
    pattern = context.once("pattern", lambda: _brick_pattern(context))
    if output == "Fac":
        return call("brickFactor", 1, pattern=pattern)
    colors = {name.lower(): context.input(name) for name in ("Color1", "Color2", "Mortar")}
    return call_with("brickColor", 3, {"pattern": pattern, **colors})


_FEATURES = ("F1", "F2", "SMOOTH_F1", "DISTANCE_TO_EDGE", "N_SPHERE_RADIUS")
_METRICS = ("EUCLIDEAN", "MANHATTAN", "CHEBYCHEV", "MINKOWSKI")
_PLACES = ("Position", "W")


def _may_differ(context: NodeContext, identifier: str, number: float) -> bool:
    """Return whether an input may be something else than a number."""
    return context.number(identifier) != number or context.is_kept(identifier)


def _voronoi_lookup(context: NodeContext, wants_place: bool) -> Value:
    """Return colour and distance, or the place of the point, before scaling."""
    properties = context.properties
    dimensions = int(str(properties["voronoi_dimensions"])[0])
    feature = _FEATURES.index(str(properties["feature"]))
    if feature == 2 and not _may_differ(context, "Smoothness", 0.0):
        feature = 0
    repeats = feature != 4 and (
        _may_differ(context, "Detail", 0.0) and _may_differ(context, "Roughness", 0.0)
    )
    # Edges and spheres are Euclid's.
    metric = _METRICS.index(str(properties["distance"])) if dimensions > 1 and feature < 3 else 0
    switches = (
        feature,
        metric,
        str(context.scope.graph.hashes_by_lookup3).lower(),
        str(bool(properties.get("normalize"))).lower(),
        str(repeats).lower(),
        str(wants_place).lower(),
    )
    return call(
        f"voronoi<{dimensions}, {', '.join(map(str, switches))}>",
        4,
        p=context.once("place", lambda: lattice_coordinates(context, dimensions)),
        shape=call(
            "voronoiShape",
            3,
            randomness=context.input("Randomness"),
            smoothness=context.input("Smoothness") if feature == 2 else 0.0,
            exponent=context.input("Exponent") if metric == 3 else 0.0,
        ),
        octaves=_octaves(context) if repeats else (0.0, 0.0, 0.0),
    )


def _octaves(context: NodeContext) -> Value:
    names = ("Detail", "Roughness", "Lacunarity")
    return call_with("voronoiOctaves", 3, {name.lower(): context.input(name) for name in names})


def _voronoi(context: NodeContext, output: str) -> Value:
    dimensions = str(context.properties["voronoi_dimensions"])[0]
    wants_place = output in _PLACES
    found = context.once(str(wants_place), lambda: _voronoi_lookup(context, wants_place))
    if output == "Color":
        return call("colorOf", 3, color=found)
    if output in ("Distance", "Radius"):
        return call("alphaOf", 1, color=found)
    function, size = ("voronoiPosition", 3) if output == "Position" else ("voronoiW", 1)
    return call(f"{function}<{dimensions}>", size, place=found, scale=context.input("Scale"))


_FRACTAL = MappingProxyType({"Detail": (0.0, 15.0), "Roughness": (0.0, 1.0)})

ENTRIES = MappingProxyType(
    {
        "ShaderNodeTexWhiteNoise": NodeSpec("White Noise Texture", _white_noise),
        "ShaderNodeTexWave": NodeSpec(
            "Wave Texture",
            _wave,
            "Within 0.002",
            bounds={"Detail": (0.0, 15.0), "Detail Roughness": (0.0, 1.0)},
        ),
        "ShaderNodeTexMagic": NodeSpec("Magic Texture", _magic, "Within 0.002"),
        "ShaderNodeTexBrick": NodeSpec("Brick Texture", _brick, "Within 0.001"),
        "ShaderNodeTexVoronoi": NodeSpec(
            "Voronoi Texture",
            _voronoi,
            "Within 0.001; files of Blender 4.5 show the cells of 4.5",
            bounds={**_FRACTAL, "Randomness": (0.0, 1.0), "Smoothness": (0.0, 1.0)},
        ),
    }
)
