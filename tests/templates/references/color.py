# SPDX-License-Identifier: Apache-2.0
"""Colors in double precision: by matrices and inverses, angles, and the CIE's table of 1931."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.template_cases import Case
from templates.references.cie_1931 import RESPONSES, WAVELENGTHS

Array = np.ndarray[Any, Any]

TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
"""Of linear sRGB, IEC 61966-2-1."""

TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
"""Of linear sRGB to cones and of their cube roots to OkLab: Ottosson 2020. Back by inverses."""


def columns(*numbers: Array) -> Array:
    return np.stack(numbers, axis=-1)


def ok_lab(color: Array) -> Array:
    return np.cbrt(np.maximum(color @ TO_CONES.T, 1e-9)) @ TO_LAB.T


def of_ok_lab(lab: Array) -> Array:
    return (lab @ np.linalg.inv(TO_LAB).T) ** 3 @ np.linalg.inv(TO_CONES).T


def within_gamut(color: Array) -> Array:
    """Add grey, then scale to the luminance that was there."""
    luminance = np.maximum(color @ TO_XYZ[1], 1e-7)
    lifted = color + np.maximum(-color.min(axis=1), 0)[:, None]
    return lifted * (luminance / np.maximum(lifted @ TO_XYZ[1], 1e-9))[:, None]


def oklab_mix(color1: Array, color2: Array, factor: Array) -> Array:
    share = factor[:, None]
    return of_ok_lab(ok_lab(color1) * (1 - share) + ok_lab(color2) * share)


def hue_turn(first: Array, second: Array, path: Array) -> Array:
    """Angle from one hue to another: differences of angles, wrapped as CSS Color 4 says."""
    turn = np.angle(second) - np.angle(first)
    near = turn - 2 * np.pi * np.rint(turn / (2 * np.pi))
    forward = np.mod(turn, 2 * np.pi)
    far = np.where(near > 0, near - 2 * np.pi, near + 2 * np.pi)
    return np.choose(path, [near, far, forward, forward - 2 * np.pi])


def oklch_mix(color1: Array, color2: Array, factor: Array, path: Array) -> Array:
    first, second = ok_lab(color1), ok_lab(color2)
    hue1, hue2 = (lab[:, 1] + 1j * lab[:, 2] for lab in (first, second))
    chroma = np.abs(hue1) * (1 - factor) + np.abs(hue2) * factor
    mixed = chroma * np.exp(1j * (np.angle(hue1) + factor * hue_turn(hue1, hue2, path)))
    lightness = first[:, 0] * (1 - factor) + second[:, 0] * factor
    return within_gamut(of_ok_lab(columns(lightness, mixed.real, mixed.imag)))


def agx_curve(
    color: Array,
    exposure: Array,
    contrast: Array,
    saturation: Array,
    toe: Array,
    shoulder: Array,
    stops_below: Array,
    stops_above: Array,
    inset: Array,
) -> Array:
    """With the sigmoid s u / (1 + u^p)^(1/p), u = k x / s, which ends at s for x without end."""
    light = np.maximum(color, 0) * 2 ** exposure[:, None]
    bleed = np.eye(3) * (1 - inset)[:, None, None] + inset[:, None, None] / 3
    mixed = np.einsum("nij,nj->ni", bleed, light)
    stops = np.log2(np.maximum(mixed, 1e-10) / 0.18)
    slope = contrast / (stops_below + stops_above)
    grey = 0.18 ** (1 / 2.2)

    def half(x: Array, end: Array, height: float, power: Array) -> Array:
        x, end, power, steep = (
            np.broadcast_to(v, x.shape) for v in (x, end[:, None], power[:, None], slope[:, None])
        )
        reached = np.maximum(steep * end, 1.02 * height)
        scale = (height**-power - reached**-power) ** (-1 / power)
        u = steep * np.clip(x, 1e-9, end) / scale
        return scale * u / (1 + u**power) ** (1 / power)

    encoded = np.where(
        stops > 0,
        grey + half(stops, stops_above, 1 - grey, shoulder),
        grey - half(-stops, stops_below, grey, toe),
    )
    shown = np.maximum(encoded, 1e-6) ** 2.2
    luminance = (shown @ TO_XYZ[1])[:, None]
    return np.maximum(luminance + (shown - luminance) * saturation[:, None], 0)


def filmic_curve(
    color: Array,
    exposure: Array,
    white: Array,
    shoulder: Array,
    toe: Array,
    linear_strength: Array,
    linear_angle: Array,
    toe_numerator: Array,
    toe_denominator: Array,
) -> Array:
    """Over one denominator, which shows that black stays black."""
    a, b, c, d, e, f = (
        v[:, None]
        for v in (shoulder, linear_strength, linear_angle, toe, toe_numerator, toe_denominator)
    )

    def curve(x: Array) -> Array:
        return x * (a * (f - e) * x + b * (c * f - e)) / (f * (a * x * x + b * x + d * f))

    light = np.maximum(color, 0) * 2 ** exposure[:, None]
    return np.maximum(curve(light), 0) / np.maximum(curve(white[:, None]), 1e-4)


def cosine_palette(
    factor: Array, bias: Array, amplitude: Array, frequency: Array, phase: Array
) -> Array:
    rounds = frequency * factor[:, None] + phase
    return bias + amplitude * np.exp(2j * np.pi * (rounds - np.rint(rounds))).real


def hue_preserving_contrast(
    color: Array, contrast: Array, pivot: Array, keep_saturation: Array
) -> Array:
    """Through lightness, a and b."""
    lab = ok_lab(color)
    lightness = np.maximum(lab[:, 0], 1e-3)
    moved = np.exp(np.log(np.cbrt(pivot)) * (1 - contrast) + np.log(lightness) * contrast)
    chroma = 1 - keep_saturation + keep_saturation * moved / lightness
    return of_ok_lab(columns(moved, lab[:, 1] * chroma, lab[:, 2] * chroma))


def lobe(wavelength: Array, center: float, below: float, above: float) -> Array:
    width = np.where(wavelength < center, below, above)
    return np.exp(-0.5 * ((wavelength - center) / width) ** 2)


def wyman_responses(w: Array) -> Array:
    """Wyman, Sloan and Shirley 2013, table 1."""
    return columns(
        1.056 * lobe(w, 599.8, 37.9, 31.0)
        + 0.362 * lobe(w, 442.0, 16.0, 26.7)
        - 0.065 * lobe(w, 501.1, 20.4, 26.2),
        0.821 * lobe(w, 568.8, 46.9, 40.5) + 0.286 * lobe(w, 530.9, 16.3, 31.1),
        1.217 * lobe(w, 437.0, 11.8, 36.0) + 0.681 * lobe(w, 459.0, 26.0, 13.8),
    )


def spectral_color(wavelength: Array, intensity: Array, desaturate: Array, even: Array) -> Array:
    """By the fit, which is held against the CIE's table: 0.024 is the largest difference."""
    assert np.abs(wyman_responses(WAVELENGTHS) - RESPONSES).max() < 0.024
    seen = wyman_responses(wavelength)
    color = np.linalg.solve(TO_XYZ, seen.T).T
    share = desaturate[:, None]
    shown = np.maximum((1 - share) * color + share * within_gamut(color), 0)
    level = 1 - even + even / (shown.max(axis=1) + 0.06)
    return shown * (intensity * level)[:, None]


def glow_xyz(temperature: Array) -> Array:
    """Planck's law, beside that at 555 nm and 6500 K, summed over the CIE's table."""
    second = 1.438776877e7  # nm K
    exponent = second / (WAVELENGTHS * temperature[:, None])
    power = (555 / WAVELENGTHS) ** 5 * np.expm1(second / (555 * 6500)) / np.expm1(exponent)
    return power @ RESPONSES


def blackbody(temperature: Array, scale: Array, reference: Array) -> dict[str, Array]:
    seen = glow_xyz(temperature)
    color = np.linalg.solve(TO_XYZ, (seen / seen[:, 1:2]).T).T
    brightness = seen[:, 1] / glow_xyz(reference)[:, 1]
    shown = within_gamut(color) * scale[:, None]
    return {
        "Result.color": shown,
        "Result.glow": shown * brightness[:, None],
        "Result.brightness": brightness,
    }


def film_reflectance(
    wavelength: Array, thickness: Array, film: Array, cosine: Array, base: Array
) -> Array:
    """Of one layer and unpolarized light, by the matrix of the layer: Born and Wolf, 1.6."""
    sine2 = 1 - cosine**2
    along = [cosine + 0j, np.sqrt(film**2 - sine2 + 0j), np.sqrt(base**2 - sine2 + 0j)]
    phase = 2 * np.pi / wavelength * thickness * along[1]
    total = np.zeros(np.broadcast_shapes(wavelength.shape, thickness.shape))
    for polarized in ("s", "p"):
        outer, layer, inner = (
            k if polarized == "s" else n**2 / k
            for n, k in zip((1 + 0j, film, base), along, strict=True)
        )
        field = np.cos(phase) - 1j * np.sin(phase) * inner / layer
        current = inner * np.cos(phase) - 1j * np.sin(phase) * layer
        total += np.abs((outer * field - current) / (outer * field + current)) ** 2 / 2
    return total


def thin_film_color(
    thickness: Array, film_ior: Array, cosine: Array, base_ior: Array, base_extinction: Array
) -> Array:
    """Summed over the CIE's table, each nanometre."""
    wavelengths = np.arange(380, 781.0)
    eye = columns(*(np.interp(wavelengths, WAVELENGTHS, RESPONSES[:, k]) for k in range(3)))
    base = base_ior + 1j * base_extinction
    numbers = [n[:, None] for n in (thickness, film_ior, np.maximum(cosine, 1e-3), base)]
    xyz = film_reflectance(wavelengths, *numbers) @ (eye / eye.sum(axis=0))
    return np.maximum(np.linalg.solve(TO_XYZ, (xyz * TO_XYZ.sum(axis=1)).T).T, 0)


CASES = {
    "oklab_mix": Case(
        oklab_mix,
        draws={"color1": (0, 1), "color2": (0, 1)},
        wrt=("color1", "color2", "factor"),
        gradient_draws={"color1": (0.1, 1), "color2": (0.1, 1)},
    ),
    "oklch_mix": Case(
        oklch_mix,
        draws={"color1": (0, 1), "color2": (0, 1), "path": (0, 3)},
        wrt=("color1", "color2", "factor"),
        gradient_draws={"color1": (0.1, 1), "color2": (0.1, 1)},
        # Hues that differ by half a turn turn either way.
        edges=0.002,
    ),
    "agx_curve": Case(
        agx_curve,
        draws={"color": (0, 4)},
        wrt=(
            "color",
            "exposure",
            "contrast",
            "saturation",
            "toe",
            "shoulder",
            "stops_below",
            "stops_above",
            "inset",
        ),
        gradient_draws={
            "color": (0.02, 1),
            "exposure": (-1, 1),
            "contrast": (2, 3),
            "saturation": (0.8, 1.2),
            "stops_below": (9, 11),
            "stops_above": (6, 7),
        },
    ),
    "filmic_curve": Case(
        filmic_curve,
        draws={"color": (0, 4), "linear_angle": (0.05, 1), "toe_numerator": (0, 0.02)},
        wrt=(
            "color",
            "exposure",
            "white",
            "shoulder",
            "toe",
            "linear_strength",
            "linear_angle",
            "toe_numerator",
            "toe_denominator",
        ),
        gradient_draws={
            "color": (0.3, 2),
            "exposure": (0, 2),
            "white": (5, 15),
            "shoulder": (0.1, 0.5),
            "toe": (0.1, 0.5),
            "linear_strength": (0.2, 0.5),
            "linear_angle": (0.2, 0.5),
            "toe_numerator": (0.005, 0.02),
            "toe_denominator": (0.2, 0.5),
        },
    ),
    "cosine_palette": Case(
        cosine_palette,
        draws={"factor": (-2, 2), "bias": (0, 1), "amplitude": (0, 1), "phase": (0, 1)},
        wrt=("factor", "bias", "amplitude", "frequency", "phase"),
    ),
    "hue_preserving_contrast": Case(
        hue_preserving_contrast,
        draws={"color": (0, 1)},
        wrt=("color", "contrast", "pivot", "keep_saturation"),
        gradient_draws={"color": (0.1, 1), "contrast": (0.5, 2), "pivot": (0.1, 1)},
    ),
    "spectral_color": Case(
        spectral_color,
        wrt=("wavelength", "intensity", "desaturate", "even"),
        # Away from where other channels are cut off.
        gradient_draws={"wavelength": (550, 600), "intensity": (0.5, 2), "desaturate": (0, 0.9)},
    ),
    "blackbody": Case(
        blackbody,
        draws={"temperature": (1000, 15000), "scale": (0, 2), "reference": (1000, 10000)},
        wrt=("temperature", "scale", "reference"),
        gradient_draws={
            "temperature": (2500, 6000),
            "scale": (0.5, 2),
            "reference": (3000, 6000),
        },
        # Of a weak blue next to a bright red, where Krystek's chromaticity differs by 0.0001.
        tolerance=1.5e-2,
    ),
    "thin_film_color": Case(
        thin_film_color,
        draws={"cosine": (0.3, 1)},
        wrt=("thickness", "film_ior", "cosine", "base_ior", "base_extinction"),
        gradient_draws={
            "thickness": (100, 500),
            "film_ior": (1.3, 2),
            "cosine": (0.4, 0.95),
            "base_ior": (1.2, 3),
            "base_extinction": (1, 4),
        },
        # Four Gaussians for the eye's responses and three orders.
        tolerance=0.09,
    ),
}
