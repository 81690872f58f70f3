# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (messages stand as they are printed)
import builtins
import re

import numpy as np
import pytest

import weft

PIXELS = np.zeros((4, 4, 3), np.float32)


def assert_raises(kind, text, action):
    with pytest.raises(kind, match=re.escape(text)) as caught:
        action()
    assert not isinstance(caught.value, weft.InternalError)


def test_an_absent_file_is_not_found(tmp_path):
    path = tmp_path / "absent.png"

    assert_raises(
        FileNotFoundError,
        f"image.read: there is no file '{path}'; check the path",
        lambda: weft.image.read(path, encoding="srgb"),
    )
    assert issubclass(weft.ArgumentNotFoundError, weft.ArgumentError)


def test_a_folder_is_no_file(tmp_path):
    path = tmp_path / "folder.png"
    path.mkdir()

    assert_raises(
        weft.ArgumentError,
        f"image.read: '{path}' is a folder, a file is expected; name the file in it",
        lambda: weft.image.read(path, encoding="srgb"),
    )
    assert_raises(
        weft.ImageError,
        "cannot be written",
        lambda: weft.image.write(path, PIXELS, encoding="srgb"),
    )
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.bmp", "a"])
def test_other_formats_are_named(tmp_path, name):
    for action in (
        lambda: weft.image.read(tmp_path / name, encoding="srgb"),
        lambda: weft.image.write(tmp_path / name, PIXELS, encoding="srgb"),
    ):
        assert_raises(
            ValueError, "one of .png, .jpg, .jpeg, .exr, .hdr is expected; rename it", action
        )


def test_paths_must_be_paths():
    assert_raises(
        TypeError,
        "image.read: path must be a str or pathlib.Path, got int",
        lambda: weft.image.read(3, encoding="srgb"),
    )


def test_encodings_are_two(tmp_path):
    assert_raises(
        ValueError,
        "image.write: encoding must be 'linear' or 'srgb', got 'gamma'",
        lambda: weft.image.write(tmp_path / "a.png", PIXELS, encoding="gamma"),
    )


def test_the_encoding_must_be_said(tmp_path):
    with pytest.raises(TypeError, match="encoding"):
        weft.image.write(tmp_path / "a.png", PIXELS)


def test_scalars_must_fit_the_format(tmp_path):
    assert_raises(
        ValueError,
        "image.write: a .png file holds 'uint8' or 'uint16', got scalar='float32'; change one of them",
        lambda: weft.image.write(tmp_path / "a.png", PIXELS, encoding="linear", scalar="float32"),
    )


@pytest.mark.parametrize(
    ("shape", "text"),
    [
        ((4,), "pixels must have shape (H, W, C) with 1 to 65536 rows and columns, got (4,)"),
        ((0, 4, 3), "got (0, 4, 3)"),
        (
            (4, 4, 5),
            "a .png file has 1, 2, 3, 4 channels, axis 2 of pixels is 5; drop or add channels",
        ),
        ((4, 4, 0), "axis 2 of pixels is 0"),
    ],
)
def test_pixels_must_have_a_shape_that_the_format_can_hold(tmp_path, shape, text):
    assert_raises(
        ValueError,
        text,
        lambda: weft.image.write(tmp_path / "a.png", np.zeros(shape), encoding="srgb"),
    )


def test_pixels_must_be_numbers(tmp_path):
    assert_raises(
        TypeError,
        "image.write: pixels cannot become float32",
        lambda: weft.image.write(tmp_path / "a.png", [["red"]], encoding="srgb"),
    )


def test_an_absent_folder_is_named(tmp_path):
    path = tmp_path / "absent" / "a.png"

    assert_raises(
        weft.ImageError,
        f"image.write: the folder of '{path}' does not exist; create it first",
        lambda: weft.image.write(path, PIXELS, encoding="srgb"),
    )


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.exr", "a.hdr"])
@pytest.mark.parametrize("content", [b"", b"not an image", b"\x89PNG\r\n\x1a\n" + b"\0" * 64])
def test_damaged_files_are_image_errors(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)

    with pytest.raises(
        weft.ImageError, match=re.escape(f"image.read: '{path}' cannot be")
    ) as caught:
        weft.image.read(path, encoding="linear")

    assert isinstance(caught.value, OSError)
    assert "\n" not in str(caught.value)


def test_truncated_files_are_image_errors(tmp_path):
    path = tmp_path / "a.png"
    weft.image.write(path, np.random.default_rng(0).random((64, 64, 3)), encoding="linear")
    path.write_bytes(path.read_bytes()[:2000])

    with pytest.raises(weft.ImageError, match="cannot be read"):
        weft.image.read(path, encoding="linear")


def test_a_missing_openimageio_says_how_to_get_it(tmp_path, monkeypatch):
    real_import = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name == "OpenImageIO":
            raise ImportError("No module named 'OpenImageIO'")
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)

    assert_raises(
        weft.ImageError,
        "install it with 'pip install OpenImageIO'",
        lambda: weft.image.write(tmp_path / "a.png", PIXELS, encoding="srgb"),
    )
