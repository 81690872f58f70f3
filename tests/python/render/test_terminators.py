# SPDX-License-Identifier: Apache-2.0
"""Light near the edge of the shadow of coarse smooth meshes; beside Cycles in tests/blender."""

from __future__ import annotations

import math

import numpy as np
import pytest

import weft
from weft.render import PathSettings
from weft.scene import Camera, Closure, Material, Mesh, Object, Scene, SunLight

WHITE = Material("white", Closure("diffuse", color=(0.8, 0.8, 0.8)))
SIDES = 6


def drum(matrix=None):
    """Return the side of a prism whose normals are those of a cylinder around z."""
    matrix = np.eye(4)[:3] if matrix is None else np.asarray(matrix)[:3]
    angles = 2 * math.pi * np.arange(SIDES) / SIDES
    up = np.array([0.0, 0.0, 1.0])
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    corners = np.concatenate([ring - up, ring + up])
    after = [(k + 1) % SIDES for k in range(SIDES)]
    triangles = [(k, after[k], SIDES + after[k]) for k in range(SIDES)]
    triangles += [(k, SIDES + after[k], SIDES + k) for k in range(SIDES)]
    linear = matrix[:, :3]
    normals = np.tile(ring, (2, 1)) @ np.linalg.inv(linear)
    placed = corners @ linear.T + matrix[:, 3]
    if np.linalg.det(linear) < 0:
        triangles = [(a, c, b) for a, b, c in triangles]
    return Mesh(placed.astype(np.float32), np.uint32(triangles), normals=normals.astype(np.float32))


def picture(device, objects, samples=64):
    """Return a picture from the side, the sun across."""
    sun = SunLight((1, 0, -0.2), 3.0, angle=0.02)
    camera = Camera(24, 24, fov=0.5, transform=Camera.look_at((0, -8, 1), (0, 0, 0)))
    renderer = weft.Renderer(device, Scene(objects, [sun], [camera]))
    return renderer.render(settings=PathSettings(samples=samples, bounces=1, seed=3))


def test_coarse_smooth_meshes_gain_light_at_the_edge_of_their_shadow(device):
    exact = picture(device, [Object(drum(), [WHITE])])
    lifted = picture(device, [Object(drum(), [WHITE], shadow_terminator_geometry_offset=0.1)])

    assert np.all(lifted.mean(axis=2) >= exact.mean(axis=2) - 0.02)
    assert lifted.mean() > 1.03 * exact.mean()


def test_flat_faces_are_as_they_were(device):
    flat = drum()
    flat.normals = None

    exact = picture(device, [Object(flat, [WHITE])])
    lifted = picture(device, [Object(flat, [WHITE], shadow_terminator_geometry_offset=0.5)])

    np.testing.assert_array_equal(lifted, exact)


@pytest.mark.parametrize("mirrored", [False, True])
def test_placed_meshes_equal_those_of_the_world(device, mirrored):
    turn = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
    matrix = np.eye(4)
    matrix[:3, :3] = 0.7 * turn @ np.diag([-1.0 if mirrored else 1.0, 1.0, 1.0])
    far = np.eye(4)
    far[:3, 3] = (0, -50, 0)
    offset = {"shadow_terminator_geometry_offset": 0.3}
    mesh = drum()

    world = picture(device, [Object(drum(matrix), [WHITE], **offset)])
    placed = picture(
        device,
        [Object(mesh, [WHITE], matrix, **offset), Object(mesh, [WHITE], far, **offset)],
    )

    np.testing.assert_allclose(placed.mean(), world.mean(), rtol=0.005)
    assert np.abs(placed - world).mean() < 0.02 * world.mean()
