# SPDX-License-Identifier: Apache-2.0
"""Lights inside of media."""

from __future__ import annotations

from dataclasses import replace

import pytest

import weft
from support.media_scenes import box, look_down, slab
from weft.render import PathSettings
from weft.render.record import Recorder
from weft.scene import Closure, Material, Object, PointLight


def test_records_under_other_lights_see_the_lights_of_these_in_media(device):
    """Nearly a mirror, under water with a light: bounces find nearly all of its light."""
    metal = Material("metal", Closure("metallic", color=(0.9, 0.9, 0.9), roughness=0.1))
    # Which of two faces in one place a ray meets first is up to the device.
    floor = Object(box((-5, -5, -2), (5, 5, -1e-4)), [metal])
    water = slab("water", Closure("medium", absorption=(0.5,) * 3), low=(-5, -5, 0), high=(5, 5, 2))
    scene = look_down([floor, water], 0, lights=[PointLight((0, 0, 0.8), power=1.0, radius=0.3)])
    other = replace(scene, lights=[PointLight((0, 0, 0.8), power=10.0, radius=0.3)])
    renderer = weft.Renderer(device, scene, lit_by=[other])
    settings = PathSettings(256, bounces=1, roulette_from=None)
    tables = renderer.relit(other).tables

    recorder = Recorder(renderer, [0], None, tables)
    recorder.draw(scene.cameras[0], settings)
    recorder.replay(tables.values)
    shown = recorder.resolve_to_host(0, 256, with_tangents=False)[0].mean()

    assert shown == pytest.approx(renderer.relit(other).render(settings=settings).mean(), rel=0.01)
