# SPDX-License-Identifier: Apache-2.0
"""Pictures whose samples are the function's arguments: planes, spheres, strips and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.gallery.results import colour_of, number_of, picture_of
from weft.gallery.shading import INK, LIGHT, PAPER, isolines, lit
from weft.gallery.subject import attribute

if TYPE_CHECKING:
    from weft._native import Parameter
    from weft.gallery.shading import Array
    from weft.gallery.subject import Subject

CURVES = np.array([[0.9, 0.2, 0.12], [0.25, 0.75, 0.2], [0.2, 0.4, 0.95]])
"""Of the three numbers of a vector."""


def samples(pixels: int, extent: float) -> Array:
    """Return the places (N, 3) of a square's samples, y upwards, z = 0."""
    along = ((np.arange(pixels) + 0.5) / pixels - 0.5) * extent
    x, y = np.meshgrid(along, along[::-1])
    return np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3)


def draw_plane(subject: Subject, pixels: int) -> Array:
    """Draw over a square of the first place."""
    place = subject.place()
    points = subject.places(place, samples(pixels, subject.extent))
    found = subject.evaluate(**{place.name: points})
    return picture_of(found, (pixels, pixels), subject.extent)


def draw_sphere(subject: Subject, pixels: int) -> Array:
    """Draw on a unit sphere that is seen from +Z."""
    points = samples(pixels, 2.2)
    across = np.hypot(points[:, 0], points[:, 1])
    is_on = across < 1
    unit = points[is_on]
    unit[:, 2] = np.sqrt(1 - across[is_on] ** 2)
    places = _places_on_sphere(subject, unit)
    found = subject.evaluate(**(places or {subject.place().name: unit}))
    colour = colour_of(found)
    is_shaded = "light" in places or "light" in found
    light = 1.0 if is_shaded else lit(unit)[:, None]
    if colour is not None:
        shaded = colour * light
    elif "light" in found:
        shaded = np.repeat(found["light"][:, None], 3, -1) + 0.01
    else:
        value = np.clip(number_of(found), 0, 1)[:, None]
        shaded = ((1 - value) * np.array([0.12, 0.06, 0.04]) + value * 0.7) * light
    picture = np.tile(PAPER, (pixels * pixels, 1))
    picture[is_on] = shaded
    return picture.reshape(pixels, pixels, 3)


def _places_on_sphere(subject: Subject, unit: Array) -> dict[str, Array]:
    """Return what parameters get that are places or directions, at points of a unit sphere."""
    places: dict[str, Array] = {}
    for parameter in subject.of_type("float3"):
        source = attribute(parameter, "Source")
        if source and source[0] in ("Position", "Normal"):
            places[parameter.name] = unit * (subject.extent if source[0] == "Position" else 1)
    known = {"view": np.array([0.0, 0.0, 1.0]), "light": LIGHT / np.linalg.norm(LIGHT)}
    for parameter in subject.of_type("float3"):
        if parameter.name == "normal":
            places[parameter.name] = unit
        elif parameter.name in known and not parameter.has_default:
            places[parameter.name] = np.tile(known[parameter.name], (len(unit), 1))
    return places


def run_of(subject: Subject, parameter: Parameter) -> tuple[float, float]:
    """Return the ends of a run: from the slider's lower end, or 0, to the extent."""
    slider = attribute(parameter, "SoftRange")
    start = float(slider[0]) if slider else 0.0
    return (start if start < subject.extent else 0.0), subject.extent


def draw_gradient(subject: Subject, pixels: int) -> Array:
    """Draw a strip of colour over the first float; what is brighter than white keeps its hue."""
    parameter = subject.number()
    start, end = run_of(subject, parameter)
    run = start + (end - start) * (np.arange(pixels) + 0.5) / pixels
    found = subject.evaluate(**{parameter.name: run})
    colour = colour_of(found)
    if colour is None:
        colour = np.repeat(number_of(found)[:, None], 3, -1)
    brightest = np.maximum(colour.max(axis=-1, keepdims=True), 1.0)
    return np.repeat((colour / brightest)[None], pixels, 0)


def draw_graph(subject: Subject, pixels: int) -> Array:
    """Draw the result over the first float as curves, on a grid of quarters."""
    parameter = subject.number()
    start, end = run_of(subject, parameter)
    run = start + (end - start) * (np.arange(pixels) + 0.5) / pixels
    found = subject.evaluate(**{parameter.name: run})
    curves = next(iter(found.values())).reshape(pixels, -1)
    low, high = min(0.0, float(curves.min())), max(1.0, float(curves.max()))
    picture = np.tile(PAPER, (pixels, pixels, 1))
    lines = np.arange(1, 4) * pixels // 4
    picture[lines] = picture[:, lines] = 3 * PAPER
    rows = np.arange(pixels)[:, None]
    colours = CURVES if curves.shape[1] == 3 else np.tile(INK, (curves.shape[1], 1))
    for curve, colour in zip(curves.T, colours, strict=False):
        at = (0.95 - 0.9 * (curve - low) / (high - low)) * pixels
        slope = np.gradient(at)
        away = np.abs(rows - at) / np.sqrt(1 + slope * slope)
        cover = np.clip(pixels / 110 - away + 0.5, 0, 1)[..., None]
        picture = np.maximum(picture * (1 - cover), 0) + cover * colour
    return picture


def draw_distance(subject: Subject, pixels: int) -> Array:
    """Draw isolines in the plane z = 0, or of discs that are given as distances.

    A function of one distance gets that of a disc, one of two those of two discs; the second of
    sdfExtrude's kind, named ``along``, gets the height above the plane.
    """
    extent = subject.extent
    points = samples(pixels, extent)
    first, *others = subject.info.parameters
    shape = (pixels, pixels)
    if first.type.name != "float":
        place = subject.place()
        found = subject.evaluate(**{place.name: subject.places(place, points)})
    else:
        found = subject.evaluate(**_distances(first, others, points, extent))
    layers = [found[name] for name in ("fill", "outline", "glow") if name in found]
    if len(layers) == 3:
        inks = np.array([[0.1, 0.3, 0.6], [0.95, 0.9, 0.8], [0.8, 0.3, 0.04]])
        fill, outline, glow = (layer.reshape(*shape, 1) for layer in layers)
        picture = PAPER * (1 - glow) + glow * inks[2]
        picture = picture * (1 - fill) + fill * inks[0]
        framed: Array = picture * (1 - outline) + outline * inks[1]
        return framed
    distance = found.get("distance", found.get(""))
    if distance is None or distance.ndim != 1:
        return picture_of(found, shape, extent)
    return isolines(distance.reshape(shape), extent / pixels, extent / 24)


def _distances(
    first: Parameter, others: list[Parameter], points: Array, extent: float
) -> dict[str, Array]:
    """Return distances in place of the first parameters that are such."""
    radius = extent / 4
    x, y = points[:, 0], points[:, 1]
    second = others[0] if others and others[0].type.name == "float" else None
    if second is not None and second.name == "along":
        return {first.name: np.abs(x) - radius, second.name: y}
    if second is None or attribute(second, "SoftRange") or second.name not in ("b", "second"):
        return {first.name: np.hypot(x, y) - radius}
    left, right = np.hypot(x + radius * 0.75, y + radius * 0.3), np.hypot(x - radius * 0.75, y)
    return {first.name: left - radius, second.name: right - radius * 0.8}


def draw_flow(subject: Subject, pixels: int) -> Array:
    """Draw a field of velocities: noise that is smeared along it, brighter where it is fast."""
    place = subject.place()
    points = samples(pixels, subject.extent)
    noise = np.random.default_rng(1).random((pixels // 3, pixels // 3))
    total, weight, speed = np.zeros(len(points)), 0, np.zeros(len(points))
    for sign in (1.0, -1.0):
        at = points.copy()
        for step in range(14):
            field = subject.evaluate(**{place.name: subject.places(place, at)})
            velocity = next(iter(field.values())).copy()
            velocity[:, 2:] = 0
            length = np.linalg.norm(velocity, axis=-1, keepdims=True)
            if step == 0:
                speed = length[:, 0]
            at[:, : velocity.shape[1]] += (
                sign * velocity / np.maximum(length, 1e-9) * (subject.extent * 1.2 / len(noise))
            )
            cell = np.floor((at[:, :2] / subject.extent + 0.5) * len(noise)).astype(int)
            total += noise[cell[:, 1] % len(noise), cell[:, 0] % len(noise)]
            weight += 1
    fast = speed / max(float(np.percentile(speed, 98)), 1e-9)
    streaks = np.clip(0.5 + 2.6 * (total / weight - 0.5), 0, 1)
    blue, warm = np.array([0.06, 0.2, 0.5]), np.array([1.0, 0.6, 0.2])
    tint = blue + np.clip(fast, 0, 1)[:, None] * (warm - blue)
    smeared: Array = tint * streaks[:, None] ** 1.5
    return smeared.reshape(pixels, pixels, 3)
