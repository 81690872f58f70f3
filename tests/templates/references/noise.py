# SPDX-License-Identifier: Apache-2.0
"""References of the templates in node_templates/noise."""

from __future__ import annotations

import itertools

import numpy as np

from support.noise_primitives import (
    perlin_noise,
    perlin_noise_color,
    voronoi,
    white_noise,
    white_noise_color,
)
from support.template_cases import Case


def with_fourth(position, scale, fourth):
    return np.concatenate([position * scale[:, None], fourth[:, None]], axis=-1)


def octaves_of(places, count, gain, lacunarity, most=16):
    """Weights and values of octaves, (N, most); what is beyond a whole number blends means."""
    octave = np.arange(most)
    weights = gain[:, None] ** octave * (octave < count[:, None])
    return weights, perlin_noise(places[:, None] * (lacunarity[:, None] ** octave)[..., None])


def mean_of_octaves(places, count, gain, lacunarity):
    low, high = np.floor(count), np.ceil(count)
    means = []
    for whole in (low, high):
        weights, values = octaves_of(places, whole, gain, lacunarity)
        means.append((weights * values).sum(1) / weights.sum(1))
    return means[0] + (means[1] - means[0]) * (count - low)


def contrasted(values, contrast):
    return np.clip(0.5 + contrast * (values - 0.5), 0, 1)


def gradient_noise(position, scale, evolution, contrast):
    place = with_fourth(position, scale, evolution)
    value = perlin_noise(place)
    return {
        "Result.value": contrasted(value, contrast),
        "Result.signed_value": contrast * (2 * value - 1),
        "Result.color": contrasted(perlin_noise_color(place), contrast[:, None]),
    }


def fbm(position, scale, octaves, gain, lacunarity, contrast, evolution):
    place = with_fourth(position, scale, evolution)
    value = mean_of_octaves(place, octaves, gain, lacunarity)
    # Blender's three colors are noise at three places that only the engine knows.
    color = perlin_noise_color(place, octaves - 1, gain, lacunarity)
    return {
        "Result.value": contrasted(value, contrast),
        "Result.signed_value": contrast * (2 * value - 1),
        "Result.color": contrasted(color, contrast[:, None]),
    }


def domain_warp(position, scale, strength, octaves, gain, contrast, evolution):
    place = position * scale[:, None]
    detail = octaves - 1
    first = 2 * perlin_noise_color(with_fourth(position, scale, evolution), detail, gain) - 1
    second = 2 * perlin_noise_color(place + strength[:, None] * first, detail, gain) - 1
    warped = place + strength[:, None] * second
    value = mean_of_octaves(warped, octaves, gain, np.full_like(gain, 2))
    return {
        "Result.value": contrasted(value, contrast),
        "Result.first": first,
        "Result.second": second,
    }


def ridged_noise(position, scale, octaves, gain, lacunarity, sharpness):
    """Musgrave's sum, from the last octave to the first: each adds to what it lets through."""
    apart = np.array([0.618, 0.414, 0.732])
    places = [position * scale[:, None]]
    for _ in range(octaves - 1):
        places.append(places[-1] * lacunarity[:, None] + apart)
    ridges = [(1 - np.abs(2 * perlin_noise(place) - 1)) ** 2 for place in places]
    signals = ridges[:1]
    for ridge in ridges[1:]:
        signals.append(np.clip(sharpness * signals[-1], 0, 1) * ridge)
    weights = [gain**i for i in range(octaves)]
    total = sum(w * s for w, s in zip(weights, signals, strict=True))
    return {"Result.value": total / sum(weights), "Result.ridges": ridges[0]}


def curl_noise(position, scale, strength, octaves, gain, evolution):
    """The antisymmetric part of the differences' matrix, as a vector."""
    place = with_fourth(position, scale, evolution)
    half = 1 / 32
    jacobian = np.zeros((len(place), 3, 3))
    for axis in range(3):
        step = half * np.eye(4)[axis]
        ends = [perlin_noise_color(place + s * step, octaves - 1, gain) for s in (1, -1)]
        jacobian[:, :, axis] = (ends[0] - ends[1]) / (2 * half)
    skew = jacobian - jacobian.transpose(0, 2, 1)
    return 1.4 * strength[:, None] * np.stack([skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]], -1)


def simplex_noise(position, scale, dimensions):
    """All corners within reach, by brute force instead of those of one simplex."""
    k = 2 if dimensions == 0 else 3
    place = (position * scale[:, None])[:, :k]
    skew = (np.sqrt(k + 1) - 1) / k
    unskew = (1 - 1 / np.sqrt(k + 1)) / k
    base = np.floor(place + skew * place.sum(1, keepdims=True))
    value = np.zeros(len(place))
    gradient = np.zeros((len(place), 3))
    for offset in itertools.product((-1, 0, 1, 2), repeat=k):
        corner = base + offset
        way = place - (corner - unskew * corner.sum(1, keepdims=True))
        kernel = np.maximum(0.5 - (way**2).sum(1), 0)
        if k == 2:
            angle = 2 * np.pi * white_noise(corner)
            slope = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        else:
            slope = 2 * white_noise_color(corner) - 1
            slope /= np.linalg.norm(slope, axis=1, keepdims=True)
        ramp = (slope * way).sum(1)
        value += kernel**4 * ramp
        gradient[:, :k] += kernel[:, None] ** 4 * slope - 8 * (kernel**3 * ramp)[:, None] * way
    most = 99.204 if k == 2 else 107.65
    return {
        "Result.value": 0.5 + 0.5 * most * value,
        "Result.signed_value": most * value,
        "Result.gradient": most * gradient,
    }


def strewn_waves(coordinate, scale, direction, spread, waves, seed):
    """Window, way along the wave's direction and random number of each wave near a place."""
    place = coordinate * scale[:, None]
    base = np.floor(place)
    for x, y, wave in itertools.product((-1, 0, 1), (-1, 0, 1), range(waves)):
        cell = base + np.array([x, y])
        random = white_noise_color(np.column_stack([cell, seed + wave / 4]))
        way = place - cell - random[:, :2]
        window = np.maximum(1 - (way**2).sum(1), 0) ** 3
        angle = direction + spread * np.pi * (random[:, 2] - 0.5)
        yield window, way[:, 0] * np.cos(angle) + way[:, 1] * np.sin(angle), random[:, 2]


def gabor_noise(coordinate, scale, frequency, direction, spread, waves, seed):
    total = sum(
        window * np.cos(2 * np.pi * (frequency * along + 16 * random))
        for window, along, random in strewn_waves(coordinate, scale, direction, spread, waves, seed)
    )
    return np.clip(0.5 + total / (6 * np.sqrt(np.pi * waves / 14)), 0, 1)


def phasor_noise(coordinate, scale, frequency, direction, spread, phase, waves, seed):
    total = sum(
        window * np.exp(2j * np.pi * frequency * along)
        for window, along, _ in strewn_waves(coordinate, scale, direction, spread, waves, seed)
    )
    turned = total * np.exp(2j * np.pi * phase)
    return {
        "Result.wave": 0.5 + 0.5 * turned.imag / np.abs(turned),
        "Result.ramp": np.angle(turned) / (2 * np.pi) % 1,
        "Result.intensity": np.abs(total) / np.sqrt(np.pi * waves / 7),
    }


def worley_noise(position, scale, randomness, metric):
    place = position * scale[:, None]
    cell = voronoi(place, randomness)
    return {
        "Result.distance": np.linalg.norm(place - cell["position"], axis=1),
        "Result.second": cell["second"],
        "Result.edge": cell["edge"],
        "Result.random": cell["color"][:, 0],
        "Result.color": cell["color"],
        "Result.position": cell["position"] / scale[:, None],
    }


def worley_search(position, scale, randomness, metric, reach=2):
    """Sort all points of 125 cells by their distance."""
    place = position * scale[:, None]
    offsets = np.array(list(itertools.product(range(-reach, reach + 1), repeat=3)))
    cells = np.floor(place)[:, None] + offsets
    points = cells + 0.5 + randomness[:, None, None] * (white_noise_color(cells) - 0.5)
    order = 1 if metric == 1 else np.inf
    away = np.linalg.norm(points - place[:, None], ord=order, axis=2)
    nearest, second = np.argsort(away, axis=1)[:, :2].T
    row = np.arange(len(place))
    color = white_noise_color(cells[row, nearest] + 0.5)
    return {
        "Result.distance": away[row, nearest],
        "Result.second": away[row, second],
        "Result.edge": (away[row, second] - away[row, nearest]) / 2,
        "Result.random": color[:, 0],
        "Result.color": color,
        "Result.position": points[row, nearest] / scale[:, None],
    }


NEAR = {"position": (-3, 3), "coordinate": (-3, 3)}
FRACTAL = NEAR | {"octaves": (1, 5), "scale": (0.5, 4), "lacunarity": (1.5, 3)}
# Within one cell of the noise, away from the ends of contrast.
GENTLE = {
    "position": (0.05, 0.2),
    "scale": (1, 3),
    "contrast": (0.5, 0.9),
    "octaves": (2.2, 2.8),
    "evolution": (0.2, 0.8),
    "gain": (0.3, 0.7),
    "strength": (0.3, 0.6),
}
WAVES = NEAR | {"scale": (0.5, 4), "frequency": (0.5, 4)}
GENTLE_WAVES = {
    "coordinate": (0.05, 0.15),
    "scale": (1, 3),
    "frequency": (0.2, 0.6),
    "direction": (0.3, 0.5),
    "spread": (0.1, 0.3),
    "phase": (0.1, 0.2),
}

CASES = {
    "gradient_noise": Case(
        gradient_noise,
        draws=NEAR | {"scale": (0.5, 5)},
        wrt=("position", "scale", "evolution", "contrast"),
        gradient_draws=GENTLE,
    ),
    "fbm": Case(
        fbm,
        draws=FRACTAL,
        # The colors' derivative by lacunarity is too steep for differences: they lie far away.
        wrt=("position", "scale", "octaves", "gain", "contrast", "evolution"),
        gradient_draws=GENTLE,
    ),
    "domain_warp": Case(
        domain_warp,
        draws=FRACTAL | {"strength": (0, 2)},
        wrt=("position", "scale", "strength", "octaves", "gain", "contrast", "evolution"),
        gradient_draws=GENTLE | {"octaves": (1.2, 1.8)},
        step=0.01,  # colors are of places beyond 100
    ),
    "ridged_noise": Case(
        ridged_noise,
        draws=FRACTAL,
        build={"octaves": 4},
        wrt=("position", "scale", "gain", "lacunarity", "sharpness"),
        gradient_draws=GENTLE | {"sharpness": (0.5, 0.9)},
    ),
    "curl_noise": Case(
        curl_noise,
        draws=FRACTAL | {"strength": (-2, 2)},
        wrt=("position", "scale", "strength", "octaves", "gain", "evolution"),
        gradient_draws=GENTLE,
    ),
    "simplex_noise": Case(
        simplex_noise,
        draws=NEAR | {"scale": (0.5, 4)},
        build={"dimensions": "Dimensions.Three"},
        cases={"Dimensions.Three": 1},
        wrt=("position", "scale"),
        gradient_draws={"position": (0.2, 0.6), "scale": (0.5, 1)},
        edges=0.002,  # at the ends of numbers, where places have few digits
    ),
    "simplex_noise:plane": Case(
        simplex_noise,
        draws=NEAR | {"scale": (0.5, 4)},
        build={"dimensions": "Dimensions.Two"},
        cases={"Dimensions.Two": 0},
        wrt=("position", "scale"),
        gradient_draws={"position": (0.2, 0.6), "scale": (0.5, 1)},
        edges=0.002,  # at the ends of numbers, where places have few digits
    ),
    "gabor_noise": Case(
        gabor_noise,
        draws=WAVES,
        build={"waves": 2},
        wrt=("coordinate", "scale", "frequency", "direction", "spread"),
        gradient_draws=GENTLE_WAVES,
    ),
    "phasor_noise": Case(
        phasor_noise,
        draws=WAVES,
        build={"waves": 2},
        wrt=("coordinate", "scale", "frequency", "direction", "spread", "phase"),
        gradient_draws=GENTLE_WAVES,
        edges=0.002,  # where the ramp begins again
    ),
    "worley_noise": Case(
        worley_noise,
        draws=NEAR | {"scale": (0.5, 4)},
        build={"metric": "Metric.Euclidean"},
        cases={"Metric.Euclidean": 0},
        edges=0.01,  # between cells
    ),
    "worley_noise:manhattan": Case(
        worley_search,
        draws=NEAR | {"scale": (0.5, 4)},
        build={"metric": "Metric.Manhattan"},
        cases={"Metric.Manhattan": 1},
        edges=0.01,
    ),
    "worley_noise:chebyshev": Case(
        worley_search,
        draws=NEAR | {"scale": (0.5, 4)},
        build={"metric": "Metric.Chebyshev"},
        cases={"Metric.Chebyshev": 2},
        edges=0.01,
    ),
}
