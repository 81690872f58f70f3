# SPDX-License-Identifier: Apache-2.0
"""Subsurface scattering as a random walk."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.fit import Fit, Parameter, Target
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object
from weft.scene.program import print_program


def ball(material, rings=24, radius=1.0):
    """Return a sphere with smooth normals."""
    turn = np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False)
    tilt = np.linspace(0, np.pi, rings + 1)[1:-1]
    t, p = np.meshgrid(tilt, turn, indexing="ij")
    grid = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], axis=-1)
    places = np.concatenate([grid.reshape(-1, 3), [[0, 0, 1], [0, 0, -1]]])
    n, top, bottom = len(turn), len(places) - 2, len(places) - 1
    faces = []
    for k in range(n):
        after = (k + 1) % n
        faces.append((top, k, after))
        last = (len(tilt) - 1) * n
        faces.append((bottom, last + after, last + k))
        for row in range(len(tilt) - 1):
            a, b = row * n + k, row * n + after
            faces += [(a, a + n, b), (b, a + n, b + n)]
    mesh = Mesh((radius * places).astype(np.float32), np.array(faces, np.uint32), normals=places)
    return Object(mesh, [material])


def furnace(surface):
    view = Camera.look_at((0, -4, 0), (0, 0, 0))
    camera = Camera(8, 8, kind="orthographic", scale=0.5, transform=view)
    return weft.Scene(
        [ball(Material("wax", surface))], [], [camera], Environment(np.ones(3, np.float32))
    )


def mean(device, scene, samples=256, **settings):
    chosen = PathSettings(samples, **settings)
    return weft.Renderer(device, scene).render(settings=chosen).mean(axis=(0, 1))


def test_white_wax_keeps_all_light(device):
    wax = Closure("subsurface", color=(1.0, 1.0, 1.0), radius=(10.0, 3.0, 1.0), scale=0.3)

    shown = mean(device, furnace(wax), bounces=8, roulette_from=None)

    assert shown == pytest.approx(np.ones(3), abs=0.02)


@pytest.mark.parametrize("anisotropy", [0.0, 0.6])
def test_wax_has_its_color(device, anisotropy):
    """The albedo of one scattering is chosen so that the wax as a whole has its colour."""
    color = (0.8, 0.5, 0.2)
    wax = Closure("subsurface", color=color, radius=(1.0,) * 3, scale=0.05, anisotropy=anisotropy)

    shown = mean(device, furnace(wax), bounces=4)

    assert shown == pytest.approx(color, abs=0.09)


def test_a_radius_of_none_is_diffuse(device):
    wax = Closure("subsurface", color=(0.8, 0.5, 0.2), radius=(0.0, 0.0, 0.0))

    shown = mean(device, furnace(wax), samples=64, bounces=4)

    assert shown == pytest.approx((0.8, 0.5, 0.2), abs=0.01)


def test_scenes_without_walks_have_no_kernels_of_them(device):
    renderer = weft.Renderer(device, furnace(Closure("diffuse", color=(0.5, 0.5, 0.5))))

    assert not renderer.traits.has_walks
    assert renderer.buffers(64).state.shape[0] < 58
    assert print_program(renderer.scene.materials()[0]).walks == 0


NUMBERS = {"color": (0.7, 0.5, 0.3), "radius": (1.0, 0.6, 0.4), "scale": 0.8}


@pytest.mark.full
def test_derivatives_of_walks_are_those_of_differences(device):
    """Records replayed for other numbers, beside forward and reverse mode."""
    scene = furnace(Closure("subsurface", **NUMBERS))
    renderer = weft.Renderer(device, scene)
    table = renderer.tables.materials
    ranges = {name: table.ranges[f"wax.{name}"] for name in NUMBERS}
    slots = [r.first + k for r in ranges.values() for k in range(r.size)]
    seeds = np.zeros((len(slots), len(table.values)), np.float32)
    seeds[np.arange(len(slots)), slots] = 1
    recorder = Recorder(renderer, [0], Directions(device, table, seeds), with_texels=True)
    settings = PathSettings(64, bounces=3, roulette_from=None)
    recorder.draw(scene.cameras[0], settings)

    def look(values, with_tangents=False):
        recorder.replay(weft.Tensor.from_numpy(device, values), with_tangents=with_tangents)
        return recorder.resolve_to_host(0, 64, with_tangents=with_tangents)

    start = table.values.copy()
    slopes = look(start, True)
    for k, slot in enumerate(slots):
        step = 1e-2 * abs(start[slot])
        ends = []
        for sign in (-1, 1):
            moved = start.copy()
            moved[slot] += sign * step
            ends.append(look(moved)[0].mean(axis=0))
        expected = (ends[1] - ends[0]) / (2 * step)
        assert slopes[1 + k].mean(axis=0) == pytest.approx(expected, rel=0.02, abs=2e-4)

    recorder.replay(weft.Tensor.from_numpy(device, start))
    gradients = weft.Tensor.zeros(device, start.shape)
    ones = weft.Tensor.from_numpy(device, np.ones(64 * 3, np.float32) / 64)
    recorder.gradients(weft.Tensor.from_numpy(device, start), ones, gradients)
    forward = [slopes[1 + k].mean(axis=0).sum() for k in range(len(slots))]
    assert gradients.to_numpy()[slots] == pytest.approx(np.array(forward), rel=2e-3, abs=1e-4)


@pytest.mark.full
def test_records_show_what_paths_show(device):
    scene = furnace(Closure("subsurface", **NUMBERS))
    renderer = weft.Renderer(device, scene)
    settings = PathSettings(256, bounces=3, roulette_from=None)
    recorder = Recorder(renderer, [0], None)
    recorder.draw(scene.cameras[0], settings)
    recorder.replay(renderer.tables.values)

    shown = recorder.resolve_to_host(0, 256, with_tangents=False)[0].mean(axis=0)

    picture = renderer.render(settings=settings).mean(axis=(0, 1))
    assert shown == pytest.approx(picture, rel=0.01)


def test_where_light_goes_below_is_no_parameter(device):
    wax = Closure("subsurface", color=(0.8, 0.5, 0.2), anisotropy=0.3)
    target = Target(np.ones((8, 8, 3), np.float32))

    with pytest.raises(weft.ArgumentError, match="goes below the surface"):
        Fit(furnace(wax), [target], [Parameter("wax.anisotropy")], device=device)


def test_two_walks_in_one_material_are_not_fitted(device):
    waxes = [Closure("subsurface", color=(0.8, 0.5, k)) for k in (0.2, 0.9)]
    renderer = weft.Renderer(device, furnace(weft.scene.Mix(*waxes)))

    with pytest.raises(weft.ArgumentError, match="several subsurface"):
        Recorder(renderer, [0], None)
