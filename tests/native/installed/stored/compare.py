# SPDX-License-Identifier: Apache-2.0
"""Scenes that go from Python to C++ and back.

python compare.py write scene.weft
python compare.py compare scene.weft copy.weft picture.pfm
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import weft
from weft.render import PathSettings
from weft.scene import (
    Add,
    AreaLight,
    Attribute,
    Bump,
    Camera,
    Closure,
    ColorAttribute,
    Constant,
    Environment,
    LightPaths,
    LightProfile,
    Material,
    Mesh,
    Mix,
    NormalMap,
    Object,
    PointLight,
    Problem,
    Scene,
    SlangCall,
    SpotLight,
    SunLight,
    Texture,
    UVSet,
    principled,
)

WAVE = "[Differentiable] float wave(float2 uv, float n) { return 0.5f + 0.5f * sin(n * uv.x); }"


def patch() -> Mesh:
    """Return four triangles around a tip, with all that a mesh may have."""
    random = np.random.default_rng(2)
    positions = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 0.4)]
    triangles = [(0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)]
    normals = np.array(positions, np.float64)
    normals[:, 2] += 2
    return Mesh(
        np.array(positions, np.float32),
        np.array(triangles),
        normals,
        {"first": random.random((5, 2)), "second": random.random((5, 2))},
        {"tint": random.random((5, 3))},
        np.array([0, 1, 2, 0]),
        name="patch",
    )


def materials() -> list[Material]:
    """Return materials of every kind of value and surface."""
    random = np.random.default_rng(0)
    texture = Texture(random.random((4, 4, 3)), "mirror", "mipmap", UVSet(1), name="spots")
    call = SlangCall("wave", WAVE, {"uv": Attribute.UV, "n": 9.0})
    bump = Bump(texture, 0.8, 0.01, NormalMap(texture, 0.5), step=0.01)
    tinted = Closure("diffuse", color=ColorAttribute(0))
    shine = Constant("Shine", (0.2, 0.4, 0.6))
    return [
        Material("mixed", Mix(Closure("diffuse", color=texture), tinted, call)),
        principled("gloss", roughness=0.4, base_color=shine, normal=bump, distribution="ggx"),
        Material("shining", Add(Closure("emission", strength=0.5), Closure("diffuse"))),
    ]


def everything() -> Scene:
    """Return a scene with one of each kind of thing."""
    random = np.random.default_rng(1)
    mesh, paints = patch(), materials()
    profile = LightProfile(random.random((3, 4, 3)), 0.5, 0.25)
    down = np.array([[1.0, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 3]])
    moved = np.array([[0.5, 0, 0, 0.2], [0, -0.5, 0, 0.1], [0, 0, 0.5, 0.8]])
    return Scene(
        [
            Object(mesh, paints, name="floor", shadow_terminator_geometry_offset=0.25),
            Object(mesh, paints, moved, name="mirrored", hidden_from=("shadow", "diffuse")),
        ],
        [
            PointLight([1.0, 2.0, 3.0], 40.0, name="Schlüssel", profile=profile),
            SpotLight([0.0, -2.0, 3.0], [0.0, 0.5, -1.0], 0.9, power=80.0, hidden_from=["glossy"]),
            SunLight([0.1, 0.0, -1.0], 0.5, angle=0.02),
            AreaLight(down, [1.0, 2.0], "ellipse", 20.0, spread=1.0, casts_shadow=False),
        ],
        [Camera(24, 16, transform=Camera.look_at((0, -4, 2), (0, 0, 0.3)), aperture=0.02)],
        Environment(
            random.random((4, 8, 3)),
            np.eye(3)[[1, 2, 0]],
            [1.0, 0.5, 0.2],
            views={"camera": random.random((4, 8, 3))},
        ),
        [Problem("Image 'sky'", "it cannot be read", "no image")],
        LightPaths(diffuse_bounces=3, clamp_indirect=4.0, filter_glossy=0.1),
    )


def read_pfm(path: Path) -> np.ndarray:
    """Return the picture of a portable float map, the top row first."""
    kind, size, _, pixels = path.read_bytes().split(b"\n", 3)
    assert kind == b"PF"
    width, height = map(int, size.split())
    return np.frombuffer(pixels, "<f4").reshape(height, width, 3)[::-1]


def compare(stored: Path, copy: Path, picture: Path) -> None:
    """Print how far the pictures are apart; fail if they are at all."""
    scenes = [Scene.load(stored), Scene.load(copy)]
    assert scenes[0].hash() == scenes[1].hash()
    assert scenes[1].problems == scenes[0].problems
    settings = PathSettings(samples=2, bounces=2)
    with weft.create_device() as device:
        images = [weft.Renderer(device, scene).render(settings=settings) for scene in scenes]
    images.append(read_pfm(picture))
    largest = max(float(np.abs(images[0] - image).max()) for image in images)
    print("largest difference", largest, "of pictures with mean", float(images[0].mean()))
    assert largest == 0


def main() -> None:
    """Write a scene, or compare what C++ made of it."""
    paths = [Path(argument) for argument in sys.argv[2:]]
    if sys.argv[1] == "write":
        everything().save(paths[0])
    else:
        compare(*paths)


if __name__ == "__main__":
    main()
