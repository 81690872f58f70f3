# SPDX-License-Identifier: Apache-2.0
"""The button that teaches a Slang node an image: what it writes, what stays, what it refuses."""

from __future__ import annotations

import re

import bpy
import numpy as np
import pytest

import weft_blender
from blender.panel import Layout
from blender.test_slang_panel import editor, run

SIDE = 24


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture
def tree():
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made.node_tree


@pytest.fixture
def node(tree):
    return weft_blender.add_node(tree, "template:learned/learned_texture", scale=2, contrast=0.5)


def image_of(pixels, name="stripes", *, is_float=True):
    height, width = pixels.shape[:2]
    image = bpy.data.images.new(name, width, height, float_buffer=is_float)
    image.colorspace_settings.name = "Non-Color" if is_float else "sRGB"
    rgba = np.dstack([pixels, np.ones((height, width))])[::-1]
    image.pixels.foreach_set(np.ascontiguousarray(rgba, np.float32).ravel())
    image.update()
    return image


def stripes():
    """Red to the right, green up."""
    steps = (np.arange(SIDE) + 0.5) / SIDE
    x, y = np.meshgrid(steps, steps[::-1])
    wave = 0.5 + 0.4 * np.sin(2 * np.pi * (x + 2 * y))
    return np.dstack([wave, 0.5 + 0.4 * np.cos(2 * np.pi * y), np.full_like(wave, 0.2)])


def shown(node, places):
    """Return what the node's function gives, without its scale and contrast."""
    source = weft_blender.node_source(node).source
    lowered = weft_blender.lower(source, "learnedTexture", to="dag")
    count = len(places)
    return lowered.evaluate(
        {
            "coordinate": places.astype(np.float32),
            "scale": np.ones(count, np.float32),
            "rotation": np.zeros(count, np.float32),
            "contrast": np.ones(count, np.float32),
            "tint": np.ones((count, 3), np.float32),
        }
    )["Result"]


def places():
    steps = (np.arange(SIDE) + 0.5) / SIDE
    x, y = np.meshgrid(steps, steps[::-1])
    return np.stack([x.ravel(), y.ravel()], 1)


@pytest.mark.parametrize("tiles", [True, False])
def test_the_node_shows_the_image_and_keeps_links_and_values(tree, node, tiles):
    image_of(stripes())
    coordinate = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(coordinate.outputs["UV"], node.inputs["Vector"])

    found = run(tree, "fit_learned_texture", node, image="stripes", size="SMALL", tiles=tiles)

    assert found == {"FINISHED"}
    assert weft_blender.node_source(node).source == "text:stripes.slang"
    assert node.inputs["Vector"].links[0].from_node == coordinate
    assert [node.inputs[name].default_value for name in ("Scale", "Contrast")] == [2, 0.5]
    difference = shown(node, places()) - stripes().reshape(-1, 3)
    assert np.sqrt((difference**2).mean()) < 0.03
    if tiles:
        np.testing.assert_allclose(shown(node, places() + 1), shown(node, places()), atol=1e-4)
    else:
        np.testing.assert_allclose(shown(node, -places()), shown(node, places()), atol=1e-4)


def test_another_image_takes_the_place_of_the_text_unless_a_person_changed_it(tree, node):
    image_of(stripes())
    image_of(1 - stripes(), "other")
    options = {"size": "SMALL", "steps": 50}

    run(tree, "fit_learned_texture", node, image="stripes", **options)
    run(tree, "fit_learned_texture", node, image="other", **options)
    assert [text.name for text in bpy.data.texts] == ["other.slang"]

    bpy.data.texts["other.slang"].write("// mine\n")
    run(tree, "fit_learned_texture", node, image="stripes", **options)
    assert [text.name for text in bpy.data.texts] == ["other.slang", "stripes.slang"]


def test_an_image_of_bytes_is_learned_as_a_material_shows_it(tree, node):
    grey = np.full((4, 4, 3), 0.5)
    image_of(grey, is_float=False)

    run(tree, "fit_learned_texture", node, image="stripes", size="SMALL", steps=300)

    # sRGB's 0.5 is 0.214 of the light.
    np.testing.assert_allclose(shown(node, places()), 0.2140, atol=0.01)


def with_bad_pixels():
    pixels = stripes()
    pixels[3, 5], pixels[SIDE - 1, 7, 1] = np.nan, np.inf
    return pixels


@pytest.mark.parametrize(
    ("pixels", "options", "message"),
    [
        (None, {}, "choose an image first"),
        (None, {"image": "stripes"}, "there is no image 'stripes'"),
        (np.zeros((1, 1, 3)), {"image": "stripes"}, "has 1 x 1 pixels; give one of at least 2 x 2"),
        (
            with_bad_pixels(),
            {"image": "stripes"},
            r"has 2 pixels that are NaN or infinite, first \(7, 0\) from the lower left",
        ),
    ],
)
def test_what_cannot_be_learned_is_named_and_nothing_changes(tree, node, pixels, options, message):
    if pixels is not None:
        image_of(pixels)

    found = run(tree, "fit_learned_texture", node, **options)

    assert isinstance(found, str)
    assert re.search(message, found), found
    assert weft_blender.node_source(node).source == "template:learned/learned_texture"
    assert len(bpy.data.texts) == 0


def test_an_image_whose_file_is_gone_is_named(tree, node, tmp_path):
    image = bpy.data.images.new("gone", 4, 4)
    image.source = "FILE"
    image.filepath = str(tmp_path / "gone.png")

    found = run(tree, "fit_learned_texture", node, image="gone")

    assert "image 'gone' has no pixels" in found


def test_the_panel_offers_it_for_learned_textures_alone(tree, node):
    other = weft_blender.add_node(tree, "template:pattern/hexagons")
    drawn = {}
    for entry in (node, other):
        layout = Layout()
        with editor(tree, entry) as context:
            bpy.types.NODE_PT_weft_slang.draw(type("Drawn", (), {"layout": layout})(), context)
            drawn[entry] = layout.texts()
            assert bpy.ops.weft.fit_learned_texture.poll() == (entry == node)
    assert "Fit to Image" in drawn[node]
    assert "Fit to Image" not in drawn[other]
    assert "Learned from 'Glazed tile' at 128 x 128, 399 weights," in " ".join(
        map(str, drawn[node])
    )
