# SPDX-License-Identifier: Apache-2.0
"""How much of the device's memory a renderer and its pictures take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._native import Tensor
from weft.render.layers import ALPHA, ROWS
from weft.render.path_buffers import path_buffer_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.render.path_settings import PathSettings
    from weft.render.renderer import Renderer
    from weft.render.upload import SceneTables
    from weft.scene import Camera

WORD = 4
SLACK = 1 << 20
"""Bytes of what kernels are called with, and of what stands for nothing."""


def picture_bytes(
    renderer: Renderer, camera: Camera, settings: PathSettings, aovs: Iterable[str]
) -> int:
    """Return how many bytes a picture takes beside the scene, at most.

    What making the trees has taken is as much at least: it was there when no picture was.
    """
    pixels = camera.width * camera.height
    at_once = min(settings.samples, max(renderer.batch // pixels, 1))
    paths = min(pixels, max(renderer.batch // at_once, 1)) * at_once
    capacity = (paths + 255) // 256 * 256
    if renderer.capacity > capacity:  # what is there stays
        capacity = renderer.capacity
    count = path_buffer_bytes(capacity, renderer.traits)
    count += WORD * pixels * (3 + 1)  # the film, and the numbers of pixels
    if any(name != ALPHA for name in aovs):
        count += WORD * ROWS * (capacity + pixels)
    return max(count, renderer.tracer.build_bytes)


def scene_bytes(renderer: Renderer, tables: Sequence[SceneTables]) -> int:
    """Return how many bytes a scene and its light groups take, at most."""
    tensors = {
        id(tensor): tensor for entry in tables for tensor in (*_tensors(entry.view), entry.values)
    }
    held = sum(tensor.nbytes for tensor in tensors.values())
    return held + renderer.tracer.memory_bytes + SLACK


def _tensors(view: dict[str, Any]) -> list[Tensor]:
    """Return the tensors of a view."""
    out = []
    for entry in view.values():
        if isinstance(entry, dict):
            out += _tensors(entry)
        elif isinstance(entry, Tensor):
            out.append(entry)
    return out
