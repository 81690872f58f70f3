# SPDX-License-Identifier: Apache-2.0
"""Media of objects: tables of them, and what cameras are in (shaders/weft/render/medium.slang)."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import is_inside
from weft.layouts import MediaLimit, MediumWord
from weft.scene.materials import closures_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from weft._native import Tensor as NativeTensor
    from weft.scene import Camera, Scene
    from weft.scene.geometry import Object

NONE = 0xFFFFFFFF


def has_media(scene: Scene) -> bool:
    """Return whether objects of a scene hold media."""
    return any(material.volume is not None for material in scene.materials())


def has_glowing_media(scene: Scene) -> bool:
    """Return whether a medium may send light of its own."""
    volumes = [m.volume for m in scene.materials() if m.volume is not None]
    closures = [closure for volume in volumes for closure in closures_of(volume)]
    return any(c.kind == "emission" or "emission" in c.inputs for c in closures)


def find_media(scene: Scene) -> list[tuple[int, int]]:
    """Return the media of a scene: number of the object, and of the material."""
    numbers = {id(material): k for k, material in enumerate(scene.materials())}
    found = {
        (number, numbers[id(material)]): None
        for number, entry in enumerate(scene.objects)
        for material in entry.materials
        if material.volume is not None
    }
    return list(found)


def media_view(scene: Scene, upload: Callable[[NDArray[Any]], NativeTensor]) -> dict[str, Any]:
    """Return MediaView of scene_view.slang; evaluate_media() fills the coefficients."""
    materials = scene.materials()
    numbers = {id(material): k for k, material in enumerate(materials)}
    media = {key: number for number, key in enumerate(find_media(scene))}
    of_slot = [
        media.get((number, numbers[id(own)]), NONE)
        for number, entry in enumerate(scene.objects)
        for own in entry.materials
    ]
    count = len(materials) if media else 0
    return {
        "ofSlot": upload(np.array(of_slot, np.uint32)),
        "materials": upload(np.array([key[1] for key in media], np.uint32)),
        "coefficients": upload(np.zeros((count, MediumWord.end), np.float32)),
        "fitted": upload(np.zeros(0, np.uint32)),
        "unknown": upload(np.zeros(0, np.uint32)),
        "unknownCount": 0,
        "slopes": upload(np.zeros(0, np.float32)),
    }


def camera_media(scene: Scene, camera: Camera) -> NDArray[np.uint32]:
    """Return what a camera is in, as MediaStack of medium.slang has it.

    Orthographic cameras begin in what their middle is in, and warn if their corners are elsewhere.
    """
    out = np.zeros(MediaLimit.depth, np.uint32)
    media = find_media(scene)
    if not media or camera.transform is None:
        return out
    inside = _media_at(scene, media, camera.transform[:, 3])
    if camera.kind == "orthographic":
        low, high = camera.film()
        corners = np.array([[x, y, 0, 1] for x in (low[0], high[0]) for y in (low[1], high[1])])
        places = corners @ np.asarray(camera.transform, np.float64).T
        if any(_media_at(scene, media, place) != inside for place in places):
            warnings.warn(
                "Renderer: a medium begins within the film of the orthographic camera; its paths "
                "begin in what the middle of the film is in",
                RuntimeWarning,
                stacklevel=2,
            )
    out[: len(inside[: MediaLimit.depth])] = np.array(inside[: MediaLimit.depth], np.uint32) + 1
    return out


def _media_at(
    scene: Scene, media: list[tuple[int, int]], place: NDArray[np.floating[Any]]
) -> list[int]:
    """Return the numbers of the media around a place."""
    materials = scene.materials()
    return [
        number
        for number, (entry, material) in enumerate(media)
        if _is_inside(scene.objects[entry], id(materials[material]), place)
    ]


def _is_inside(entry: Object, material: int, place: NDArray[np.floating[Any]]) -> bool:
    """Return whether more surfaces of a material are left than entered on the way from a place."""
    assert entry.transform is not None
    corners = entry.mesh.corner_positions().astype(np.float64)
    if entry.mesh.slots is not None:
        own = [id(m) == material for m in entry.materials]
        corners = corners[np.array(own)[entry.mesh.slots]]
    placed = corners @ entry.transform[:, :3].T + entry.transform[:, 3]
    return is_inside(placed, place, bool(np.linalg.det(entry.transform[:, :3]) < 0))
