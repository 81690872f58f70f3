# SPDX-License-Identifier: GPL-3.0-or-later
"""Sky Texture: skies of one scattering, and Preetham's.

The sun's disc is no part of the sky: it is a light, see ``sun_of()``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from weft.scene import Texture

from ...nishita import Atmosphere, sky_image, sun_radiance
from ..places import place_of
from ..spec import NodeSpec
from ..values import call

if TYPE_CHECKING:
    from collections.abc import Mapping

    from weft.scene.values import Value

    from ..context import NodeContext
    from ..model import Graph

SCATTERED = ("NISHITA", "SINGLE_SCATTERING", "MULTIPLE_SCATTERING")
DARK = 1e-4
"""Turbidity and densities below have no sky."""


@dataclass(frozen=True)
class SkySun:
    """The sun of a Sky Texture.

    Args:
        direction: Towards it, unit.
        size: Of its disc, radians.
        is_moved: The texture is looked up elsewhere than where it is seen.
    """

    direction: tuple[float, float, float]
    size: float
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
        elevation, turn = float(properties["sun_elevation"]), float(properties["sun_rotation"])
        flat = math.cos(elevation)
        direction = (flat * math.sin(turn), flat * math.cos(turn), math.sin(elevation))
        vector = node.find_input("Vector")
        is_moved = vector is not None and vector.link is not None
        found.append(SkySun(direction, float(properties["sun_size"]), is_moved))
    return found


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
    if kind not in SCATTERED:
        return _preetham(context, kind)
    elevation = float(context.properties["sun_elevation"])
    atmosphere = _atmosphere(context.properties)
    if context.compiler.ray == "sun":
        size = float(context.properties["sun_size"])
        factor = float(context.properties["sun_intensity"])
        red, green, blue = (factor * sun_radiance(elevation, size, atmosphere)).tolist()
        return (red, green, blue)
    if kind == "MULTIPLE_SCATTERING":
        context.problem("'Multiple Scattering' is not supported", "'Single Scattering'")
    direction = place_of(context, "Vector")
    turn = float(context.properties["sun_rotation"]) % (2 * math.pi)
    uv = call("skyPlace", 2, False, direction=direction, rotation=turn)
    pixels = np.ascontiguousarray(sky_image(elevation, atmosphere)[::-1])
    texel = Texture(pixels, "extend", "linear", uv, name=context.texture_name())
    return call("skyColor", 3, texel=texel, direction=direction)


def _preetham(context: NodeContext, kind: str) -> Value:
    if kind != "PREETHAM":
        context.problem("the sky of Hosek and Wilkie is not supported", "that of Preetham")
    if context.compiler.ray == "sun":
        return (0.0, 0.0, 0.0)
    sun = np.array(context.properties["sun_direction"], np.float64)
    sun /= max(float(np.linalg.norm(sun)), 1e-20)
    angle = math.acos(min(max(float(sun[2]), -1.0), 1.0))
    zenith, coefficients = preetham(float(context.properties["turbidity"]), angle)
    arguments = {name: tuple(row) for name, row in zip("abcde", coefficients, strict=True)}
    return call(
        "skyPreetham",
        3,
        False,
        direction=place_of(context, "Vector"),
        sun=tuple(sun.tolist()),
        zenith=zenith,
        **arguments,
    )


_PEREZ = (
    ((0.1787, -1.4630), (-0.0193, -0.2592), (-0.0167, -0.2608)),
    ((-0.3554, 0.4275), (-0.0665, 0.0008), (-0.0950, 0.0092)),
    ((-0.0227, 5.3251), (-0.0004, 0.2125), (-0.0079, 0.2102)),
    ((0.1206, -2.5771), (-0.0641, -0.8989), (-0.0441, -1.6537)),
    ((-0.0670, 0.3703), (-0.0033, 0.0452), (-0.0109, 0.0529)),
)
"""Coefficients A to E of Y, x and y as functions of the turbidity (Preetham et al. 1999)."""

_ZENITH = (
    (
        (0.00166, -0.00375, 0.00209, 0.0),
        (-0.02903, 0.06377, -0.03202, 0.00394),
        (0.11693, -0.21196, 0.06052, 0.25886),
    ),
    (
        (0.00275, -0.00610, 0.00317, 0.0),
        (-0.04214, 0.08970, -0.04153, 0.00516),
        (0.15346, -0.26756, 0.06670, 0.26688),
    ),
)
"""x and y of the zenith by powers of the turbidity and of the sun's angle, highest first."""


def preetham(
    turbidity: float, angle: float
) -> tuple[tuple[float, ...], list[tuple[float, float, float]]]:
    """Return zenith and coefficients as skyPreetham() of shaders/weft/nodes/sky.slang takes them.

    Args:
        turbidity: 2: clear, 10: hazy.
        angle: Of the sun from the zenith, radians.
    """
    rows = np.array([[slope * turbidity + base for slope, base in row] for row in _PEREZ])
    a, b, c, d, e = rows
    chi = (4 / 9 - turbidity / 120) * (math.pi - 2 * angle)
    luminance = (4.0453 * turbidity - 4.9710) * math.tan(chi) - 0.2155 * turbidity + 2.4192
    powers = np.array([turbidity**2, turbidity, 1.0])
    x, y = (powers @ np.array([np.polyval(row, angle) for row in table]) for table in _ZENITH)
    own = (1 + a * np.exp(b)) * (1 + c * np.exp(d * angle) + e * math.cos(angle) ** 2)
    # Cycles' scale of kilocandelas.
    zenith = np.array((0.06 * luminance, x, y)) / own
    return tuple(zenith.tolist()), [tuple(row.tolist()) for row in rows]


ENTRIES = MappingProxyType(
    {
        "ShaderNodeTexSky": NodeSpec(
            "Sky Texture",
            _sky,
            "Nishita, Single Scattering and Preetham; Multiple Scattering is shown as Single "
            "Scattering, Hosek and Wilkie's as Preetham's. The sun of a world is a light: its disc "
            "is even, and cameras do not see it",
        )
    }
)
