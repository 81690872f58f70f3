# SPDX-License-Identifier: Apache-2.0
"""The anchor scene: a ball on a plane under a procedural sky and a one-sided lamp, 256 x 256.

The same scene exists for Mitsuba and Cycles; all numbers are those of its specification.
"""

from __future__ import annotations

import math

import numpy as np

import weft
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object, principled

TRUTH = {"base_color": (0.8, 0.35, 0.1), "roughness": 0.35, "metallic": 0.6}
START = {"base_color": (0.5, 0.5, 0.5), "roughness": 0.6, "metallic": 0.2}
BOUNCES = 3


def ball(columns: int = 128, rows: int = 64) -> Mesh:
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
    uv = np.stack([u, v], -1).reshape(-1, 2)
    positions = normals + np.array([0, 0, 1])
    return Mesh(positions, np.concatenate([lower, upper]), normals, {"UVMap": uv}, name="ball")


def sky(width: int = 512, height: int = 256) -> np.ndarray:
    """Return the environment: a gradient and three coloured suns."""
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


def lamp() -> Mesh:
    """Return a square of 1.2 m that faces the ball."""
    centre, target = np.array([2.2, -1.6, 3.6]), np.array([0, 0, 1.0])
    z = (target - centre) / np.linalg.norm(target - centre)
    x = np.cross([0, 0, 1], z)
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    positions = [centre + 0.6 * (a * x + b * y) for a, b in corners]
    return Mesh(np.array(positions), [[0, 1, 2], [0, 2, 3]], name="lamp")


def ground() -> Mesh:
    """Return a square of 8 m."""
    corners = [[-4, -4, 0], [4, -4, 0], [4, 4, 0], [-4, 4, 0]]
    return Mesh(corners, [[0, 1, 2], [0, 2, 3]], name="ground")


def anchor_scene(material: Material | None = None, size: int = 256) -> weft.Scene:
    """Return the scene, the ball of the given material or of the true one."""
    camera = Camera(
        size,
        size,
        fov=math.radians(32),
        transform=Camera.look_at((0, -6, 2.6), (0, 0, 0.85)),
    )
    shining = Closure("emission", color=(9.0, 8.5, 8.0), strength=1.0, both_sides=0.0)
    return weft.Scene(
        [
            Object(ball(), [material or principled("ball", **TRUTH)], name="ball"),
            Object(ground(), [Material("ground", Closure("diffuse", color=(0.5, 0.5, 0.5)))]),
            Object(lamp(), [Material("lamp", shining)], name="lamp"),
        ],
        cameras=[camera],
        environment=Environment(sky()),
    )
