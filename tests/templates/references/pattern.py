# SPDX-License-Identifier: Apache-2.0
"""Patterns in double precision: by looking at each neighbour, by curves, by tables of drafts."""

from __future__ import annotations

from typing import Any

import numpy as np

from support.noise_primitives import (
    perlin_noise,
    perlin_noise_color,
    voronoi,
    white_noise,
    white_noise_color,
)
from support.template_cases import Case
from templates.references.pattern_cloth import columns, knit, weave

Array = np.ndarray[Any, Any]


def smooth(t: Array) -> Array:
    """The cubic with level ends, as the integral of 6 t (1 - t)."""
    t = np.clip(t, 0, 1)
    return 3 * t**2 - 2 * t**3


def mixed(a: Array, b: Array, share: Array) -> Array:
    return a + (b - a) * share[:, None]


def hexagons(
    coordinate: Array, scale: Array, gap: Array, bevel: Array, seed: Array
) -> dict[str, Array]:
    """The nearest point of the lattice, then the nearest of the bisectors to its six neighbours."""
    place = coordinate * scale[:, None]
    lattice = np.array([1, np.sqrt(3)])
    base = np.floor(place / lattice)
    steps = [(i / 2, j / 2) for i in range(-2, 5) for j in range(-2, 5) if (i + j) % 2 == 0]
    cells = base[:, None] + np.array([s for s in steps if (2 * s[0]) % 2 == (2 * s[1]) % 2])
    gone = np.linalg.norm(place[:, None] - cells * lattice, axis=2)
    cell = cells[np.arange(len(place)), np.argmin(gone, axis=1)]
    local = place - cell * lattice
    turns = np.exp(1j * np.pi / 3 * np.arange(6))
    across = local[:, :1] * turns.real + local[:, 1:] * turns.imag
    distance = np.min(0.5 - across, axis=1)
    return {
        "Result.distance": distance,
        "Result.height": smooth((distance - gap / 2) / np.maximum(bevel, 1e-4)),
        "Result.random": white_noise(columns(cell[:, 0], cell[:, 1], seed)),
        "Result.position": local,
    }


def bricks(
    coordinate: Array,
    scale: Array,
    color1: Array,
    color2: Array,
    mortar_color: Array,
    mortar: Array,
    bevel: Array,
    roundness: Array,
    length: Array,
    offset: Array,
    rotation: Array,
    offset_variation: Array,
    size_variation: Array,
    tilt_variation: Array,
    height_variation: Array,
    softness: Array,
    seed: Array,
) -> dict[str, Array]:
    """Distances by the nearest point of the rectangle within the round corners."""
    place = (coordinate @ np.array([1, 1j])) * scale * np.exp(-1j * rotation)
    row = np.floor(place.imag)
    along = place.real / length - offset * row
    along -= offset_variation * white_noise(columns(row, seed))
    column = np.floor(along)
    chance = white_noise_color(columns(column, row, seed))
    flat = (along - column - 0.5) * length + 1j * (place.imag - row - 0.5)
    turned = flat * (1 - 1j * tilt_variation * (2 * chance[:, 1] - 1))
    local = columns(turned.real, turned.imag)

    less = mortar + size_variation * chance[:, 2]
    room = np.maximum(columns(length - less, 1 - less) / 2, 0)
    radius = np.minimum(roundness, room.min(1))
    core = room - radius[:, None]
    outside = np.linalg.norm(local - np.clip(local, -core, core), axis=1)
    inside = np.min(core - np.abs(local), axis=1)
    distance = radius + np.where(inside > 0, inside, -outside)
    share = smooth(distance / np.maximum(softness, 1e-4) + 0.5)
    return {
        "Result.color": mixed(mortar_color, mixed(color1, color2, chance[:, 0]), share),
        "Result.distance": distance,
        "Result.height": smooth(distance / np.maximum(bevel, 1e-4))
        * (1 - height_variation * chance[:, 2]),
        "Result.random": chance[:, 0],
        "Result.position": local,
    }


def planks(
    coordinate: Array,
    scale: Array,
    color1: Array,
    color2: Array,
    gap_color: Array,
    gap: Array,
    bevel: Array,
    length: Array,
    grain: Array,
    length_variation: Array,
    offset: Array,
    offset_variation: Array,
    height_variation: Array,
    softness: Array,
    seed: Array,
) -> dict[str, Array]:
    """All ends of a row's planks near the place, in order: the last before it and the next."""
    place = coordinate * scale[:, None]
    row = np.floor(place[:, 1])
    x = place[:, 0] / length - offset * row
    x -= offset_variation * white_noise(columns(row, seed))
    numbers = np.floor(x)[:, None] + np.arange(-3, 5)
    chances = white_noise_color(columns(numbers, row[:, None], seed[:, None]))
    ends = numbers + 0.9 * length_variation[:, None] * (chances[..., 0] - 0.5)
    own = np.sum(ends <= x[:, None], axis=1) - 1
    rows = np.arange(len(x))
    first, last, chance = ends[rows, own], ends[rows, own + 1], chances[rows, own]

    across = place[:, 1] - row
    edges = columns((x - first) * length, (last - x) * length, across, 1 - across)
    distance = edges.min(1) - gap / 2
    layer = columns((x - first) * length, across, 64 * chance[:, 1])
    fibre = perlin_noise(layer * np.array([0.5, 8, 1]), 3, 0.6)
    tone = np.clip(chance[:, 1] + grain * (fibre - 0.5), 0, 1)
    share = smooth(distance / np.maximum(softness, 1e-4) + 0.5)
    return {
        "Result.color": mixed(gap_color, mixed(color1, color2, tone), share),
        "Result.distance": distance,
        "Result.height": smooth(distance / np.maximum(bevel, 1e-4))
        * (1 - height_variation * chance[:, 2]),
        "Result.random": chance[:, 1],
        "Result.position": columns((x - first) / np.maximum(last - first, 1e-3), across),
        "Result.grain": layer,
    }


def nearest_column(x: Array, row: Array) -> Array:
    """Among the middles of a row's scales, whole numbers or half numbers, that nearest to x."""
    middles = np.floor(x)[:, None] + np.arange(-2, 3) + np.where(row % 2 == 1, 0.5, 0)[:, None]
    return middles[np.arange(len(x)), np.argmin(np.abs(middles - x[:, None]), axis=1)]


def tip_norm(across: Array, down: Array, power: Array) -> Array:
    return (np.maximum(across, 1e-6) ** power + np.maximum(down, 1e-6) ** power) ** (1 / power)


def tip_distance(across: Array, down: Array, power: Array, hang: Array) -> Array:
    """To first order, with differences of the norm in place of its derivatives."""
    small = 1e-7
    by_x = tip_norm(across + small, down, power) - tip_norm(across - small, down, power)
    by_y = tip_norm(across, down + small, power) - tip_norm(across, down - small, power)
    steep = np.hypot(2 * by_x, by_y / hang) / (2 * small)
    return (1 - tip_norm(across, down, power)) / steep


def fish_scales(
    coordinate: Array,
    scale: Array,
    color1: Array,
    color2: Array,
    edge_color: Array,
    row_height: Array,
    tip: Array,
    roundness: Array,
    edge: Array,
    bevel: Array,
    slope: Array,
    height_variation: Array,
    occlusion: Array,
    seed: Array,
) -> dict[str, Array]:
    """From the top row down, the first whose lower outline is below the place."""
    x, y = coordinate[:, 0] * scale, coordinate[:, 1] * scale / row_height
    number, center = np.full(len(x), np.nan), np.zeros(len(x))
    for step in (2, 1, 0, -1):
        row = np.floor(y) + step
        middle = nearest_column(x, row)
        aside = 2 * np.abs(x - middle)
        hang = tip * np.maximum(1 - aside**roundness, 0) ** (1 / roundness)
        seen = np.isnan(number) & (y > row - hang)
        number, center = np.where(seen, row, number), np.where(seen, middle, center)

    aside, down = 2 * np.abs(x - center), (number - y) / tip
    own = tip_distance(aside, down, roundness, tip * row_height)
    distance = np.where(down > 0, own, 0.5 - aside / 2)
    upper = np.where(down > 0, number + 1, np.floor(y) + 1)
    upside = 2 * np.abs(x - nearest_column(x, upper))
    cover = -tip_distance(upside, (upper - y) / tip, roundness, tip * row_height)
    from_tip = (y - (number - tip)) / (1 + tip)
    chance = white_noise_color(columns(center, number, seed))
    color = mixed(color1, color2, chance[:, 0]) * (1 - occlusion * from_tip**2)[:, None]
    round_ = smooth(distance / np.maximum(bevel, 1e-4))
    flat = 1 - height_variation * chance[:, 1]
    return {
        "Result.color": mixed(edge_color, color, smooth(np.minimum(distance, cover) / edge)),
        "Result.distance": distance,
        "Result.cover": cover,
        "Result.height": (1 - slope * from_tip) * (0.6 + 0.4 * round_) * flat,
        "Result.random": chance[:, 0],
        "Result.position": columns(x - center, from_tip),
    }


def truchet(
    coordinate: Array, scale: Array, width: Array, roundness: Array, balance: Array, seed: Array
) -> dict[str, Array]:
    """Both circles of a tile; areas are those of the even and the odd corners of the grid."""
    place = coordinate * scale[:, None]
    tile = np.floor(place)
    chance = white_noise_color(columns(tile[:, 0], tile[:, 1], seed))
    turned = chance[:, 0] < balance
    corners = np.where(turned[:, None, None], [[1, 0], [0, 1]], [[0, 0], [1, 1]])
    gone = place[:, None] - tile[:, None] - corners
    nearer = np.argmin(np.linalg.norm(gone, axis=2), axis=1)
    away, corner = gone[np.arange(len(tile)), nearer], corners[np.arange(len(tile)), nearer]
    radius = np.linalg.norm(away, axis=1)
    odd = (tile + corner).sum(1) % 2 == 1
    distance = np.abs(np.linalg.norm(gone, axis=2) - 0.5).min(1)
    across = distance / (np.maximum(width, 1e-4) / 2)
    round_ = np.sqrt(np.maximum(1 - across**2, 1e-6))
    inward = away * np.where(corner == 1, -1, 1)
    angle = np.angle(inward @ np.array([1, 1j]))
    return {
        "Result.distance": distance,
        "Result.height": np.where(across < 1, 1 + roundness * (round_ - 1), 0),
        "Result.side": (odd != (radius < 0.5)).astype(float),
        "Result.random": chance[:, 1],
        "Result.position": columns(angle / (np.pi / 2), radius - 0.5),
    }


def cracks(
    position: Array,
    scale: Array,
    width: Array,
    width_variation: Array,
    irregularity: Array,
    detail: Array,
    roughness: Array,
    randomness: Array,
) -> dict[str, Array]:
    place = position * scale[:, None]
    noise = perlin_noise_color(place, detail, roughness)
    bent = place + irregularity[:, None] * (2 * noise - 1)
    cell = voronoi(bent, randomness)
    wide = perlin_noise(0.7 * place + 31, 1)
    opening = 1 + width_variation * (4 * wide - 2) - width_variation**2
    height = smooth(cell["edge"] / np.maximum(width * opening / 2, 0.5e-4))
    return {
        "Result.distance": cell["edge"],
        "Result.height": height,
        "Result.mask": 1 - height,
        "Result.random": cell["color"][:, 0],
    }


def roof_tiles(
    coordinate: Array,
    scale: Array,
    color1: Array,
    color2: Array,
    length: Array,
    cover_width: Array,
    taper: Array,
    lift: Array,
    shift: Array,
    length_variation: Array,
    occlusion: Array,
    seed: Array,
) -> dict[str, Array]:
    """Of the pan, and of the covers on both sides of it, the highest that is there."""
    x, y = coordinate[:, 0] * scale, coordinate[:, 1] * scale / length
    pan = np.floor(x)
    tiles = []
    for middle in (pan + 0.5, pan, pan + 1):
        is_cover = middle[0] == np.floor(middle[0])
        up = y - is_cover * shift - length_variation * white_noise(columns(middle, seed))
        row = np.floor(up)
        own = up - row
        narrower = 1 - is_cover * taper * own
        half = np.where(is_cover, cover_width / 2, 0.5) * narrower
        across = (x - middle) / half
        random = white_noise(columns(middle, row, seed))
        arch = np.sqrt(np.maximum(1 - across**2, 1e-6))
        high = 0.3 + 0.7 * arch * narrower if is_cover else 0.3 * (1 - arch)
        there = (np.abs(across) < 1) | (not is_cover)
        tiles.append((there & is_cover, own, across, random, arch, high, half))
    side = x - pan > 0.5
    half = np.where(side, tiles[2][6], tiles[1][6])
    gap = np.abs(x - pan - side) - half
    chosen = np.where(tiles[1][0], 1, np.where(tiles[2][0], 2, 0))
    is_cover, own, across, random, arch, high, _ = (
        np.choose(chosen, [tile[k] for tile in tiles]) for k in range(7)
    )
    shade = np.where(is_cover, 0.4 + 0.6 * arch, smooth(gap / 0.25))
    deep = 1 - shade * (1 - 0.7 * smooth(6 * own - 5))
    return {
        "Result.color": mixed(color1, color2, random) * (1 - occlusion * deep)[:, None],
        "Result.height": (high + lift * (1 - own)) / (1 + lift),
        "Result.distance": np.minimum(np.abs(gap), own * length),
        "Result.cover": is_cover.astype(float),
        "Result.random": random,
        "Result.position": columns(across, own),
    }


NEAR = {"coordinate": (-1.0, 1.0)}
COLORS = {name: (0.0, 1.0) for name in ("color1", "color2", "mortar_color", "gap_color", "color")}
COLORS |= {name: (0.0, 1.0) for name in ("edge_color", "warp_color", "weft_color")}
CLOTH = {"scale": (2.0, 12.0)}


def woven(name: str, number: int) -> Case:
    return Case(
        weave,
        draws=COLORS,
        wrt=("coordinate", "scale", "width", "roundness", "crimp", "twist", "warp_color"),
        gradient_draws=NEAR | CLOTH,
        build={"draft": f"Draft.{name}"},
        cases={f"Draft.{name}": number},
        edges=0.002,
    )


CASES = {
    "hexagons": Case(
        hexagons,
        wrt=("coordinate", "scale", "gap", "bevel"),
        gradient_draws=NEAR | {"bevel": (0.3, 0.5)},
        edges=0.002,
    ),
    "bricks": Case(
        bricks,
        draws=COLORS,
        wrt=(
            *("coordinate", "scale", "color1", "color2", "mortar_color", "mortar", "bevel"),
            *("roundness", "length", "offset", "rotation", "offset_variation", "size_variation"),
            *("tilt_variation", "height_variation", "softness"),
        ),
        gradient_draws=NEAR
        | {"bevel": (0.3, 0.5), "softness": (0.1, 0.2), "scale": (1.0, 4.0), "rotation": (-1, 1)},
        edges=0.002,
    ),
    "planks": Case(
        planks,
        draws=COLORS,
        wrt=(
            *("coordinate", "scale", "color1", "color2", "gap_color", "gap", "bevel", "length"),
            *("length_variation", "offset", "offset_variation", "height_variation", "softness"),
            "grain",
        ),
        gradient_draws=NEAR
        | {"bevel": (0.3, 0.5), "softness": (0.1, 0.2), "grain": (0.0, 0.5), "scale": (0.5, 2.0)},
        edges=0.002,
    ),
    "fish_scales": Case(
        fish_scales,
        draws=COLORS | {"edge": (0.01, 0.3)},
        wrt=(
            *("coordinate", "scale", "color1", "color2", "edge_color", "row_height", "tip"),
            *("roundness", "edge", "bevel", "slope", "height_variation", "occlusion"),
        ),
        gradient_draws=NEAR
        | {"bevel": (0.3, 0.5), "edge": (0.2, 0.3), "scale": (0.5, 1.5), "row_height": (0.4, 1.0)}
        | {"roundness": (1.2, 4.0), "tip": (0.5, 1.0)},
        edges=0.002,
    ),
    "weave": woven("Plain", 0),
    "weave:twill": woven("Twill", 1),
    "weave:satin": woven("Satin", 2),
    "weave:basket": woven("Basket", 3),
    "truchet": Case(
        truchet,
        wrt=("coordinate", "scale", "width", "roundness"),
        gradient_draws=NEAR | CLOTH,
        edges=0.002,
    ),
    "cracks": Case(cracks, edges=0.002),
    "roof_tiles": Case(
        roof_tiles,
        draws=COLORS,
        wrt=(
            *("coordinate", "scale", "color1", "color2", "length", "cover_width", "taper"),
            *("lift", "shift", "length_variation", "occlusion"),
        ),
        gradient_draws=NEAR | CLOTH,
        edges=0.002,
    ),
    "knit": Case(knit, draws=COLORS, edges=0.002),
}
