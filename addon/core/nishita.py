# SPDX-License-Identifier: GPL-3.0-or-later
"""The sky that one scattering in a spherical atmosphere makes, as an image, and the sun through it.

Nishita et al., "Display of the Earth taking into account atmospheric scattering", SIGGRAPH 1993,
with the atmosphere that Cycles has (intern/sky): air thins out by a factor of e every 8 km, dust
every 1.2 km, ozone is a triangle from 10 to 40 km. Spectra are sampled every 20 nm.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIDTH, HEIGHT = 512, 128
EARTH, TOP = 6360e3, 6420e3
STEPS = 32
WAVELENGTHS = np.arange(380.0, 781.0, 20.0)

MIE, MIE_G, MIE_EXTINCTION = 2e-5, 0.76, 1.11
RAYLEIGH = 1.131194e6 / WAVELENGTHS**4  # 1/m; wavelengths in nm

OZONE = 1e-9 * np.array(
    (
        *(3.251268, 5.853954, 19.77191, 73.09569, 200.8456, 403.8396, 635.5134),
        *(967.0704, 1547.974, 2090.386, 2461.281, 2735.513, 2151.259, 1590.518),
        *(1123.562, 735.2755, 464.5013, 330.9608, 225.1261, 148.7913, 168.2862),
    )
)
"""Absorption, 1/m at full density, as measured."""

CIE_1931 = np.array(
    [
        (0.001368, 0.000039, 0.00645),
        (0.01431, 0.000396, 0.06785),
        (0.13438, 0.004, 0.6456),
        (0.34828, 0.023, 1.74706),
        (0.2908, 0.06, 1.6692),
        (0.09564, 0.13902, 0.81295),
        (0.0049, 0.323, 0.272),
        (0.06327, 0.71, 0.07825),
        (0.2904, 0.954, 0.0203),
        (0.5945, 0.995, 0.0039),
        (0.9163, 0.87, 0.00165),
        (1.0622, 0.631, 0.0008),
        (0.85445, 0.381, 0.00019),
        (0.4479, 0.175, 0.00002),
        (0.1649, 0.061, 0),
        (0.04677, 0.017, 0),
        (0.01135916, 0.004102, 0),
        (0.002899327, 0.001047, 0),
        (0.00069007860, 0.0002492, 0),
        (0.0001661505, 0.00006, 0),
        (0.00004150994, 0.00001499, 0),
    ]
)
"""Colour matching functions of the CIE's standard observer of 1931."""

XYZ_TO_RGB = np.array(
    [
        (3.2404542, -1.5371385, -0.4985314),
        (-0.9692660, 1.8760108, 0.0415560),
        (0.0556434, -0.2040259, 1.0572252),
    ]
)
"""To linear Rec.709 with the white D65."""


@dataclass(frozen=True)
class Atmosphere:
    """What the light passes.

    Args:
        altitude: Of the viewer, metres.
        air: Density of air molecules, 1 on Earth.
        dust: Of dust.
        ozone: Of ozone.
    """

    altitude: float = 0.0
    air: float = 1.0
    dust: float = 1.0
    ozone: float = 1.0

    @property
    def viewer(self) -> NDArray[np.float64]:
        """Where the viewer stands; too near to the ground or to space, numbers fail."""
        return np.array((0, 0, EARTH + min(max(self.altitude, 1.0), 59999.0)))


@cache
def irradiance() -> NDArray[np.float64]:
    """Return the sun's light above the atmosphere, W/(m^2 nm): a black body of 5779 K."""
    metres = WAVELENGTHS * 1e-9
    planck = 1.191042972e-16 / metres**5 / np.expm1(1.438776877e-2 / (metres * 5778.8))
    return np.asarray(planck * 6.784e-5 * 1e-9)


def directions(
    latitude: NDArray[np.float64], longitude: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return unit vectors, last axis of 3; longitude 0 is x."""
    flat = np.cos(latitude)
    return np.stack(
        np.broadcast_arrays(flat * np.cos(longitude), flat * np.sin(longitude), np.sin(latitude)),
        axis=-1,
    )


def _densities(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return densities of air, dust and ozone, last axis of 3."""
    height = np.linalg.norm(places, axis=-1) - EARTH
    ozone = np.clip(np.minimum(height / 15e3 - 2 / 3, 8 / 3 - height / 15e3), 0, 1)
    return np.stack([np.exp(-height / 8e3), np.exp(-height / 1.2e3), ozone], axis=-1)


def _way_out(places: NDArray[np.float64], way: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the distance to the top of the atmosphere."""
    along = (places * way).sum(axis=-1)
    return np.asarray(-along + np.sqrt(along**2 - (places**2).sum(axis=-1) + TOP**2))


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return places on the way out, 0 to 1, and weights: Gauss and Laguerre's, up to 25."""
    nodes, weights = np.polynomial.laguerre.laggauss(8)
    return nodes / 25, weights * np.exp(nodes) / 25


def optical_depths(places: NDArray[np.float64], way: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return metres of air, dust and ozone at full density on the way out, last axis of 3."""
    length = _way_out(places, way)
    sums = np.zeros((*length.shape, 3))
    for node, weight in zip(*_quadrature(), strict=True):
        sums += weight * _densities(places + (node * length)[..., None] * way)
    return np.asarray(sums * length[..., None])


def _is_hidden(places: NDArray[np.float64], way: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether the Earth is in the way of the sun."""
    along = (places * way).sum(axis=-1)
    return np.asarray((way[2] < 0) & (along**2 - (places**2).sum(axis=-1) + EARTH**2 >= 0))


def _to_rgb(spectrum: NDArray[np.float64]) -> NDArray[np.float32]:
    xyz = 20.0 * spectrum @ CIE_1931
    return np.asarray(xyz @ XYZ_TO_RGB.T, np.float32)


@lru_cache(maxsize=4)
def sky_image(elevation: float, atmosphere: Atmosphere) -> NDArray[np.float32]:
    """Return the sky above the horizon, linear Rec.709, shape ``(HEIGHT, WIDTH, 3)``.

    The lowest row is the horizon; rows lie at squares of even steps. The sun stands in the middle
    column. Numbers may be negative: colours beyond Rec.709.

    Args:
        elevation: Of the sun, radians.
        atmosphere: What its light passes.
    """
    rows = latitudes(np.pi / 2 + np.pi / 4 / HEIGHT)
    return _above(rows, elevation, atmosphere)


@lru_cache(maxsize=4)
def whole_sky_image(elevation: float, atmosphere: Atmosphere) -> NDArray[np.float32]:
    """Return the sky as Blender 5 has it, with a ground to which the horizon fades.

    Linear Rec.709, shape ``(2 HEIGHT, WIDTH, 3)``; the lowest row is the nadir.

    Args:
        elevation: Of the sun, radians.
        atmosphere: What its light passes.
    """
    above = _above(latitudes(np.pi / 2), elevation, atmosphere)
    below = np.pi / 2 * (np.arange(HEIGHT, 0, -1) / HEIGHT) ** 2
    fade = np.clip(1 - 2.5 * np.sin(below), 0, 1) ** 3
    ground = fade[:, None, None] * above[0]
    return np.concatenate([ground.astype(np.float32), above])


def latitudes(highest: float) -> NDArray[np.float64]:
    """Return those of rows above the horizon, radians: squares of even steps."""
    return np.asarray(highest * (np.arange(HEIGHT) / HEIGHT) ** 2)


def _above(
    rows: NDArray[np.float64], elevation: float, atmosphere: Atmosphere
) -> NDArray[np.float32]:
    """Return the sky at latitudes, shape ``(HEIGHT, WIDTH, 3)``."""
    columns = 2 * np.pi / WIDTH * np.arange(WIDTH // 2) - np.pi
    rays = directions(np.asarray(rows[:, None]), np.asarray(columns[None, :], np.float64))
    sun = directions(np.array(elevation), np.array(0.0))
    half = _to_rgb(_scattered(rays, sun, atmosphere))
    return np.concatenate([half, half[:, ::-1]], axis=1)


def _scattered(
    rays: NDArray[np.float64], sun: NDArray[np.float64], atmosphere: Atmosphere
) -> NDArray[np.float64]:
    """Return the spectra that arrive along rays, W/(m^2 sr nm)."""
    scale = np.array((atmosphere.air, atmosphere.dust, atmosphere.ozone))
    extinction = np.stack([RAYLEIGH, np.full_like(RAYLEIGH, MIE_EXTINCTION * MIE), OZONE])
    mu = (rays @ sun)[..., None]
    g2 = MIE_G**2
    rayleigh = 3 / (16 * np.pi) * (1 + mu**2) * RAYLEIGH
    mie = 3 / (8 * np.pi) * (1 - g2) * (1 + mu**2) * MIE
    mie = mie / ((2 + g2) * (1 + g2 - 2 * MIE_G * mu) ** 1.5)
    segment = _way_out(np.broadcast_to(atmosphere.viewer, rays.shape), rays) / STEPS
    depth = np.zeros((*segment.shape, 3))
    spectra = np.zeros((*segment.shape, len(WAVELENGTHS)))
    for step in range(STEPS):
        places = atmosphere.viewer + (segment * (step + 0.5))[..., None] * rays
        density = scale * _densities(places)
        depth += segment[..., None] * density
        total = depth + scale * optical_depths(places, sun)
        seen = np.exp(-total @ extinction) * ~_is_hidden(places, sun)[..., None]
        spectra += seen * (rayleigh * density[..., :1] + mie * density[..., 1:2])
    return np.asarray(spectra * irradiance() * segment[..., None])


def rim_radiance(elevation: float, size: float, atmosphere: Atmosphere) -> NDArray[np.float64]:
    """Return the sun's radiance at its lower and upper rim, linear Rec.709, shape ``(2, 3)``.

    A rim below the horizon has the horizon's.

    Args:
        elevation: Of its centre, radians.
        size: Of the disc, radians.
        atmosphere: What its light passes.
    """
    low, high = elevation - size / 2, elevation + size / 2
    if high <= 0:
        return np.zeros((2, 3))
    solid_angle = 2 * np.pi * (1 - np.cos(size / 2))
    rims = directions(np.array((max(low, 0.0), high)), np.zeros(2))
    depths = optical_depths(np.broadcast_to(atmosphere.viewer, rims.shape), rims)
    lost = depths[:, :1] * RAYLEIGH * atmosphere.air
    lost = lost + depths[:, 1:2] * MIE_EXTINCTION * MIE * atmosphere.dust
    return np.asarray(_to_rgb(irradiance() * np.exp(-lost) / solid_angle), np.float64)
