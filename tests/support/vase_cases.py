# SPDX-License-Identifier: Apache-2.0
"""A vase with maps of base colour, roughness and metallic, as data for Weft and Cycles.

Needs numpy alone. Four cameras look at it from all sides, under the sky of the anchor scene.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from support.anchor_cases import Shape, ground, sky

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BOUNCES", "ground", "sky"]

BOUNCES = 3
"""Surfaces that a path may leave; Cycles calls it 2."""

WIDTH, HEIGHT, TEXELS = 128, 96, 128
TARGET, FOV = (0.0, 0.0, 0.82), math.radians(34)
PROFILE = ((0.0, 0.34), (0.06, 0.36), (0.3, 0.52), (0.6, 0.66), (0.95, 0.6), (1.25, 0.36))
PROFILE += ((1.42, 0.29), (1.58, 0.33), (1.66, 0.4))
GLAZE, METAL = (0.12, 0.33, 0.45, 0.55, 0.0), (0.62, 0.55, 0.47, 0.25, 0.95)
INPUTS = ("base_color", "roughness", "metallic")

Maps = dict[str, "NDArray[np.float32]"]


def origin(view: int, views: int = 4) -> tuple[float, float, float]:
    """Return where a camera stands."""
    angle = 2 * np.pi * (view + 0.3) / views
    return (3.2 * math.cos(angle), 3.2 * math.sin(angle), 1.0 + 0.5 * (view % 2))


def vase(columns: int = 96, rows: int = 64) -> Shape:
    """Return a surface of revolution with smooth normals, and UVs once around and up."""
    heights, radii = np.array(PROFILE).T
    # Means over windows round the corners of the profile.
    fine = np.interp(np.linspace(heights[0], heights[-1], 801), heights, radii)
    fine = np.convolve(np.pad(fine, 60, "reflect", reflect_type="odd"), np.ones(121) / 121, "valid")
    z = np.linspace(heights[0], heights[-1], rows + 1)
    radius = np.interp(z, np.linspace(heights[0], heights[-1], 801), fine)
    slope = np.gradient(radius, z)
    phi = 2 * np.pi * np.arange(columns + 1) / columns
    around = np.stack([np.cos(phi), np.sin(phi)], -1)
    positions = np.empty((rows + 1, columns + 1, 3))
    positions[..., :2] = radius[:, None, None] * around
    positions[..., 2] = z[:, None] + 0.001
    normals = np.empty_like(positions)
    normals[..., :2], normals[..., 2] = around, -slope[:, None]
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    v, u = np.meshgrid(np.arange(rows + 1) / rows, np.arange(columns + 1) / columns, indexing="ij")
    a = (np.arange(rows)[:, None] * (columns + 1) + np.arange(columns)).astype(np.uint32)
    lower = np.stack([a, a + 1, a + columns + 2], -1).reshape(-1, 3)
    upper = np.stack([a, a + columns + 2, a + columns + 1], -1).reshape(-1, 3)
    uvs = np.stack([u, v], -1).reshape(-1, 2)
    triangles = np.concatenate([lower, upper])
    return Shape(positions.reshape(-1, 3), triangles, normals.reshape(-1, 3), uvs)


def smooth_noise(size: int, cells: int, seed: int) -> NDArray[np.float64]:
    """Return noise of mean 0 and deviation 1 that repeats, shape ``(size, size)``."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(size), np.fft.fftfreq(size))) * size
    spectrum = np.fft.fft2(np.random.default_rng(seed).normal(size=(size, size)))
    image = np.fft.ifft2(spectrum * np.exp(-((frequency / cells) ** 2))).real
    return np.asarray((image - image.mean()) / image.std())


def soft_step(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 0 below -1, 1 above 1, smooth between."""
    t = np.clip(x / 2 + 0.5, 0, 1)
    return t * t * (3 - 2 * t)


def maps_of(rows: NDArray[np.float64]) -> Maps:
    """Return maps by the names of inputs from five numbers a texel, the top row first."""
    clipped = np.clip(rows, [0.02] * 3 + [0.08, 0], [0.95] * 5).astype(np.float32)
    return {
        "base_color": clipped[..., :3],
        "roughness": clipped[..., 3:4],
        "metallic": clipped[..., 4:5],
    }


def ornament(size: int = TEXELS) -> Maps:
    """Return blue glaze with bands and leaves of brushed metal."""
    v, u = np.meshgrid(*[(np.arange(size) + 0.5) / size] * 2, indexing="ij")
    leaves = np.sin(2 * np.pi * (6 * u + 0.35 * np.sin(6 * np.pi * v))) * np.sin(4 * np.pi * v)
    bands = np.cos(2 * np.pi * 3 * v)
    metal = np.maximum(soft_step((leaves - 0.6) * 8), soft_step((bands - 0.93) * 25))[..., None]
    texels = np.array(GLAZE) * (1 - metal) + np.array(METAL) * metal
    grain = smooth_noise(size, 14, 1)[..., None]
    texels[..., :3] *= 1 + 0.12 * grain
    texels[..., 3] += 0.04 * smooth_noise(size, 10, 2)
    return maps_of(texels)


def patches(size: int = TEXELS) -> Maps:
    """Return four materials in patches with soft borders."""
    kinds = np.array(
        [
            (0.75, 0.6, 0.3, 0.22, 0.95),
            (0.5, 0.1, 0.08, 0.35, 0.0),
            (0.25, 0.3, 0.3, 0.6, 0.7),
            (0.15, 0.4, 0.2, 0.75, 0.0),
        ]
    )
    fields = np.stack([smooth_noise(size, 5, 10 + kind) for kind in range(len(kinds))], -1)
    shares = np.exp(5 * (fields - fields.max(axis=-1, keepdims=True)))
    texels = (shares / shares.sum(axis=-1, keepdims=True)) @ kinds
    texels[..., :3] *= 1 + 0.08 * smooth_noise(size, 14, 20)[..., None]
    return maps_of(texels)


def gradients(size: int = TEXELS) -> Maps:
    """Return numbers that change slowly, each in its own way: no material occurs twice."""
    waves = [smooth_noise(size, 2.5, 30 + number) for number in range(5)]
    middle, spread = (0.45, 0.4, 0.35, 0.45, 0.45), (0.15, 0.13, 0.12, 0.12, 0.25)
    return maps_of(np.stack(waves, -1) * spread + middle)
