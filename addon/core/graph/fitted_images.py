# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of compiled materials that a fit moves: those there are, and new ones for sockets."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np

import weft
from weft import ArgumentError
from weft.scene import Texture, UVSet
from weft.scene.changes import inputs_of
from weft.scene.parameter_ref import ParameterRef

from .bindings import Binding, TextureBinding

if TYPE_CHECKING:
    from weft.scene.texture import Wrap

    from .compile import CompiledMaterial

EDGE = 1e-4  # of the unit square: UV maps end there but for rounding


def uv_set_of(binding: Binding, materials: Collection[CompiledMaterial]) -> int:
    """Return the number of the active UV map among those of the scene."""
    name = binding.parameter.owner
    requests = next(entry.attributes for entry in materials if entry.material.name == name)
    return next(e.index for e in requests if (e.kind, e.name) == ("uv", ""))


def find_wrap(scene: weft.Scene, binding: Binding, address: str, number: int) -> Wrap:
    """Return how a new image goes on beyond its edges; refuse objects without UV map.

    Texels at the edge of an image that fills its surface must not mix with those of the far edge.
    """
    is_within = True
    name = binding.parameter.owner
    for entry in scene.objects:
        if not any(material.name == name for material in entry.materials):
            continue
        uvs = list(entry.mesh.uvs.values())[number]
        if uvs.size and not np.ptp(uvs.reshape(-1, 2), axis=0).any():
            raise ArgumentError(
                f"fit: '{address}' cannot become a texture: object '{entry.name}' has no UV map; "
                "unwrap it first"
            )
        is_within &= bool(uvs.size == 0 or (uvs.min() >= -EDGE and uvs.max() <= 1 + EDGE))
    return "extend" if is_within else "repeat"


def uniform_image(
    binding: Binding, resolution: tuple[int, int], number: int, wrap: Wrap
) -> Texture:
    """Return an image that shows what the socket has now."""
    width, height = resolution
    value = np.maximum(np.atleast_1d(np.asarray(binding.value, np.float32)), 1e-3)
    pixels = np.broadcast_to(value, (height, width, len(value))).astype(np.float32)
    return Texture(pixels, wrap, uv=UVSet(number), name=binding.label)


def material_of(materials: Collection[CompiledMaterial], binding: TextureBinding) -> str:
    """Return weft's name of the material that has an image node."""
    return next(entry.material.name for entry in materials if binding in entry.textures)


def driven_input(scene: weft.Scene, material: str, texture: Texture) -> ParameterRef:
    """Return the name of the first input of a material that a texture drives."""
    for name, value in inputs_of(scene).items():
        if name.owner == material and value is texture:
            return name
    raise ArgumentError(f"fit: material '{material}' does not show '{texture.name}' anywhere")


def image_of(
    scene: weft.Scene, material: str, binding: TextureBinding
) -> tuple[Texture, ParameterRef]:
    """Return the texture of an image node, and the name of the input that it drives."""
    for name, value in inputs_of(scene).items():
        if name.owner != material or not isinstance(value, Texture):
            continue
        if value.name == binding.texture:
            return value, name
    raise ArgumentError(
        f"fit: the image of '{binding.label}' does not drive an input that can be fitted"
    )
