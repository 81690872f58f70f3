# SPDX-License-Identifier: Apache-2.0
"""Several maps of one material, fitted together."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Exposure, Fit, FitSettings, Target, TextureParameter
from weft.fit.checkpoint import part_of
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

SIZE, TEXELS = 24, 12
START = {"base_color": (0.5, 0.45, 0.4), "roughness": (0.4,), "metallic": (0.5,)}


def constant(name):
    return np.tile(np.array(START[name], np.float32), (TEXELS, TEXELS, 1))


def scene_with(maps):
    textures = {name: Texture(pixels, wrap="extend") for name, pixels in maps.items()}
    plate = principled("plate", **(START | textures))
    sky = np.full((8, 16, 3), 0.6, np.float32)
    sky[1:3, 4:7] = 12
    camera = Camera(SIZE, SIZE, transform=Camera.look_at((0, -1.2, 2.6), (0, 0, 0)), fov=0.75)
    return weft.Scene([placed(quad(), plate)], cameras=[camera], environment=Environment(sky))


@pytest.fixture(scope="module")
def photo(device):
    scene = scene_with({"metallic": np.full((TEXELS, TEXELS, 1), 0.2, np.float32)})
    return weft.Renderer(device, scene).render(settings=PathSettings(samples=64, bounces=2, seed=8))


def curvatures(device, photo, names, *more):
    """Return the curvature of each map at the start, by its name."""
    fit = Fit(
        scene_with({name: constant(name) for name in START}),
        [Target(photo)],
        [TextureParameter(f"plate.{name}") for name in names] + list(more),
        FitSettings(bounces=2, samples=16),
        device=device,
    )
    while not (saved := _saved_textures(fit))["counts"][0]:
        fit.step()
    tables = fit.renderer.tables.materials
    ends = np.cumsum([texture.pixels.size for texture in tables.textures])
    each = np.split(saved["curved"], ends[:-1])
    return {
        name: each[tables.texture_slots[f"plate.{name}"]].reshape(constant(name).shape)
        for name in names
    }


def _saved_textures(fit):
    """Return what the model of the textures keeps."""
    saved = fit.stage.save()
    return part_of(saved, "shared.textures") or part_of(saved, "shared")


@pytest.mark.full
@pytest.mark.parametrize("more", [[], [Exposure()]])
def test_every_map_has_a_curvature_where_signs_of_answers_differ(device, photo, more):
    together = curvatures(device, photo, list(START), *more)

    for curved in together.values():
        assert (curved > 0).mean() > 0.85


def two_materials():
    """Return maps of polished metal on the left and dull paint on the right."""
    x = np.mgrid[0:TEXELS, 0:TEXELS][1][..., None] / (TEXELS - 1)
    share = (x > 0.5).astype(np.float32)
    ends = {"base_color": ((0.7, 0.6, 0.4), (0.15, 0.3, 0.4)), "roughness": (0.3, 0.55)}
    ends |= {"metallic": (0.9, 0.0)}
    return {
        name: (np.asarray(a) * (1 - share) + np.asarray(b) * share).astype(np.float32)
        for name, (a, b) in ends.items()
    }


@pytest.fixture(scope="module")
def fitted(device):
    """Base colour, roughness and metallic of a plate of two materials, half of it hidden."""
    truth = two_materials()
    settings = PathSettings(samples=256, bounces=2, seed=8)
    photo = weft.Renderer(device, scene_with(truth)).render(settings=settings)
    mask = np.ones((SIZE, SIZE), np.float32)
    mask[: SIZE // 2] = 0
    fit = Fit(
        scene_with({name: constant(name) for name in START}),
        [Target(photo, mask=mask)],
        [TextureParameter(f"plate.{name}") for name in START],
        FitSettings(bounces=2, texture_iterations=40),
        device=device,
    )
    return truth, fit.run()


@pytest.mark.full
def test_maps_of_one_material_explain_a_picture_together(fitted):
    _, result = fitted

    losses = [entry.loss for entry in result.history]
    assert np.mean(losses[-5:]) < 0.1 * losses[0]


@pytest.mark.full
def test_errors_cover_what_one_view_does_not_tell(fitted):
    truth, result = fitted

    # Three numbers a pixel for five a texel: other metals and paints give the same picture.
    for name, pixels in truth.items():
        found = result.textures[f"plate.{name}"]
        known = found.known > 0.5
        off, errors = np.abs(found.pixels - pixels)[known], found.errors[known]
        assert (off <= 3 * errors).mean() > 0.85
        assert np.sqrt((off**2).mean()) < 2 * np.sqrt((errors**2).mean())
    assert "plate.metallic" in result.undetermined
    assert "cannot be told apart from" in result.undetermined["plate.metallic"]


@pytest.mark.full
def test_errors_are_infinite_where_no_picture_shows_a_texel(fitted):
    _, result = fitted

    for found in result.textures.values():
        assert found.errors.shape == found.pixels.shape
        assert 0.2 < found.known.mean() < 0.9
        assert np.isinf(found.errors[found.known == 0]).all()
        assert np.isfinite(found.errors[found.known > 0]).all()
        assert (found.errors > 0).all()


@pytest.mark.full
def test_maps_beside_a_number_are_tied(device):
    metal = {"metallic": np.full((TEXELS, TEXELS, 1), 0.5, np.float32)}
    truth = two_materials() | metal
    settings = PathSettings(samples=256, bounces=2, seed=8)
    photo = 1.4 * weft.Renderer(device, scene_with(truth)).render(settings=settings)
    names = ("base_color", "roughness")
    fit = Fit(
        scene_with({name: constant(name) for name in names} | metal),
        [Target(photo)],
        [*(TextureParameter(f"plate.{name}") for name in names), Exposure()],
        FitSettings(bounces=2, texture_iterations=40),
        device=device,
    )
    result = fit.run()

    assert [own[0] for own in fit.stage.images.native.tied_uncertainty()] == [[0, 1]]
    # The sky tells the exposure.
    assert result.values["target.exposure"] == pytest.approx(1.4, abs=0.01)
    for name, share in zip(names, (0.5, 0.95), strict=True):
        found = result.textures[f"plate.{name}"]
        known = found.known > 0.5
        off, errors = np.abs(found.pixels - truth[name])[known], found.errors[known]
        assert (off <= 2 * errors).mean() > 0.85
        spread = (truth[name] - truth[name].mean(axis=(0, 1)))[known]
        assert np.sqrt((off**2).mean()) < share * np.sqrt((spread**2).mean())


@pytest.mark.full
def test_maps_of_other_sizes_are_tied(device):
    truth = two_materials()
    settings = PathSettings(samples=256, bounces=2, seed=8)
    photo = weft.Renderer(device, scene_with(truth)).render(settings=settings)
    start = {name: constant(name) for name in START}
    start["roughness"] = start["roughness"][::2, ::3]
    fit = Fit(
        scene_with(start),
        [Target(photo)],
        [TextureParameter(f"plate.{name}") for name in START],
        FitSettings(bounces=2, texture_iterations=40),
        device=device,
    )
    result = fit.run()

    assert [own[0] for own in fit.stage.images.native.tied_uncertainty()] == [[0, 1, 2]]
    losses = [entry.loss for entry in result.history]
    assert np.mean(losses[-5:]) < 0.1 * losses[0]
    found = result.textures["plate.roughness"]
    assert found.pixels.shape == found.errors.shape == (TEXELS // 2, TEXELS // 3, 1)
    share = (truth["roughness"].reshape(TEXELS // 2, 2, TEXELS // 3, 3)).mean(axis=(1, 3))
    known = found.known > 0.5
    off = np.abs(found.pixels[..., 0] - share)[known]
    assert (off <= 2 * found.errors[..., 0][known]).mean() > 0.85
    assert "plate.metallic" in result.undetermined
