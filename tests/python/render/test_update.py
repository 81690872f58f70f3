# SPDX-License-Identifier: Apache-2.0
"""Renderers that take over edited scenes show what new ones show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere
from support.scene_edits import OTHER_KERNELS, SAME_KERNELS, edited_scene, pixels
from weft.render import PathSettings
from weft.scene import Closure, Environment, Material, SlangCall, Texture, principled

SETTINGS = PathSettings(2, bounces=3, seed=5)


def pictures(renderer, aovs=("albedo", "normal", "depth", "object", "material")):
    return renderer.render(settings=SETTINGS, aovs=aovs)


def assert_equal(renderer, scene, what=""):
    """Require the pictures of a new renderer, number by number."""
    fresh = pictures(weft.Renderer(renderer.device, scene))
    for name, picture in pictures(renderer).items():
        assert np.array_equal(picture, fresh[name], equal_nan=True), (what, name)


@pytest.fixture(scope="module")
def renderer(device):
    """A renderer that all tests take over."""
    made = weft.Renderer(device, edited_scene())
    pictures(made)
    return made


def test_each_edit_shows_what_a_new_renderer_shows(renderer):
    scene, rng = edited_scene(), np.random.default_rng(0)
    renderer.update(scene)
    before = pictures(renderer)["color"]

    for name, edit in SAME_KERNELS.items():
        edited = edit(scene, rng)
        renderer.update(edited)

        assert_equal(renderer, edited, name)
        if edited is not scene and name != "nothing":
            assert not np.array_equal(pictures(renderer)["color"], before), name
        renderer.update(scene)
        assert np.array_equal(pictures(renderer)["color"], before), name


@pytest.mark.parametrize("seed", range(2))
def test_sequences_of_edits_show_what_new_renderers_show(renderer, seed):
    rng = np.random.default_rng(seed)
    scene = edited_scene()
    names = list(SAME_KERNELS)
    done = []
    for _ in range(12):
        for name in rng.choice(names, rng.integers(1, 4)):
            scene = SAME_KERNELS[name](scene, rng)
            done.append(str(name))
        renderer.update(scene)

        assert_equal(renderer, scene, done)


QUICK = ("instance", "no objects")


@pytest.mark.full
@pytest.mark.parametrize(
    "name",
    [
        name if name in QUICK else pytest.param(name, marks=pytest.mark.full)
        for name in OTHER_KERNELS
    ],
)
def test_edits_that_need_other_kernels(renderer, name):
    scene, rng = edited_scene(), np.random.default_rng(1)
    renderer.update(scene)
    before = pictures(renderer)["color"]
    edited = OTHER_KERNELS[name](scene, rng)

    renderer.update(edited)

    assert_equal(renderer, edited, name)
    if edited.objects:
        moved = SAME_KERNELS["ball moved"](SAME_KERNELS["slider"](edited, rng), rng)
        renderer.update(moved)
        assert_equal(renderer, moved, name)
    renderer.update(scene)
    assert np.array_equal(pictures(renderer)["color"], before)


def test_what_did_not_change_stays_where_it_is(device):
    scene = edited_scene()
    made = weft.Renderer(device, scene)
    view, tracer = made.tables.view, made.tracer
    geometry = dict(view["geometry"])
    rng = np.random.default_rng(0)

    for name in ("point moved", "slider", "color", "sky turned", "camera", "area resized"):
        scene = SAME_KERNELS[name](scene, rng)
        made.update(scene)

        assert made.tracer is tracer
        assert made.tables.view["textures"]["texels"] is view["textures"]["texels"]
        assert made.tables.view["lights"]["environment"] is view["lights"]["environment"]
        for key in ("positions", "normals", "uvs", "tangents", "slots", "transforms"):
            assert made.tables.view["geometry"][key] is geometry[key], (name, key)

    made.update(SAME_KERNELS["ball moved"](scene, rng))
    assert made.tracer is tracer
    assert made.tables.view["geometry"]["uvs"] is geometry["uvs"]


@pytest.mark.parametrize("tracer", ["automatic", "bvh"])
def test_another_mesh_leaves_the_trees_of_the_others_alone(device, monkeypatch, tracer):
    monkeypatch.setenv("WEFT_TRACER", tracer)
    monkeypatch.setenv("WEFT_TREE_BUILDER", "device")
    scene = edited_scene()
    made = weft.Renderer(device, scene)
    tracer = made.tracer
    ball = scene.objects[1].mesh
    moved = replace(ball, positions=ball.positions * 1.1)
    for mesh, kind in ((moved, "moved"), (sphere(0.6, 9), "new"), (ball, "new")):
        edited = replace(
            scene,
            objects=[scene.objects[0], replace(scene.objects[1], mesh=mesh), *scene.objects[2:]],
        )
        made.update(edited)

        assert made.tracer is tracer
        moved_meshes, new_meshes = (1, 0) if kind == "moved" else (0, 1)
        assert made._traced.change == (len(mesh.triangles), moved_meshes, new_meshes)
        assert_equal(made, edited, kind)


@pytest.mark.full
def test_an_edit_and_its_undoing_load_no_module_twice(renderer):
    scene, rng = edited_scene(), np.random.default_rng(0)
    edited = OTHER_KERNELS["lights of one kind"](scene, rng)
    for entry in (scene, edited):
        renderer.update(entry)
        pictures(renderer)
    loaded = renderer.native.load_count

    renderer.update(scene)
    renderer.update(edited)

    assert renderer.native.load_count == loaded


BAD_CODE = SlangCall("bad", "float3 bad(float x) { return nothing; }", {"x": 0.5}, 3)


@pytest.mark.parametrize("fault", ["two names", "kernel", "area", "flat"])
def test_a_failed_update_leaves_everything_as_it_was(renderer, fault):
    scene = edited_scene()
    renderer.update(scene)
    before = pictures(renderer)
    moved = SAME_KERNELS["ball moved"](scene, np.random.default_rng(0))
    bad = {
        "two names": replace(
            moved, objects=[*moved.objects, placed(quad(), lambert(name="paint"))]
        ),
        "kernel": replace(
            moved,
            objects=[
                *moved.objects,
                placed(quad(), Material("bad", Closure("diffuse", color=BAD_CODE))),
            ],
        ),
        "area": SAME_KERNELS["area resized"](moved, np.random.default_rng(0)),
        "flat": SAME_KERNELS["ball moved"](scene, np.random.default_rng(0)),
    }[fault]
    if fault == "area":
        bad.lights[3] = replace(bad.lights[3], size=(0.0, 1.0))
    if fault == "flat":
        bad.objects[1].transform = np.zeros((3, 4))

    with pytest.raises(weft.Error):
        renderer.update(bad)

    for name, picture in pictures(renderer).items():
        assert np.array_equal(picture, before[name]), name
    assert renderer.scene is scene


def test_arrays_in_new_objects_are_looked_at_again(renderer):
    sky, texels = pixels(3, 6), pixels(4)

    def scene():
        made = edited_scene()
        paint = principled("paint", base_color=Texture(texels), roughness=0.6)
        made.objects[1] = replace(made.objects[1], materials=[paint])
        return replace(made, environment=Environment(sky))

    renderer.update(scene())
    before = pictures(renderer)["color"]
    sky[:] = pixels(5, 6)
    texels[:] = pixels(6)
    changed = scene()

    renderer.update(changed)

    assert_equal(renderer, changed)
    assert not np.array_equal(pictures(renderer)["color"], before)


def test_values_that_were_changed_in_place_show(device):
    scene = edited_scene()
    made = weft.Renderer(device, scene)
    scene.lights[0].power = 10.0
    scene.objects[2].transform = scene.objects[2].transform + 0.1
    scene.objects[0].materials[0].surface.inputs["roughness"] = 0.9
    scene.objects[1].mesh.normals = None

    made.update(scene)

    assert_equal(made, scene)


def test_other_lights_come_with_an_update(device):
    scene, rng = edited_scene(), np.random.default_rng(0)
    unlit = replace(scene, environment=None)
    made = weft.Renderer(device, scene, lit_by=[unlit])
    moved = SAME_KERNELS["ball moved"](scene, rng)
    dark = replace(moved, lights=moved.lights[:1])

    other = made.relit(unlit)
    made.update(moved, lit_by=[dark])

    fresh = weft.Renderer(device, moved, lit_by=[dark])
    for entry in (moved, dark):
        shown = made.relit(entry).render(settings=SETTINGS)
        assert np.array_equal(shown, fresh.relit(entry).render(settings=SETTINGS))
    with pytest.raises(weft.ArgumentError, match="ask relit\\(\\) again"):
        other.render(settings=SETTINGS)
