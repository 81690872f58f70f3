# SPDX-License-Identifier: Apache-2.0
"""Materials with normals, holes and light of their own, as data for Weft and for Blender.

Needs numpy alone. The scene is that of ``light_cases.py``: a ball on a floor.
"""

from __future__ import annotations

import numpy as np

from support.light_cases import ball

SAMPLES = 1024
SKY = 0.25
"""Radiance from everywhere."""
LIGHT = {"position": (1.2, -1.6, 2.6), "power": 300.0, "radius": 0.3}

BASE = {"base_color": (0.7, 0.3, 0.2), "roughness": 0.35}


def ball_uvs():
    """UVs of the ball's vertices: u around the pole, v = 0 below."""
    unit = ball()[2]
    rings = 48
    t, p = np.meshgrid(np.arange(rings + 1), np.arange(2 * rings + 1), indexing="ij")
    uvs = np.stack([p / (2 * rings), 1 - t / rings], -1).reshape(-1, 2)
    assert len(uvs) == len(unit)
    return uvs


def _grid(size):
    """Places of texels: u, and v from above."""
    row, column = np.meshgrid(np.arange(size), np.arange(size), indexing="ij")
    return (column + 0.5) / size, 1 - (row + 0.5) / size


def normal_pixels():
    """Waves as a tangent-space normal map, rows from the top, shape (64, 64, 3)."""
    u, v = _grid(64)
    x, y = 0.6 * np.cos(16 * np.pi * u), 0.5 * np.cos(8 * np.pi * v)
    n = np.stack([x, y, np.ones_like(u)], 2)
    n /= np.linalg.norm(n, axis=2, keepdims=True)
    return (0.5 + 0.5 * n).astype(np.float32)


def height_pixels():
    """Round bumps, rows from the top, shape (64, 64, 1)."""
    u, v = _grid(64)
    return (0.5 + 0.5 * np.sin(12 * np.pi * u) * np.sin(8 * np.pi * v))[..., None].astype(
        np.float32
    )


def spot_pixels():
    """Coloured spots on black, rows from the top, shape (64, 64, 3)."""
    u, v = _grid(64)
    spots = np.maximum(np.sin(6 * np.pi * u) * np.sin(4 * np.pi * v), 0) ** 2
    color = np.stack([0.5 + 0.5 * np.cos(2 * np.pi * u), 0.6 + 0 * u, 1 - 0.5 * v], 2)
    return (spots[..., None] * color).astype(np.float32)


PIXELS = {"normal_map": normal_pixels, "bump": height_pixels, "alpha": height_pixels}
PIXELS["spots"] = spot_pixels

NORMAL = {"kind": "normal_map", "strength": 0.8}
HEIGHT = {"kind": "bump", "strength": 0.9, "distance": 0.04}

# One closure a case: its kind, numbers and colours, and inputs that something drives.
CASES = {
    "normal_map": ("principled", BASE | {"metallic": 0.5, "sheen_weight": 0.3}, {"normal": NORMAL}),
    "bump": ("principled", BASE | {"coat_weight": 0.8}, {"normal": HEIGHT}),
    "coat_normal": ("principled", BASE | {"coat_weight": 1.0}, {"coat_normal": NORMAL}),
    "diffuse": ("diffuse", {"color": (0.7, 0.3, 0.2)}, {"normal": NORMAL}),
    "alpha": ("principled", BASE, {"alpha": {"kind": "alpha"}}),
    "alpha_shadow": ("principled", BASE, {"alpha": {"kind": "alpha"}}),
    "transparent": ("transparent", {"color": (0.7, 0.8, 0.4)}, {}),
    "emission": ("emission", {"strength": 4.0}, {"color": {"kind": "spots"}}),
    "glossy": ("glossy", {"color": (0.8, 0.6, 0.4), "roughness": 0.3}, {"normal": HEIGHT}),
}

OPAQUE_SHADOWS = ("alpha_shadow",)
"""Cases whose material has no transparent shadows."""
