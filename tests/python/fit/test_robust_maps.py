# SPDX-License-Identifier: Apache-2.0
"""Pixels of photos that nothing explains, and fits of textures."""

import numpy as np
import pytest

import weft
from support.joint_cases import TEXELS, TRUTH, scene_with, take_photos
from support.render_scenes import placed, quad
from weft.fit import Fit, FitSettings, Parameter, Target, TextureParameter
from weft.render import PathSettings
from weft.scene import Camera, Environment, Texture, principled

CLOTH, SIDE = "cloth.base_color", 32
ROUNDS = 3  # of weighing


@pytest.fixture(scope="module")
def spoilt(device):
    """Photos with specks of any colour, a few percent of each."""
    random = np.random.default_rng(2)
    photos = take_photos(device, 7, samples=64)
    for photo in photos:
        for row, column in random.integers(0, len(photo) - 2, (20, 2)):
            photo[row : row + 2, column : column + 2] = random.uniform(0, 3, 3)
    return photos


def fit_of(device, photos, *more, robust, draws=24):
    glaze = TRUTH | ({"roughness": 0.5} if more else {})
    return Fit(
        scene_with(np.full((TEXELS, TEXELS, 3), 0.5), glaze),
        [Target(photo, camera=k, name=f"{k}", robust=robust) for k, photo in enumerate(photos)],
        [TextureParameter(CLOTH), *more],
        FitSettings(bounces=3, texture_iterations=draws, max_iterations=12),
        device=device,
    )


def plate(color):
    """Return a plate in even light with a map of base color."""
    camera = Camera(SIDE, SIDE, transform=Camera.look_at((0, -0.6, 3), (0, 0, 0)), fov=0.6)
    material = principled("plate", base_color=Texture(color, wrap="extend"), roughness=0.8)
    sky = Environment(np.ones((4, 8, 3), np.float32))
    return weft.Scene([placed(quad(), material)], cameras=[camera], environment=sky)


def test_wrong_pixels_of_a_photo_move_maps_little(device):
    x = np.linspace(0.2, 0.7, SIDE // 2, dtype=np.float32)
    truth = np.stack(np.broadcast_arrays(x[:, None], x, np.float32(0.4)), axis=2)
    settings = PathSettings(samples=64, bounces=1, seed=4)
    photo = weft.Renderer(device, plate(truth)).render(settings=settings)
    for row, column in ((6, 7), (12, 22), (20, 10), (24, 25)):
        photo[row : row + 2, column : column + 2] = (2.0, 0.0, 1.5)

    off = []
    for robust in (False, True):
        fit = Fit(
            plate(np.full_like(truth, 0.5)),
            [Target(photo, robust=robust)],
            [TextureParameter("plate.base_color")],
            FitSettings(bounces=1, texture_iterations=24),
            device=device,
        )
        found = fit.run().textures["plate.base_color"]
        off.append(float(np.sqrt(((found.pixels - truth)[found.known > 0.5] ** 2).mean())))

    assert off[1] < 0.5 * off[0]


@pytest.mark.full
def test_numbers_beside_maps_know_which_pixels_nothing_explains(device, spoilt, tmp_path):
    roughness = Parameter("glaze.roughness")
    fit = fit_of(device, spoilt, roughness, robust=True, draws=8)
    while "textures" not in fit.stage.native.phase or weighings(fit) < ROUNDS:
        fit.step()
    fit.save_checkpoint(tmp_path / "fit.npz")
    saved = fit.stage.save()
    other = fit_of(device, spoilt, roughness, robust=True, draws=8)
    other.resume(tmp_path / "fit.npz")

    assert weighings(other) == ROUNDS
    for number in range(len(spoilt)):
        trust = saved[f"shared.texture_views.trust.{number}"]
        assert 0.005 < (trust < 0.1).mean() < 0.1
        of_numbers = f"shared.scalar_views.trust.{number}"
        assert np.array_equal(trust, saved[of_numbers])
        assert np.array_equal(trust, other.stage.save()[of_numbers])
    # A pixel weighs by the root of its trust.
    for view in fit.stage.views:
        weights = view.target.noise_weights().reshape(-1, 3)
        lost = view.trust < 1e-3
        assert (view.weights[lost] < 0.1 * weights[lost] + 1e-12).all()


def weighings(fit):
    """Return how often pixels were weighed."""
    return int(fit.stage.save()["shared.counts"][5])


@pytest.mark.full
def test_targets_that_are_not_robust_are_never_weighed(device, spoilt):
    fit = fit_of(device, spoilt, robust=False, draws=8)
    fit.run()

    assert all((view.trust == 1).all() for view in fit.stage.views)
