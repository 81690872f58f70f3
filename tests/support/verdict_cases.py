# SPDX-License-Identifier: Apache-2.0
"""Small scenes, pictures of them as cameras save them, and what may be wrong with either."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from support import anchor_cases as cases
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object, principled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

NAMES = ("base_color", "roughness", "metallic")
ORIGINS = ((0.0, -6.0, 2.6), (4.5, -4.0, 3.0), (-4.8, -3.4, 2.2), (1.0, -4.6, 4.4))
START = {"base_color": (0.5, 0.5, 0.5), "roughness": 0.6, "metallic": 0.2}


@dataclass(frozen=True)
class Setup:
    """A scene and how it is seen.

    Args:
        material: Of the ball.
        views: So many cameras.
        width: Of the pictures, pixels; three quarters of it high.
        light: Where the light stands.
        turn: Of the sky around the vertical, as a share of a full turn.
        sky: Factor on the sky.
        bounces: Surfaces that a path may leave.
        corner: Two walls stand behind the ball.
        shift: Of the cameras, metres.
        fov: Factor on the angle of view.
        moved: Of the ball, metres.
    """

    material: dict[str, Any] = field(default_factory=lambda: dict(cases.TRUTH))
    views: int = 1
    width: int = 64
    light: tuple[float, float, float] = (2.2, -1.6, 3.6)
    turn: float = 0.0
    sky: float = 1.0
    bounces: int = 3
    corner: bool = False
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)
    fov: float = 1.0
    moved: tuple[float, float, float] = (0.0, 0.0, 0.0)


def mesh_of(shape: cases.Shape, name: str) -> Mesh:
    """Return a shape as Weft has it."""
    uvs = {} if shape.uvs is None else {"UVMap": shape.uvs}
    return Mesh(shape.positions, shape.triangles, shape.normals, uvs, name=name)


def light_at(centre: Sequence[float]) -> Mesh:
    """Return a square that faces the ball."""
    middle, target = np.array(centre), np.array(cases.EMITTER["target"])
    z = (target - middle) / np.linalg.norm(target - middle)
    x = np.cross([0, 0, 1], z)
    x /= np.linalg.norm(x)
    y = np.cross(z, x)
    half = cases.EMITTER["side"] / 2
    corners = [middle + half * (a * x + b * y) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    return Mesh(np.array(corners), np.array([[0, 1, 2], [0, 2, 3]], np.uint32), name="light")


def walls() -> Mesh:
    """Return two walls that meet behind the ball."""
    corners = [(-1.6, 1.4, 0), (1.6, 1.4, 0), (1.6, 1.4, 3), (-1.6, 1.4, 3)]
    corners += [(-1.6, -1.6, 0), (-1.6, 1.4, 0), (-1.6, 1.4, 3), (-1.6, -1.6, 3)]
    faces = [[0, 2, 1], [0, 3, 2], [4, 6, 5], [4, 7, 6]]
    return Mesh(np.array(corners, float), np.array(faces, np.uint32), name="walls")


def scene_of(setup: Setup, material: dict[str, Any] | None = None) -> weft.Scene:
    """Return the scene of a set-up, with another material of the ball if one is given."""
    shining = Closure("emission", color=cases.EMITTER_RADIANCE, strength=1.0, both_sides=0.0)
    grey = Closure("diffuse", color=cases.GROUND_COLOR)
    ball = cases.ball(48, 24)
    ball = ball._replace(positions=ball.positions + np.array(setup.moved))
    surface = principled("ball", **(setup.material if material is None else material))
    objects = [
        Object(mesh_of(ball, "ball"), [surface], name="ball"),
        Object(mesh_of(cases.ground(), "ground"), [Material("ground", grey)], name="ground"),
        Object(light_at(setup.light), [Material("light", shining)], name="light"),
    ]
    if setup.corner:
        white = Closure("diffuse", color=(0.8, 0.8, 0.8))
        objects.append(Object(walls(), [Material("walls", white)], name="walls"))
    sky = np.roll(cases.sky(128, 64), round(128 * setup.turn), axis=1) * np.float32(setup.sky)
    cameras = [
        Camera(
            setup.width,
            setup.width * 3 // 4,
            fov=cases.CAMERA["fov"] * setup.fov,
            transform=Camera.look_at(np.add(origin, setup.shift), cases.CAMERA["target"]),
            name=f"camera {number + 1}",
        )
        for number, origin in enumerate(ORIGINS[: setup.views])
    ]
    return weft.Scene(objects, cameras=cameras, environment=Environment(sky))


def photos_of(device, setup: Setup, samples: int = 512, seed: int = 0) -> list[NDArray[np.float32]]:
    """Return linear pictures of a set-up."""
    scene = scene_of(setup)
    renderer = weft.Renderer(device, scene)
    return [
        renderer.render(
            camera,
            PathSettings(
                samples, bounces=setup.bounces, roulette_from=None, seed=1000 * seed + number
            ),
        )
        for number, camera in enumerate(scene.cameras)
    ]


def targets_of(photos: Sequence[NDArray[np.float32]]) -> list[Target]:
    """Return targets of linear pictures, one a camera."""
    return [
        Target(photo, camera=number, name=f"photo {number + 1}")
        for number, photo in enumerate(photos)
    ]


def fit_of(device, setup: Setup, targets: Sequence[Target], seed: int = 0, **settings) -> Fit:
    """Return a fit of the ball's five numbers."""
    chosen = {"bounces": setup.bounces, "seed": seed} | settings
    parameters = [Parameter(f"ball.{name}") for name in NAMES]
    scene = scene_of(setup, START)
    return Fit(scene, targets, parameters, FitSettings(**chosen), device=device)
