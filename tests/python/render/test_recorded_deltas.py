# SPDX-License-Identifier: Apache-2.0
"""Replays of mirrors and smooth glass, where a path goes on in one direction only."""

import numpy as np
import pytest

import weft
from support.derivative_sweep import Difference, Sweep
from support.render_scenes import lambert, placed, quad, sphere
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import Add, Camera, Closure, Environment, Material, Mix

SETTINGS = PathSettings(samples=32, bounces=4, roulette_from=None, seed=3)

SMOOTH = {
    "glass": Closure("glass", color=(0.9, 0.7, 0.5), roughness=0.0, ior=1.4),
    "nodes": Add(
        Mix(
            Closure("metallic", color=(0.8, 0.6, 0.3), roughness=0.0, anisotropy=0.4),
            Closure("diffuse", color=(0.2, 0.4, 0.6)),
            0.4,
        ),
        Mix(
            Closure("glossy", color=(0.2, 0.3, 0.4), roughness=0.0),
            Closure("refraction", color=(0.4, 0.5, 0.6), roughness=0.0, ior=1.3),
            0.3,
        ),
    ),
    "varnish": Closure(
        "principled",
        base_color=(0.7, 0.5, 0.3),
        roughness=0.0,
        metallic=0.3,
        transmission_weight=0.5,
        coat_weight=0.4,
        coat_roughness=0.0,
        coat_tint=(0.9, 0.8, 0.7),
    ),
}

ALONE = ("glass",)
"""Surfaces of which no two deltas lead in one direction."""

EACH = [pytest.param(key, marks=() if key in ALONE else pytest.mark.full) for key in SMOOTH]


@pytest.mark.parametrize("name", EACH)
def test_replays_of_smooth_surfaces_are_their_renders(device, name):
    material = Material("m", SMOOTH[name])
    scene = weft.Scene(
        [placed(sphere(), material, move=(0, 0, 1)), placed(quad(8), lambert(), name="floor")],
        cameras=[Camera(16, 16, transform=Camera.look_at((0, -6, 4), (0, 0, 0.7)))],
        environment=Environment(np.random.default_rng(5).random((4, 8, 3))),
    )
    renderer = weft.Renderer(device, scene)
    table = renderer.tables.materials
    recorder = Recorder(renderer, [0], Directions(device, table, np.eye(len(table.values))))
    recorder.draw(scene.cameras[0], SETTINGS)
    image = renderer.render(settings=SETTINGS).reshape(-1, 3)

    recorder.replay(renderer.tables.values)
    replayed = recorder.resolve_to_host(0, 32, with_tangents=False)[0]

    if name in ALONE:
        assert np.abs(replayed - image).max() < 1e-4
    # Where several deltas lead in one direction, it does not matter which of them was drawn.
    assert replayed.mean(axis=0) == pytest.approx(image.mean(axis=0), rel=0.01)
    assert np.abs(replayed - image).mean() < 0.03 * image.mean()


@pytest.mark.parametrize("name", EACH)
def test_derivatives_of_smooth_surfaces_are_differences(device, name):
    sweep = Sweep(device, SMOOTH[name])
    sweep.draw(0)
    tangents = sweep.tangents()
    assert np.count_nonzero(sweep.delta_records()) > 100

    wrong, moved = [], []
    for (entry, component, place), own in zip(sweep.components, tangents, strict=True):
        if entry.endswith(("roughness", "anisotropy", "rotation")):
            continue  # A mirror stays one: facets below a roughness of 0.0038 are all alike.
        difference = Difference(sweep, entry, place)
        size = np.abs(difference.middle).sum()
        off = difference.off(own)
        if off > 0.01 * size + 1e-4 * difference.scale * own.size:
            wrong.append(f"{entry}[{component}]: {off / max(size, 1e-9):.2g} off")
        moved += [entry] if size > 0 else []

    assert not wrong
    assert [name for name in moved if name.endswith(("color", "ior", "weight"))]
