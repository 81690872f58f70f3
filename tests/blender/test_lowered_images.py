# SPDX-License-Identifier: Apache-2.0
"""Images that lowered functions look up: every form gives what the graph does."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.image_nodes import images_of
from addon.blender.lowered_groups import build_group, fill_group

import weft
from blender import lowered_values as blender
from blender import osl_rows
from blender.test_lowered_nodes import VERSION, group_node, worst

TEXT = """
import weft.inputs;
float3 carved(Texture2D<float4> wood, Sampler2D<float> height, SamplerState sampler, float2 at)
{
    float2 bent = at + 0.1f * height.Sample(at * 2);
    return wood.Sample(sampler, bent).rgb + 2 * sampleImage("Fine Grain", at.yx).rgb;
}
float3 summed(Texture2D<float4> wood, SamplerState sampler, float2 at)
{
    float3 sum = float3(0);
    for (int i = 0; i < 20; i++)
        sum += wood.Sample(sampler, at * (i + 1)).rgb;
    return sum / 20;
}
float3 faded(Texture2D<float4> wood, SamplerState sampler, float2 at)
{
    float4 c = wood.Sample(sampler, at);
    return c.rgb * 0.5f + c.a;
}
"""
# Cycles looks texels up with other rounding.
TOLERANCE = 2e-5


@pytest.fixture(autouse=True)
def folder_of_the_extension(repository, monkeypatch):
    monkeypatch.syspath_prepend(str(repository))


@pytest.fixture
def images(tmp_path):
    """Return images of floats in files, and their texels, the lowest row first."""
    random = np.random.default_rng(2)
    made, texels = {}, {}
    for name, size in (("wood", (5, 4)), ("height", (3, 3)), ("Fine Grain", (2, 7))):
        made[name] = bpy.data.images.new(name, *size, float_buffer=True, is_data=True)
        texels[name] = random.random((size[1], size[0], 4), np.float32)
        texels[name][..., 3] = 1
        if name == "height":
            texels[name][..., 1:3] = texels[name][..., :1]
        made[name].pixels.foreach_set(texels[name].ravel())
        made[name].filepath_raw = str(tmp_path / f"{name}.exr")
        made[name].file_format = "OPEN_EXR"
        made[name].save()
    return made, texels


def lowered(name, tree="shader", **options):
    return weft.lower(None, name, text=TEXT, tree=tree, blender=VERSION, **options)


def places():
    """Return places that are no centres or edges of texels."""
    random = np.random.default_rng(8)
    return {"at": (2 * random.integers(-512, 512, (blender.POINTS, 2)) + 1).astype("f4") / 300}


def expected_of(function, values, texels):
    return function.evaluate(values, {name: texels[name] for name in function.images})["Result"]


def file_node(text, function, images):
    """Return what makes a Script node that reads the images' files."""

    def make(tree):
        node = osl_rows.script_node(tree, text, osl_rows.parameters(text))
        for name in function.images:
            parameter = name.replace(" ", "_")
            node.inputs[parameter].default_value = bpy.path.abspath(images[name].filepath)
            is_srgb = images[name].colorspace_settings.name == "sRGB"
            node.inputs[f"{parameter}_is_srgb"].default_value = is_srgb
        return node

    return make


def in_cycles(names, images, texels, path, *, osl):
    """Return the differences of functions."""
    rows, expected = [], []
    for name in names:
        function = lowered(name)
        values = places()
        if osl:
            node = file_node(lowered(name, to="osl").text, function, images)
        else:
            node = group_node(build_group(function.tree, name, images))
        rows.append((name, node, function.inputs, values, 0))
        expected.append(expected_of(function, values, texels))
    # Pictures have four rows at least.
    found = blender.in_cycles((rows * 4)[:4], path, osl=osl)
    return {
        name: worst(picture, array)
        for name, picture, array in zip(names, found[: len(names)], expected, strict=True)
    }


@pytest.mark.parametrize("osl", [False, True] if VERSION < (5, 0) else [False])
def test_images_in_cycles(images, tmp_path, osl):
    made, texels = images
    names = ["carved", "summed", "faded"]
    differences = in_cycles(names, made, texels, str(tmp_path / "found.exr"), osl=osl)
    print(differences)
    assert {name: value for name, value in differences.items() if not value < TOLERANCE} == {}


@pytest.mark.parametrize("osl", [False, True] if VERSION < (5, 0) else [False])
def test_bytes_with_alpha_in_cycles(tmp_path, osl):
    """Colors of the file are made linear; `faded` uses alpha, and so has them straight."""
    random = np.random.default_rng(5)
    image = bpy.data.images.new("wood", 4, 4, alpha=True)
    image.pixels.foreach_set(random.integers(0, 256, 64).astype("f4") / 255)
    image.filepath_raw, image.file_format = str(tmp_path / "wood.png"), "PNG"
    image.save()
    # The same as seen by nodes, a place at the centre of each texel.
    function = lowered("faded")
    grid = (np.stack(np.meshgrid(np.arange(4), np.arange(4)), axis=-1).reshape(-1, 2) + 0.5) / 4
    at = np.resize(grid, (blender.POINTS, 2)).astype("f4")
    pixels = np.empty(64, np.float32)
    image.pixels.foreach_get(pixels)
    texels = pixels.reshape(4, 4, 4).copy()
    color = texels[..., :3]
    texels[..., :3] = np.where(color < 0.04045, color / 12.92, ((color + 0.055) / 1.055) ** 2.4)
    expected = function.evaluate({"at": at}, {"wood": texels})["Result"]
    if osl:
        node = file_node(lowered("faded", to="osl").text, function, {"wood": image})
    else:
        node = group_node(build_group(function.tree, "faded", {"wood": image}))
    row = ("faded", node, function.inputs, {"at": at}, 0)

    found = blender.in_cycles([row] * 4, str(tmp_path / "found.exr"), osl=osl)[0]

    # Eight bits, multiplied by alpha and divided again.
    strong = np.repeat(texels.reshape(-1, 4)[:, 3] > 0.2, 1)
    chosen = np.resize(strong, blender.POINTS)
    assert chosen.sum() > 30
    assert worst(found[chosen], expected[chosen]) < 0.02


def test_images_in_geometry_nodes(images):
    made, texels = images
    differences = {}
    for name in ("carved", "summed", "faded"):
        function = lowered(name, "geometry")
        values = places()
        group = build_group(function.tree, name)
        found = blender.in_geometry_nodes(function, group, values | made)["Result"]
        differences[name] = worst(found, expected_of(function, values, texels))
    print(differences)
    assert {name: value for name, value in differences.items() if not value < TOLERANCE} == {}


def test_a_group_keeps_its_images_when_it_is_filled_again(images):
    made, _ = images
    function = lowered("summed")
    group = build_group(function.tree, "summed", {"wood": made["wood"]})
    assert images_of(group) == {"wood": made["wood"]}
    sockets = [item for item in group.interface.items_tree if item.item_type == "SOCKET"]
    inputs = [item.identifier for item in sockets if item.in_out == "INPUT"]
    outputs = [item.identifier for item in sockets if item.in_out == "OUTPUT"]

    for _ in fill_group(group, function.tree, inputs, outputs):
        pass

    assert images_of(group) == {"wood": made["wood"]}
