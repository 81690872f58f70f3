# SPDX-License-Identifier: Apache-2.0
"""Textures with levels."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad, top_camera
from weft._native import mip_levels
from weft.fit import Fit, Target, TextureParameter
from weft.render import PathSettings
from weft.render.record import Recorder
from weft.scene import (
    Attribute,
    Camera,
    Closure,
    Environment,
    Material,
    Object,
    Scene,
    SlangCall,
    Texture,
    UVSet,
)

NOISE = np.random.default_rng(7).random((64, 64, 3)).astype(np.float32)
SHOT = PathSettings(samples=1, bounces=0, filter_width=1e-6)


def shining(pixels, filter_="mipmap", uv=None):
    """A square that shows a texture as it is."""
    texture = Texture(pixels, "extend", filter_, uv)
    return Object(quad(2), [Material("m", Closure("emission", color=texture))])


def seen(device, thing, camera, settings=SHOT):
    return weft.Renderer(device, Scene([thing], cameras=[camera])).render(settings=settings)


def box(pixels, size):
    count = len(pixels) // size
    return pixels.reshape(count, size, count, size, -1).mean(axis=(1, 3))


def test_levels_are_means_of_what_they_cover():
    levels = mip_levels(np.arange(15, dtype=np.float32).reshape(3, 5, 1))

    assert [level.shape for level in levels] == [(1, 2, 1), (1, 1, 1)]
    # Columns 0, 1 and half of 2; half of 2, 3 and 4; all three rows.
    assert levels[0].ravel() == pytest.approx([5.8, 8.2])
    assert levels[1].ravel() == pytest.approx([7])


@pytest.mark.parametrize("pixels", [64, 32, 16, 8])
def test_a_pixel_shows_the_mean_of_the_texels_that_it_covers(device, pixels):
    image = seen(device, shining(NOISE), top_camera(pixels, scale=2.0))

    assert image == pytest.approx(box(NOISE, 64 // pixels), abs=1e-4)


def test_between_levels_both_count(device):
    # Texels of a checkerboard cancel one level up. A pixel of sqrt(2) texels shows half of one.
    checks = np.where(np.indices((64, 64)).sum(axis=0) % 2, 0.0, 1.0)
    middle = top_camera(1, scale=2**0.5 / 32)
    middle.transform[:2, 3] = 1 / 64

    image = seen(device, shining(checks), middle)

    assert abs(image.mean() - 0.5) == pytest.approx(0.25, abs=0.01)


def test_perspective_widens_with_the_distance(device):
    # At the distance where 16 pixels span the square, each covers four texels.
    transform = np.column_stack([np.eye(3), [0, 0, 50.0]])
    camera = Camera(16, 16, fov=2 * np.arctan(1 / 50), transform=transform)

    image = seen(device, shining(NOISE), camera)

    assert image == pytest.approx(box(NOISE, 4), abs=2e-3)


def test_scaled_objects_and_other_uv_sets_have_their_own_footprint(device):
    mesh = quad(2)
    mesh.uvs = {"wide": mesh.uvs["UVMap"] * 0.5, "UVMap": mesh.uvs["UVMap"]}
    texture = Texture(NOISE, "extend", "mipmap", UVSet(1))
    material = Material("m", Closure("emission", color=texture))
    copies = [placed(mesh, material, scale=0.5), placed(mesh, material, move=(9, 0, 0))]
    scene = Scene(copies, cameras=[top_camera(16, scale=1.0)])

    image = weft.Renderer(device, scene).render(settings=SHOT)

    assert image == pytest.approx(box(NOISE, 4), abs=1e-4)


def test_functions_that_repeat_a_texture_narrow_its_texels(device):
    source = "[Differentiable] float2 tiled(float2 uv, float n) { return n * uv; }"
    tiled = SlangCall("tiled", source, {"uv": Attribute.UV, "n": 2.0}, 2)
    material = Material("m", Closure("emission", color=Texture(NOISE, "repeat", "mipmap", tiled)))

    image = seen(device, Object(quad(2), [material]), top_camera(16, scale=2.0))

    assert image == pytest.approx(np.tile(box(NOISE, 8), (2, 2, 1)), abs=1e-3)


def test_distant_noise_is_smooth(device):
    camera, settings = top_camera(8, scale=1.6), PathSettings(samples=4, bounces=0)

    plain = seen(device, shining(NOISE, "linear"), camera, settings).std()
    smooth = seen(device, shining(NOISE), camera, settings).std()

    assert smooth < 0.6 * plain


@pytest.fixture(scope="module")
def floor(device):
    """A floor with a texture of levels under a sky, and a record of its paths."""
    material = Material("m", Closure("diffuse", color=Texture(NOISE, "extend", "mipmap")))
    scene = Scene(
        [Object(quad(2), [material])],
        cameras=[top_camera(16, scale=2.0)],
        environment=Environment(np.ones(3)),
    )
    renderer = weft.Renderer(device, scene)
    recorder = Recorder(renderer, [0], None)
    settings = PathSettings(samples=16, bounces=1, roulette_from=None, seed=6)
    recorder.draw(scene.cameras[0], settings)
    return renderer, recorder, settings


@pytest.mark.full
def test_replayed_paths_see_the_same_levels(floor):
    renderer, recorder, settings = floor
    image = renderer.render(settings=settings).reshape(-1, 3)

    recorder.replay(renderer.tables.values)

    assert np.abs(recorder.resolve_to_host(0, 16, with_tangents=False)[0] - image).max() < 1e-5


@pytest.mark.full
def test_layers_show_the_level_that_pictures_show(floor):
    renderer = floor[0]

    albedo = renderer.render(settings=SHOT, aovs=["albedo"])["albedo"]

    assert albedo == pytest.approx(box(NOISE, 4), abs=1e-4)


def test_fits_of_textures_with_levels_are_refused(device, floor):
    target = Target(np.ones((16, 16, 3), np.float32))

    with pytest.raises(weft.ArgumentError, match="has levels"):
        Fit(floor[0].scene, [target], [TextureParameter("m.color")], device=device)
