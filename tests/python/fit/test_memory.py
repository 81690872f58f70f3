# SPDX-License-Identifier: Apache-2.0
"""Fit.memory() against what the device counts, from the first iteration to the verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.media_scenes import look_down, slab
from support.render_scenes import quad
from weft.fit import Fit, FitSettings, LightParameter, Parameter, Target, TextureParameter
from weft.fit.unknown_environment import EnvironmentParameter
from weft.render.memory import alias_table_bytes, environment_alias_bytes, light_tree_bytes
from weft.scene import Camera, Closure, Environment, Mesh, Object, PointLight, Texture, principled

SIDE = 24
SETTINGS = FitSettings(samples=4, bounces=2, max_iterations=3, texture_iterations=4, tolerance=1e-9)
VIEW = Camera.look_at((0, -2.5, 2.5), (0, 0, 0))


def plate(color=(0.4, 0.5, 0.6), objects=()):
    mesh = quad(1)
    mesh = Mesh(mesh.positions, mesh.triangles, uvs={"UVMap": (mesh.positions[:, :2] + 1) / 2})
    material = principled("plate", base_color=color, roughness=0.5)
    cameras = [
        Camera(side, side, fov=0.7, transform=VIEW, name=f"camera {side}") for side in (SIDE, 40)
    ]
    own = Object(mesh, [material], name="plate")
    return weft.Scene([own, *objects], [], cameras, Environment(np.ones(3)))


def texture(size=64):
    return Texture(np.full((size, size, 3), 0.4, np.float32))


def room():
    """A box around the camera: no path escapes before its last bounce."""
    corners = np.array([[x, y, z] for x in (-4, 4) for y in (-4, 4) for z in (-4, 4)], np.float32)
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    triangles = [[s[a], s[b], s[c]] for s in sides for a, b, c in ((0, 1, 2), (0, 2, 3))]
    walls = principled("plate", base_color=(0.4, 0.5, 0.6), roughness=0.5)
    scene = plate()
    return replace(scene, objects=[Object(Mesh(corners, np.array(triangles)), [walls])])


def lamps(count):
    lights = [PointLight((0.1 * k, 0, 2), 10.0, name=f"lamp {k}") for k in range(count)]
    return replace(plate(), lights=lights)


def fog():
    medium = Closure("medium", absorption=(1.0, 0.7, 0.4), scattering=(0.4, 0.4, 0.4))
    scene = look_down([slab("fog", medium)])
    small = replace(scene.cameras[0], width=SIDE, height=SIDE)
    return replace(scene, cameras=[small])


COLOR, ROUGHNESS = Parameter("plate.base_color"), Parameter("plate.roughness")
CASES = {
    "scalars": (plate, [COLOR, ROUGHNESS], 1),
    "a closed room": (room, [COLOR, ROUGHNESS], 1),
    "two views": (plate, [COLOR], 2),
    "lights": (lambda: lamps(3), [COLOR, LightParameter("lamp 1"), LightParameter("lamp 2")], 1),
    "many lights": (lambda: lamps(300), [COLOR], 1),
    "a texture": (lambda: plate(texture()), [TextureParameter("plate.base_color")], 1),
    "a large texture": (lambda: plate(texture(400)), [TextureParameter("plate.base_color")], 1),
    "a texture and a scalar": (
        lambda: plate(texture()),
        [TextureParameter("plate.base_color"), ROUGHNESS],
        2,
    ),
    "an environment": (plate, [EnvironmentParameter(16, 8)], 1),
    "media": (fog, [Parameter("fog.volume.absorption"), Parameter("fog.volume.scattering")], 1),
}


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_a_fit_takes_no_more_than_the_bound(fresh_device, name):
    make, parameters, views = CASES[name]
    scene, device = make(), fresh_device
    targets = [
        Target(np.full((camera.height, camera.width, 3), 0.3, np.float32), camera.name, name=title)
        for camera, title in zip(scene.cameras[:views], "ab", strict=False)
    ]
    before = device.memory_info().used
    fit = Fit(scene, targets, parameters, SETTINGS, device=device)
    bound = fit.memory()

    fit.run()

    taken = device.memory_info().peak_used - before
    assert 0 < taken <= bound


@pytest.mark.full
def test_a_closed_room_takes_most_of_the_bound(fresh_device):
    scene = room()
    target = Target(np.full((SIDE, SIDE, 3), 0.3, np.float32), scene.cameras[0].name)
    before = fresh_device.memory_info().used
    fit = Fit(scene, [target], [COLOR, ROUGHNESS], SETTINGS, device=fresh_device)
    bound = fit.memory()

    fit.run()

    assert fresh_device.memory_info().peak_used - before > bound / 3


@pytest.mark.parametrize("count", [1, 2, 9, 300])
def test_light_trees_and_alias_tables_take_no_more_than_their_bounds(device, count):
    sky = Environment(np.ones((8, 16, 3), np.float32))
    scene = replace(lamps(count), environment=sky)

    lights = weft.Renderer(device, scene, light_sampling="tree").tables.view["lights"]

    assert lights["tree"].nbytes <= light_tree_bytes(count)
    assert lights["alias"].nbytes == alias_table_bytes(count + 1)
    assert lights["environmentAlias"].nbytes == environment_alias_bytes(8 * 16)
