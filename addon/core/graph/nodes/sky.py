# SPDX-License-Identifier: GPL-3.0-or-later
"""Sky Texture: skies of one and of many scatterings, Hosek and Wilkie's, and Preetham's.

The sun's disc is no part of the sky: it is a light, see ``sun_of()``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from weft.scene import Texture

from ... import multiple_scattering, nishita
from ...hosek_wilkie import hosek_wilkie
from ...nishita import Atmosphere
from ...preetham import preetham
from ...sun_disc import horizon_from, mean_of_disc
from ..spec import NodeSpec
from ..texture_coordinates import coordinates_of
from ..values import call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.scene.values import Value

    from ..context import NodeContext
    from ..model import Graph

SCATTERED = ("NISHITA", "SINGLE_SCATTERING", "MULTIPLE_SCATTERING")


@dataclass(frozen=True)
class SkySun:
    """The sun of a Sky Texture.

    Args:
        direction: Towards the middle of what the horizon leaves of it, unit.
        size: Of its disc, radians.
        height: Of what the horizon leaves of its disc, radians.
        is_moved: The texture is looked up elsewhere than where it is seen.
    """

    direction: tuple[float, float, float]
    size: float
    height: float
    is_moved: bool


def find_suns(graph: Graph) -> list[SkySun]:
    """Return the suns of all skies of a graph that show one, in groups as well."""
    found = []
    for node in graph.nodes.values():
        properties = node.properties
        if node.tree is not None:
            found += find_suns(node.tree)
        is_sky = node.kind == "ShaderNodeTexSky" and properties.get("sky_type") in SCATTERED
        if not is_sky or node.is_muted or not properties.get("sun_disc"):
            continue
        turn, size = float(properties["sun_rotation"]), float(properties["sun_size"])
        low, high = _visible(properties)
        elevation = (low + high) / 2
        flat = math.cos(elevation)
        direction = (flat * math.sin(turn), flat * math.cos(turn), math.sin(elevation))
        vector = node.find_input("Vector")
        is_moved = vector is not None and vector.link is not None
        found.append(SkySun(direction, size, high - low, is_moved))
    return found


def _visible(properties: Mapping[str, object]) -> tuple[float, float]:
    """Return the lowest and the highest elevation of a sun's disc that can be seen, radians."""
    elevation, size = (float(properties[name]) for name in ("sun_elevation", "sun_size"))  # type: ignore[arg-type]
    is_old = properties["sky_type"] == "NISHITA"
    horizon = 0.0 if is_old else horizon_from(_atmosphere(properties).altitude)
    high = elevation + size / 2
    return min(max(elevation - size / 2, horizon), high), high


def _atmosphere(properties: Mapping[str, object]) -> Atmosphere:
    def number(*names: str) -> float:
        return next(float(properties[name]) for name in names if name in properties)  # type: ignore[arg-type]

    return Atmosphere(
        number("altitude"),
        number("air_density"),
        number("dust_density", "aerosol_density"),
        number("ozone_density"),
    )


def _sky(context: NodeContext, _output: str) -> Value:
    kind = str(context.properties["sky_type"])
    if kind in SCATTERED:
        return _of_nishita(context) if kind == "NISHITA" else _whole(context, kind)
    if context.compiler.ray == "sun":
        return (0.0, 0.0, 0.0)
    return _preetham(context) if kind == "PREETHAM" else _hosek(context)


def _sun_radiance(context: NodeContext, kind: str) -> tuple[float, ...]:
    """Return the mean radiance of the sun's disc, linear Rec.709."""
    elevation = float(context.properties["sun_elevation"])
    size = float(context.properties["sun_size"])
    atmosphere = _atmosphere(context.properties)
    model = multiple_scattering if kind == "MULTIPLE_SCATTERING" else nishita
    rims = model.rim_radiance(elevation, size, atmosphere)
    low = elevation - size / 2
    if kind == "NISHITA":
        mean = mean_of_disc(rims, elevation, size, max(low, 0.0), 0.0)
    else:
        mean = mean_of_disc(rims, elevation, size, low, horizon_from(atmosphere.altitude))
    return tuple((float(context.properties["sun_intensity"]) * mean).tolist())


def _of_nishita(context: NodeContext) -> Value:
    """Return the sky of one scattering up to Blender 4.5, whose sun hides what lies behind it."""
    if context.compiler.ray == "sun":
        red, green, blue = _sun_radiance(context, "NISHITA")
        return (max(red, 0.0), max(green, 0.0), max(blue, 0.0))
    direction = coordinates_of(context, "Vector")
    elevation = float(context.properties["sun_elevation"])
    turn = float(context.properties["sun_rotation"]) % (2 * math.pi)
    uv = call("skyCoordinates", 2, False, direction=direction, rotation=turn)
    image = nishita.sky_image(elevation, _atmosphere(context.properties))
    pixels = np.ascontiguousarray(image[::-1])
    texel = Texture(pixels, "extend", "linear", uv, name=context.texture_name())
    return call("skyColor", 3, texel=texel, direction=direction)


def _whole(context: NodeContext, kind: str) -> Value:
    """Return a scattered sky of Blender 5, whose sun is added to the sky behind it."""
    elevation = float(context.properties["sun_elevation"])
    turn = float(context.properties["sun_rotation"]) % (2 * math.pi)
    direction = coordinates_of(context, "Vector")
    uv = call("wholeSkyCoordinates", 2, False, direction=direction, rotation=turn)
    many = kind == "MULTIPLE_SCATTERING"
    draw = multiple_scattering.sky_image if many else nishita.whole_sky_image
    pixels = np.ascontiguousarray(draw(elevation, _atmosphere(context.properties))[::-1])
    texel = Texture(pixels, "extend", "linear", uv, name=context.texture_name())
    is_sun = context.compiler.ray == "sun"
    sun = _sun_radiance(context, kind) if is_sun else (0.0, 0.0, 0.0)
    return call("wholeSkyColor", 3, texel=texel, sun=sun)


def _direction_of_sun(context: NodeContext) -> NDArray[np.float64]:
    sun = np.array(context.properties["sun_direction"], np.float64)
    return np.asarray(sun / max(float(np.linalg.norm(sun)), 1e-20))


def _preetham(context: NodeContext) -> Value:
    sun = _direction_of_sun(context)
    angle = math.acos(min(max(float(sun[2]), -1.0), 1.0))
    zenith, coefficients = preetham(float(context.properties["turbidity"]), angle)
    arguments = {name: tuple(row) for name, row in zip("abcde", coefficients, strict=True)}
    return call(
        "skyPreetham",
        3,
        False,
        direction=coordinates_of(context, "Vector"),
        sun=tuple(sun.tolist()),
        zenith=zenith,
        **arguments,
    )


def _hosek(context: NodeContext) -> Value:
    sun = _direction_of_sun(context)
    # A sun below the horizon is taken for one at it.
    elevation = max(math.asin(min(max(float(sun[2]), -1.0), 1.0)), 0.0)
    turn = math.atan2(sun[0], sun[1])
    flat = math.cos(elevation)
    radiance, coefficients = hosek_wilkie(
        float(context.properties["turbidity"]),
        float(context.properties["ground_albedo"]),
        elevation,
    )
    arguments = {name: tuple(row) for name, row in zip("abcdefghi", coefficients, strict=True)}
    return call(
        "skyHosek",
        3,
        False,
        direction=coordinates_of(context, "Vector"),
        sun=(flat * math.sin(turn), flat * math.cos(turn), math.sin(elevation)),
        radiance=radiance,
        **arguments,
    )


ENTRIES = MappingProxyType(
    {
        "ShaderNodeTexSky": NodeSpec(
            "Sky Texture",
            _sky,
            "The sun of a world is a light: its disc is even, and cameras do not see it",
        )
    }
)
