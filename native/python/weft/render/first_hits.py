# SPDX-License-Identifier: Apache-2.0
"""What the centre of each pixel shows, by one ray a pixel and no shading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
    instances, triangles = renderer.centre_hits(camera)
    objects = np.where(instances == NOTHING, -1, instances.astype(np.int64)).astype(np.int32)
    return FirstHits(
        objects.reshape(shape), _materials(renderer, objects, triangles.astype(np.int64), shape)
    )


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
