# SPDX-License-Identifier: Apache-2.0
"""Renderer.memory() against what the device counts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.render_scenes import placed, sphere
from support.scene_edits import OTHER_KERNELS, SAME_KERNELS, edited_scene, pixels
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

VIEW = Camera(8, 8, transform=Camera.look_at((0, -5, 3), (0, 0, 0.5)))
SMALL = PathSettings(1, bounces=1)


def large_mesh(scene, _rng):
    ball = placed(sphere(0.5, 90), scene.objects[2].materials[0], name="fine")
    return replace(scene, objects=[*scene.objects, ball])


def large_sky(scene, _rng):
    return replace(scene, environment=Environment(pixels(3, 300)))


def large_texture(scene, _rng):
    paint = principled("paint", base_color=Texture(pixels(7, 500)), roughness=0.6)
    ball = replace(scene.objects[1], materials=[paint])
    return replace(scene, objects=[scene.objects[0], ball, *scene.objects[2:]])


CASES = {
    "plain": (SAME_KERNELS["nothing"], VIEW, SMALL, ()),
    "large picture": (SAME_KERNELS["nothing"], replace(VIEW, width=300, height=200), SMALL, ()),
    "many samples": (SAME_KERNELS["nothing"], VIEW, replace(SMALL, samples=600), ()),
    "layers": (SAME_KERNELS["nothing"], replace(VIEW, width=200), SMALL, ("albedo", "depth")),
    "large texture": (large_texture, VIEW, SMALL, ()),
    "fine mesh": (large_mesh, VIEW, SMALL, ()),
    "large sky": (large_sky, VIEW, SMALL, ()),
    "many lights": (
        lambda s, r: replace(s, lights=[*s.lights, *s.lights[:1] * 2000]),
        VIEW,
        SMALL,
        (),
    ),
    "media": (OTHER_KERNELS["medium"], replace(VIEW, width=200, height=200), SMALL, ()),
    "instances": (OTHER_KERNELS["instance"], replace(VIEW, width=200, height=200), SMALL, ()),
    "walks": (OTHER_KERNELS["subsurface"], replace(VIEW, width=200, height=200), SMALL, ()),
}
SLOW = ("media", "instances", "walks")


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.full) if name in SLOW else name for name in CASES]
)
def test_a_picture_takes_no_more_than_the_bound(fresh_device, name):
    edit, camera, settings, aovs = CASES[name]
    scene = edit(edited_scene(), np.random.default_rng(0))
    device = fresh_device
    before = device.memory_info().used
    renderer = weft.Renderer(device, scene)
    bound = renderer.memory(settings, camera, aovs=aovs)

    renderer.render(camera, settings, aovs=aovs)

    taken = device.memory_info().peak_used - before
    assert bound / 4 - (1 << 20) < taken <= bound
    assert renderer.memory(settings, camera, aovs=aovs) >= taken


@pytest.mark.parametrize("trees", ["host", "device"])
def test_trees_and_their_making_are_counted(fresh_device, monkeypatch, trees):
    monkeypatch.setenv("WEFT_TRACER", "bvh")
    monkeypatch.setenv("WEFT_TREE_BUILDER", trees)
    scene = large_mesh(edited_scene(), None)
    device = fresh_device
    before = device.memory_info().used

    renderer = weft.Renderer(device, scene)
    taken = device.memory_info().peak_used - before
    renderer.render(VIEW, SMALL)

    assert renderer.memory(SMALL, VIEW) >= taken
    assert renderer.memory(SMALL, VIEW) >= device.memory_info().peak_used - before
    assert (renderer.tracer.build_bytes > 100 * 16000) == (trees == "device")


def test_light_groups_share_what_they_have_in_common(fresh_device):
    scene = replace(edited_scene(), environment=Environment(pixels(3, 400)))
    groups = [replace(scene, lights=scene.lights[k : k + 1]) for k in range(4)]
    alone = weft.Renderer(fresh_device, scene)
    own = fresh_device.memory_info().used
    del alone

    renderer = weft.Renderer(fresh_device, scene, lit_by=groups)

    assert fresh_device.memory_info().used < own + (64 << 10)
    view = renderer.tables.view
    for group in groups:
        other = renderer.relit(group).tables.view
        assert other["lights"]["environment"] is view["lights"]["environment"]
        assert other["lights"]["environmentAlias"] is view["lights"]["environmentAlias"]
        assert other["textures"]["texels"] is view["textures"]["texels"]
        for key in ("positions", "normals", "uvs", "colors", "transforms"):
            assert other["geometry"][key] is view["geometry"][key]
