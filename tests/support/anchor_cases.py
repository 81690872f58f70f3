# SPDX-License-Identifier: Apache-2.0
"""The anchor scene as data for Weft, Cycles and Mitsuba. Needs numpy alone.

A ball on a plane under a procedural sky and a one-sided emitter that hides what is behind it.
"""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GOLDEN = Path(__file__).parents[1] / "golden"

TRUTH = {"base_color": (0.8, 0.35, 0.1), "roughness": 0.35, "metallic": 0.6}
START = {"base_color": (0.5, 0.5, 0.5), "roughness": 0.6, "metallic": 0.2}
BOUNCES = 3
"""Surfaces that a path may leave; Cycles calls it 2, Mitsuba a depth of 4."""

CAMERA = {"origin": (0.0, -6.0, 2.6), "target": (0.0, 0.0, 0.85), "fov": math.radians(32)}
GROUND_COLOR = (0.5, 0.5, 0.5)
EMITTER_RADIANCE = (9.0, 8.5, 8.0)
EMITTER = {"centre": (2.2, -1.6, 3.6), "target": (0.0, 0.0, 1.0), "side": 1.2}

BLOCK = 16

PHOTOS = ((0.35, 0.6), (0.3, 1.0), (0.3, 0.0), (0.6, 1.0), (0.6, 0.0), (0.9, 1.0))
"""Roughness and metallic of the balls that are fitted to pictures by Cycles."""


class Shape(NamedTuple):
    """A mesh: positions (V, 3), triangles (T, 3), normals (V, 3) and uvs (V, 2), or None."""

    positions: NDArray[np.float64]
    triangles: NDArray[np.uint32]
    normals: NDArray[np.float64] | None = None
    uvs: NDArray[np.float64] | None = None


def ball(columns: int = 128, rows: int = 64) -> Shape:
    """Return a sphere of radius 1 around (0, 0, 1) with smooth normals and UVs."""
    i, j = np.meshgrid(np.arange(columns + 1), np.arange(rows + 1))
    u, v = i / columns, j / rows
    phi, theta = 2 * np.pi * u, np.pi * (1 - v)
    normals = np.stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1
    ).reshape(-1, 3)
    a = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).astype(np.uint32)
    lower = np.stack([a, a + 1, a + columns + 2], -1)[1:].reshape(-1, 3)
    upper = np.stack([a, a + columns + 2, a + columns + 1], -1)[:-1].reshape(-1, 3)
    uvs = np.stack([u, v], -1).reshape(-1, 2)
    return Shape(normals + np.array([0, 0, 1]), np.concatenate([lower, upper]), normals, uvs)


def suzanne() -> Shape:
    """Return Blender's monkey on the ground, 15744 triangles, with smooth normals.

    ``tests/golden/suzanne.py`` wrote the mesh.
    """
    with np.load(GOLDEN / "suzanne.npz") as saved:
        positions = saved["positions"] * (float(saved["extent"]) / 65535)
        quads = saved["quads"].astype(np.uint32)
    positions[:, :2] -= positions[:, :2].max(axis=0) / 2
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    a, b, c = (positions[triangles[:, i]] for i in range(3))
    normals = np.zeros_like(positions)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], np.cross(b - a, c - a))
    return Shape(positions, triangles, normals / np.linalg.norm(normals, axis=1, keepdims=True))


def emitter() -> Shape:
    """Return a square that faces the ball."""
    centre, target = np.array(EMITTER["centre"]), np.array(EMITTER["target"])
    z = (target - centre) / np.linalg.norm(target - centre)
    x = np.cross([0, 0, 1], z)
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    half = EMITTER["side"] / 2
    corners = [centre + half * (a * x + b * y) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Shape(np.array(corners), np.array([[0, 1, 2], [0, 2, 3]], np.uint32))


def ground() -> Shape:
    """Return a square of 8 m."""
    corners = np.array([[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]], float)
    return Shape(corners, np.array([[0, 1, 2], [0, 2, 3]], np.uint32))


@cache
def sky(width: int = 512, height: int = 256) -> NDArray[np.float32]:
    """Return the environment, the top row first: a gradient and three coloured suns.

    As in Blender, the direction (cos(phi), sin(phi)) of the horizon is at u = 0.5 - phi / 2 pi.
    """
    u, v = np.meshgrid((np.arange(width) + 0.5) / width, (np.arange(height) + 0.5) / height)
    theta, phi = np.pi * v, 2 * np.pi * (0.5 - u)
    d = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1)
    up = np.clip(d[..., 2], 0, 1)[..., None]
    down = np.clip(-d[..., 2] * 6, 0, 1)[..., None]
    horizon = (1 - up) ** 3
    colors = np.array([[0.9, 0.85, 0.8], [0.35, 0.55, 0.9], [0.25, 0.22, 0.2]])
    image = (colors[0] * horizon + colors[1] * (1 - horizon)) * (1 - down) + colors[2] * down
    image = image * 0.5
    for direction, sharpness, color in (
        ((-1, -0.6, 0.9), 60, (14, 12, 9)),
        ((0.8, -1, 0.5), 25, (1.0, 1.6, 3.0)),
        ((0.2, 1, 0.6), 200, (20, 6, 3)),
    ):
        towards = np.array(direction) / np.linalg.norm(direction)
        image += np.exp(sharpness * (d @ towards - 1))[..., None] * np.array(color)
    return image.astype(np.float32)


def pattern(size: int = 256) -> NDArray[np.float32]:
    """Return a texture for the ball, (size, size, 3) in [0.02, 0.95], the row of v = 0 first."""
    y, x = np.mgrid[0:size, 0:size] / size
    checks = (np.floor(x * 16) + np.floor(y * 8)) % 2
    base = np.stack([0.15 + 0.7 * x, 0.2 + 0.6 * y, 0.65 - 0.5 * x * y], -1)
    stripes = (0.5 + 0.5 * np.sin(2 * np.pi * (x * 7 + 3 * np.sin(2 * np.pi * y))))[..., None]
    image = base * (0.55 + 0.45 * checks[..., None]) * (0.7 + 0.3 * stripes)
    return np.clip(image, 0.02, 0.95).astype(np.float32)


def seen_texels(size: int = 256) -> NDArray[np.bool_]:
    """Return which texels of the ball cover at least a fifth of the median's solid angle.

    Shape (size, size), the row of v = 0 first.
    """
    v, u = np.meshgrid(*[(np.arange(size) + 0.5) / size] * 2, indexing="ij")
    phi, theta = 2 * np.pi * u, np.pi * (1 - v)
    normals = np.stack(
        [np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)], -1
    )
    towards = np.array(CAMERA["origin"]) - (normals + np.array([0, 0, 1]))
    distance = np.linalg.norm(towards, axis=-1)
    facing = (normals * towards).sum(axis=-1) / distance
    angle = np.maximum(facing, 0) * np.sin(theta) / distance**2
    return angle > 0.2 * np.median(angle[angle > 0])


def block_means(image: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the means of blocks of BLOCK x BLOCK pixels of a picture (H, W, C)."""
    height, width = image.shape[0] // BLOCK, image.shape[1] // BLOCK
    parts = image.astype(np.float64).reshape(height, BLOCK, width, BLOCK, -1)
    return parts.mean(axis=(1, 3))


def mean_and_error(pictures: list[NDArray[np.floating]]) -> tuple[NDArray, NDArray]:
    """Return block means of independent pictures, and the standard errors of these means."""
    blocks = np.stack([block_means(picture) for picture in pictures])
    return blocks.mean(axis=0), blocks.std(axis=0, ddof=1) / math.sqrt(len(blocks))
