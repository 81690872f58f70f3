# SPDX-License-Identifier: Apache-2.0
"""What a fit of numbers and textures does first, and what its phases pass on."""

import numpy as np
import pytest

from support.joint_cases import START, TEXELS, TRUTH, scene_with, take_photos
from weft.fit import Fit, FitSettings, Parameter, Target, TextureParameter

NAMES = [f"glaze.{name}" for name in START]


@pytest.fixture(scope="module")
def photos(device):
    return take_photos(device, 7, samples=64)


def grey_fit(device, photos, texture_iterations=6, max_iterations=16):
    return Fit(
        scene_with(np.full((TEXELS, TEXELS, 3), 0.5), START),
        [Target(photo, camera=number) for number, photo in enumerate(photos)],
        [TextureParameter("cloth.base_color"), *map(Parameter, NAMES)],
        FitSettings(
            bounces=3, max_iterations=max_iterations, texture_iterations=texture_iterations
        ),
        device=device,
    )


@pytest.mark.full
def test_numbers_move_before_textures(device, photos):
    fit = grey_fit(device, photos)
    seen = []

    def look(progress):
        texture = fit.stage.textures()["cloth.base_color"].pixels
        seen.append((progress.values["glaze.base_color"][0], texture.std()))

    fit.run(look)

    first = next(number for number, (_, spread) in enumerate(seen) if spread > 0)
    numbers, spreads = np.array(seen).T
    assert first >= 2
    assert numbers[0] != 0.5
    assert numbers[first - 1] == pytest.approx(0.72, abs=0.15)
    assert spreads[-1] > 0.1


@pytest.mark.full
def test_a_fit_goes_on_amid_its_first_numbers(device, photos, tmp_path):
    whole, resumed = grey_fit(device, photos), grey_fit(device, photos)
    whole.step()
    whole.save_checkpoint(tmp_path / "fit.npz")

    resumed.resume(tmp_path / "fit.npz")

    for _ in range(2):
        first, second = whole.step(), resumed.step()
        assert first.loss == second.loss
        for name in NAMES:
            np.testing.assert_array_equal(first.values[name], second.values[name])


@pytest.mark.full
def test_a_fit_goes_on_amid_later_scalar_passes(device, photos, tmp_path):
    whole, resumed = (grey_fit(device, photos, texture_iterations=2) for _ in range(2))
    for phase in ("scalars 2", "polish"):
        while whole.stage.native.phase != phase:
            whole.step()
        whole.step()
        whole.save_checkpoint(tmp_path / "fit.npz")

        resumed.resume(tmp_path / "fit.npz")

        for _ in range(2):
            first, second = whole.step(), resumed.step()
            for name in NAMES:
                np.testing.assert_array_equal(first.values[name], second.values[name])
                # Sums over arrays that lie elsewhere in memory round otherwise.
                np.testing.assert_allclose(first.errors[name], second.errors[name], rtol=1e-9)


@pytest.mark.full
@pytest.mark.slow
def test_numbers_that_other_pixels_show_are_found_beside_a_texture(device, photos):
    fit = grey_fit(device, photos, texture_iterations=16)
    result = fit.run()
    shown = [entry.errors["glaze.roughness"][0] for entry in result.history]

    # So few draws of a texture may end before its loss has stopped falling, and say so.
    assert result.reason in ("converged", "iterations")
    assert result.undetermined == {}
    for name in NAMES:
        off = np.abs(result.values[name] - np.array(TRUTH[name.split(".")[1]]))
        assert off.max() < 0.05
        assert (off < 4 * result.errors[name]).all()
        assert result.errors[name].max() < 0.04
    # Of the first run, which sees the wrong texture, no errors are shown.
    assert np.isinf(shown[0])
    assert shown[-1] <= result.errors["glaze.roughness"][0]  # which includes the misfit
    assert_progress_is_honest(result.history)
    assert_the_loss_is_one_quantity(result.history)


def assert_progress_is_honest(history):
    """The fraction follows the iterations, which take about as long each; 1 is the end."""
    fractions = np.array([entry.fraction for entry in history])
    true = np.arange(1, len(history) + 1) / len(history)
    assert 0 < fractions[0] < 0.1
    assert (np.diff(fractions) >= 0).all()
    assert (fractions[:-1] < 1).all()
    assert fractions[-1] == 1
    assert np.abs(fractions - true).max() < 0.15
    left = np.array([entry.seconds_left for entry in history])
    assert np.isfinite(left[1:]).all()
    assert left[-1] == 0


def assert_the_loss_is_one_quantity(history):
    """No phase begins with another loss than the one before has ended with, noise apart."""
    losses = np.array([entry.loss for entry in history])
    floors = np.array([entry.noise_floor for entry in history])
    names = [entry.phase for entry in history]
    begins = [k for k in range(1, len(names)) if names[k] != names[k - 1]]
    assert [names[0], *(names[k] for k in begins)][:2] == ["scalars", "textures"]
    assert "polish" in names
    for k in begins:
        step = abs(losses[k] - losses[k - 1])
        assert step < 5 * floors[k - 1 : k + 1].max() + 0.3 * abs(losses[k - 1])
