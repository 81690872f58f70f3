# SPDX-License-Identifier: Apache-2.0
"""Transparent surfaces: shadows, views and fits through them."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.path_sorting import kernel_traits_with
from support.render_scenes import lambert, placed, quad, sphere, top_camera
from weft.fit import Fit, Parameter, Target
from weft.render import PathSettings, renderer
from weft.render.directions import Directions
from weft.render.record import Recorder
from weft.scene import (
    AreaLight,
    Camera,
    Closure,
    Environment,
    Material,
    Mix,
    Scene,
    SunLight,
    Texture,
    principled,
)


def pane(alpha, name="pane"):
    """A black sheet with holes."""
    return principled(name, base_color=(0, 0, 0), specular_level=0.0, alpha=alpha)


def floor_under(device, panes, light=None, height=0.5, samples=16, **others):
    """The brightness of a grey floor under horizontal panes, each (material, height)."""
    scene = Scene(
        [placed(quad(4), lambert((0.5, 0.5, 0.5)))]
        + [placed(quad(4), material, move=(0, 0, z)) for material, z in panes],
        [light or SunLight((0, 0, -1), strength=np.pi)],
        [top_camera(8, scale=0.5, height=height)],
    )
    options = {"bounces": 1, "roulette_from": None, "seed": 2} | others
    settings = PathSettings(samples=samples, **options)
    return weft.Renderer(device, scene).render(settings=settings).mean(axis=(0, 1))


TINT = Material("tint", Closure("transparent", color=(0.2, 0.5, 0.9)))


def test_each_pane_dims_the_light(device):
    panes = [(pane(0.25), 1.0), (TINT, 2.0)]

    assert floor_under(device, panes) == pytest.approx([0.075, 0.1875, 0.3375], rel=1e-4)


def test_a_pane_without_transparent_shadows_takes_all_light_from_lights(device):
    dark = replace(TINT, transparent_shadows=False)

    below, above = (floor_under(device, [(dark, z)], height=0.9) for z in (1.0, 0.5))

    assert below == pytest.approx([0, 0, 0])
    assert above == pytest.approx([0, 0, 0])


def test_what_bounces_find_behind_a_pane_without_transparent_shadows_stays(device):
    """The sky is found by rays towards it and by bounces; the latter keep their weights."""
    sky = Environment(np.ones((4, 8, 3)))
    scene = Scene(
        [placed(quad(40), lambert((0.5, 0.5, 0.5))), placed(quad(40), TINT, move=(0, 0, 1))],
        [],
        [top_camera(8, scale=0.5, height=0.5)],
        sky,
    )
    dark = replace(
        scene,
        objects=[
            scene.objects[0],
            placed(quad(40), replace(TINT, transparent_shadows=False), move=(0, 0, 1)),
        ],
    )
    settings = PathSettings(samples=256, bounces=1, roulette_from=None)

    open_, closed = (
        weft.Renderer(device, s).render(settings=settings).mean() for s in (scene, dark)
    )

    assert 0.2 * open_ < closed < 0.9 * open_


def test_panes_beyond_the_limit_are_opaque(device):
    panes = [(pane(0.25), 1.0), (TINT, 2.0)]

    assert floor_under(device, panes, transparent_bounces=1) == pytest.approx([0, 0, 0])


def test_mixtures_pass_their_part(device):
    half = Material("half", Mix(Closure("diffuse", color=(0, 0, 0)), TINT.surface, 0.5))

    assert floor_under(device, [(half, 1.0)]) == pytest.approx([0.05, 0.125, 0.225], rel=1e-4)


def test_holes_of_a_texture_let_light_through(device):
    holes = Texture(np.array([[0.0, 1.0]]), filter="closest")
    material = pane(holes)

    scene = Scene(
        [placed(quad(4), lambert()), placed(quad(4), material, move=(0, 0, 1))],
        [SunLight((0, 0, -1), strength=np.pi)],
        [top_camera(8, scale=2, height=0.5)],
    )
    settings = PathSettings(samples=4, bounces=1, roulette_from=None)
    image = weft.Renderer(device, scene).render(settings=settings)

    assert image[:, :4] == pytest.approx(0.5, rel=1e-4)
    assert image[:, 4:] == pytest.approx(0.0)


def test_passing_is_no_bounce(device):
    # Down through the pane, off the floor and up to the light again.
    seen = floor_under(device, [(pane(0.25), 0.25)], samples=1024)

    assert seen == pytest.approx([0.5 * 0.75**2] * 3, rel=0.02)


@pytest.mark.full
@pytest.mark.parametrize("bounces", [1, 3])
def test_bounces_find_the_light_that_shadow_rays_find(device, bounces):
    # A large near light: bounces and light rays share the light that comes through the pane.
    light = AreaLight(np.column_stack([np.eye(3), [0, 0, 1.0]]), (2.0, 2.0), power=10.0)

    clear = floor_under(device, [], light, samples=256, bounces=bounces)
    dim = floor_under(device, [(pane(0.25), 0.7)], light, samples=1024, bounces=bounces)

    assert dim == pytest.approx(0.75 * clear, rel=0.01)


def test_a_white_ball_with_holes_is_lost_in_a_white_sky(device):
    material = Material(
        "m", Mix(Closure("diffuse", color=(1, 1, 1)), Closure("transparent", color=(1, 1, 1)), 0.4)
    )
    scene = Scene(
        [placed(sphere(0.8, 12), material)],
        cameras=[Camera(8, 8, transform=Camera.look_at((0, -3, 0), (0, 0, 0)), fov=0.4)],
        environment=Environment(np.ones(3)),
    )
    settings = PathSettings(
        samples=128, bounces=40, roulette_from=None, seed=5, transparent_bounces=60
    )

    image = weft.Renderer(device, scene).render(settings=settings)

    assert image.mean() == pytest.approx(1, abs=0.02)


def test_a_light_shines_through_a_pane_without_a_bounce(device):
    glow = Material("glow", Closure("emission", strength=2.0))
    scene = Scene(
        [placed(quad(4), glow), placed(quad(4), TINT, move=(0, 0, 1))], cameras=[top_camera(4)]
    )

    image = weft.Renderer(device, scene).render(settings=PathSettings(samples=4, bounces=0))

    assert image.mean(axis=(0, 1)) == pytest.approx([0.4, 1.0, 1.8], rel=1e-5)


def test_a_whole_surface_needs_no_dimming(device):
    scene = Scene([placed(quad(), pane(1.0))], [SunLight((0, 0, -1))], [top_camera(4)])

    assert not weft.Renderer(device, scene).tables.traits.has_transparency


@pytest.fixture(scope="module")
def behind_glass(device):
    """A ball behind a half transparent pane, lit through another, and a record of its paths."""
    gloss = principled("gloss", base_color=(0.8, 0.4, 0.2), roughness=0.43)
    veil = Material("veil", Mix(Closure("diffuse"), Closure("transparent"), 0.6))
    light = AreaLight(np.column_stack([np.eye(3), [0, 0, 4.0]]), (2.0, 2.0), power=200.0)
    scene = Scene(
        [
            placed(sphere(), gloss, move=(0, 0, 1)),
            placed(quad(8), lambert()),
            placed(quad(4), veil, move=(0, 0, 2.5)),
        ],
        [light],
        [Camera(12, 12, transform=Camera.look_at((0, -4, 4.5), (0, 0, 0.7)))],
    )
    own = weft.Renderer(device, scene)
    ranges = own.tables.materials.ranges
    rows = np.zeros((2, own.tables.values.shape[0]), np.float32)
    rows[0, ranges["gloss.base_color"].first + 1] = 1
    rows[1, ranges["gloss.roughness"].first] = 1
    recorder = Recorder(own, [0], Directions(device, own.tables.materials, rows))
    settings = PathSettings(samples=4, bounces=3, roulette_from=None, seed=3)
    recorder.draw(scene.cameras[0], settings)
    return own, recorder, settings, rows


@pytest.mark.full
def test_replayed_paths_give_the_rendered_picture(behind_glass):
    own, recorder, settings, _ = behind_glass
    image = own.render(settings=settings).reshape(-1, 3)

    recorder.replay(own.tables.values)

    assert image.max() > 0.1
    assert (
        np.abs(recorder.resolve_to_host(0, 4, with_tangents=False)[0] - image).max()
        < 1e-4 * image.max()
    )


@pytest.mark.full
def test_what_lies_behind_has_derivatives(behind_glass, device):
    own, recorder, _, rows = behind_glass
    values = own.tables.values.to_numpy()
    recorder.replay(own.tables.values, with_tangents=True)
    tangents = recorder.resolve_to_host(0, 4, with_tangents=True)[1:]

    for row, tangent in zip(rows, tangents, strict=True):
        sides = []
        for step in (5e-3, -5e-3):
            recorder.replay(weft.Tensor.from_numpy(device, values + np.float32(step) * row))
            sides.append(recorder.resolve_to_host(0, 4, with_tangents=False)[0])
        difference = (sides[0] - sides[1]) / 1e-2
        assert np.abs(tangent).max() > 0.1
        # Second order: the step's square times the third derivative.
        assert np.abs(difference - tangent).max() < 3e-3 * np.abs(tangent).max()

    weights = np.random.default_rng(1).normal(size=(144, 3)).astype(np.float32)
    gradients = weft.Tensor.zeros(device, (len(values),))
    recorder.replay(own.tables.values)
    recorder.gradients(
        own.tables.values, weft.Tensor.from_numpy(device, weights.ravel()), gradients
    )
    forward = (tangents * weights).sum(axis=(1, 2))
    assert rows @ gradients.to_numpy() == pytest.approx(forward, rel=1e-3, abs=1e-3)


@pytest.mark.full
def test_launches_over_all_paths_give_the_same_picture(behind_glass, device, monkeypatch):
    own, _, settings, _ = behind_glass
    monkeypatch.setattr(renderer, "kernel_traits", kernel_traits_with(sorts_paths=False))

    unsorted = weft.Renderer(device, own.scene).render(settings=settings)

    assert np.allclose(unsorted, own.render(settings=settings), atol=1e-5)


def test_fits_of_what_light_passes_are_refused(device):
    scene = Scene([placed(quad(), pane(0.5))], [SunLight((0, 0, -1))], [top_camera(4)])
    target = Target(np.ones((4, 4, 3), np.float32))

    with pytest.raises(weft.ArgumentError, match=r"'pane.alpha' makes surfaces transparent"):
        Fit(scene, [target], [Parameter("pane.alpha")], device=device)


def test_a_negative_limit_is_refused():
    with pytest.raises(weft.ArgumentError, match="transparent_bounces"):
        PathSettings(transparent_bounces=-1)
