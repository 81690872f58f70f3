# SPDX-License-Identifier: Apache-2.0
"""The anchor scene of ``tests/support/anchor_cases.py`` for Weft."""

from __future__ import annotations

import sys
from pathlib import Path

import weft
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object, principled

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from support import anchor_cases as cases
from support.anchor_cases import BOUNCES, START, TRUTH

__all__ = ["BOUNCES", "START", "TRUTH", "anchor_scene"]


def mesh_of(shape: cases.Shape, name: str) -> Mesh:
    """Return a shape as Weft has it."""
    uvs = {} if shape.uvs is None else {"UVMap": shape.uvs}
    return Mesh(shape.positions, shape.triangles, shape.normals, uvs, name=name)


def anchor_scene(
    material: Material | None = None, size: int = 256, shape: cases.Shape | None = None
) -> weft.Scene:
    """Return the scene.

    Args:
        material: Of the ball; ``None``: the true one.
        size: Of the picture, pixels.
        shape: What stands in the place of the ball.
    """
    view = cases.CAMERA
    pose = Camera.look_at(view["origin"], view["target"])
    shining = Closure("emission", color=cases.EMITTER_RADIANCE, strength=1.0, both_sides=0.0)
    grey = Closure("diffuse", color=cases.GROUND_COLOR)
    ball = mesh_of(cases.ball() if shape is None else shape, "ball")
    return weft.Scene(
        [
            Object(ball, [material or principled("ball", **TRUTH)], name="ball"),
            Object(mesh_of(cases.ground(), "ground"), [Material("ground", grey)]),
            Object(
                mesh_of(cases.emitter(), "emitter"), [Material("emitter", shining)], name="emitter"
            ),
        ],
        cameras=[Camera(size, size, fov=view["fov"], transform=pose)],
        environment=Environment(cases.sky()),
    )
