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


def test_large_images_are_refused_by_size_and_limit_before_they_are_read(extension, monkeypatch):
    from addon.blender import images

    new_image("large", np.ones((64, 128, 4), np.float32))
    monkeypatch.setattr(images, "read_pixels", None)

    store, data = read("large", room=lambda: 100_000, small=0)

    assert data is None
    (problem,) = store.problems
    assert "Image 'large'" in problem.where
    assert "128 x 64 pixels take 0.1 MiB" in problem.message
    assert "room for 0.1 MiB" in problem.message


def test_images_share_the_room_that_there_is(extension):
    for name in ("first", "second"):
        new_image(name, np.ones((64, 128, 4), np.float32))
    from addon.blender.images import ImageStore

    store = ImageStore(lambda: 200_000, small=0)

    assert [store.get(name) is not None for name in ("first", "second")] == [True, False]
    store.begin()
    assert store.get("first") is not None
    store.begin()
    store.begin()
    assert [store.get(name) is not None for name in ("second", "first")] == [True, False]


def test_small_images_do_not_ask_for_the_device(extension):
    new_image("small", ramp())

    _, data = read("small", room=lambda: 1 / 0)

    assert data is not None


def test_a_scene_with_an_image_too_large_for_the_device_renders_without_it(extension, monkeypatch):
    import bpy
    from addon.blender import images
    from addon.blender.export import SceneExporter
    from addon.core import devices

    session = bpy.context.window_manager.weft_session
    room = devices.texel_room(session.device())
    assert 1 << 20 < room <= session.device().info.limits.max_buffer_size
    monkeypatch.setattr(images.ImageStore.__init__, "__defaults__", (None, 0))
    monkeypatch.setattr("addon.blender.export.texel_room", lambda device: 4096)
    image = new_image("large", np.ones((64, 128, 4), np.float32))
    bpy.ops.mesh.primitive_plane_add()
    material = bpy.data.materials.new("Wall")
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    tree.links.new(node.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])
    bpy.context.object.data.materials.append(material)

    exporter = SceneExporter(session.device)
    problems = [str(p) for p in exporter.export(bpy.context.evaluated_depsgraph_get()).problems]

    assert any("128 x 64 pixels take" in text and "room for 0.0 MiB" in text for text in problems)
    assert any("Wall" in text and "'large'" in text for text in problems)


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
