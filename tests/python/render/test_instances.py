# SPDX-License-Identifier: Apache-2.0
"""Transformed objects look like meshes whose vertices were transformed."""

import numpy as np
import pytest

import weft
from support.render_scenes import dark_lights, lambert, sphere
from weft.render import PathSettings
from weft.scene import Camera, Closure, Material, Mesh, Object, Scene, SunLight

TURN = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]
TRANSFORMS = {
    "moved": np.column_stack([np.eye(3), [0.3, 0.1, 0.2]]),
    "stretched": np.column_stack([TURN @ np.diag([1.4, 0.5, 0.9]) @ TURN.T, [0, 0, 0.1]]),
    "mirrored": np.column_stack([np.diag([-1.0, 1.0, 1.2]), [0.1, 0, 0]]),
}


def baked(mesh, transform):
    """The mesh in the world, wound so that the front stays the front."""
    linear = transform[:, :3]
    normals = mesh.normals @ np.linalg.inv(linear)
    triangles = mesh.triangles
    if np.linalg.det(linear) < 0:
        triangles, normals = triangles[:, ::-1], normals[:, ::-1]
    positions = mesh.positions @ linear.T + transform[:, 3]
    return Mesh(positions, triangles, normals, name="baked")


def picture(device, objects, samples=16):
    scene = Scene(
        objects,
        [SunLight((-0.5, 0.4, -1), 3.0), *dark_lights()],
        [Camera(24, 24, fov=0.8, transform=Camera.look_at((0, -4, 2), (0, 0, 0)))],
    )
    settings = PathSettings(samples=samples, bounces=2, seed=1)
    return weft.Renderer(device, scene).render(settings=settings)


@pytest.mark.parametrize("kind", TRANSFORMS)
def test_an_instance_equals_the_transformed_mesh(device, kind):
    mesh, transform = sphere(), TRANSFORMS[kind]

    instance = picture(device, [Object(mesh, [lambert()], transform)])
    mesh_in_world = picture(device, [Object(baked(mesh, transform), [lambert()])])

    # Rays along silhouettes fall on the other side by rounding.
    assert (np.abs(instance - mesh_in_world).max(axis=2) > 1e-3).mean() < 0.02
    assert instance.mean() == pytest.approx(mesh_in_world.mean(), rel=1e-3)


def test_the_front_of_a_mirrored_object_stays_its_front(device):
    emitter = Material("emitter", Closure("emission", both_sides=0.0))

    image = picture(device, [Object(sphere(), [emitter], TRANSFORMS["mirrored"])], samples=1)

    assert image.max() == 1
    assert (image[8:16, 8:16] == 1).all()


def test_instances_of_one_mesh_keep_their_own_materials(device):
    mesh = sphere(0.5)
    glow = [
        Material(name, Closure("emission", color=color))
        for name, color in (("red", (1, 0, 0)), ("blue", (0, 0, 1)))
    ]
    left, right = (np.column_stack([np.eye(3), [x, 0, 0]]) for x in (-0.7, 0.7))

    image = picture(device, [Object(mesh, [glow[0]], left), Object(mesh, [glow[1]], right)], 1)

    assert image[:, :12, 0].max() == 1
    assert image[:, :12, 2].max() == 0
    assert image[:, 12:, 2].max() == 1
