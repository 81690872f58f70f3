# SPDX-License-Identifier: Apache-2.0
"""Images of Blender as data: bytes, floats, alpha, tiles, and those that are refused."""

from __future__ import annotations

import numpy as np
import pytest


def new_image(name, pixels, *, space="sRGB", is_float=False):
    """An image in Blender; rows from the top."""
    import bpy

    height, width, _ = pixels.shape
    image = bpy.data.images.new(name, width, height, alpha=True, float_buffer=is_float)
    image.colorspace_settings.name = space
    image.pixels.foreach_set(np.ascontiguousarray(pixels[::-1], np.float32).ravel())
    return image


def read(name, **options):
    from addon.blender.images import ImageStore

    store = ImageStore(**options)
    return store, store.get(name)


def ramp(alpha=1.0):
    """Four columns of bytes, two rows."""
    values = np.full((2, 4, 4), alpha, np.float32)
    values[..., :3] = (np.array([0, 51, 128, 255]) / 255)[None, :, None]
    values[0, :, 0] = 1
    return values


def test_bytes_keep_the_curve_until_they_are_looked_up(extension):
    new_image("bytes", ramp())

    _, data = read("bytes")

    assert (data.encoding, data.is_associated) == ("srgb", False)
    np.testing.assert_allclose(data.pixels, ramp()[..., :3], atol=1e-6)


def test_data_is_taken_as_it_is(extension):
    new_image("data", ramp(0.5), space="Non-Color")

    _, data = read("data")

    assert (data.encoding, data.is_associated) == ("linear", False)
    assert data.pixels.shape == (2, 4, 4)
    np.testing.assert_allclose(data.pixels[..., :3], ramp()[..., :3], atol=1e-6)


def test_colours_are_multiplied_by_alpha_unless_the_image_says_otherwise(extension):
    image = new_image("clear", ramp(0.2))

    _, joined = read("clear")
    image.alpha_mode = "CHANNEL_PACKED"
    _, apart = read("clear")
    image.alpha_mode = "NONE"
    _, opaque = read("clear")

    assert joined.is_associated
    # 255 * 51 / 255 and 128 * 51 / 255, rounded down.
    assert np.rint(joined.pixels[1, 2:, 1] * 255).tolist() == [25, 51]
    assert not apart.is_associated
    assert np.rint(apart.pixels[1, 2:, 1] * 255).tolist() == [128, 255]
    assert opaque.pixels.shape == (2, 4, 3)


def test_floats_are_linear(extension):
    values = ramp() * 3
    values[..., 3] = 1
    new_image("floats", values, space="Linear Rec.709", is_float=True)

    _, data = read("floats")

    assert data.encoding == "linear"
    np.testing.assert_allclose(data.pixels, values[..., :3], rtol=1e-6)


def test_large_images_are_refused_by_name_before_they_are_read(extension):
    new_image("large", np.ones((64, 128, 4), np.float32))

    store, data = read("large", limit_bytes=100_000)

    assert data is None
    (problem,) = store.problems
    assert "Image 'large'" in problem.where
    assert "128 x 64" in problem.message


def test_missing_files_are_problems(extension, tmp_path):
    import bpy

    image = bpy.data.images.new("gone", 4, 4)
    image.source, image.filepath = "FILE", str(tmp_path / "gone.png")

    store, data = read("gone")

    assert data is None
    assert "gone.png" in store.problems[0].message


def test_tiles_are_read_from_their_files(extension, tmp_path):
    import bpy

    for number, grey in ((1001, 0.2), (1002, 0.8)):
        tile = new_image("tile", np.full((2, 2, 4), (grey, grey, grey, 1), np.float32))
        tile.filepath_raw = str(tmp_path / f"wall.{number}.png")
        tile.file_format = "PNG"
        tile.save()
        bpy.data.images.remove(tile)
    image = bpy.data.images.load(str(tmp_path / "wall.1001.png"))
    image.source = "TILED"
    image.tiles.new(1002)
    image.tiles.new(1011)

    store, data = read(image.name_full)

    assert {n: round(float(p.mean()), 1) for n, p in data.tiles.items()} == {1001: 0.2, 1002: 0.8}
    assert "1011" in store.problems[0].message
    assert sorted(i.name for i in bpy.data.images) == [image.name]


@pytest.mark.parametrize("kind", ["Vector", "Euler"])
def test_vectors_of_mathutils_are_read(extension, kind):
    import bpy
    from addon.blender.graphs import read_graph

    tree = bpy.data.node_groups.new("tree", "ShaderNodeTree")
    node = tree.nodes.new("ShaderNodeMapping")
    name = {"Vector": "Scale", "Euler": "Rotation"}[kind]
    node.inputs[name].default_value = (1, 2, 3)

    (found,) = read_graph(tree).nodes.values()

    assert found.find_input(name).value == pytest.approx((1, 2, 3))
