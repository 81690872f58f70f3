# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky of Blender 5 in which light is scattered many times, as an image, and the sun through it.

Fernando Garcia Linan, "Real-Time Multiple-Scattering Spectral Sky" (2024,
https://fgarlin.com/posts/2024-12-06-spectral_sky/), with the atmosphere that Cycles has
(third_party/sky): four wavelengths, 630, 560, 490 and 430 nm, stand for the spectrum. Scattering
beyond the first is a fit: light of the ground below, and a glow that depends on the sun alone.
Lengths are kilometres here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from .nishita import XYZ_TO_RGB, directions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .nishita import Atmosphere

WIDTH, HEIGHT = 512, 256
EARTH, THICKNESS = 6371.0, 100.0
TOP = EARTH + THICKNESS
STEPS = 64
COLUMNS, ROWS = 256, 64
"""Of the table of transmittance: cosines of the sun, and heights."""

AEROSOL_G = 0.8
GROUND = 0.3
SUN = np.array((1.679, 1.828, 1.986, 1.307))
"""Irradiance above the atmosphere."""

MOLECULES = np.array((6.605e-3, 1.067e-2, 1.842e-2, 3.156e-2))  # scattering, 1/km at the ground
OZONE = 334.5 * np.array((3.472e-25, 3.914e-25, 1.349e-25, 11.03e-27))
AEROSOL_ABSORPTION = np.array((2.8722e-24, 4.6168e-24, 7.9706e-24, 1.3578e-23))
AEROSOL_SCATTERING = np.array((1.5908e-22, 1.7711e-22, 2.0942e-22, 2.4033e-22))
GLOW = 0.02 * np.array((0.217, 0.347, 0.594, 1.0))

TO_XYZ = np.array(
    [
        (53.386917738564668, 22.981337506691025, 0.0),
        (43.904844466369358, 71.347795700053394, 0.102506867965741),
        (1.6137278251608962, 18.422960591455485, 31.742921188390806),
        (20.762668673810577, 2.3614213523314368, 110.48009643252140),
    ]
)


class Air:
    """An atmosphere whose transmittance towards the sun is tabulated.

    Args:
        atmosphere: Densities and the viewer's altitude.
    """

    def __init__(self, atmosphere: Atmosphere) -> None:
        self._densities = atmosphere
        self.altitude = min(max(atmosphere.altitude, 1.0), 99999.0) / 1000
        cosines = np.linspace(-1.0, 1.0, COLUMNS)[None, :]
        heights = np.linspace(0.0, THICKNESS, ROWS)[:, None]
        self._table = self.transmittance(cosines, heights)

    def coefficients(
        self, height: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return scattering of molecules and of aerosol, and extinction, 1/km, last axis of 4."""
        log = np.log(np.maximum(height, 1e-4))
        ozone = 3.78547397e20 * np.exp(-5.55555555 * (log - 3.22261) ** 2 - log)
        molecules = np.exp(-0.07771971 * height**1.16364243)
        aerosol = 1.3681e20 * np.exp(-height / 0.73) + 2e6
        scattered = self._densities.air * molecules[..., None] * MOLECULES
        aerosol = self._densities.dust * aerosol[..., None]
        lost = scattered + aerosol * (AEROSOL_ABSORPTION + AEROSOL_SCATTERING)
        lost = lost + self._densities.ozone * ozone[..., None] * OZONE
        return scattered, aerosol * AEROSOL_SCATTERING, lost

    def transmittance(
        self, cosine: NDArray[np.float64], height: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the share of sunlight that arrives, last axis of 4; the Earth hides nothing.

        Args:
            cosine: Between zenith and sun.
            height: Above the ground, km.
        """
        radius = EARTH + height
        way = -radius * cosine + np.sqrt((radius * cosine) ** 2 - radius**2 + TOP**2)
        depth = np.zeros((*way.shape, 4))
        for step in range(STEPS):
            along = (step + 0.5) / STEPS * way
            distance = np.sqrt(radius**2 + along**2 + 2 * radius * along * cosine)
            depth += self.coefficients(np.maximum(distance - EARTH, 0))[2]
        return np.asarray(np.exp(-depth * way[..., None] / STEPS))

    def look_up(
        self, cosine: NDArray[np.float64], height: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the tabulated transmittance, last axis of 4."""
        x = np.clip(cosine * 0.5 + 0.5, 0, 1) * (COLUMNS - 1)
        y = np.clip(height / THICKNESS, 0, 1) * (ROWS - 1)
        left, low = np.minimum(x.astype(int), COLUMNS - 2), np.minimum(y.astype(int), ROWS - 2)
        u, v = (x - left)[..., None], (y - low)[..., None]
        table = self._table
        bottom = table[low, left] * (1 - u) + table[low, left + 1] * u
        top = table[low + 1, left] * (1 - u) + table[low + 1, left + 1] * u
        return np.asarray(bottom * (1 - v) + top * v)

    def scattered_before(
        self, cosine: NDArray[np.float64], height: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the light that arrives after more than one scattering, last axis of 4."""
        seen = 1 - np.sqrt(np.maximum(1 - (EARTH / (EARTH + height)) ** 2, 0))
        zero, one = np.zeros_like(height), np.ones_like(height)
        between = self.look_up(one, zero) / self.look_up(one, height)
        ground = (seen / 2 * GROUND / np.pi)[..., None] * between * self.look_up(cosine, 0 * cosine)
        glow = GLOW / (1 + 5 * np.exp(-17.92 * cosine))[..., None]
        return np.asarray(ground * cosine[..., None] + glow)


def _way(cosine: NDArray[np.float64], altitude: float) -> NDArray[np.float64]:
    """Return the length of the viewer's rays in the atmosphere, km."""
    radius = EARTH + altitude
    out = -radius * cosine + np.sqrt((radius * cosine) ** 2 - radius**2 + TOP**2)
    behind = (radius * cosine) ** 2 - radius**2 + EARTH**2
    ground = -radius * cosine - np.sqrt(np.maximum(behind, 0))
    return np.where((behind >= 0) & (cosine <= 0), ground, out)


@lru_cache(maxsize=4)
def sky_image(elevation: float, atmosphere: Atmosphere) -> NDArray[np.float32]:
    """Return the sky and the ground, linear Rec.709, shape ``(HEIGHT, WIDTH, 3)``.

    The lowest row is the nadir; rows lie at squares of even steps from the horizon. The sun stands
    in the middle column. Numbers may be negative: colours beyond Rec.709.

    Args:
        elevation: Of the sun, radians.
        atmosphere: What its light passes.
    """
    air = Air(atmosphere)
    place = (np.arange(HEIGHT) + 0.5) / HEIGHT * 2 - 1
    rows = (np.sign(place) * place**2 * np.pi / 2)[:, None]
    columns = 2 * np.pi * (np.arange(WIDTH // 2) + 0.5) / WIDTH - np.pi
    rays = directions(rows, np.asarray(columns[None, :], np.float64))
    half = _march(air, rays, directions(np.array(elevation), np.array(0.0))) @ TO_XYZ @ XYZ_TO_RGB.T
    return np.asarray(np.concatenate([half, half[:, ::-1]], axis=1), np.float32)


def _march(air: Air, rays: NDArray[np.float64], sun: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what arrives along rays, shape ``(rows, columns, 4)``; a row has one elevation."""
    mu = (rays @ sun)[..., None]
    rayleigh = 3 / (16 * np.pi) * (1 + mu**2)
    g = AEROSOL_G
    aerosol = (1 - g**2) / (4 * np.pi * (1 + g**2 - 2 * g * mu) ** 1.5)
    step = _way(rays[:, :1, 2], air.altitude) / STEPS
    radiance, seen = np.zeros((*rays.shape[:2], 4)), np.ones((len(rays), 1, 4))
    for index in range(STEPS):
        places = rays * ((index + 0.5) * step)[..., None]
        places[..., 2] += EARTH + air.altitude
        distance = np.linalg.norm(places, axis=-1)
        height = np.maximum(distance - EARTH, 0)
        by_molecules, by_aerosol, lost = air.coefficients(height[:, :1])
        cosine = (places @ sun) / distance
        direct, before = air.look_up(cosine, height), air.scattered_before(cosine, height)
        source = by_molecules * (rayleigh * direct + before)
        source += by_aerosol * (aerosol * direct + before)
        kept = np.exp(-step[..., None] * lost)
        # The source is even over a step, and weakened within it.
        radiance += seen * source * (1 - kept) / np.maximum(lost, 1e-7)
        seen = seen * kept
    return np.asarray(radiance * SUN)


def rim_radiance(elevation: float, size: float, atmosphere: Atmosphere) -> NDArray[np.float64]:
    """Return the sun's radiance at its lower and upper rim, linear Rec.709, shape ``(2, 3)``.

    Args:
        elevation: Of its centre, radians.
        size: Of the disc, radians.
        atmosphere: What its light passes.
    """
    air = Air(atmosphere)
    cosines = np.sin(elevation + np.array((-0.5, 0.5)) * size)
    arriving = SUN * air.transmittance(cosines, np.full(2, air.altitude))
    solid_angle = 2 * np.pi * (1 - np.cos(size / 2))
    return np.asarray(arriving @ TO_XYZ @ XYZ_TO_RGB.T / solid_angle)
