# SPDX-License-Identifier: Apache-2.0
"""Kernels of shaders/weft/fit for images, against the same in numpy."""

import numpy as np
import pytest

import weft
from weft._native import box_blur
from weft.fit.image_kernels import ImageKernels, sum_of_parts

SHAPES = [
    (1, 1, 1),
    (1, 1, 3),
    (1, 9, 3),
    (7, 1, 1),
    (2, 2, 3),
    (5, 8, 1),
    (17, 13, 3),
    (64, 33, 1),
]


@pytest.fixture(scope="module")
def kernels(device):
    return ImageKernels(device)


def upload(device, array):
    return weft.Tensor.from_numpy(device, np.ascontiguousarray(array, np.float32).ravel())


def plain_box(image, radius):
    """Means over squares, window by window."""
    out = np.zeros(image.shape)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            rows = slice(max(y - radius, 0), y + radius + 1)
            columns = slice(max(x - radius, 0), x + radius + 1)
            out[y, x] = image[rows, columns].astype(np.float64).mean(axis=(0, 1))
    return out


def plain_variation(image, soft):
    out = np.zeros(image.shape)
    for axis in (0, 1):
        step = np.diff(image.astype(np.float64), axis=axis)
        slope = step / np.sqrt(step**2 + soft**2)
        before = [(0, 0)] * 3
        after = [(0, 0)] * 3
        before[axis], after[axis] = (1, 0), (0, 1)
        out += np.pad(slope, before) - np.pad(slope, after)
    return out


def plain_fill(image, known):
    """Holes take the mean of the known texels of the smallest even square block that has some."""
    if min(known.shape) <= 1:
        some = image[known]
        return np.where(known[..., None], image, some.mean(axis=0) if len(some) else 0)
    height, width = (extent // 2 for extent in known.shape)
    coarse = np.zeros((height, width, image.shape[2]))
    coarse_known = np.zeros((height, width), bool)
    for y in range(height):
        for x in range(width):
            block = np.s_[2 * y : 2 * y + 2, 2 * x : 2 * x + 2]
            some = image[block][known[block]]
            coarse_known[y, x] = len(some) > 0
            coarse[y, x] = some.mean(axis=0) if len(some) else 0
    coarse = plain_fill(coarse, coarse_known)
    out = image.astype(np.float64)
    for y, x in np.argwhere(~known):
        out[y, x] = coarse[min(y // 2, height - 1), min(x // 2, width - 1)]
    return out


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("radius", [1, 2, 3, 4, 5, 6])
def test_boxes_are_means_over_squares(device, kernels, shape, radius):
    image = np.random.default_rng(0).normal(size=shape).astype(np.float32)

    found = kernels.box_blur(upload(device, image), shape, radius).to_numpy().reshape(shape)

    np.testing.assert_allclose(found, plain_box(image, radius), atol=2e-6)
    np.testing.assert_allclose(found, box_blur(image, radius), atol=2e-6)


def test_zeros_stay_zeros_beside_large_numbers(device, kernels):
    image = np.zeros((40, 30, 1), np.float32)
    image[20, 10] = 1e12

    found = kernels.blurred(upload(device, image), image.shape, 2).to_numpy().reshape(image.shape)

    assert np.array_equal(found != 0, box_blur(box_blur(image, 2), 2) != 0)
    assert (
        kernels.blurred(weft.Tensor.ones(device, (6,)), (2, 3, 1), 0).to_numpy().tolist() == [1] * 6
    )


@pytest.mark.parametrize("shape", SHAPES)
def test_derivatives_of_the_variation_are_added(device, kernels, shape):
    rng = np.random.default_rng(2)
    image, before = rng.random(shape).astype(np.float32), rng.random(shape).astype(np.float32)
    result, weight = upload(device, before), upload(device, np.array([0.5]))

    kernels.add_variation(upload(device, image), result, shape, 0.05, weight, 0.25)

    expected = before + 0.125 * plain_variation(image, 0.05)
    np.testing.assert_allclose(result.to_numpy().reshape(shape), expected, atol=2e-6)


@pytest.mark.parametrize("count", [1, 2, 3, 257, 5000])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.98, 1.0])
def test_quantiles_are_those_of_the_positive_numbers(device, kernels, count, share):
    rng = np.random.default_rng(count)
    values = (10.0 ** rng.uniform(-12, 12, count) * rng.choice([-1, 0, 1, 1], count)).astype("f4")
    values[count // 2 :] = values[0]  # equal ones

    for first, stride in ((0, 1), (0, 3), (2, 3)):
        own = values[first::stride]
        some = own[own > 0]
        expected = np.quantile(some.astype(np.float64), share) if len(some) else 0.0
        if not len(own):
            continue
        found = kernels.quantile(upload(device, values), share, first, stride).to_numpy()
        # Numbers lie far apart, and the place between two of them is a float32.
        np.testing.assert_allclose(found, [expected], rtol=1e-4)


def test_a_quantile_of_many_numbers_is_exact(device, kernels):
    values = np.random.default_rng(3).random(300_001).astype(np.float32)

    assert kernels.quantile(upload(device, values), 0.5).to_numpy()[0] == np.median(values)


def test_texels_that_pictures_hardly_show_are_unknown(device, kernels):
    shown = np.random.default_rng(4).random((9, 7, 3)).astype(np.float32)
    shown[2:5] *= 1e-3
    shown[7] = 0

    found = kernels.known_texels(upload(device, shown), shown.shape).to_numpy().reshape(9, 7)
    none = kernels.known(weft.Tensor.zeros(device, (12,))).to_numpy()

    sums = shown.sum(axis=2)
    assert np.array_equal(found, sums > 0.02 * np.median(sums[sums > 0]))
    assert not none.any()


@pytest.mark.parametrize("shape", [*SHAPES, (9, 7, 2), (33, 6, 1)])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.97, 1.0])
def test_holes_are_filled_from_what_lies_around(device, kernels, shape, share):
    rng = np.random.default_rng(5)
    image, known = rng.random(shape).astype(np.float32), rng.random(shape[:2]) < share
    image[~known] = np.nan
    known[0, 0] = True
    image[0, 0] = 0.5
    filled = upload(device, image)

    kernels.fill_holes(filled, upload(device, known), shape)

    np.testing.assert_allclose(
        filled.to_numpy().reshape(shape), plain_fill(image, known), atol=1e-6
    )


def test_an_image_of_which_nothing_is_known_stays(device, kernels):
    image = np.random.default_rng(6).random((8, 4, 3)).astype(np.float32)
    filled = upload(device, image)

    kernels.fill_holes(filled, weft.Tensor.zeros(device, (32,)), image.shape)

    assert np.array_equal(filled.to_numpy().reshape(image.shape), image)


def test_partial_sums_are_added_on_the_device(device):
    parts = np.random.default_rng(7).random((1000, 3)).astype(np.float32)

    found = sum_of_parts(weft.Tensor.from_numpy(device, parts))

    np.testing.assert_allclose(found.to_numpy(), parts.sum(axis=0), rtol=1e-5)
