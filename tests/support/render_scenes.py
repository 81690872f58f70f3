# SPDX-License-Identifier: Apache-2.0
"""Small scenes for tests of the renderer."""

from __future__ import annotations

import numpy as np

from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Material,
    Mesh,
    Object,
    PointLight,
    SpotLight,
    SunLight,
)


def quad(size=2.0, name="quad"):
    """A square around the origin, facing +z, with UVs from (0, 0) to (1, 1)."""
    uv = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    positions = np.column_stack([(uv - 0.5) * size, np.zeros(4)])
    return Mesh(positions, [[0, 1, 2], [0, 2, 3]], uvs={"UVMap": uv}, name=name)


def sphere(radius=1.0, rings=24, name="sphere"):
    """A sphere around the origin with smooth normals and the usual UVs."""
    theta = np.linspace(0, np.pi, rings + 1)
    phi = np.linspace(0, 2 * np.pi, 2 * rings + 1)
    t, p = np.meshgrid(theta, phi, indexing="ij")
    unit = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], -1).reshape(-1, 3)
    uv = np.stack([p / (2 * np.pi), 1 - t / np.pi], -1).reshape(-1, 2)
    i, j = np.meshgrid(np.arange(rings), np.arange(2 * rings), indexing="ij")
    a = (i * (2 * rings + 1) + j).ravel()
    b = a + 2 * rings + 1
    triangles = np.concatenate([np.stack([a, b, b + 1], 1), np.stack([a, b + 1, a + 1], 1)])
    area = np.linalg.norm(
        np.cross(
            unit[triangles[:, 1]] - unit[triangles[:, 0]],
            unit[triangles[:, 2]] - unit[triangles[:, 0]],
        ),
        axis=1,
    )
    return Mesh(unit * radius, triangles[area > 1e-12], unit, {"UVMap": uv}, name=name)


def lambert(color=(0.5, 0.5, 0.5), name="lambert"):
    """A diffuse material."""
    return Material(name, Closure("diffuse", color=color))


def top_camera(pixels=8, scale=0.1, height=3.0, **others):
    """An orthographic camera above the origin that looks down on `scale` metres."""
    transform = np.column_stack([np.eye(3), [0, 0, height]])
    return Camera(pixels, pixels, "orthographic", scale=scale, transform=transform, **others)


def dark_lights():
    """One light of each kind without power: scenes with them share one compiled program."""
    return [
        PointLight((0, 0, 9), power=0.0, name="dark point"),
        SpotLight((0, 0, 9), (0, 0, -1), power=0.0, name="dark spot"),
        SunLight((0, 0, -1), strength=0.0, name="dark sun"),
        AreaLight(np.eye(4)[:3], power=0.0, name="dark area"),
    ]


def placed(mesh, material, *, scale=1.0, move=(0.0, 0.0, 0.0), name="object"):
    """An object with one material, scaled, then moved."""
    matrix = np.column_stack([np.diag(np.broadcast_to(scale, 3).astype(float)), move])
    return Object(mesh, [material], matrix, name=name)
