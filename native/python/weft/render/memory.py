# SPDX-License-Identifier: Apache-2.0
"""How much of the device's memory a renderer and its pictures take, at most.

Covered: all tables of a scene and of its light groups, light trees and alias tables among them,
with the numbers they have now; the acceleration structure, with its largest number of nodes; paths,
film and layers of a picture. Not covered: compiled kernels, what the driver needs for itself, and
the tables before while Renderer.update() is at work.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._native import Tensor
from weft.layouts import LightNodeWord
from weft.render.layers import ALPHA

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.render.film_tracer import FilmTracer
    from weft.render.path_settings import PathSettings
    from weft.render.scene_on_device import SceneOnDevice
    from weft.render.upload import SceneTables
    from weft.scene import Camera

WORD = 4
SLACK = 1 << 20
"""Bytes of what kernels are called with, and of what stands for nothing."""


def picture_bytes(
    renderer: FilmTracer, camera: Camera, settings: PathSettings, aovs: Iterable[str]
) -> int:
    """Return how many bytes a picture takes beside the scene, at most.

    What making the trees has taken is as much at least: it was there when no picture was.
    """
    has_layers = any(name != ALPHA for name in aovs)
    return renderer.native.picture_bytes(camera, settings, has_layers)


def light_tree_bytes(lights: int) -> int:
    """Return what the tree over so many lights at finite distance takes, at most.

    A light is a leaf, and every other node has two children.
    """
    return WORD * LightNodeWord.end * max(2 * lights - 1, 1)


def alias_table_bytes(lights: int) -> int:
    """Return what the alias table of so many lights takes: a threshold and another light each."""
    return 2 * WORD * max(lights, 1)


def environment_alias_bytes(pixels: int) -> int:
    """Return what the alias table of an environment takes: two as of lights, and a density each."""
    return 3 * WORD * pixels


def scene_bytes(
    renderer: SceneOnDevice, tables: Sequence[SceneTables], more: Iterable[Iterable[Tensor]] = ()
) -> int:
    """Return how many bytes a scene and its light groups take, at most.

    Args:
        renderer: Of the scene.
        tables: Of the scene, and of it under other lights.
        more: Tensors that count as well; what several have counts once.
    """
    owned = [*(tensors_of(entry.view) for entry in tables), [entry.values for entry in tables]]
    every = {id(tensor): tensor for group in (*owned, *more) for tensor in group}
    held = sum(tensor.nbytes for tensor in every.values())
    return held + renderer.tracer.memory_bytes + SLACK


def tensors_of(view: dict[str, Any]) -> list[Tensor]:
    """Return the tensors of a view."""
    out = []
    for entry in view.values():
        if isinstance(entry, dict):
            out += tensors_of(entry)
        elif isinstance(entry, Tensor):
            out.append(entry)
    return out
