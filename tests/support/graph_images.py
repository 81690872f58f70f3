# SPDX-License-Identifier: Apache-2.0
"""Images that the graphs of tests/golden/cycles_graphs.py use. Needs numpy alone."""

from __future__ import annotations

import numpy as np

SPACES = {
    "bricks": "sRGB",
    "brick height": "Non-Color",
    "brick normals": "Non-Color",
    "decal": "sRGB",
    "sky": "Linear Rec.709",
}
"""Colour spaces by Blender's name of the image."""


def brick_height(size: int = 64) -> np.ndarray:
    """Return 1 on bricks and 0 in the joints, shape ``(size, size)``, the top row first."""
    y, x = np.meshgrid(np.arange(size) / size, np.arange(size) / size, indexing="ij")
    row = np.floor(y * 8)
    across = (x * 4 + 0.5 * (row % 2)) % 1
    edge = np.minimum(np.minimum(across, 1 - across) / 4, np.minimum(y * 8 % 1, 1 - y * 8 % 1) / 8)
    return np.clip(edge / 0.02, 0, 1)


def bricks() -> np.ndarray:
    """Return red bricks in grey joints, bytes."""
    height = brick_height()[..., None]
    shade = np.random.default_rng(1).uniform(0.75, 1, (64, 64, 1))
    color = height * (180, 80, 50) * shade + (1 - height) * (150, 145, 140)
    return color.astype(np.uint8)


def brick_normals() -> np.ndarray:
    """Return normals of the bricks, bytes."""
    height = brick_height()
    x = np.roll(height, 1, 1) - np.roll(height, -1, 1)
    y = np.roll(height, -1, 0) - np.roll(height, 1, 0)
    normal = np.stack([0.3 * x, 0.3 * y, np.ones_like(x)], -1)
    normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
    return np.rint(127.5 * (normal + 1)).astype(np.uint8)


def decal() -> np.ndarray:
    """Return a soft disc with alpha, bytes."""
    y, x = np.meshgrid(np.linspace(-1, 1, 32), np.linspace(-1, 1, 32), indexing="ij")
    alpha = np.clip((0.9 - np.hypot(x, y)) / 0.4, 0, 1)
    color = np.stack([0.9 + 0 * x, 0.3 + 0.3 * x, 0.2 + 0.2 * y, alpha], -1)
    return np.rint(255 * color).astype(np.uint8)


def sky() -> np.ndarray:
    """Return a smooth sky, floats."""
    v, u = np.meshgrid((np.arange(16) + 0.5) / 16, (np.arange(32) + 0.5) / 32, indexing="ij")
    glow = 2 * np.exp(-(((u - 0.3) / 0.15) ** 2 + ((v - 0.35) / 0.2) ** 2))
    return (np.stack([0.2 + 0.3 * v, 0.3 + 0 * v, 0.7 - 0.5 * v], 2) + glow[..., None]).astype("f4")


def images() -> dict[str, np.ndarray]:
    """Return bytes or floats by name, shape ``(height, width, 1, 3 or 4)``, the top row first."""
    height = np.rint(255 * brick_height())[..., None].astype(np.uint8)
    return {
        "bricks": bricks(),
        "brick height": np.repeat(height, 3, axis=2),
        "brick normals": brick_normals(),
        "decal": decal(),
        "sky": sky(),
    }
