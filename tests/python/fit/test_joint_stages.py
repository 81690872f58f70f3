# SPDX-License-Identifier: Apache-2.0
"""What a fit of numbers and textures does first, and what it makes of noise."""

from types import SimpleNamespace

import numpy as np
import pytest

from support.joint_cases import START, TEXELS, TRUTH, scene_with, take_photos
from weft._native import JointNumbers, Prior
from weft.fit import Fit, FitSettings, Parameter, Target, TextureParameter
from weft.fit.noise import NoiseMeter

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
def test_textures_begin_beside_the_best_place_while_numbers_are_elsewhere(device, photos):
    fit = grey_fit(device, photos)
    stage = fit.stage
    while stage.solver.best is None:
        fit.step()
    best = stage.solver.best
    # Another start is under way, of which nothing is known yet.
    saved = stage.solver.save()
    saved["counts"][2] = 0
    stage.solver.restore(saved | {"x": stage.unknowns.low})

    np.testing.assert_array_equal(stage.x, best.x)
    stage.phases.current.end()
    stage.phases.phases[1].begin()

    known = best.errors <= 0.1 * (stage.unknowns.high - stage.unknowns.low)
    assert known.any()
    np.testing.assert_array_equal(stage.model.x[known], best.x[known])


def test_no_start_begins_that_the_first_numbers_could_not_end(device, photos):
    fit = grey_fit(device, photos, max_iterations=40)
    solver = fit.stage.solver

    # Twenty draws, eight for another start, four averaged after it.
    assert solver.may_go_on(8)
    assert not solver.may_go_on(9)


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
    for passes in (1, 3):
        while whole.stage.joint.passes < passes or whole.stage.solver.averaged == 0:
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


def numbers_from(start):
    """Return numbers that begin at a place in a wide range."""
    wide = np.full(len(start), 100.0)
    return JointNumbers(np.array(start), -wide, wide, Prior.none(len(start)))


def test_equations_of_several_places_meet_in_one():
    rng = np.random.default_rng(3)
    truth, numbers = np.array([0.3, -1.2]), numbers_from([2.0, 2.0])

    for _ in range(12):
        rows = rng.normal(size=(5, 2))
        matrix = rows.T @ rows
        numbers.step(matrix, matrix @ (numbers.x - truth), 1.0, True)

    assert np.allclose(numbers.x, truth)
    assert numbers.save()["counts"][1] == 12


def test_equations_forget_what_came_long_ago():
    numbers = numbers_from([0.0])

    for wanted in [5.0] * 3 + [1.0] * 30:
        numbers.step(np.eye(1), numbers.x - wanted, 1.0, False)

    # Six iterations count: a sixth of the last one's weight goes in each further one.
    assert numbers.x[0] == pytest.approx(1.0, abs=0.02)


def test_places_that_are_not_numbers_are_refused():
    with pytest.raises(ValueError, match="there are 1 numbers, got 2 for them"):
        numbers_from([0.0]).move_fixed(np.zeros(2))


def view_of(size=32):
    weights = np.full((size * size, 3), 2.0, np.float32)
    camera = SimpleNamespace(width=size, height=size)
    pixels = np.arange(size * size, dtype=np.uint32)
    return SimpleNamespace(weights=weights, camera=camera, pixels=pixels, image=weights)


def test_noisy_places_count_less_and_others_as_before():
    view, rng = view_of(), np.random.default_rng(1)
    meter = NoiseMeter([view])
    spread = np.ones((32, 32, 1))
    spread[:8, :8] = 40

    for _ in range(2):
        a, b = (rng.normal(size=(32, 32, 3)) * spread for _ in range(2))
        meter.add(a.ravel(), b.ravel())
    meter.apply()

    weights = view.weights.reshape(32, 32, 3)
    assert np.all(weights[14:, 14:] == 2)
    assert weights[3, 3] == pytest.approx(np.full(3, 2 * 2 / 40), rel=0.15)


def test_weights_do_not_know_the_light_of_the_samples():
    view, rng = view_of(), np.random.default_rng(1)
    noise = [rng.normal(size=32 * 32 * 3) for _ in range(2)]
    found = []

    for offset in (0.0, 50.0):
        meter = NoiseMeter([view])
        meter.add(noise[0] + offset, noise[1] + offset)
        found.append(meter.relative_noise()[0])

    assert np.allclose(found[0], found[1])


def test_pixels_that_were_not_measured_count_as_before():
    view = view_of()
    view.pixels = view.pixels[:0]
    meter = NoiseMeter([view])
    meter.add(np.zeros(0), np.zeros(0))

    assert np.all(meter.relative_noise()[0] == 1)
