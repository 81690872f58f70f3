# SPDX-License-Identifier: Apache-2.0
"""What a fit is expected to take, against what fits take."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from addon.core.fitting import estimate
from addon.core.fitting.estimate import (
    SPREAD_OF_DEVICE,
    SPREAD_OF_SCENE,
    FitSize,
    Throughput,
    ThroughputHistory,
    estimate_fit,
    estimate_memory,
)
from addon.core.fitting.run import FitRun

from support.fit_plans import plan_of, request
from support.media_scenes import look_down, slab
from weft import _native
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.layouts import RecordRow
from weft.scene import Closure, Mesh, Object

SIZE = FitSize((100, 200), samples=4, bounces=3, numbers=4, own_numbers=4, iterations=10)
SIDE = 24


def room(pieces):
    """Return the sides of a box around the camera, in so many meshes that are strewn over it."""
    corners = np.array([[x, y, z] for x in (-4, 4) for y in (-4, 4) for z in (-4, 4)], np.float32)
    sides = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    middles = corners[np.array(sides)].mean(axis=1)
    fans = [
        [8 + side, side_corners[edge], side_corners[(edge + 1) % 4]]
        for side, side_corners in enumerate(sides)
        for edge in range(4)
    ]
    places = np.concatenate([corners, middles])
    parts = [np.array(fans[piece::pieces]) for piece in range(pieces)]
    uvs = [np.zeros((len(part), 3, 2), np.float32) for part in parts]
    return [Mesh(places, part, uvs={"UVMap": uv}) for part, uv in zip(parts, uvs, strict=True)]


def fit_inside_a_room(plan, count=1):
    """Let the camera see nothing but a room of copies of the plate's material, and fit them all."""
    (plate,) = plan.scene.objects[0].materials
    names = [plate.name, *(f"{plate.name} {number}" for number in range(1, count))]
    materials = [replace(plate, name=name) for name in names]
    objects = [
        Object(mesh, [material], name=material.name)
        for mesh, material in zip(room(count), materials, strict=True)
    ]
    plan.scene = replace(plan.scene, objects=objects)
    own = [(name.partition(".")[2], binding) for name, binding in plan.numbers.items()]
    plan.numbers = {f"{name}.{socket}": binding for name in names for socket, binding in own}
    plan.parameters = [Parameter(name) for name in plan.numbers]


def run(plan, device):
    """Run a few draws; return the run and the most bytes that it held."""
    plan.settings = replace(plan.settings, bounces=2, max_iterations=2, tolerance=1e-9)
    before, held = device.memory_info().used, []
    done = FitRun(plan, lambda: device, lambda update: held.append(device.memory_info().used))
    done.job.result()
    return done, max(held) - before


@pytest.mark.full
def test_the_memory_of_a_fit_in_a_room_is_foreseen_and_elsewhere_it_is_less(fresh_device):
    asked = request("Plate.Roughness", "Plate.Base Color", size=SIDE)
    inside, plate = plan_of(asked, size=SIDE), plan_of(asked, size=SIDE)
    fit_inside_a_room(inside)

    _, in_room = run(inside, fresh_device)
    done, on_plate = run(plate, fresh_device)

    assert 1 / 2 < in_room / estimate_memory(inside.size()) < 1.0
    assert on_plate < estimate_memory(plate.size())
    assert len(done.draw_seconds) == 2


@pytest.mark.full
@pytest.mark.parametrize("count", [5, 20])
def test_the_memory_of_a_fit_of_many_materials_is_foreseen(fresh_device, count):
    inside = plan_of(request("Plate.Roughness", "Plate.Base Color", size=SIDE), size=SIDE)
    fit_inside_a_room(inside, count)

    _, held = run(inside, fresh_device)

    size = inside.size()
    assert (size.numbers, size.own_numbers) == (4 * count, 4)
    assert 1 / 2 < held / estimate_memory(size) < 1.0


def test_few_pixels_get_more_samples_as_fits_give_them():
    few, many = replace(SIZE, pixels=(100,)), replace(SIZE, pixels=(100_000,))

    assert few.most_samples == estimate.MAX_SAMPLES_FACTOR * SIZE.samples
    assert many.most_samples == SIZE.samples
    assert replace(many, numbers=400).most_samples == pytest.approx(400 * 2048 / 100_000)
    assert replace(few, numbers=0).most_samples == SIZE.samples
    for name in ("MIN_PATHS", "PATHS_PER_SCALAR", "MAX_SAMPLES_FACTOR"):
        assert getattr(estimate, name) == getattr(_native, name)
    assert estimate.RECORD_ROWS == RecordRow.derivative
    assert estimate.MEDIA_RECORD_ROWS == RecordRow.derivative_behind


def test_a_plan_says_how_large_it_is():
    asked = request("Plate.Roughness", "texture:Plate.Base Color@8x4", "light:World", size=SIDE)
    plan = plan_of(asked, size=SIDE)

    size = plan.size()

    assert size.pixels == (SIDE * SIDE,)
    assert (size.numbers, size.own_numbers, size.parts) == (1, 1, 2)
    assert (size.texels, size.other_texels) == (8 * 4 * 3, 0)
    assert (size.triangles, size.iterations) == (2, 60)


def test_textures_and_triangles_count_by_their_numbers():
    more = replace(SIZE, texels=1000, triangles=50)

    films = estimate.FILM_ARRAYS * sum(SIZE.pixels)
    texels = 2 + estimate.TEXEL_ARRAYS + estimate.MAP_ARRAYS
    assert estimate_memory(more) - estimate_memory(SIZE) == 4 * (texels * 1000 + 46 * 50 + films)


def test_time_is_known_after_a_fit_and_better_after_one_of_the_scene(tmp_path):
    book = ThroughputHistory(tmp_path)
    assert estimate_fit(SIZE, book.find("", "a")).seconds is None
    assert "time is known once it runs" in estimate_fit(SIZE, None).describe()

    book.learn("", "a", SIZE, [9.0, 2.0, 2.0, 30.0])

    assert ThroughputHistory(tmp_path).find("", "a") == Throughput(SIZE.work / 2, SPREAD_OF_SCENE)
    other = book.find("", "b")
    assert (other.work, other.spread) == pytest.approx((SIZE.work / 2, SPREAD_OF_DEVICE))
    assert book.find("cuda:0", "a") is None
    low, high = estimate_fit(SIZE, book.find("", "a")).seconds
    assert (low, high) == pytest.approx((10.0, 40.0))
    twice = replace(SIZE, samples=8)
    assert estimate_fit(twice, book.find("", "a")).seconds == pytest.approx((20.0, 80.0))


def test_scenes_tell_together_how_far_another_one_may_differ(tmp_path):
    book = ThroughputHistory(tmp_path)
    spreads = []
    for number, seconds in enumerate((1.0, 16.0, 4.0, 4.0, 4.0)):
        book.learn("vulkan:0", f"scene {number}", SIZE, [9.0, seconds])
        spreads.append(book.find("vulkan:0", "other").spread)
    book.learn("vulkan:01", "scene", SIZE, [9.0, 1e6])

    found = book.find("vulkan:0", "other")

    assert found.work == pytest.approx(SIZE.work / 4)
    assert found.spread == pytest.approx(4 * SPREAD_OF_SCENE)
    assert spreads[0] == pytest.approx(SPREAD_OF_DEVICE)
    low, high = estimate_fit(SIZE, found).seconds
    assert low < 10 * 1.0 < 10 * 16.0 < high


def test_scenes_that_are_alike_narrow_the_estimate(tmp_path):
    book = ThroughputHistory(tmp_path)
    for number in range(6):
        book.learn("", f"scene {number}", SIZE, [9.0, 2.0])
        spread = book.find("", "other").spread
        assert spread == pytest.approx(max(SPREAD_OF_DEVICE ** (1 / (number + 1)), SPREAD_OF_SCENE))


def test_one_draw_says_nothing_of_the_pace(tmp_path):
    book = ThroughputHistory(tmp_path)
    book.learn("", "a", SIZE, [9.0])
    assert book.find("", "a") is None


@pytest.mark.parametrize("text", ["", "[1]", '{"a": "b"}', '{"a": -1}', "{"])
def test_a_broken_file_is_as_none(tmp_path, text):
    (tmp_path / "throughput.json").write_text(text)
    book = ThroughputHistory(tmp_path)
    assert book.find("a", "") is None
    book.learn("a", "", SIZE, [1.0, 1.0])
    assert ThroughputHistory(tmp_path).find("a", "") is not None


def test_it_is_said_in_words():
    words = estimate_fit(replace(SIZE, iterations=1), Throughput(SIZE.work / 60, 2.0)).describe()
    rough = estimate_fit(replace(SIZE, iterations=1), Throughput(SIZE.work / 60, 30.0)).describe()
    assert words.startswith("About ")
    assert words.endswith("on the device; about 60 s if all iterations are needed")
    assert rough.endswith("on the device; time is known once it runs")
    known = estimate_fit(SIZE, None, 91_600_000).describe()
    assert known == "At most 92 MB on the device; time is known once it runs"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("names", [["absorption"], ["absorption", "scattering", "emission"]])
def test_the_memory_of_a_fit_of_media_is_foreseen(fresh_device, names):
    fog = Closure("medium", absorption=(1.0, 0.7, 0.4), scattering=(0.4, 0.4, 0.4))
    scene = look_down([slab("fog", fog)])
    target = Target(np.full((8, 8, 3), 0.2, np.float32), camera=scene.cameras[0].name)
    parameters = [Parameter(f"fog.volume.{name}") for name in names]
    settings = FitSettings(samples=4, bounces=3, max_iterations=2)
    before, held = fresh_device.memory_info().used, []
    fit = Fit(scene, [target], parameters, settings, device=fresh_device)
    while not fit.is_done:
        fit.step()
        held.append(fresh_device.memory_info().used)

    numbers = 3 * len(names)
    size = FitSize((64,), 4, 3, numbers, numbers, iterations=2, has_media=True)
    least = estimate_memory(replace(size, has_media=False))
    assert max(held) - before < estimate_memory(size)
    assert least < estimate_memory(size)
