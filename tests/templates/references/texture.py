# SPDX-License-Identifier: Apache-2.0
"""References of the templates in node_templates/texture."""

from __future__ import annotations

import numpy as np

from support.noise_primitives import perlin_noise
from support.template_cases import Case


def fractal_noise(position, scale, octaves, lacunarity, gain):
    """Mean of octaves, weighted with their amplitudes, each at a whole octave's place."""
    position = position * scale[:, None]
    octave = np.arange(16)
    weights = gain[:, None] ** octave * (octave < octaves[:, None])
    frequencies = lacunarity[:, None] ** octave
    places = position[:, None] * frequencies[..., None]
    return (weights * perlin_noise(places)).sum(1) / weights.sum(1)


CASES = {
    "fractal_noise": Case(
        fractal_noise,
        draws={"octaves": (1, 6), "scale": (0.5, 5), "lacunarity": (1.5, 3)},
        wrt=("position", "scale", "lacunarity", "gain"),
        gradient_draws={
            "position": (0.1, 0.9),
            "scale": (1, 2),
            "octaves": (3, 3),
            "gain": (0.3, 0.7),
        },
    ),
}
