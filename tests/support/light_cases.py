# SPDX-License-Identifier: Apache-2.0
"""Scenes with one light each, as data for Weft and for Blender. Needs numpy alone."""

from __future__ import annotations

import math

import numpy as np

PIXELS = 64
BLOCK = 8
BOUNCES = 2
"""Of Cycles; Weft counts the last surface that is lit, too."""

CAMERA = {"origin": (0.0, -5.0, 2.6), "target": (0.0, 0.0, 0.4), "fov": 0.7}
FLOOR = {"size": 8.0, "color": (0.7, 0.6, 0.5)}
BALL = {"radius": 0.8, "position": (0.0, 0.0, 0.8), "base_color": (0.6, 0.3, 0.2)}
ROUGHNESS = 0.3

COLOR = (1.0, 0.6, 0.3)
CASES = {
    "point": {"position": (1.2, -1.6, 2.6), "power": 300.0, "radius": 0.3},
    "sun": {"direction": (-0.4, 0.5, -1.0), "strength": 2.5, "angle": math.radians(20)},
    "spot": {
        "position": (1.5, -1.5, 3.0),
        "direction": (-1.4, 1.4, -2.6),
        "angle": math.radians(40),
        "blend": 0.4,
        "power": 900.0,
        "radius": 0.2,
    },
    "rectangle": {"position": (1.5, -1.2, 2.6), "size": (1.4, 0.6), "power": 120.0},
    "ellipse": {"position": (-1.5, -1.2, 2.6), "size": (1.4, 0.6), "power": 120.0},
    "environment": {"euler": (math.radians(25), math.radians(-10), math.radians(50))},
}


def frame_towards(direction):
    """Columns x, y, z of a right-handed frame whose -z is `direction`."""
    z = -np.asarray(direction, float) / np.linalg.norm(direction)
    x = np.cross((0, 0, 1), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def area_frame(case):
    """The frame of an area light: it shines at the ball."""
    return frame_towards(np.subtract(BALL["position"], case["position"]))


def euler_matrix(euler):
    """Blender's XYZ Euler angles as a matrix."""
    matrix = np.eye(3)
    for axis, angle in enumerate(euler):
        i, j = [(1, 2), (2, 0), (0, 1)][axis]
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = math.cos(angle)
        turn[i, j], turn[j, i] = -math.sin(angle), math.sin(angle)
        matrix = turn @ matrix
    return matrix


def sky():
    """An equirectangular image with a bright spot, rows from the top, shape (32, 64, 3)."""
    v, u = np.meshgrid((np.arange(32) + 0.5) / 32, (np.arange(64) + 0.5) / 64, indexing="ij")
    spot = 30 * np.exp(-(((u - 0.3) / 0.04) ** 2 + ((v - 0.3) / 0.06) ** 2))
    image = np.stack([0.3 + 0.2 * v, 0.3 + 0 * v, 0.6 - 0.4 * v], 2)
    return (image + spot[..., None] * (1.0, 0.8, 0.6)).astype(np.float32)


def ball(rings=48):
    """Positions, triangles and unit normals of a sphere around the origin."""
    t, p = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1), indexing="ij"
    )
    unit = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], -1).reshape(-1, 3)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(rings), np.arange(2 * rings), indexing="ij"))
    a = i * (2 * rings + 1) + j
    b = a + 2 * rings + 1
    upper, lower = np.stack([a, b, b + 1], 1)[i < rings - 1], np.stack([a, b + 1, a + 1], 1)[i > 0]
    return unit * BALL["radius"], np.concatenate([upper, lower]), unit


def block_means(image):
    """Means of blocks of BLOCK x BLOCK pixels."""
    count = PIXELS // BLOCK
    return image.reshape(count, BLOCK, count, BLOCK, 3).mean(axis=(1, 3))
