# SPDX-License-Identifier: Apache-2.0
"""The scenes whose kernels come compiled with Weft: shapes of material, each under sets of lights.

The text of a kernel holds no name, number or image of a material, only which inputs it has and
which of them are textures; so one entry serves all scenes of its shape. What else decides it is in
SceneTraits: kinds of light, above all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import weft
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Environment,
    Material,
    Mesh,
    NormalMap,
    Object,
    PointLight,
    SunLight,
    Texture,
    principled,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.scene import Light

BLENDER = {
    "base_color": (0.8, 0.8, 0.8),
    "roughness": 0.5,
    "ior": 1.45,
    "specular_level": 0.5,
    "specular_tint": (1.0, 1.0, 1.0),
}
"""What Blender's Principled node always gives."""


def image(channels: int) -> Texture:
    """Return a texture; of its pixels nothing shows in a kernel."""
    return Texture(np.full((2, 2, channels), 0.5, np.float32))


def mapped(*names: str, **inputs: object) -> Material:
    """Return a Principled material with textures for some inputs."""
    textures: dict[str, object] = {}
    for name in names:
        one = image(3 if name in ("base_color", "normal") else 1)
        textures[name] = NormalMap(one) if name == "normal" else one
    return principled("ball", **(inputs | textures))


MATERIALS: dict[str, Callable[[], Material]] = {
    "plain": lambda: principled("ball"),
    "metallic": lambda: principled("ball", metallic=0.5),
    "diffuse": lambda: Material("ball", Closure("diffuse", color=(0.5, 0.5, 0.5))),
    "texture": lambda: mapped("base_color", metallic=0.5),
    "textures": lambda: mapped("base_color", "roughness", metallic=0.5),
    "textures normal": lambda: mapped("base_color", "roughness", "normal", metallic=0.5),
    "glass": lambda: principled("ball", transmission_weight=1.0),
    "blender": lambda: principled("ball", **BLENDER),
    "blender texture": lambda: mapped("base_color", **BLENDER),
    "blender textures": lambda: mapped("base_color", "roughness", **BLENDER),
    "blender normal": lambda: mapped("base_color", "roughness", "normal", **BLENDER),
}
"""Shapes of material by name."""

FITTED: dict[str, tuple[str, ...]] = {
    "diffuse": ("color",),
    "metallic": ("base_color", "roughness"),
    "blender": ("base_color", "roughness"),
    "texture": ("base_color",),
    "textures normal": ("base_color", "roughness"),
    "blender texture": ("base_color",),
    "blender normal": ("base_color", "roughness"),
}
"""Inputs of those shapes that are fitted without waiting for a compiler: numbers and textures."""

LIGHTS_FITTED = frozenset(("metallic", "blender"))
"""Shapes under which lights and the environment are."""


class LightSet(NamedTuple):
    """Lights of a scene beside a sky.

    Args:
        lights: Its analytic lights.
        is_mesh: An object shines.
    """

    lights: tuple[Light, ...] = ()
    is_mesh: bool = False


def light_sets() -> dict[str, LightSet]:
    """Return sets of lights by name."""
    above = Camera.look_at((0, 0, 4), (0, 0, 0), up=(0, 1, 0))
    area, point = AreaLight(above), PointLight((0, 0, 4))
    return {
        "sky": LightSet(),
        "sky, area": LightSet((area,)),
        "sky, point": LightSet((point,)),
        "sky, sun": LightSet((SunLight((0, 0, -1)),)),
        "sky, object": LightSet(is_mesh=True),
    }


def square(z: float, name: str) -> Mesh:
    """Return two triangles that face up."""
    corners = np.array([[-1, -1, z], [1, -1, z], [1, 1, z], [-1, 1, z]], np.float32)
    faces = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
    normals = np.tile(np.array([[0, 0, 1]], np.float32), (4, 1))
    return Mesh(corners, faces, normals, {"UVMap": (corners[:, :2] + 1) / 2}, name=name)


def scene_of(material: Material, lit: LightSet, *, beside: Material | None = None) -> weft.Scene:
    """Return a scene with one material, or two, under a set of lights."""
    objects = [Object(square(0.0, "ball"), [material], name="ball")]
    if beside is not None:
        objects.append(Object(square(-1.0, "floor"), [beside], name="floor"))
    if lit.is_mesh:
        shining = Closure("emission", color=(1.0, 1.0, 1.0), strength=1.0, both_sides=0.0)
        objects.append(
            Object(square(3.0, "emitter"), [Material("emitter", shining)], name="emitter")
        )
    pose = Camera.look_at((0, -2, 2), (0, 0, 0))
    return weft.Scene(
        objects,
        cameras=[Camera(16, 16, fov=0.7, transform=pose)],
        lights=list(lit.lights),
        environment=Environment(np.full((2, 4, 3), 0.5, np.float32)),
    )
