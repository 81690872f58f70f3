# SPDX-License-Identifier: Apache-2.0
"""Targets from image files."""

import struct
import zlib

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, sphere, top_camera
from weft import image
from weft.fit import Target, target_files
from weft.fit.target_files import resize
from weft.render.first_hits import find_first_hits
from weft.scene import Environment, Scene

pytest.importorskip("OpenImageIO")

RNG = np.random.default_rng(3)
PICTURE = RNG.uniform(0.1, 0.8, (6, 8, 3)).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "encoding", "tolerance"),
    [("a.exr", "linear", 0), ("a.hdr", "linear", 0.01), ("a.png", "srgb", 0.005)],
)
def test_a_format_has_a_colour_space_of_its_own(tmp_path, name, encoding, tolerance):
    image.write(tmp_path / name, PICTURE, encoding=encoding)

    target = Target.from_file(tmp_path / name, camera="front")

    assert np.allclose(target.image, PICTURE, atol=tolerance)
    assert (target.camera, target.name) == ("front", "a")
    assert target.mask.all()


def test_a_jpeg_is_a_display_picture(tmp_path):
    smooth = np.broadcast_to(np.linspace(0.1, 0.8, 32)[:, None, None], (32, 32, 3))
    image.write(tmp_path / "a.jpg", smooth, encoding="srgb")

    assert np.allclose(Target.from_file(tmp_path / "a.jpg").image, smooth, atol=0.03)


def test_a_colour_space_can_be_said(tmp_path):
    image.write(tmp_path / "a.png", PICTURE, encoding="linear", scalar="uint16")
    image.write(tmp_path / "b.exr", PICTURE, encoding="linear")

    linear = Target.from_file(tmp_path / "a.png", color_space="linear")
    wide = Target.from_file(tmp_path / "b.exr", color_space="acescg")

    assert np.allclose(linear.image, PICTURE, atol=1e-4)
    assert not np.allclose(wide.image, PICTURE, atol=1e-2)


def test_exposure_undoes_what_save_picture_did(tmp_path):
    weft.render.save_picture(tmp_path / "a.png", PICTURE * 4, exposure=-2.0)

    target = Target.from_file(tmp_path / "a.png", exposure=-2.0)

    assert np.allclose(target.image, PICTURE * 4, atol=0.02)


def test_clipped_pixels_of_integers_do_not_count(tmp_path):
    bright = PICTURE.copy()
    bright[2, 3, 1] = 1.7
    image.write(tmp_path / "a.png", bright, encoding="srgb")
    image.write(tmp_path / "a.exr", bright, encoding="linear")

    darker = Target.from_file(tmp_path / "a.png", exposure=1.0)

    assert np.argwhere(darker.mask == 0).tolist() == [[2, 3]]
    assert Target.from_file(tmp_path / "a.exr").mask.all()
    assert Target.from_file(tmp_path / "a.png", saturation=np.inf).mask.all()
    assert Target.from_file(tmp_path / "a.exr", saturation=1.5).mask.sum() == 47


@pytest.mark.parametrize("channel", [0, 1, 2])
@pytest.mark.parametrize("limit", [0.25, 1.0, 3.0])
def test_the_value_of_saturation_itself_does_not_count_and_the_one_below_does(channel, limit):
    picture = np.zeros((1, 3, 3), np.float32)
    below, above = (np.nextafter(np.float32(limit), np.float32(way)) for way in (0, 9))
    picture[0, :, channel] = below, limit, above

    assert Target(picture, saturation=limit).mask.tolist() == [[1, 0, 0]]


@pytest.mark.parametrize("exposure", [0.0, 1.0, -2.0])
def test_the_value_of_saturation_in_a_file_does_not_count(tmp_path, exposure):
    picture = PICTURE.copy()
    picture[2, 3] = 1.5, 0, 0
    image.write(tmp_path / "a.exr", picture, encoding="linear")

    target = Target.from_file(tmp_path / "a.exr", saturation=1.5, exposure=exposure)

    assert np.argwhere(target.mask == 0).tolist() == [[2, 3]]


def test_only_pixels_that_are_covered_whole_count():
    picture = np.ones((1, 6, 4), np.float32)
    picture[0, :, 3] = 0, 0.25, 0.5, 0.99, 0.9995, 1

    assert Target(picture).mask.tolist() == [[0, 0, 0, 0, 1, 1]]


def test_alpha_and_a_mask_say_which_pixels_count(tmp_path):
    covered = np.ones((6, 8, 1), np.float32)
    covered[0] = 0
    image.write(tmp_path / "a.png", np.concatenate([PICTURE, covered], 2), encoding="srgb")
    weights = np.ones((6, 8), np.float32)
    weights[:, 0] = 0
    image.write(tmp_path / "mask.png", weights, encoding="linear")

    def counted(**options):
        return Target.from_file(tmp_path / "a.png", **options).mask.sum()

    assert counted() == counted(mask_from="alpha") == 40
    assert counted(mask=tmp_path / "mask.png") == 42
    assert counted(mask=weights * 0.5, mask_from="alpha") == 0.5 * 35


def test_layers_beside_the_picture_are_left_out(tmp_path):
    layers = {"color": PICTURE, "depth": np.full((6, 8, 1), np.inf, np.float32)}
    weft.render.save_picture(tmp_path / "a.exr", layers)

    target = Target.from_file(tmp_path / "a.exr")

    assert np.allclose(target.image, PICTURE)
    assert target.mask.all()


def test_an_image_is_resized_to_a_camera(tmp_path):
    fine = np.repeat(np.repeat(PICTURE, 3, 0), 3, 1)
    fine[4, 4] = 5.0
    image.write(tmp_path / "a.exr", fine, encoding="linear")

    target = Target.from_file(tmp_path / "a.exr", saturation=2.0, size=(8, 6))

    assert np.argwhere(target.mask == 0).tolist() == [[1, 1]]
    assert np.allclose(target.image[target.mask > 0], PICTURE[target.mask > 0], atol=1e-6)


def test_resizing_keeps_the_mean_and_ramps():
    whole = np.ones((50, 70), np.float32)
    noise = RNG.uniform(size=(50, 70, 3)).astype(np.float32)
    ramp = np.broadcast_to(np.arange(20.0)[None, :, None], (10, 20, 3)).astype(np.float32)

    small, counted = resize(noise, whole, (14, 10), "a")
    wide, _ = resize(ramp, np.ones((10, 20), np.float32), (40, 20), "a")

    assert np.allclose(small.mean((0, 1)), noise.mean((0, 1)), atol=1e-5)
    assert counted.all()
    assert np.allclose(wide[5, 1:-1, 0], np.arange(1, 39) / 2 - 0.25, atol=1e-5)


def huge_png(path, width):
    def chunk(kind, data):
        content = kind + data
        return struct.pack(">I", len(data)) + content + struct.pack(">I", zlib.crc32(content))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, width, 8, 2, 0, 0, 0))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", b"") + chunk(b"IEND", b""))


def test_files_that_are_no_target_are_refused(tmp_path, monkeypatch):
    image.write(tmp_path / "a.png", PICTURE, encoding="srgb")
    (tmp_path / "broken.png").write_bytes((tmp_path / "a.png").read_bytes()[:90])
    huge_png(tmp_path / "huge.png", 200_000)
    bad = PICTURE.copy()
    bad[1, 2, 0] = np.nan
    image.write(tmp_path / "nan.exr", bad, encoding="linear")
    names = ["normal.X", "normal.Y", "normal.Z"]
    image.write(tmp_path / "normal.exr", PICTURE, encoding="linear", channel_names=names)

    for name, kind, words, options in [
        ("absent.png", FileNotFoundError, "there is no file", {}),
        ("broken.png", weft.ImageError, "broken.png", {}),
        ("huge.png", weft.ImageError, "huge.png", {}),
        ("nan.exr", ValueError, "'nan': 1 pixels are not finite, the first in row 1, column 2", {}),
        ("nan.exr", ValueError, "not finite", {"saturation": 0.9, "size": (4, 3)}),
        ("normal.exr", ValueError, "must begin with the channels R, G and B", {}),
        ("a.png", ValueError, "color_space must be one of", {"color_space": "raw"}),
        ("a.png", ValueError, "needs an alpha channel", {"mask_from": "alpha"}),
        ("a.png", ValueError, "the mask is 3 x 2, the image 8 x 6", {"mask": np.ones((2, 3))}),
        ("a.png", FileNotFoundError, "m.png", {"mask": tmp_path / "m.png"}),
        ("a.png", ValueError, "the aspect differs; crop it", {"size": (6, 6)}),
        ("a.png", ValueError, "finite number of stops", {"exposure": np.nan}),
    ]:
        with pytest.raises(kind, match=words) as caught:
            Target.from_file(tmp_path / name, **options)
        assert "\n" not in str(caught.value)
    monkeypatch.setattr(target_files, "MOST_PIXELS", 40)
    with pytest.raises(weft.ArgumentError, match=r"8 x 6 pixels.*make it smaller"):
        Target.from_file(tmp_path / "a.png")


@pytest.fixture(scope="module")
def renderer(device):
    scene = Scene(
        [
            placed(quad(4), lambert(name="floor"), name="floor"),
            placed(sphere(0.5), lambert(name="red"), move=(0.4, 0.2, 0.5), name="ball"),
            placed(sphere(0.1), lambert(name="low"), move=(0, 0, -3), name="hidden"),
        ],
        cameras=[top_camera(16, scale=5)],
        environment=Environment(np.ones(3)),
    )
    return weft.Renderer(device, scene)


def test_first_hits_are_the_layers_of_a_render(renderer):
    renderer.batch = 64
    hits = find_first_hits(renderer, renderer.scene.cameras[0])

    layers = renderer.render(
        settings=weft.render.PathSettings(samples=1, bounces=0), aovs=["object", "material"]
    )

    assert set(np.unique(hits.objects)) == {-1, 0, 1}
    assert np.array_equal(hits.objects, layers["object"][..., 0])
    assert np.array_equal(hits.materials, layers["material"][..., 0])


def test_only_pixels_that_show_an_object_count(renderer):
    target = Target(np.ones((16, 16, 3)), objects=["ball"])

    mask = target.seen_by(renderer).mask

    hits = find_first_hits(renderer, renderer.scene.cameras[0])
    assert np.array_equal(mask > 0, hits.objects == 1)


@pytest.mark.parametrize(
    ("objects", "words"),
    [(["cube"], "no object 'cube'; it has 'floor', 'ball'"), (["hidden"], "no pixel that counts")],
)
def test_objects_that_cannot_be_seen_are_refused(renderer, objects, words):
    with pytest.raises(weft.ArgumentError, match=words):
        Target(np.ones((16, 16, 3)), objects=objects).seen_by(renderer)
