#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws rendering.png of docs/guide/rendering.md beside this file; takes minutes on a CPU.

./dev python docs/images/draw_rendering.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import weft
from weft.render import PathSettings, save_picture
from weft.scene import (
    AreaLight,
    Attribute,
    Camera,
    Closure,
    Environment,
    Material,
    Mesh,
    Object,
    Scene,
    SlangCall,
    principled,
)

HERE = Path(__file__).resolve().parent

RINGS = """
/// Concentric rings in the plane, of two colours.
[Differentiable]
float3 rings(no_diff float3 position, float frequency, float3 inner, float3 outer)
{
    const float wave = 0.5f + 0.5f * sin(frequency * length(position.xy));
    return lerp(inner, outer, wave * wave * (3.f - 2.f * wave));
}
"""


def sphere(rings: int = 48) -> Mesh:
    """Return a unit sphere around the origin with smooth normals."""
    theta, phi = np.meshgrid(
        np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1), indexing="ij"
    )
    sine = np.sin(theta)
    unit = np.stack([sine * np.cos(phi), sine * np.sin(phi), np.cos(theta)], -1).reshape(-1, 3)
    row, column = (
        values.ravel()
        for values in np.meshgrid(np.arange(rings), np.arange(2 * rings), indexing="ij")
    )
    a = row * (2 * rings + 1) + column
    b = a + 2 * rings + 1
    triangles = np.concatenate(
        [np.stack([a, b, b + 1], 1)[row < rings - 1], np.stack([a, b + 1, a + 1], 1)[row > 0]]
    )
    return Mesh(unit, triangles, unit, name="sphere")


def build_scene() -> Scene:
    """Return three spheres on a floor of rings, under an evening sky and a light."""
    call = SlangCall(
        "rings",
        RINGS,
        {
            "position": Attribute.POSITION,
            "frequency": 4.0,
            "inner": (0.75, 0.71, 0.65),
            "outer": (0.16, 0.22, 0.32),
        },
        size=3,
    )
    ground = Mesh([[-90, -90, 0], [90, -90, 0], [90, 90, 0], [-90, 90, 0]], [[0, 1, 2], [0, 2, 3]])
    ball = sphere()
    looks = [
        principled("clay", base_color=(0.75, 0.25, 0.12), roughness=0.8),
        principled("lacquer", base_color=(0.05, 0.35, 0.25), roughness=0.08),
        principled("gold", base_color=(1.0, 0.72, 0.3), metallic=1.0, roughness=0.3),
    ]
    objects = [Object(ground, [Material("floor", Closure("diffuse", color=call))], name="floor")]
    for number, look in enumerate(looks):
        place = np.column_stack([np.eye(3), [2.3 * (number - 1), 0.3 * number, 1]])
        objects.append(Object(ball, [look], place, name=look.name))
    height = np.linspace(1, -1, 32)[:, None, None]
    sky = np.where(height > 0, (0.25, 0.4, 0.7) + 0.5 * (1 - height) ** 3 * (1.0, 0.5, 0.1), 0.1)
    light = Camera.look_at((-3.5, -3, 5), (0, 0, 0.5))
    pose = Camera.look_at((0.6, -7.5, 2.6), (0, 0, 0.75))
    return Scene(
        objects,
        [AreaLight(light, (2.0, 2.0), power=220.0, color=(1.0, 0.9, 0.8))],
        [Camera(512, 240, fov=0.98, transform=pose, aperture=0.03, focus=7.3)],
        Environment(np.broadcast_to(sky, (32, 64, 3)), strength=0.6),
    )


def main() -> None:
    """Render the scene and write the picture."""
    renderer = weft.Renderer(weft.create_device(), build_scene())
    settings = PathSettings(samples=256, bounces=5, filter="blackman_harris", filter_width=2.0)
    save_picture(HERE / "rendering.png", renderer.render(settings=settings))


if __name__ == "__main__":
    main()
