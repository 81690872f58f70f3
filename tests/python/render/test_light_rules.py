# SPDX-License-Identifier: Apache-2.0
"""Lights that are hidden from some kinds of ray, and lights that cast no shadow."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.media_scenes import slab
from support.render_scenes import quad
from weft.fit import Fit, LightParameter, Target
from weft.render import PathSettings
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Material,
    Mix,
    Object,
    PointLight,
    Scene,
    SpotLight,
    SunLight,
    principled,
)
from weft.scene.light_changes import with_light_factors

WHITE = (1.0, 1.0, 1.0)
LIGHTS = {
    "point": lambda **rules: PointLight((0.3, 0, 2), 50.0, **rules),
    "ball": lambda **rules: PointLight((0.3, 0, 2), 50.0, radius=0.3, **rules),
    "spot": lambda **rules: SpotLight((0.3, 0, 2), (-0.1, 0, -1), 1.0, 0.2, 50.0, **rules),
    "sun": lambda **rules: SunLight((0.2, 0, -1), 2.0, angle=0.2, **rules),
    "area": lambda **rules: AreaLight(
        np.array([[1.0, 0, 0, 0.3], [0, 1, 0, 0], [0, 0, 1, 2]]), power=30.0, **rules
    ),
}
CLOSURES = {
    "diffuse": ("diffuse", Closure("diffuse", color=WHITE)),
    "glossy": ("glossy", Closure("glossy", color=WHITE, roughness=0.4)),
    "refraction": ("transmission", Closure("refraction", color=WHITE, roughness=0.4, ior=1.2)),
    "translucent": ("diffuse", Closure("translucent", color=WHITE)),
    "mirror": ("glossy", Closure("glossy", color=WHITE, roughness=0.0)),
}


def look(height=1.0, target=(0, 0, 0)):
    view = Camera.look_at((-0.2, 0, height), target, up=(0, 1, 0))
    return Camera(12, 12, fov=0.5, transform=view)


def floor(material, *more, lights=()):
    """Return a floor seen from above or, where light passes it, from below."""
    is_below = material.name in ("refraction", "translucent")
    return Scene(
        [Object(quad(4), [material], name="floor"), *more],
        list(lights),
        [look(-1.0 if is_below else 1.0)],
    )


def picture(device, scene, samples=32, bounces=2):
    settings = PathSettings(samples, bounces=bounces, roulette_from=None, seed=3)
    return weft.Renderer(device, scene).render(settings=settings)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", CLOSURES)
def test_lights_do_not_reach_lobes_that_they_are_hidden_from(device, name):
    own, closure = CLOSURES[name]
    material = Material(name, closure)
    scene = floor(material, lights=[LIGHTS["ball"]()])
    seen = picture(device, scene)
    assert seen.mean() > 0.01

    for kind in ("diffuse", "glossy", "transmission"):
        scene.lights = [LIGHTS["ball"](hidden_from=[kind])]
        found = picture(device, scene)
        expected = 0.0 if kind == own else seen.mean()
        # As in Cycles, rough refraction is brighter where lights are drawn than where it leads.
        near = 0.1 if name == "refraction" else 0.02
        assert found.mean() == pytest.approx(expected, rel=near, abs=1e-6)


@pytest.mark.full
@pytest.mark.parametrize("light", ["point", pytest.param("sun", marks=pytest.mark.full)])
def test_what_two_kinds_see_adds_up(device, light):
    layered = principled("layered", base_color=(0.6, 0.3, 0.2), roughness=0.3, coat_weight=0.5)
    mixed = Material("mixed", Mix(CLOSURES["diffuse"][1], CLOSURES["glossy"][1], 0.3))
    for material in (layered, mixed):
        scene = floor(material, lights=[LIGHTS[light]()])
        whole = picture(device, scene, 64, bounces=1)
        scene.lights = [LIGHTS[light](hidden_from=["diffuse"])]
        facets = picture(device, scene, 64, bounces=1)
        scene.lights = [LIGHTS[light](hidden_from=["glossy"])]
        base = picture(device, scene, 64, bounces=1)

        assert min(base.mean(), facets.mean()) > 0.05 * whole.mean()
        assert (base + facets).mean() == pytest.approx(whole.mean(), rel=0.01)


SLOW = pytest.mark.full
SHADOWLESS = ["ball", "area", *(pytest.param(k, marks=SLOW) for k in ("point", "spot", "sun"))]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("light", SHADOWLESS)
def test_nothing_is_in_the_way_of_a_light_without_shadow(device, light):
    lid = Object(quad(1.5), [Material("black", Closure("none"))], np.eye(4))
    lid.transform[2, 3] = 1.2
    open_ = picture(device, floor(Material("m", CLOSURES["diffuse"][1]), lights=[LIGHTS[light]()]))
    scene = floor(Material("m", CLOSURES["diffuse"][1]), lid, lights=[LIGHTS[light]()])
    assert picture(device, scene).mean() < 0.2 * open_.mean()

    scene.lights = [LIGHTS[light](casts_shadow=False)]

    assert picture(device, scene).mean() == pytest.approx(open_.mean(), rel=0.05)


@pytest.mark.full
def test_media_do_not_dim_a_light_without_shadow_and_may_not_see_one(device):
    smoke = Closure("medium", absorption=(0.5, 0.5, 0.5), scattering=(0.5, 0.5, 0.5))
    cloud = slab("smoke", smoke, (-2, -2, 0.1), (2, 2, 0.8))
    scene = floor(Material("m", CLOSURES["diffuse"][1]), cloud)

    def brightness(bounces=3, **rules):
        scene.lights = [LIGHTS["ball"](**rules)]
        return float(picture(device, scene, 128, bounces).mean())

    dimmed = brightness()
    assert brightness(casts_shadow=False) > 1.1 * dimmed
    unscattered = brightness(hidden_from=["volume"])
    assert 0.2 * dimmed < unscattered < 0.97 * dimmed
    assert brightness(hidden_from=["diffuse", "glossy", "transmission", "volume"]) == 0


def recorded(device, scene, names):
    """Return a recorder of the floor's numbers, their values, and the renderer."""
    renderer = weft.Renderer(device, scene)
    table = renderer.tables.materials
    rows = np.eye(len(table.values), dtype=np.float32)[[table.ranges[n].first for n in names]]
    recorder = Recorder(renderer, [0], Directions(device, table, rows))
    recorder.draw(scene.cameras[0], PathSettings(16, bounces=2, roulette_from=None, seed=3))
    return recorder, table.values.copy(), rows, renderer


@pytest.mark.parametrize(
    "rules",
    [{"hidden_from": ["glossy"]}, pytest.param({"hidden_from": ["diffuse"]}, marks=SLOW)],
)
def test_derivatives_know_what_a_light_does_not_reach(device, rules):
    material = principled("floor", base_color=(0.6, 0.3, 0.2), roughness=0.43, metallic=0.2)
    scene = floor(material, lights=[LIGHTS["area"](**rules), LIGHTS["point"]()])
    names = ["floor.base_color", "floor.roughness", "floor.metallic"]
    recorder, values, rows, renderer = recorded(device, scene, names)
    recorder.replay(weft.Tensor.from_numpy(device, values), with_tangents=True)
    shown, *tangents = recorder.resolve_to_host(0, 16, with_tangents=True)

    rendered = renderer.render(settings=PathSettings(16, bounces=2, roulette_from=None, seed=3))
    assert shown == pytest.approx(rendered.reshape(-1, 3), rel=1e-4, abs=1e-5)
    for row, tangent in zip(rows, tangents, strict=True):
        sides = []
        for step in (3e-3, -3e-3):
            moved = weft.Tensor.from_numpy(device, values + np.float32(step) * row)
            recorder.replay(moved)
            sides.append(recorder.resolve_to_host(0, 16, with_tangents=False)[0].astype(np.float64))
        slope = (sides[0] - sides[1]) / 6e-3
        assert np.abs(tangent - slope).max() < 0.02 * np.abs(slope).max() + 1e-4


@pytest.mark.full
def test_a_fit_finds_the_strength_of_a_hidden_light(device):
    material = principled("floor", base_color=(0.6, 0.3, 0.2), roughness=0.4)
    lights = [
        LIGHTS["area"](hidden_from=["glossy"], name="fill"),
        LIGHTS["point"](casts_shadow=False, name="key"),
    ]
    scene = floor(material, lights=lights)
    truth = with_light_factors(scene, {"fill": np.full(3, 2.5), "key": np.full(3, 0.5)})
    assert [light.hidden_from for light in truth.lights] == [["glossy"], ()]
    photo = picture(device, truth, 256)

    result = Fit(scene, [Target(photo)], [LightParameter("fill"), LightParameter("key")]).run()

    assert result.values["fill.factor"] == pytest.approx(2.5, rel=0.05)
    assert result.values["key.factor"] == pytest.approx(0.5, rel=0.05)


def test_rules_come_back_from_files(tmp_path):
    lights = [
        LIGHTS["ball"](hidden_from=["glossy", "volume"], casts_shadow=False),
        LIGHTS["area"](hidden_from=["diffuse"]),
    ]
    floor(Material("m", CLOSURES["diffuse"][1]), lights=lights).save(tmp_path / "rules.weft")

    back = Scene.load(tmp_path / "rules.weft").lights

    assert [list(light.hidden_from) for light in back] == [["glossy", "volume"], ["diffuse"]]
    assert [light.casts_shadow for light in back] == [False, True]


@pytest.mark.parametrize("light", LIGHTS)
def test_unknown_kinds_of_ray_are_refused(light):
    with pytest.raises(weft.ArgumentError, match="kinds of ray are a sequence of diffuse, glossy"):
        LIGHTS[light](hidden_from=["camera"])
