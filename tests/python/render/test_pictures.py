# SPDX-License-Identifier: Apache-2.0
"""Pictures as files."""

import numpy as np
import pytest

import weft
from weft.render import save_picture

oiio = pytest.importorskip("OpenImageIO")

COLOR = np.full((2, 3, 3), 0.25, np.float32)


def test_an_exr_file_holds_all_layers_by_name(tmp_path):
    depth = np.full((2, 3, 1), np.inf, np.float32)
    normal = np.random.default_rng(0).normal(size=(2, 3, 3)).astype(np.float32)

    save_picture(tmp_path / "a.exr", {"color": COLOR, "depth": depth, "normal": normal})

    file = oiio.ImageInput.open(str(tmp_path / "a.exr"))
    names = list(file.spec().channelnames)
    pixels = file.read_image(oiio.FLOAT)
    file.close()
    assert set(names) == {"R", "G", "B", "depth.Z", "normal.X", "normal.Y", "normal.Z"}
    assert np.isinf(pixels[..., names.index("depth.Z")]).all()
    assert np.array_equal(pixels[..., names.index("normal.Y")], normal[..., 1])
    assert (pixels[..., names.index("G")] == 0.25).all()


@pytest.mark.parametrize(
    ("view", "exposure", "expected"),
    [("none", 0.0, 0.25), ("none", 1.0, 0.5), ("none", 3.0, 1.0), ("srgb", 0.0, 0.5371)],
)
def test_a_png_file_is_exposed_and_encoded_for_a_display(tmp_path, view, exposure, expected):
    save_picture(tmp_path / "a.png", COLOR, view=view, exposure=exposure)

    stored = weft.image.read(tmp_path / "a.png", encoding="linear")
    assert stored == pytest.approx(expected, abs=0.5 / 255 + 1e-4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda path: save_picture(path / "a.png", COLOR, view="filmic"), ["srgb", "'filmic'"]),
        (lambda path: save_picture(path / "a.exr", {"depth": COLOR}), ["'color'", "depth"]),
        (lambda path: save_picture(path / "a.gif", COLOR), [".png", ".gif"]),
        (
            lambda path: weft.image.write(
                path / "a.png", COLOR, encoding="linear", channel_names="RGB"
            ),
            ["no names of channels", ".exr"],
        ),
        (
            lambda path: weft.image.write(
                path / "a.exr", COLOR, encoding="linear", channel_names="RRB"
            ),
            ["3 different names", "'R', 'R', 'B'"],
        ),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, call, words):
    with pytest.raises(weft.ArgumentError) as caught:
        call(tmp_path)

    assert [word for word in words if word not in str(caught.value)] == []
