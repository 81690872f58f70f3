# SPDX-License-Identifier: Apache-2.0
"""What the centre of each pixel shows, by one ray a pixel and no shading."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft.layouts import HitRow
from weft.render.path_settings import PathSettings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.render.renderer import Renderer
    from weft.scene import Camera

NOTHING = 0xFFFFFFFF


@dataclass
class FirstHits:
    """Numbers in the scene of what the pixels of a camera show; -1: nothing.

    Args:
        objects: Shape ``(height, width)``, the top row first.
        materials: Of the surface there, as ``Scene.materials()`` counts them; the same shape.
    """

    objects: NDArray[np.int32]
    materials: NDArray[np.int32]


def find_first_hits(renderer: Renderer, camera: Camera) -> FirstHits:
    """Trace the centres of a camera's pixels; the lens is taken to be a point.

    Equal to the AOVs ``object`` and ``material``, without their kernels.
    """
    shape = (camera.height, camera.width)
    count = camera.width * camera.height
    sharp = replace(camera, aperture=0.0)
    settings = PathSettings(samples=1, bounces=0, filter_width=1e-6)
    objects = np.full(count, -1, np.int32)
    triangles = np.zeros(count, np.int64)
    for (first, pixels), _ in renderer.batches(count, 1):
        buffers = renderer.buffers(pixels)
        step = renderer.step_settings(settings, (first, pixels), (0, 1))
        renderer.generate(sharp, settings, buffers, step, pixels)
        if renderer.tables.traits.has_hidden:
            renderer.trace_to_visible(buffers, pixels, step)
        else:
            renderer.tracer.trace_closest(buffers.rays, buffers.hits, buffers.capacity, pixels)
        rows = buffers.hits.to_numpy().reshape(HitRow.end, -1)[:, :pixels]
        part, instances = slice(first, first + pixels), rows[HitRow.instance]
        objects[part] = np.where(instances == NOTHING, -1, instances.astype(np.int64))
        triangles[part] = rows[HitRow.primitive]
    return FirstHits(objects.reshape(shape), _materials(renderer, objects, triangles, shape))


def _materials(
    renderer: Renderer,
    objects: NDArray[np.int32],
    triangles: NDArray[np.int64],
    shape: tuple[int, int],
) -> NDArray[np.int32]:
    numbers = {id(entry): number for number, entry in enumerate(renderer.scene.materials())}
    materials = np.full(len(objects), -1, np.int32)
    for number, entry in enumerate(renderer.scene.objects):
        shown = np.flatnonzero(objects == number)
        own = np.array([numbers[id(material)] for material in entry.materials], np.int32)
        slots = entry.mesh.slots
        if len(shown) and len(own):
            materials[shown] = own[0 if slots is None else slots[triangles[shown]]]
    return materials.reshape(shape)
