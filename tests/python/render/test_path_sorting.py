# SPDX-License-Identifier: Apache-2.0
"""Launches over all paths, as GPUs have them, and over sorted ones, as software devices do."""

import numpy as np

import weft
from support.path_sorting import kernel_traits_with
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import PathSettings, renderer
from weft.render.record import Recorder
from weft.scene import Camera, Environment, principled

SETTINGS = PathSettings(samples=4, bounces=3, roulette_from=None, seed=3)


def two_materials():
    """A glossy sphere on a diffuse plane."""
    gloss = principled("gloss", base_color=(0.8, 0.4, 0.2), roughness=0.43, metallic=0.3)
    return weft.Scene(
        [placed(sphere(), gloss, move=(0, 0, 1)), placed(quad(8), lambert())],
        cameras=[Camera(12, 12, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        environment=Environment(np.random.default_rng(5).random((4, 8, 3))),
    )


def test_both_give_the_same_picture_and_the_same_records(device, monkeypatch):
    pictures, records = [], []
    for sorts in (True, False):
        monkeypatch.setattr(renderer, "kernel_traits", kernel_traits_with(sorts_paths=sorts))
        scene = two_materials()
        own = weft.Renderer(device, scene)
        recorder = Recorder(own, [0], None)
        recorder.draw(scene.cameras[0], SETTINGS)
        recorder.replay(own.tables.values)
        pictures.append(own.render(settings=SETTINGS))
        records.append(recorder.resolve_to_host(0, SETTINGS.samples, with_tangents=False)[0])

    assert np.allclose(*pictures, atol=1e-6)
    assert np.allclose(*records, atol=1e-6)
    assert np.allclose(records[1].reshape(pictures[1].shape), pictures[1], atol=1e-5)
