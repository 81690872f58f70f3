# SPDX-License-Identifier: GPL-3.0-or-later
"""Layers of a final render beside the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import bpy
    from numpy.typing import NDArray

NOWHERE = 1e10  # Cycles' depth where nothing is


@dataclass(frozen=True)
class PassType:
    """One of them.

    Args:
        name: What Blender calls it.
        channels: A letter for each.
        kind: How the compositor treats it: COLOR, VECTOR or VALUE.
        layer: The engine's name of what it is made from.
        is_wanted: Whether a view layer asks for it.
        convert: From the engine's layer to what Blender expects, (height, width, channels).
    """

    name: str
    channels: str
    kind: str
    layer: str
    is_wanted: Callable[[bpy.types.Scene, bpy.types.ViewLayer], bool]
    convert: Callable[[NDArray[np.float32]], NDArray[np.float32]]


def unchanged(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the layer as it is."""
    return layer


def finite_depth(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return depths with a large number where nothing is."""
    return np.where(np.isfinite(layer), layer, np.float32(NOWHERE))


def wants_denoising_data(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> bool:
    """Return whether the scene's settings ask for what a Denoise node takes."""
    return scene.weft_render.use_denoising_passes


def covered(layer: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return UV coordinates with a third number, 1: where something is, as Cycles does."""
    is_something = (layer != 0).any(axis=2, keepdims=True)
    return np.concatenate([layer, is_something.astype(np.float32)], axis=2)


PASSES = (
    PassType("Depth", "Z", "VALUE", "depth", lambda scene, view: view.use_pass_z, finite_depth),
    PassType(
        "Normal", "XYZ", "VECTOR", "normal", lambda scene, view: view.use_pass_normal, unchanged
    ),
    PassType("UV", "UVA", "VECTOR", "uv", lambda scene, view: view.use_pass_uv, covered),
    PassType("Denoising Albedo", "RGB", "COLOR", "albedo", wants_denoising_data, unchanged),
    PassType("Denoising Normal", "XYZ", "VECTOR", "normal", wants_denoising_data, unchanged),
)


def wanted_passes(scene: bpy.types.Scene, view_layer: bpy.types.ViewLayer) -> list[PassType]:
    """Return what a view layer asks for."""
    return [entry for entry in PASSES if entry.is_wanted(scene, view_layer)]
