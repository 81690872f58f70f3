# SPDX-License-Identifier: Apache-2.0
"""weft.losses.ssim against the paper's formula in numpy, its gradient against differences."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
from weft import Tensor
from weft.losses import SSIM, ssim


def reference_map(a, b, data_range=1.0, window=11, sigma=1.5):
    """Equation 13 with a two-dimensional Gaussian window, double precision; images (H, W, C)."""
    r = np.arange(window) - window // 2
    w = np.exp(-(r[:, None] ** 2 + r**2) / (2 * sigma**2))
    w /= w.sum()

    def average(image):
        patches = np.lib.stride_tricks.sliding_window_view(image, (window, window), axis=(0, 1))
        return np.einsum("hwcij,ij->hwc", patches, w)

    mean_a, mean_b = average(a), average(b)
    variance_a = average(a * a) - mean_a**2
    variance_b = average(b * b) - mean_b**2
    covariance = average(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * data_range) ** 2, (0.03 * data_range) ** 2
    luminance = (2 * mean_a * mean_b + c1) / (mean_a**2 + mean_b**2 + c1)
    structure = (2 * covariance + c2) / (variance_a + variance_b + c2)
    return luminance * structure


@pytest.fixture
def images():
    rng = np.random.default_rng(2)
    a = rng.random((23, 31, 3)).astype(np.float32)
    return a, np.clip(a + 0.2 * rng.normal(size=a.shape), 0, 1).astype(np.float32)


def upload(device, *arrays, dtype=None):
    return [Tensor.from_numpy(device, array, dtype) for array in arrays]


@pytest.mark.parametrize(
    "options", [{}, {"window": 7, "sigma": 1.0}, {"window": 1}, {"data_range": 3.0}]
)
def test_similarity_follows_the_paper(device, images, options):
    a, b = (image.astype(np.float64) for image in images)
    similarity = SSIM(device, **options)

    result = similarity.map(*upload(device, *images))

    expected = reference_map(a, b, **options)
    # Variances are differences of squares: one rounding, 6e-8, beside c2 = 9e-4 changes 7e-5.
    np.testing.assert_allclose(result.numpy(), expected, atol=2e-4)
    assert similarity(*upload(device, *images)) == pytest.approx(expected.mean(), abs=5e-5)


def test_grey_images_vectors_and_views_are_images_too(device, images):
    a, b = images
    grey = ssim(*upload(device, a[..., 0].copy(), b[..., 0].copy()))
    color = ssim(*upload(device, a, b, dtype=weft.float3))
    whole = upload(device, np.repeat(a, 2, axis=1), np.repeat(b, 2, axis=1))

    assert grey == pytest.approx(reference_map(a[..., :1], b[..., :1]).mean(), abs=1e-5)
    assert color == pytest.approx(reference_map(a, b).mean(), abs=1e-5)
    assert ssim(*(image[:, ::2] for image in whole)) == pytest.approx(color, abs=1e-6)


def test_equal_images_have_similarity_one(device, images):
    (a,) = upload(device, images[0])

    assert ssim(a, a) == pytest.approx(1.0, abs=1e-5)


def test_black_and_white_have_only_the_constants_in_common(device):
    black, white = upload(device, np.zeros((16, 16), np.float32), np.ones((16, 16), np.float32))

    assert ssim(black, white) == pytest.approx(1e-4 / (1 + 1e-4), rel=1e-2)


def test_the_gradient_equals_central_differences(device, images):
    a, b = (image.astype(np.float64) for image in images)
    rng = np.random.default_rng(6)

    value, gradient = SSIM(device).with_gradient(*upload(device, *images))

    assert value == pytest.approx(reference_map(a, b).mean(), abs=1e-5)
    for _ in range(5):
        direction = rng.normal(size=a.shape)
        h = 1e-5
        plus, minus = (reference_map(a + s * direction, b).mean() for s in (h, -h))
        expected = (plus - minus) / (2 * h)
        assert (gradient.numpy() * direction).sum() == pytest.approx(expected, rel=1e-3, abs=1e-6)


def test_the_gradient_has_shape_and_dtype_of_the_image(device, images):
    _, gradient = SSIM(device).with_gradient(*upload(device, *images, dtype=weft.float3))

    assert gradient.shape == (23, 31)
    assert gradient.dtype == weft.float3


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"window": 4}, "SSIM: window must be odd and 1 or greater, got 4"),
        ({"data_range": 0}, "SSIM: data_range must be greater than 0, got 0"),
        ({"sigma": -1.0}, "SSIM: sigma must be greater than 0, got -1.0"),
    ],
)
def test_settings_must_make_sense(device, options, text):
    with pytest.raises(weft.ArgumentError, match=re.escape(text)):
        SSIM(device, **options)


def test_images_must_fit(device, images):
    (a,) = upload(device, images[0])
    cases = [
        (a, a[1:], "the images have shapes (23, 31, 3) and (22, 31, 3) and dtypes float and float"),
        (a[:8], a[:8], "SSIM: images of 8 x 31 pixels are smaller than the window of 11"),
        (a[0, 0], a[0, 0], "images must have shape (H, W) or (H, W, C) and hold float, got (3,)"),
        (a.astype(weft.float64), a.astype(weft.float64), "hold float, got (23, 31, 3) of double"),
        (a, images[0], "SSIM: image b must be a Tensor, got ndarray"),
        (images[0], a, "ssim: image a must be a Tensor, got ndarray"),
    ]  # fmt: skip
    for first, second, text in cases:
        with pytest.raises(weft.ArgumentError, match=re.escape(text)):
            ssim(first, second)
