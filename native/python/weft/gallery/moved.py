# SPDX-License-Identifier: Apache-2.0
"""Pictures of functions that move points: surfaces are dense points, the nearest one is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.gallery.results import vector_of
from weft.gallery.shading import PAPER, lit
from weft.gallery.subject import attribute

if TYPE_CHECKING:
    from weft.gallery.shading import Array
    from weft.gallery.subject import Subject

TURN, TILT = 0.6, 0.42
"""Of the camera, around Z and above the ground, in radians."""


def camera() -> Array:
    """Return the rows right, up and towards the camera."""
    cos, sin, low, high = np.cos(TURN), np.sin(TURN), np.sin(TILT), np.cos(TILT)
    return np.array(
        [[cos, sin, 0.0], [-sin * low, cos * low, high], [sin * high, -cos * high, low]]
    )


def moved(subject: Subject, points: Array, normals: Array) -> Array:
    """Return where a function moves points (N, 3)."""
    place = subject.place()
    arrays = {place.name: subject.places(place, points)}
    for parameter in subject.of_type("float3"):
        if attribute(parameter, "Source") == ["Normal"]:
            arrays[parameter.name] = normals
    found = subject.evaluate(**arrays)
    position = vector_of(found, ("position", "offset", ""))
    if position is None:
        raise subject.error(f"[Preview] of kind {subject.kind} needs a result float3 'position'")
    return position + points if "offset" in found and "position" not in found else position


def _seen(points: Array, normals: Array, tint: Array, pixels: int, frame: float) -> Array:
    """Draw points (N, 3), the nearest of each pixel, within a frame of this size."""
    rows = camera()
    view = points @ rows.T
    facing = normals @ rows.T
    facing *= np.where(facing[:, 2:] < 0, -1.0, 1.0)
    column = np.floor((view[:, 0] / frame + 0.5) * pixels).astype(int)
    row = np.floor((0.5 - view[:, 1] / frame) * pixels).astype(int)
    within = (column >= 0) & (column < pixels) & (row >= 0) & (row < pixels)
    order = np.flatnonzero(within)[np.argsort(view[within, 2], kind="stable")]
    picture = np.tile(PAPER, (pixels * pixels, 1))
    picture[row[order] * pixels + column[order]] = tint[order] * lit(facing[order])[:, None]
    return picture.reshape(pixels, pixels, 3)


def _patch(
    subject: Subject, corner: Array, right: Array, up: Array, counts: tuple[int, int]
) -> tuple[Array, Array, Array]:
    """Return moved points of a rectangle, their normals, and how bright they are: grid lines."""
    across, along = np.linspace(0, 1, counts[0]), np.linspace(0, 1, counts[1])
    u, v = np.meshgrid(across, along)
    points = corner + u[..., None] * right + v[..., None] * up
    flat = np.cross(right, up) / np.linalg.norm(np.cross(right, up))
    tiled = np.tile(flat, (u.size, 1))
    found = moved(subject, points.reshape(-1, 3), tiled).reshape(*u.shape, 3)
    normals = np.cross(np.gradient(found, axis=1), np.gradient(found, axis=0))
    lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
    cell = max(np.linalg.norm(right), np.linalg.norm(up)) / 12
    widths = np.array([np.linalg.norm(right), np.linalg.norm(up)]) / cell
    line = np.zeros(u.shape, bool)
    for place, width in ((u, widths[0]), (v, widths[1])):
        line |= np.abs((place * width + 0.5) % 1 - 0.5) < 0.05
    normals = normals / np.maximum(lengths, 1e-12)
    return found.reshape(-1, 3), normals.reshape(-1, 3), np.where(line, 0.3, 1.0).reshape(-1)


def draw_bar(subject: Subject, pixels: int) -> Array:
    """Draw a bar along X, as long as the extent, that the function moves."""
    half = subject.extent / 2
    thick = half * 0.36
    faces = []
    size = np.array([half, thick, thick])
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        for side in (-1.0, 1.0):
            corner = -size.copy()
            corner[axis] = side * size[axis]
            right, up = np.zeros(3), np.zeros(3)
            right[first], up[second] = 2 * size[first], 2 * size[second]
            counts = [int(pixels * 1.6 * size[i] / half) + 16 for i in (first, second)]
            faces.append(_patch(subject, corner, right, up, (counts[0], counts[1])))
    points, normals, bright = (np.concatenate(part) for part in zip(*faces, strict=True))
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    width = float(np.ptp(points @ camera().T, axis=0)[:2].max())
    tint = bright[:, None] * np.array([0.85, 0.45, 0.16])
    return _seen(points - middle, normals, tint, pixels, width * 1.15)


def draw_sheet(subject: Subject, pixels: int) -> Array:
    """Draw a level sheet of the extent that the function moves."""
    extent = subject.extent
    corner = np.array([-extent / 2, -extent / 2, 0.0])
    right, up = np.array([extent, 0.0, 0.0]), np.array([0.0, extent, 0.0])
    count = int(pixels * 2.2)
    points, normals, bright = _patch(subject, corner, right, up, (count, count))
    tint = (0.7 + 0.3 * bright)[:, None] * np.array([0.12, 0.42, 0.62])
    return _seen(points, normals, tint, pixels, extent * 1.1)


def draw_tuft(subject: Subject, pixels: int) -> Array:
    """Draw blades that stand on the ground, half as high as the extent, and that move."""
    random = np.random.default_rng(4)
    high = subject.extent / 2
    parts = []
    for _ in range(90):
        angle, away = random.uniform(0, 2 * np.pi), high * 0.55 * np.sqrt(random.random())
        root = np.array([away * np.cos(angle), away * np.sin(angle), 0.0])
        turn = random.uniform(0, 2 * np.pi)
        side = np.array([np.cos(turn), np.sin(turn), 0.0]) * high * 0.025
        u, v = np.meshgrid(np.linspace(-1, 1, 14), np.linspace(0, 1, int(pixels * 0.9)))
        width = (1 - v * v)[..., None]
        lean = np.array([*random.normal(0, 0.08, 2), random.uniform(-0.25, 0.0)]) * high
        stem = np.array([0.0, 0.0, high]) + lean
        blade = root + u[..., None] * width * side + v[..., None] * stem
        shade = np.stack([0.18 + 0.3 * v, 0.42 + 0.25 * v, 0.07 + 0 * v], -1) * random.uniform(
            0.5, 1.1
        )
        normal = np.tile([*-side[1::-1], high * 0.02], (u.size, 1))
        parts.append((blade.reshape(-1, 3), normal, shade.reshape(-1, 3)))
    points, normals, tint = (np.concatenate(part) for part in zip(*parts, strict=True))
    points = moved(subject, points, normals)
    middle = np.array([0.15 * high, 0.0, high * 0.45])
    lengths = np.linalg.norm(normals, axis=-1, keepdims=True)
    return _seen(points - middle, normals / lengths, tint, pixels, subject.extent * 1.05)
