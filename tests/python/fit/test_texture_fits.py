# SPDX-License-Identifier: Apache-2.0
"""Fits of textures to renders of a known scene."""

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad
from weft.fit import Fit, FitSettings, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

SIZE = 32


def pattern():
    """Stripes and a ramp, 16 x 16."""
    y, x = np.mgrid[0:16, 0:16] / 15
    return np.stack([0.2 + 0.6 * x, 0.7 - 0.5 * y, np.where(x > 0.5, 0.6, 0.25)], -1)


def scene_with(texture, roughness):
    plate = principled("plate", base_color=texture, roughness=roughness)
    sky = np.full((8, 16, 3), 0.6, np.float32)
    sky[1:3, 4:7] = 12
    camera = Camera(SIZE, SIZE, transform=Camera.look_at((0, -1.2, 2.6), (0, 0, 0)), fov=0.75)
    return weft.Scene([placed(quad(), plate)], cameras=[camera], environment=Environment(sky))


def grey():
    return Texture(np.full((16, 16, 3), 0.5, np.float32), wrap="extend")


@pytest.fixture(scope="module")
def photo(device):
    scene = scene_with(Texture(pattern(), wrap="extend"), 0.4)
    return weft.Renderer(device, scene).render(
        settings=PathSettings(samples=512, bounces=2, seed=8)
    )


def test_a_texture_is_found_from_a_photo(device, photo):
    fit = Fit(
        scene_with(grey(), 0.4),
        [Target(photo)],
        [TextureParameter("plate.base_color", smoothness=0.02)],
        FitSettings(bounces=2, texture_iterations=40, samples=8),
        device=device,
    )

    result = fit.run()

    found = result.textures["plate.base_color"]
    assert found.known.mean() > 0.95
    assert np.sqrt(np.mean((found.pixels - pattern()) ** 2)) < 0.03
    assert result.reason == "converged"


def test_equal_seeds_give_equal_textures(device, photo):
    def fitted():
        settings = FitSettings(bounces=2, texture_iterations=4, seed=3)
        parameters = [TextureParameter("plate.base_color")]
        fit = Fit(scene_with(grey(), 0.4), [Target(photo)], parameters, settings, device=device)
        return fit.run().textures["plate.base_color"].pixels

    assert np.allclose(fitted(), fitted(), atol=2e-5)


def test_an_input_without_a_texture_is_named(device, photo):
    with pytest.raises(weft.ArgumentError, match=r"plate.metallic.*plate.base_color"):
        Fit(
            scene_with(grey(), 0.4),
            [Target(photo)],
            [TextureParameter("plate.metallic")],
            device=device,
        )


def board_with(pixels):
    material = principled("board", base_color=Texture(pixels, wrap="extend"), roughness=1.0)
    camera = Camera(SIZE, SIZE, transform=Camera.look_at((0, 0, 2.6), (0, 1e-4, 0)), fov=0.75)
    return weft.Scene(
        [placed(quad(), material)], cameras=[camera], environment=Environment((1, 1, 1))
    )


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_small_textures_take_no_more_iterations_than_large_ones(device, size):
    y, x = np.mgrid[0:size, 0:size] / max(size - 1, 1)
    pixels = np.stack([0.2 + 0.5 * x, 0.7 - 0.4 * y, 0.3 + 0.3 * x * y], -1).astype(np.float32)
    photo = weft.Renderer(device, board_with(pixels)).render(
        settings=PathSettings(samples=128, bounces=1, seed=4)
    )
    fit = Fit(
        board_with(np.full_like(pixels, 0.5)),
        [Target(photo)],
        [TextureParameter("board.base_color", smoothness=0.001)],
        FitSettings(bounces=1, texture_iterations=16),
        device=device,
    )

    result = fit.run()

    found = result.textures["board.base_color"]
    assert found.known.all()
    assert np.sqrt(np.mean((found.pixels - pixels) ** 2)) < 0.02
    assert result.verdict.is_good, result.verdict.sentence


def test_a_texture_that_still_changes_is_called_unfinished(device, photo):
    fit = Fit(
        scene_with(grey(), 0.4),
        [Target(photo)],
        [TextureParameter("plate.base_color")],
        FitSettings(bounces=2, texture_iterations=3),
        device=device,
    )

    result = fit.run()

    assert result.reason == "iterations"
    assert not result.verdict.is_good
    assert result.verdict.causes[0] == "unfinished"
    assert "give them more iterations" in result.verdict.sentence
