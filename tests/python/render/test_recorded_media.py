# SPDX-License-Identifier: Apache-2.0
"""Derivatives by the numbers of media, beside closed forms, differences and new renders."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.media_scenes import CLEAR, box, look_down, slab
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import Closure, Material, Object, PointLight, SunLight

PART = 32
"""Samples that are resolved at once."""


class Recorded:
    """Paths of a scene, drawn once, with a direction for each number of some parameters."""

    def __init__(self, device, scene, names, samples, **settings):
        self.device, self.renderer = device, weft.Renderer(device, scene)
        table = self.renderer.tables.materials
        self.values = table.values.copy()
        self.slots = [slot for name in names for slot in _slots(table.ranges[name])]
        rows = np.eye(len(self.values), dtype=np.float32)[self.slots]
        materials = [k for k, m in enumerate(scene.materials()) if m.name in _heads(names)]
        self.recorder = Recorder(self.renderer, materials, Directions(device, table, rows))
        self.samples = samples
        self.recorder.draw(scene.cameras[0], PathSettings(samples, roulette_from=None, **settings))

    def at(self, values, with_tangents=False):
        """Return the mean of the picture, and of its derivatives."""
        self.recorder.replay(
            weft.Tensor.from_numpy(self.device, values), with_tangents=with_tangents
        )
        parts = [
            self.recorder.resolve_to_host(first, PART, with_tangents=with_tangents).mean(axis=1)
            for first in range(0, self.samples, PART)
        ]
        return np.mean(parts, axis=0, dtype=np.float64)

    def shown(self):
        return self.at(self.values)[0]

    def tangents(self):
        return self.at(self.values, with_tangents=True)[1:]

    def differences(self, step=1e-2):
        out = []
        for slot in self.slots:
            sides = []
            for side in (step, -step):
                values = self.values.copy()
                values[slot] += side
                sides.append(self.at(values)[0])
            out.append((sides[0] - sides[1]) / (2 * step))
        return np.array(out)


def _slots(entry):
    return range(entry.first, entry.first + entry.size)


def _heads(names):
    return {name.split(".")[0] for name in names}


def diagonal(values):
    """Return derivatives of three channels by the numbers of the same channels."""
    return np.diag(values)


def test_absorption_and_emission_have_exact_derivatives(device):
    absorption, emission = np.array([0.2, 1.0, 3.0]), np.array([2.0, 1.0, 0.5])
    medium = Closure("medium", absorption=tuple(absorption), emission=tuple(emission))
    names = ["fire.volume.absorption", "fire.volume.emission"]

    paths = Recorded(device, look_down([slab("fire", medium)], light=2.0), names, PART)

    passed = np.exp(-absorption)
    assert paths.shown() == pytest.approx(
        2 * passed + emission / absorption * (1 - passed), rel=1e-4
    )
    by_absorption = -2 * passed + emission * (passed / absorption - (1 - passed) / absorption**2)
    by_emission = (1 - passed) / absorption
    expected = np.concatenate([diagonal(by_absorption), diagonal(by_emission)])
    assert paths.tangents() == pytest.approx(expected, rel=1e-3, abs=1e-6)


@pytest.mark.full
def test_a_clear_medium_has_derivatives(device):
    """Fits begin at zero: no absorption, no emission, no scattering."""
    medium = Closure(
        "medium", **dict.fromkeys(("absorption", "emission", "scattering"), (0.0,) * 3)
    )
    names = [f"air.volume.{name}" for name in ("absorption", "emission", "scattering")]
    wide = slab("air", medium, low=(-500, -500, 0), high=(500, 500, 1))

    paths = Recorded(
        device, look_down([wide], 0, lights=[SunLight((0, 0, -1))]), names, 1024, bounces=1
    )

    # Of light that is scattered once, 1 / (4 pi) turns back.
    expected = [diagonal(np.full(3, value)) for value in (0, 1, 1 / (4 * np.pi))]
    assert paths.tangents() == pytest.approx(np.concatenate(expected), rel=0.02, abs=1e-6)


def test_one_scattering_has_the_derivatives_of_its_closed_form(device):
    s, a, g = np.array([0.5, 1.0, 0.1]), np.array([0.3, 0.1, 0.0]), 0.3
    medium = Closure("medium", scattering=tuple(s), absorption=tuple(a), anisotropy=g)
    wide = slab("fog", medium, low=(-500, -500, 0), high=(500, 500, 1))
    names = [f"fog.volume.{name}" for name in ("scattering", "absorption", "anisotropy")]

    paths = Recorded(
        device, look_down([wide], 0, lights=[SunLight((0, 0, -1))]), names, 4096, bounces=1
    )

    def shown(scattering, absorption, turn):
        phase = (1 - turn**2) / (4 * np.pi * (1 + turn**2 + 2 * turn) ** 1.5)
        extinction = scattering + absorption
        return scattering * phase / (2 * extinction) * (1 - np.exp(-2 * extinction))

    h = 1e-4
    by_scattering = (shown(s + h, a, g) - shown(s - h, a, g)) / (2 * h)
    by_absorption = (shown(s, a + h, g) - shown(s, a - h, g)) / (2 * h)
    by_turn = (shown(s, a, g + h) - shown(s, a, g - h)) / (2 * h)
    assert paths.shown() == pytest.approx(shown(s, a, g), rel=0.02)
    expected = np.concatenate([diagonal(by_scattering), diagonal(by_absorption), [by_turn]])
    assert paths.tangents() == pytest.approx(expected, rel=0.03, abs=2e-4)


def foggy_room(scattering=(1.0, 0.7, 0.4), absorption=(0.2, 0.4, 0.3), anisotropy=0.3):
    """Return a floor in fog that shines, a pond that overlaps it, and a light inside."""
    fog = Closure(
        "medium",
        scattering=scattering,
        absorption=absorption,
        emission=(0.02, 0.05, 0.1),
        anisotropy=anisotropy,
    )
    pond = Closure("medium", absorption=(0.6, 0.2, 0.1), scattering=(0.1, 0.2, 0.3))
    floor = Material("floor", Closure("diffuse", color=(0.8, 0.6, 0.4)))
    objects = [
        slab("fog", fog, low=(-2, -2, 0.01), high=(2, 2, 2)),
        slab("pond", pond, low=(-1, -1, 0.01), high=(1, 1, 0.6)),
        Object(box((-3, -3, -1), (3, 3, 0)), [floor]),
    ]
    light = PointLight((0.3, 0, 1), power=30.0, radius=0.3)
    scene = look_down(objects, 0.5, lights=[light])
    scene.cameras[0].scale = 1.5
    return scene


ROOM = [
    "fog.volume.scattering",
    "fog.volume.absorption",
    "fog.volume.emission",
    "fog.volume.anisotropy",
    "pond.volume.absorption",
    "pond.volume.scattering",
    "floor.color",
]


@pytest.fixture(scope="module")
def room(device):
    return Recorded(device, foggy_room(), ROOM, 512, bounces=4)


@pytest.mark.full
def test_records_show_what_paths_show(device, room):
    settings = PathSettings(1024, bounces=4, roulette_from=None)
    shown = weft.Renderer(device, foggy_room()).render(settings=settings).mean(axis=(0, 1))

    assert room.shown() == pytest.approx(shown, rel=0.025)


@pytest.mark.full
def test_derivatives_are_those_of_differences(room):
    expected = room.differences()

    assert room.tangents() == pytest.approx(expected, rel=0.01, abs=1e-3 * np.abs(expected).max())


@pytest.mark.full
def test_records_are_unbiased_for_other_numbers(device, room):
    """What a record says of other numbers is what new paths show: so are its derivatives."""
    changed = {
        "scattering": (1.2, 0.5, 0.6),
        "absorption": (0.1, 0.5, 0.3),
        "anisotropy": 0.2,
    }
    values = room.values.copy()
    for name, numbers in changed.items():
        place = room.renderer.tables.materials.ranges[f"fog.volume.{name}"]
        values[place.first : place.first + place.size] = numbers
    settings = PathSettings(1024, bounces=4, roulette_from=None)

    shown = weft.Renderer(device, foggy_room(**changed)).render(settings=settings)

    assert room.at(values)[0] == pytest.approx(shown.mean(axis=(0, 1)), rel=0.025)


@pytest.mark.full
def test_numbers_of_a_medium_are_fitted(device):
    """Six numbers of the fog, from one small picture."""
    truth, start = foggy_room(), foggy_room((0.5, 0.5, 0.5), (0.4, 0.4, 0.4))
    settings = PathSettings(4096, bounces=4, roulette_from=None)
    picture = weft.Renderer(device, truth).render(settings=settings)
    names = ["fog.volume.scattering", "fog.volume.absorption"]
    unknown = [Parameter(name, bounds=(0.0, 3.0)) for name in names]

    found = Fit(start, [Target(picture)], unknown, FitSettings(bounces=4), device=device).run()

    for name, expected in zip(names, ((1.0, 0.7, 0.4), (0.2, 0.4, 0.3)), strict=True):
        off = np.abs(found.values[name] - expected)
        assert (off < np.maximum(0.02, 3 * found.errors[name])).all(), name
        assert (found.errors[name] < 0.2).all(), name


def test_media_beside_what_passes_light_are_refused(device):
    leaf = Material("leaf", Closure("transparent", color=(0.5, 0.5, 0.5)))
    gray = slab("gray", Closure("medium", absorption=(1.0, 1.0, 1.0)))
    scene = look_down([gray, Object(box((-1, -1, -2), (1, 1, -1)), [leaf])])

    with pytest.raises(weft.ArgumentError, match="'leaf' is partly transparent"):
        Recorded(device, scene, ["gray.volume.absorption"], PART)


def test_what_passes_light_is_still_refused(device):
    gray = Material("gray", CLEAR, volume=Closure("medium", absorption=(1.0, 1.0, 1.0)))
    scene = look_down([Object(box((-1, -1, -2), (1, 1, -1)), [gray])])
    target = Target(np.ones((8, 8, 3), np.float32))

    with pytest.raises(weft.ArgumentError, match="makes surfaces transparent"):
        Fit(scene, [target], [Parameter("gray.color")], device=device)
