# SPDX-License-Identifier: Apache-2.0
"""Deformations in double precision: as complex numbers and integrals; normals from differences."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import weft
from support.template_cases import Case

Array = np.ndarray[Any, Any]
Deformation = Callable[[Array], Array]


def unit(v: Array) -> Array:
    return v / np.maximum(np.linalg.norm(v, axis=1), 1e-6)[:, None]


def jacobian(deform: Deformation, p: Array, step: float = 1e-6) -> Array:
    """Derivatives by differences, (N, 3, 3): of each result by each coordinate."""
    columns = [(deform(p + step * e) - deform(p - step * e)) / (2 * step) for e in np.eye(3)]
    return np.stack(columns, 2)


def turned_normal(deform: Deformation, p: Array, normal: Array) -> Array:
    """Normal of a surface that is deformed: the determinant times the inverse transpose."""
    at = jacobian(deform, p)
    cofactors = np.linalg.det(at)[:, None, None] * np.linalg.inv(at).transpose(0, 2, 1)
    return unit(np.einsum("nij,nj->ni", cofactors, normal))


def about_axis(axis: Array, center: Array, deform: Deformation) -> Deformation:
    """A deformation along Z, done along another axis through a place."""

    def deformed(p: Array) -> Array:
        which = axis[:, None] * np.ones(3, int)
        local = np.choose(which, [np.roll(p - center, k, axis=1) for k in (-1, 1, 0)])
        moved = deform(local)
        return np.choose(which, [np.roll(moved, k, axis=1) for k in (1, -1, 0)]) + center

    return deformed


def share(z: Array, lower: Array, upper: Array) -> Array:
    return np.clip((z - lower) / np.maximum(upper - lower, 1e-6), 0, 1)


def twist(
    position: Array,
    normal: Array,
    axis: Array,
    angle: Array,
    lower: Array,
    upper: Array,
    center: Array,
) -> dict[str, Array]:
    def along_z(p: Array) -> Array:
        flat = (p[:, 0] + 1j * p[:, 1]) * np.exp(1j * angle * share(p[:, 2], lower, upper))
        return np.stack([flat.real, flat.imag, p[:, 2]], 1)

    deform = about_axis(axis, center, along_z)
    return {
        "Result.position": deform(position),
        "Result.normal": turned_normal(deform, position, normal),
    }


def taper(
    position: Array,
    normal: Array,
    axis: Array,
    scale: Array,
    bulge: Array,
    lower: Array,
    upper: Array,
    center: Array,
) -> dict[str, Array]:
    def wide(p: Array) -> Array:
        t = share(p[:, 2], lower, upper)
        return (1 - t) ** 2 + scale * t**2 + t * (1 - t) * (1 + scale + 4 * bulge)

    def along_z(p: Array) -> Array:
        return np.stack([p[:, 0] * wide(p), p[:, 1] * wide(p), p[:, 2]], 1)

    deform = about_axis(axis, center, along_z)
    which = axis[:, None] * np.ones(3, int)
    local = np.choose(which, [np.roll(position - center, k, axis=1) for k in (-1, 1, 0)])
    return {
        "Result.position": deform(position),
        "Result.normal": turned_normal(deform, position, normal),
        "Result.scale": wide(local),
    }


def bend(
    position: Array,
    normal: Array,
    axis: Array,
    angle: Array,
    lower: Array,
    upper: Array,
    center: Array,
) -> dict[str, Array]:
    places, weights = np.polynomial.legendre.leggauss(48)
    curvature = angle / np.maximum(upper - lower, 1e-6)

    def along_z(p: Array) -> Array:
        within = np.clip(p[:, 2], lower, upper) - lower
        beyond = p[:, 2] - lower - within
        ways = within[:, None] * (places + 1) / 2
        arc = (np.exp(1j * curvature[:, None] * ways) * weights).sum(1) * within / 2
        end = np.exp(1j * curvature * within)
        place = lower + arc + (beyond + 1j * p[:, 0]) * end
        return np.stack([place.imag, p[:, 1], place.real], 1)

    deform = about_axis(axis, center, along_z)
    return {
        "Result.position": deform(position),
        "Result.normal": turned_normal(deform, position, normal),
    }


def white_noise_color(p: Array) -> Array:
    text = "import weft.noise; float3 noise(float2 p) { return whiteNoiseColor(p); }"
    graph = weft.lower(None, "noise", text=text, to="dag")
    return graph.evaluate({"p": p.astype(np.float32)})["Result"].astype(np.float64)


def gerstner_waves(
    position: Array,
    time: Array,
    waves: int,
    wavelength: Array,
    height: Array,
    choppiness: Array,
    direction: Array,
    spread: Array,
    length_ratio: Array,
    height_ratio: Array,
    gravity: Array,
    seed: Array,
) -> dict[str, Array]:
    draws = [white_noise_color(np.stack([seed, np.full(len(seed), i)], 1)).T for i in range(waves)]

    def water(p: Array) -> Array:
        moved = p.astype(complex)
        for i, draw in enumerate(draws):
            length = wavelength * length_ratio**i
            lift = height * height_ratio**i
            way = np.exp(1j * (direction + spread * (draw[0] - 0.5)))
            run = (p[:, 0] * way.real + p[:, 1] * way.imag) / length
            period = np.sqrt(2 * np.pi * length / gravity)
            circle = np.exp(2j * np.pi * (run - time / period + draw[1]))
            across = choppiness * np.minimum(lift, length / (2 * np.pi * waves))
            moved[:, 0] -= across * way.real * circle.imag
            moved[:, 1] -= across * way.imag * circle.imag
            moved[:, 2] += lift * circle.real
        return moved.real

    at = jacobian(water, position)
    normal = np.cross(at[:, :, 0], at[:, :, 1])
    return {
        "Result.position": water(position),
        "Result.normal": unit(normal),
        "Result.foam": np.clip(1 - np.linalg.det(at[:, :2, :2]), 0, 1),
    }


def wind(
    position: Array,
    root: Array,
    random: Array,
    time: Array,
    height: Array,
    strength: Array,
    direction: Array,
    stiffness: Array,
    gust_speed: Array,
    gust_size: Array,
    flutter: Array,
    flutter_speed: Array,
    flutter_size: Array,
    looseness: Array,
) -> dict[str, Array]:
    golden = (1 + np.sqrt(5)) / 2
    arm = position - root
    up = np.clip(arm[:, 2] / height, 0, 1)
    downwind = np.stack([np.cos(direction), np.sin(direction), np.zeros_like(direction)], 1)
    crosswind = np.stack([-np.sin(direction), np.cos(direction), np.zeros_like(direction)], 1)
    cycles = random + (time * gust_speed - (root * downwind).sum(1)) / gust_size
    turn = 2 * np.pi * (cycles - np.floor(cycles))
    second = np.sin(golden**2 * 2 * np.pi * cycles + 1.3)
    gust = (10 + 7 * np.sin(turn) + 3 * second) / 20
    lean = np.where(up > 0, up**stiffness, 0) * strength * gust
    bent = unit(arm + lean[:, None] * downwind) * np.linalg.norm(arm, axis=1)[:, None]
    beat = flutter_speed * time + random + arm @ [0.86, 1.12, 0.58] / flutter_size
    shake = flutter * looseness * up * (0.4 + 0.6 * gust)
    sway = np.sin(2 * np.pi * beat)[:, None] * crosswind
    sway[:, 2] = 0.7 * np.sin(2 * np.pi * golden * beat + 2.1)
    return {
        "Result.position": root + bent + shake[:, None] * sway,
        "Result.gust": gust,
    }


def lattice(
    position: Array, normal: Array, influence: Array, center: Array, size: Array, **corners: Array
) -> dict[str, Array]:
    smooth = influence.astype(bool)[:, None]

    def deform(p: Array) -> Array:
        t = np.clip((p - center) / size + 0.5, 0, 1)
        near = np.where(smooth, 3 * t**2 - 2 * t**3, t)
        moved = p.copy()
        for where in itertools.product((0, 1), repeat=3):
            weight = np.prod(np.where(np.array(where, bool), near, 1 - near), axis=1)
            moved += weight[:, None] * corners["corner_" + "".join(map(str, where))]
        return moved

    return {
        "Result.position": deform(position),
        "Result.normal": turned_normal(deform, position, normal),
    }


def directions(random: np.random.Generator, size: int) -> Array:
    return unit(random.normal(size=(size, 3)))


def axes(random: np.random.Generator, size: int) -> Array:
    return random.integers(0, 3, size)


def above(random: np.random.Generator, size: int) -> Array:
    return random.uniform([-1, -1, 0.1], [1, 1, 1.5], (size, 3))


LIMITS = {
    "position": (-2, 2),
    "normal": directions,
    "axis": axes,
    "lower": (-3, -0.2),
    "upper": (0.2, 3),
    "center": (-0.5, 0.5),
}
CORNERS = ["corner_" + "".join(map(str, where)) for where in itertools.product((0, 1), repeat=3)]

CASES = {
    "twist": Case(
        twist,
        draws=LIMITS,
        wrt=("position", "normal", "angle", "lower", "upper", "center"),
        edges=0.002,
    ),
    "taper": Case(
        taper,
        draws={**LIMITS, "scale": (-1, 3)},
        wrt=("position", "normal", "scale", "bulge", "lower", "upper", "center"),
        gradient_draws={"scale": (0.5, 3), "bulge": (0, 0.5)},
        edges=0.004,
    ),
    "bend": Case(
        bend,
        draws=LIMITS,
        wrt=("position", "normal", "angle", "lower", "upper", "center"),
        gradient_draws={"angle": (0.2, 0.8)},
        edges=0.004,
    ),
    "gerstner_waves": Case(
        gerstner_waves,
        draws={
            "position": (-10, 10),
            "time": (0, 10),
            "wavelength": (2, 20),
            "gravity": (5, 15),
            "seed": lambda random, size: random.integers(0, 100, size),
        },
        build={"waves": 4},
        wrt=("position", "time", "wavelength", "height", "choppiness", "direction", "spread"),
        gradient_draws={"height": (0.1, 0.3), "time": (0, 2), "wavelength": (8, 12)},
        tolerance=2e-4,
    ),
    "wind": Case(
        wind,
        draws={
            "position": above,
            "root": (-0.1, 0.1),
            "time": (0, 10),
            "height": (0.5, 3),
            "gust_speed": (0, 5),
            "flutter_size": (0.2, 2),
            "strength": (0, 1),
        },
        wrt=("position", "root", "strength", "direction", "stiffness", "flutter", "looseness"),
        tolerance=2e-4,
    ),
    "lattice": Case(
        lattice,
        draws={
            "position": (-1.5, 1.5),
            "normal": directions,
            "influence": lambda random, size: random.integers(0, 2, size),
            "center": (-0.2, 0.2),
            "size": (1, 3),
            **dict.fromkeys(CORNERS, (-0.3, 0.3)),
        },
        wrt=("position", "normal", "center", "size", *CORNERS),
        edges=0.002,
    ),
}
