# SPDX-License-Identifier: Apache-2.0
"""References of the templates in node_templates/shader."""

from __future__ import annotations

import numpy as np

from support.template_cases import Case


def dot(a, b):
    return np.sum(a * b, axis=-1)


def unit(random, count, least=0.0, length=1.0):
    """Directions at most so far from +z that their cosine is `least`."""
    z = random.uniform(least, 1, count)
    turn = random.uniform(0, 2 * np.pi, count)
    ring = np.sqrt(1 - z * z)
    return length * np.stack([ring * np.cos(turn), ring * np.sin(turn), z], axis=-1)


def microfacet(normal, view, light, base_color, roughness, metallic, irradiance):
    """Lobe D F G / (4 cos cos) and a coupled base, in angles: tangents instead of cosines."""
    cosine_in, cosine_out = dot(normal, light), dot(normal, view)
    seen = (cosine_in > 0) & (cosine_out > 0)
    cosine_in, cosine_out = (np.where(seen, c, 0.5) for c in (cosine_in, cosine_out))
    half = light + view
    half = np.where(seen[:, None], half, normal)
    half /= np.sqrt(dot(half, half))[:, None]
    width = np.maximum(roughness**2, 0.0009)
    cosine = np.clip(dot(normal, half), 0, 1)
    # Walter et al. 2007, equation 33, and the Lambda of Heitz 2014, equation 72.
    tangent2 = 1 / cosine**2 - 1
    density = width**2 / (np.pi * cosine**4 * (width**2 + tangent2) ** 2)

    def shadow(c):
        return (np.sqrt(1 + width**2 * (1 / c**2 - 1)) - 1) / 2

    masking = 1 / (1 + shadow(cosine_in) + shadow(cosine_out))
    lobe = density * masking / (4 * cosine_in * cosine_out)
    reflectance = 0.04 + (base_color - 0.04) * metallic[:, None]
    grazing = (1 - np.clip(dot(view, half), 0, 1)) ** 5
    fresnel = reflectance * (1 - grazing[:, None]) + grazing[:, None]
    # Shirley et al. 1997: what the interface lets in and out again, 21 / (20 pi).
    passing = (1 - (1 - cosine_in) ** 5) * (1 - (1 - cosine_out) ** 5)
    base = 21 / (20 * np.pi) * (1 - reflectance) * passing[:, None] * base_color
    total = base * (1 - metallic)[:, None] + fresnel * lobe[:, None]
    return np.where(seen[:, None], total * cosine_in[:, None] * irradiance, 0)


CASES = {
    "microfacet": Case(
        microfacet,
        draws={
            "normal": unit,
            "view": lambda random, count: unit(random, count, -0.3),
            "light": lambda random, count: unit(random, count, -0.3),
            "roughness": (0.1, 1),
            "base_color": (0, 1),
            "irradiance": (0, 4),
        },
        wrt=(
            "normal",
            "view",
            "light",
            "base_color",
            "roughness",
            "metallic",
            "irradiance",
        ),
        # The cosine between the normal and the half vector is clamped to 1: a normal of length 1
        # that moves along the half vector crosses the clamp.
        gradient_draws={
            "normal": lambda random, count: unit(random, count, 0.8, 0.99),
            "view": lambda random, count: unit(random, count, 0.8),
            "light": lambda random, count: unit(random, count, 0.8),
            "base_color": (0.1, 0.9),
            "roughness": (0.3, 0.9),
            "metallic": (0.1, 0.9),
            "irradiance": (0.5, 3),
        },
    ),
}
