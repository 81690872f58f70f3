# SPDX-License-Identifier: Apache-2.0
"""The demo writes the pictures that it says, and they show something."""

from __future__ import annotations

import numpy as np
import pytest

import weft.demo
import weft.image

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The folder of the pictures."""
    folder = tmp_path_factory.mktemp("demo") / "new"
    assert weft.demo.main(["--out", str(folder), "--size", "64"]) == 0
    return folder


def test_each_picture_has_the_size_asked_for(demo):
    names = sorted(path.name for path in demo.iterdir())

    assert names == ["brdf.png", "noise.png", "weathered.png"]
    for name in names:
        assert weft.image.read(demo / name, encoding="srgb").shape[:2] == (64, 64)


def test_the_noise_uses_the_whole_range(demo):
    noise = weft.image.read(demo / "noise.png", encoding="linear")

    assert (noise.min(), noise.max()) == (0.0, 1.0)


def test_the_chart_is_rougher_to_the_right_and_more_metallic_downwards(demo):
    chart = weft.image.read(demo / "brdf.png", encoding="srgb")
    tiles = chart.reshape(8, 8, 8, 8, 3).transpose(0, 2, 1, 3, 4)
    brightest, means = tiles.max(axis=(2, 3, 4)), tiles.mean(axis=(2, 3, 4))

    assert (brightest[1:, 2] > brightest[1:, 7]).all()
    assert (means[0] > means[7]).all()


def test_the_weathered_sphere_shows_copper_and_verdigris_before_a_dark_backdrop(demo):
    picture = weft.image.read(demo / "weathered.png", encoding="srgb")
    red, green = picture[..., 0], picture[..., 1]

    assert np.isfinite(picture).all()
    assert (red > 1.3 * green).mean() > 0.1
    assert (green > 1.3 * red).mean() > 0.05
    assert picture[0, 0].max() < 0.1


def test_a_size_without_a_pixel_a_sphere_is_refused(capsys):
    with pytest.raises(SystemExit):
        weft.demo.main(["--size", "3"])

    assert "--size must be 8 or greater, got 3" in capsys.readouterr().err
