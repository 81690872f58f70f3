# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import weft

pytest.importorskip("OpenImageIO")


def ramp(channels, height=5, width=7):
    """Values in [0, 1] that differ in every pixel and channel."""
    count = height * width * channels
    return (np.arange(count, dtype=np.float32) / (count - 1)).reshape(height, width, channels)


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
@pytest.mark.parametrize(("scalar", "tolerance"), [("uint8", 0.5 / 255), ("uint16", 0.5 / 65535)])
def test_png_keeps_values_to_half_a_step(tmp_path, channels, scalar, tolerance):
    pixels = ramp(channels)

    weft.image.write(tmp_path / "a.png", pixels, encoding="linear", scalar=scalar)
    result = weft.image.read(tmp_path / "a.png", encoding="linear")

    assert result.dtype == np.float32
    assert result.shape == pixels.shape
    assert np.abs(result - pixels).max() <= tolerance + 1e-6


@pytest.mark.parametrize("channels", [1, 3, 4, 6])
def test_exr_keeps_float32_exactly(tmp_path, channels):
    pixels = ramp(channels) * 1000 - 300

    weft.image.write(tmp_path / "a.exr", pixels, encoding="linear")

    assert np.array_equal(weft.image.read(tmp_path / "a.exr", encoding="linear"), pixels)


def test_exr_with_half_keeps_eleven_bits(tmp_path):
    pixels = ramp(3)

    weft.image.write(tmp_path / "a.exr", pixels, encoding="linear", scalar="float16")

    expected = pixels.astype(np.float16).astype(np.float32)
    assert np.array_equal(weft.image.read(tmp_path / "a.exr", encoding="linear"), expected)


def test_hdr_keeps_a_shared_exponent(tmp_path):
    pixels = ramp(3) * 50 + 1

    weft.image.write(tmp_path / "a.hdr", pixels, encoding="linear")

    result = weft.image.read(tmp_path / "a.hdr", encoding="linear")
    assert np.abs(result - pixels).max() <= 51 / 128


@pytest.mark.parametrize("channels", [1, 3])
def test_jpg_keeps_smooth_pictures(tmp_path, channels):
    pixels = np.repeat(ramp(1, 16, 16), channels, axis=2)

    weft.image.write(tmp_path / "a.jpg", pixels, encoding="linear")

    assert np.abs(weft.image.read(tmp_path / "a.jpg", encoding="linear") - pixels).max() < 0.05


def test_srgb_applies_the_curve_to_colour_and_not_to_alpha(tmp_path):
    pixels = np.full((2, 2, 4), 0.5, np.float32)

    weft.image.write(tmp_path / "a.png", pixels, encoding="srgb", scalar="uint16")

    stored = weft.image.read(tmp_path / "a.png", encoding="linear")
    assert np.allclose(stored[:, :, :3], 0.735357, atol=1e-4)
    assert np.allclose(stored[:, :, 3], 0.5, atol=1e-4)
    assert np.allclose(weft.image.read(tmp_path / "a.png", encoding="srgb"), pixels, atol=1e-4)


def test_colour_is_not_multiplied_by_alpha(tmp_path):
    pixels = np.array([[[1.0, 0.5, 0.25, 0.0], [1.0, 0.5, 0.25, 0.5]]], np.float32)

    weft.image.write(tmp_path / "a.png", pixels, encoding="linear")

    assert np.allclose(weft.image.read(tmp_path / "a.png", encoding="linear"), pixels, atol=0.003)


def test_two_dimensional_pixels_are_one_channel(tmp_path):
    weft.image.write(tmp_path / "a.png", ramp(1)[:, :, 0], encoding="linear")

    assert weft.image.read(tmp_path / "a.png", encoding="linear").shape == (5, 7, 1)


def test_tensors_can_be_written(device, tmp_path):
    tensor = weft.Tensor.from_numpy(device, ramp(3), dtype=weft.float3)

    weft.image.write(tmp_path / "a.exr", tensor, encoding="linear")

    assert np.array_equal(weft.image.read(tmp_path / "a.exr", encoding="linear"), ramp(3))


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "a.png"
    weft.image.write(path, ramp(3), encoding="linear")
    before = path.read_bytes()

    with pytest.raises(weft.ArgumentError):
        weft.image.write(path, ramp(5), encoding="linear")

    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_replaces_the_old_file(tmp_path):
    path = tmp_path / "a.png"
    weft.image.write(path, ramp(3), encoding="linear")

    weft.image.write(path, ramp(3, 2, 2), encoding="linear")

    assert weft.image.read(path, encoding="linear").shape == (2, 2, 3)
    assert list(tmp_path.iterdir()) == [path]


def test_paths_may_hold_any_unicode(tmp_path):
    path = tmp_path / "Größe 图.PNG"

    weft.image.write(path, ramp(3), encoding="linear")

    assert weft.image.read(path, encoding="linear").shape == (5, 7, 3)
