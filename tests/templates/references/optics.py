# SPDX-License-Identifier: Apache-2.0
"""Lobes by angles and integrals, reflection by complex numbers, absorption by powers."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.template_cases import Case

Array = np.ndarray[Any, Any]


def dot(a: Array, b: Array) -> Array:
    return np.sum(a * b, axis=-1)


def unit(a: Array) -> Array:
    return a / np.sqrt(dot(a, a))[:, None]


def directions(least: float, length: float = 1.0) -> Any:
    """Draw directions around +z whose cosine is at least so much."""

    def draw(random: np.random.Generator, count: int) -> Array:
        z = random.uniform(least, 1, count)
        turn = random.uniform(0, 2 * np.pi, count)
        ring = np.sqrt(1 - z * z)
        return length * np.stack([ring * np.cos(turn), ring * np.sin(turn), z], axis=-1)

    return draw


def smith_lambda(cosine: Array, width: Array) -> Array:
    """Smith's integral over the slopes along one direction, which are (1 + s^2/a^2)^-1.5 / 2a."""
    nodes, weights = np.polynomial.legendre.leggauss(48)
    slope = (cosine / np.sqrt(1 - cosine**2))[:, None]
    first = np.arctan(slope / width[:, None])
    angle = first + (np.pi / 2 - first) * (nodes + 1) / 2
    facing = (width[:, None] * np.tan(angle) - slope) * np.cos(angle) / 2
    return ((np.pi / 2 - first) / 2 * facing) @ weights / slope[:, 0]


def lobe_parts(normal: Array, view: Array, light: Array) -> tuple[Array, Array, Array, Array]:
    """Cosines of light and view, tangent squared of the half vector, and whether both are seen."""
    view, light = unit(view), unit(light)
    cosine_in, cosine_out = dot(normal, light), dot(normal, view)
    half = np.arccos(np.clip(dot(normal, unit(view + light)), -1, 1))
    return cosine_in, cosine_out, half, (cosine_in > 0) & (cosine_out > 0)


def lobe_results(
    density: Array, masking: Array, cosine_in: Array, cosine_out: Array, seen: Array
) -> dict[str, Array]:
    lobe = np.where(seen, density * masking / (4 * cosine_in * cosine_out), 0)
    return {
        "Result.lobe": lobe,
        "Result.light": lobe * cosine_in,
        "Result.density": density,
        "Result.masking": np.where(seen, masking, 0),
    }


def ggx_lobe(normal: Array, view: Array, light: Array, roughness: Array) -> dict[str, Array]:
    cosine_in, cosine_out, half, seen = lobe_parts(normal, view, light)
    into, out = (np.clip(c, 1e-4, 1 - 1e-12) for c in (cosine_in, cosine_out))
    width = np.maximum(roughness**2, 1e-3)
    tangent2 = np.tan(half) ** 2
    density = 1 / (np.pi * width**2 * np.cos(half) ** 4 * (1 + tangent2 / width**2) ** 2)
    masking = 1 / (1 + smith_lambda(into, width) + smith_lambda(out, width))
    return lobe_results(density, masking, into, out, seen)


def sheen_logarithm(cosine: Array, rough: Array) -> Array:
    """Logarithm of Lambda: table 1 for roughness 0 and 1, between them by (1 - r)^2."""
    smooth, coarse = (
        np.array([25.3245, 3.32435, 0.16801, -1.27393, -4.85967]),
        np.array([21.5473, 3.82987, 0.19823, -1.97760, -4.32054]),
    )
    table = np.outer((1 - rough) ** 2, smooth) + np.outer(1 - (1 - rough) ** 2, coarse)
    a, b, c, d, e = table.T

    def fit(x: Array | float) -> Array:
        return a / (1 + b * np.exp(c * np.log(x))) + d * x + e

    return np.where(cosine < 0.5, fit(cosine), 2 * fit(0.5) - fit(np.maximum(1 - cosine, 1e-6)))


def sheen(normal: Array, view: Array, light: Array, roughness: Array) -> dict[str, Array]:
    cosine_in, cosine_out, half, seen = lobe_parts(normal, view, light)
    into, out = (np.clip(c, 1e-3, 1) for c in (cosine_in, cosine_out))
    sine = np.maximum(np.sin(half), 1e-4)
    density = (2 + 1 / roughness) * sine ** (1 / roughness) / (2 * np.pi)
    softer = 1 + 2 * (1 - into) ** 8
    shadow = np.exp(sheen_logarithm(into, roughness)) ** softer
    masking = 1 / (1 + shadow + np.exp(sheen_logarithm(out, roughness)))
    return lobe_results(density, masking, into, out, seen)


def smooth_reflectance(cosine: Array, index: Array) -> Array:
    """Of unpolarized light by Snell's complex angle: both amplitudes, squared and averaged."""
    inside = np.sqrt(1 - (1 - cosine**2) / index**2 + 0j)
    across = (cosine - index * inside) / (cosine + index * inside)
    along = (index * cosine - inside) / (index * cosine + inside)
    return (np.abs(across) ** 2 + np.abs(along) ** 2) / 2


def fresnel(
    cosine: Array,
    model: Array,
    ior: Array,
    metal_ior: Array,
    extinction: Array,
    color: Array,
    edge_tint: Array,
) -> Array:
    c = np.clip(cosine, 1e-4, 1)[:, None]
    dielectric = np.repeat(smooth_reflectance(c, ior[:, None] + 0j), 3, axis=1)
    conductor = smooth_reflectance(c, metal_ior + 1j * extinction)

    def schlick(cosine: Array | float) -> Array:
        return color + (1 - color) * (1 - cosine) ** 5

    # The dip c (1 - c)^6 is largest at 1/7, where it takes what the tint says.
    dip = c * (1 - c) ** 6 / (1 / 7 * (6 / 7) ** 6)
    tinted = np.clip(schlick(c) - schlick(1 / 7) * (1 - edge_tint) * dip, 0, 1)
    return np.choose(model[:, None], [dielectric, conductor, tinted])


def beer_lambert(distance: Array, color: Array, depth: Array, density: Array) -> dict[str, Array]:
    left = np.clip(color, 1e-4, 1)
    unit_left = left ** (density / depth)[:, None]
    luminance = np.array([0.2126390059, 0.7151686788, 0.0721923154])
    absorption = -np.log(unit_left)
    return {
        "Result.transmittance": left ** (density * distance / depth)[:, None],
        "Result.absorption": absorption,
        "Result.free_path": 1 / np.maximum(absorption @ luminance, 1e-6),
    }


# A normal that is shorter moves no half vector past it: cosines stay below 1.
NEAR = {
    "normal": directions(0.9),
    "view": directions(0.4, 0.9),
    "light": directions(0.4, 1.2),
    "roughness": (0.3, 0.9),
}
LOBES = ("normal", "view", "light", "roughness")

CASES = {
    "ggx_lobe": Case(
        ggx_lobe,
        draws={
            "normal": directions(0.0),
            "view": directions(-0.3, 2.0),
            "light": directions(-0.3, 0.5),
            "roughness": (0.1, 1),
        },
        wrt=LOBES,
        gradient_draws=NEAR,
    ),
    "sheen": Case(
        sheen,
        draws={
            "normal": directions(0.0),
            "view": directions(-0.3, 2.0),
            "light": directions(-0.3, 0.5),
            "roughness": (0.1, 1),
        },
        wrt=LOBES,
        gradient_draws=NEAR,
    ),
    "fresnel": Case(
        fresnel,
        draws={
            "model": (0, 2),
            "ior": (0.6, 3),
            "metal_ior": (0.1, 4),
            "extinction": (0, 7),
            "color": (0, 1),
            "edge_tint": (0, 1),
        },
        wrt=("cosine", "ior", "metal_ior", "extinction", "color", "edge_tint"),
        gradient_draws={
            "cosine": (0.2, 0.9),
            "ior": (1.2, 3),
            "metal_ior": (0.2, 3),
            "extinction": (1, 5),
            "color": (0.3, 0.9),
            "edge_tint": (0.5, 1),
        },
    ),
    "beer_lambert": Case(
        beer_lambert,
        draws={"color": (0, 1.2), "depth": (0.1, 10)},
        wrt=("distance", "color", "depth", "density"),
        gradient_draws={
            "distance": (0.2, 2),
            "color": (0.1, 0.9),
            "depth": (0.5, 2),
            "density": (0.5, 2),
        },
    ),
}
