# SPDX-License-Identifier: Apache-2.0
"""Kernels that move texels and make residuals, against plain numpy; and what a step copies."""

import numpy as np
import pytest
from tests.bench.device.fit_textures import Transfers
from tests.python.fit import test_texture_fits as plates

import weft
from weft._native import box_blur, variation_derivative
from weft.fit import Fit, FitSettings, Target, TextureParameter
from weft.fit.image_kernels import KNOWN_SHARE, ImageKernels, load_kernels
from weft.fit.texel_state import EDGE, LEAST_CURVATURE, TexelState
from weft.fit.texture_parameters import Region
from weft.fit.texture_schedule import StepSchedule

SHAPES = [(1, 1, 1), (1, 7, 3), (9, 6, 3), (16, 33, 1)]


def upload(device, array):
    return weft.Tensor.from_numpy(device, np.ascontiguousarray(array, np.float32).ravel())


def blurred(image, radius):
    return box_blur(box_blur(image, radius), radius) if radius else image


def plain_step(image, velocity, gradient, curved, shown, region, schedule):
    """One step of a map in numpy: what steps of fits were before they moved to the device."""
    sums, marks = (blurred(entry, schedule.blur) for entry in (curved, shown))
    known = marks > KNOWN_SHARE * np.median(marks[marks > 0]) if marks.any() else marks > 0
    mean = max(float(sums[known].mean()), 0.0) if known.any() else 0.0
    prior = region.parameter.smoothness * mean
    divisor = np.maximum(sums, LEAST_CURVATURE * mean) + 4 * prior + 1e-20
    slope = blurred(gradient, schedule.blur) + prior * EDGE * variation_derivative(image, EDGE)
    speed = schedule.momentum * velocity - schedule.rate * known * slope / divisor
    moved = np.clip(image + speed, *region.parameter.bounds)
    return moved, moved - image, known, divisor


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("blur", [0, 1, 4])
@pytest.mark.parametrize("hidden", [0.0, 0.4, 1.0])
def test_steps_are_those_of_numpy(device, shape, blur, hidden):
    rng = np.random.default_rng(7)
    before, size = 5, int(np.prod(shape))  # texels of another texture come first
    region = Region(TextureParameter("m.color", bounds=(0.1, 0.9), smoothness=0.3), before, shape)
    arrays = {
        "texels": rng.uniform(0.1, 0.9, before + size),
        "velocity": rng.normal(0, 0.02, before + size),
        "curved": rng.normal(2, 1, before + size),
        "mean": np.zeros(before + size),
    }
    arrays = {name: values.astype(np.float32) for name, values in arrays.items()}
    arrays["curved"][before:][rng.random(size) < hidden] = 0
    arrays["shown"] = np.abs(arrays["curved"])
    if hidden == 1:
        arrays["velocity"][:] = 0
    gradient = rng.normal(0, 1, before + size).astype(np.float32)
    state = TexelState(upload(device, arrays["texels"]))
    state.restore(arrays)
    schedule = StepSchedule(blur, 0.7, 0.5, 1, average=False)

    state.move(region, upload(device, gradient), schedule)
    state.average()

    names = ("texels", "velocity", "curved", "shown")
    own = [arrays[name][before:].reshape(shape) for name in names]
    slope = gradient[before:].reshape(shape)
    moved, speed, known, divisor = plain_step(
        own[0], own[1], slope, own[2], own[3], region, schedule
    )
    found = {name: values[before:].reshape(shape) for name, values in state.save().items()}
    np.testing.assert_allclose(found["texels"], moved, atol=2e-5)
    np.testing.assert_allclose(found["velocity"], speed, atol=2e-5)
    assert np.array_equal(found["mean"], found["texels"])
    assert np.array_equal(state.texels.to_numpy()[:before], arrays["texels"][:before])
    stiffness = state.stiffness(region, blur)
    found = stiffness.divisor.to_numpy().reshape(shape)
    assert np.array_equal(found > 0, known)
    assert stiffness.count() == known.sum()
    np.testing.assert_allclose(np.abs(found), divisor, rtol=1e-4)


def test_curvature_is_averaged_over_draws(device):
    rng = np.random.default_rng(8)
    region = Region(TextureParameter("m.color"), 2, (3, 2, 1))
    state = TexelState(weft.Tensor.zeros(device, (9,)))
    answers = rng.normal(size=(5, 9)).astype(np.float32)

    for answer in answers:
        state.curvatures += 1
        state.add_curvature(region, upload(device, answer))

    own = answers[:, 2:8]
    for found, rows in ((state.curved, own), (state.shown, np.abs(own))):
        np.testing.assert_allclose(found.to_numpy()[2:8], rows.mean(axis=0), atol=1e-6)
        assert not found.to_numpy()[[0, 1, 8]].any()


def test_products_of_rows_are_those_of_numpy(device):
    rng = np.random.default_rng(9)
    shape, numbers = (7, 5, 3), 3
    region = Region(TextureParameter("m.color"), 0, shape)
    state = TexelState(weft.Tensor.zeros(device, (105,)))
    curved = rng.uniform(0.5, 2, 105).astype(np.float32)
    state.restore(state.save() | {"curved": curved, "shown": curved})
    rows = rng.normal(size=(numbers + 1, 105)).astype(np.float32)

    found = state.products(region, [upload(device, row) for row in rows], 1)

    stiffness = state.stiffness(region, 1)
    divisor = stiffness.divisor.to_numpy().astype(np.float64)
    smooth = np.array([blurred(row.reshape(shape), 1).ravel() for row in rows], np.float64)
    np.testing.assert_allclose(found, smooth[:-1] / divisor @ smooth.T, rtol=1e-4, atol=1e-4)


def test_states_come_back_as_they_were(device):
    state = TexelState(weft.Tensor.zeros(device, (40,)))
    rng = np.random.default_rng(10)
    arrays = {name: rng.normal(size=40).astype(np.float32) for name in state.save()}

    state.restore(arrays)

    assert all(np.array_equal(values, arrays[name]) for name, values in state.save().items())


def test_numbers_that_are_not_finite_are_dropped_and_counted(device):
    values = np.random.default_rng(11).normal(size=1000).astype(np.float32)
    values[:300] = 0
    values[[4, 500, 999]] = np.nan, np.inf, -np.inf
    tensor, counts = upload(device, values), weft.Tensor.zeros(device, (7, 2))

    ImageKernels(device).texels.dropNonFinite(weft.grid((7,)), tensor, 1000, 7, counts)

    assert counts.to_numpy().sum(axis=0).tolist() == [3, 701]
    assert np.array_equal(tensor.to_numpy(), np.where(np.isfinite(values), values, 0))


@pytest.mark.parametrize("pixels", [1, 5, 130])
def test_residuals_and_adjoints_are_those_of_numpy(device, pixels):
    rng = np.random.default_rng(pixels)
    films = rng.random((2, pixels, 3)).astype(np.float32)
    after, image = (rng.random(shape).astype(np.float32) for shape in (films.shape, (pixels, 3)))
    weights, factor = rng.random((pixels, 3)).astype(np.float32), np.array([0.5, 2, 1], np.float32)
    films[1, pixels // 2, 1] = np.inf
    kernels, lanes = load_kernels(device, "residuals"), weft.grid((pixels,))
    film, lost = upload(device, films), weft.Tensor.zeros(device, (pixels,), "uint")
    arrays = [upload(device, values) for values in (image, weights)]
    sums, out = weft.Tensor.zeros(device, (2, 3)), weft.Tensor.zeros(device, (6 * pixels,))
    squares = weft.Tensor.zeros(device, (pixels,))

    kernels.dropLost(lanes, film, pixels, lost)
    kernels.sumResiduals(weft.grid((2,)), film, *arrays, lost, pixels, 2, sums)
    kernels.crossResiduals(lanes, film, *arrays, lost, pixels, factor.tolist(), out)
    crossed = out.to_numpy().reshape(films.shape)
    kernels.squareDifferences(lanes, film, arrays[1], lost, pixels, squares)
    known = (film, upload(device, after), arrays[1], lost, pixels, 0.05, factor.tolist())
    kernels.crossDerivatives(lanes, *known, out)

    kept = np.isfinite(films).all(axis=(0, 2))
    own = np.where(kept[:, None], weights, 0)
    clean = np.where(np.isfinite(films).all(axis=2)[..., None], films, 0)
    a, b = (clean - image) * own
    expected = [(a * b).sum(), ((a - b) ** 2).sum() / 4, (~kept).sum()]
    np.testing.assert_allclose(sums.to_numpy().sum(axis=0), expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(crossed, np.stack([b, a]) * own * factor, atol=1e-6)
    np.testing.assert_allclose(squares.to_numpy(), ((a - b) ** 2).mean(axis=1), atol=1e-6)
    slopes = (after - clean)[::-1] * own**2 / 0.05 * factor
    np.testing.assert_allclose(out.to_numpy().reshape(films.shape), slopes, rtol=1e-4, atol=1e-5)


def test_a_step_copies_no_texels(device):
    size = 64
    grey = weft.scene.Texture(np.full((size, size, 3), 0.5, np.float32), wrap="extend")
    image = np.full((plates.SIZE, plates.SIZE, 3), 0.4, np.float32)
    settings = FitSettings(bounces=1, texture_iterations=6, samples=1)
    parameters = [TextureParameter("plate.base_color")]
    scene = plates.scene_with(grey, 0.4)
    fit = Fit(scene, [Target(image)], parameters, settings, device=device)
    fit.stage.begin()
    transfers = Transfers(3 * size * size)

    with transfers.watched():
        while not fit.stage.is_done:
            fit.stage.step()

    assert transfers.count == 0
    with transfers.watched():
        found = fit.stage.textures()["plate.base_color"]
    assert transfers.count > 0  # at the end
    assert found.pixels.std() > 0
