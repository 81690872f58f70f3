# SPDX-License-Identifier: Apache-2.0
"""Textures from files."""

import numpy as np
import pytest

import weft
from weft.scene import SlangCall, load_texture

pytest.importorskip("OpenImageIO")

PIXELS = np.random.default_rng(0).random((4, 6, 3)).astype(np.float32)


def stored(path, pixels=PIXELS):
    weft.image.write(path, pixels, encoding="linear")
    return path


@pytest.mark.parametrize("space", ["linear", "raw"])
def test_linear_numbers_are_taken_as_they_are(tmp_path, space):
    texture = load_texture(stored(tmp_path / "a.exr"), space, wrap="mirror")

    assert np.array_equal(texture.pixels, PIXELS)
    assert (texture.wrap, texture.name) == ("mirror", "a")


def test_the_curve_of_srgb_is_removed(tmp_path):
    texture = load_texture(stored(tmp_path / "a.exr", np.full((1, 1, 3), 0.5)), "srgb")

    assert texture.pixels == pytest.approx(0.21404, abs=1e-5)


def test_the_curve_of_rec709_is_removed(tmp_path):
    pixels = np.array([[[0.045, 0.5, 1.0]]])

    texture = load_texture(stored(tmp_path / "a.exr", pixels), "rec709")

    assert texture.pixels[0, 0] == pytest.approx([0.01, 0.25959, 1.0], abs=1e-4)


def test_acescg_keeps_white_and_turns_primaries(tmp_path):
    pixels = np.array([[[1.0, 1.0, 1.0, 0.5], [1.0, 0.0, 0.0, 1.0]]])

    texture = load_texture(stored(tmp_path / "a.exr", pixels), "acescg")

    assert texture.pixels[0, 0] == pytest.approx([1, 1, 1, 0.5], abs=1e-4)
    assert texture.pixels[0, 1, :3] == pytest.approx([1.70505, -0.13026, -0.02400], abs=1e-4)


def test_tiles_of_udim_become_one_texture(tmp_path):
    for number, value in ((1001, 0.1), (1002, 0.2), (1012, 0.3)):
        stored(tmp_path / f"skin.{number}.exr", np.full((2, 2, 3), value))

    texture = load_texture(tmp_path / "skin.<UDIM>.exr", "raw")

    # Tile 1011, the upper left one, is missing.
    corners = texture.pixels[::2, ::2, 0]
    assert corners == pytest.approx(np.array([[0.0, 0.3], [0.1, 0.2]]))
    assert isinstance(texture.uv, SlangCall)
    assert "0.5f, 0.5f" in texture.uv.source


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda f: load_texture(f / "a.exr", "p3"), ["acescg", "'p3'"]),
        (lambda f: load_texture(f / "absent.exr", "raw"), ["there is no file"]),
        (lambda f: load_texture(f / "a.<UDIM>.exr", "raw"), ["no tile", "a.1001.exr"]),
        (
            lambda f: load_texture(stored(f / "g.exr", PIXELS[..., 0]), "acescg"),
            ["3 channels", "has 1"],
        ),
        (
            lambda f: (
                stored(f / "b.1001.exr"),
                stored(f / "b.1002.exr", PIXELS[:2]),
                load_texture(f / "b.<UDIM>.exr", "raw"),
            ),
            ["tile 1002", "(2, 6, 3)", "one size"],
        ),
    ],
)
def test_files_that_cannot_be_used_are_refused(tmp_path, call, words):
    with pytest.raises(weft.ArgumentError) as caught:
        call(tmp_path)

    assert [word for word in words if word not in str(caught.value)] == []
