# SPDX-License-Identifier: Apache-2.0
"""Functions that look images up: parameters that are textures, and names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

TEXT = """
import weft.inputs;
/// @param wood what the color is taken from
public float4 carved(
    Texture2D<float4> wood, SamplerState sampler, Sampler2D<float> height, float2 at)
{
    float2 there = at + 0.1f * height.Sample(at * 2);
    return wood.SampleLevel(sampler, there, 0) * 0.5f + sampleImage("Fine Grain", there.yx);
}
public float3 summed(float2 at)
{
    float3 sum = float3(0);
    for (int i = 0; i < 3; i++)
        sum += sampleImage("Grain", at * (i + 1)).rgb / (i + 1);
    return sum;
}
public float3 named(String name, float2 at) { return sampleImage(name, at).rgb; }
public float3 either(Sampler2D<float3> grain, float2 at)
{
    return at.x > 0 ? grain.Sample(at) : float3(at, 1);
}
"""

Array = np.ndarray[Any, Any]


def lower(name: str, **options: Any) -> weft.Lowered:
    return weft.lower(None, name, text=TEXT, **options)


def sampled(image: Array, at: Array) -> Array:
    """Look four channels up linearly, repeated; the first row is where v is 0."""
    image = image[..., None] if image.ndim == 2 else image
    height, width, channels = image.shape
    texels = np.ones((height, width, 4))
    texels[..., : max(3, channels)] = image
    place = at * (width, height) - 0.5
    low = np.floor(place).astype(int)
    x, y = np.moveaxis(place - low, 1, 0)[..., None]

    def texel(column: int, row: int) -> Array:
        return texels[(low[:, 1] + row) % height, (low[:, 0] + column) % width]

    below = texel(0, 0) * (1 - x) + texel(1, 0) * x
    above = texel(0, 1) * (1 - x) + texel(1, 1) * x
    return below * (1 - y) + above * y


@pytest.fixture
def images() -> dict[str, Array]:
    random = np.random.default_rng(3)
    shapes = {"wood": (4, 5, 4), "height": (3, 3), "Fine Grain": (7, 2, 3)}
    return {name: random.random(shape) for name, shape in shapes.items()}


def test_images_are_parameters_and_names(images: dict[str, Array]) -> None:
    lowered = lower("carved")
    assert lowered.images == tuple(images)
    assert [variable.name for variable in lowered.parameters] == ["at"]
    at = np.random.default_rng(4).uniform(-2, 2, (64, 2))

    found = lowered.evaluate({"at": at}, images)["Result"]

    there = at + 0.1 * sampled(images["height"], at * 2)[:, :1]
    expected = 0.5 * sampled(images["wood"], there) + sampled(images["Fine Grain"], there[:, ::-1])
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)


def test_places_that_are_no_numbers_give_nothing() -> None:
    at = np.array([(np.nan, 0), (np.inf, 0), (0, -np.inf), (-1e-9, 1)])
    found = lower("summed").evaluate({"at": at}, {"Grain": np.ones((2, 2, 3))})["Result"]
    np.testing.assert_allclose(found, [[0] * 3] * 3 + [[11 / 6] * 3], rtol=1e-6)


def test_every_form_names_its_images() -> None:
    for tree, sockets in (("shader", []), ("geometry", ["wood", "height", "Fine Grain"])):
        lowered = lower("carved", tree=tree)
        assert lowered.tree is not None
        given = [socket.name for socket in lowered.inputs if socket.type == "NodeSocketImage"]
        assert given == sockets
        held = [entry["name"] for entry in lowered.tree["images"]]
        assert held == ([] if sockets else ["wood", "height", "Fine Grain"])
    shader = lower("carved", to="osl")
    assert shader.images == ("wood", "height", "Fine Grain")
    for name in ("wood", "height", "Fine_Grain"):
        assert f"string {name} = " in shader.text
        assert f"int {name}_is_srgb = 1" in shader.text
    assert shader.text.count("weft_image(Fine_Grain, ") == 1


def test_lookups_in_loops() -> None:
    lowered = lower("summed")
    at = np.random.default_rng(5).uniform(-1, 1, (16, 2))
    grain = np.random.default_rng(6).random((5, 4, 3))

    found = lowered.evaluate({"at": at}, {"Grain": grain})["Result"]

    expected = sum(sampled(grain, at * k)[:, :3] / k for k in (1, 2, 3))
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-6)
    assert lowered.tree is not None
    nodes = [node for node in lowered.tree["nodes"] if node["type"] == "ShaderNodeTexImage"]
    assert len(nodes) == 3
    # A shader in OSL keeps the loop.
    assert lower("summed", to="osl").text.count("weft_image(Grain, ") == 1


def test_a_name_may_be_fixed() -> None:
    assert lower("named", build={"name": '"Moss"'}).images == ("Moss",)


def test_alpha_makes_colors_straight() -> None:
    assert "weft_image(grain, grain_is_srgb, 0, " in lower("either", to="osl").text
    assert "weft_image(wood, wood_is_srgb, 1, " in lower("carved", to="osl").text


@pytest.mark.parametrize(
    ("given", "met"),
    [
        (None, "give images= an array for each, got none"),
        ({"Grain": np.ones((2, 2, 3)), "x": np.ones((2, 2))}, "looks up Grain"),
        ({"Grain": np.ones((2, 2, 2))}, "with 1, 3 or 4 channels, got (2, 2, 2)"),
        ({"Grain": np.ones((0, 2, 3))}, "got (0, 2, 3)"),
        ({"Grain": np.ones(4)}, "must be (height, width)"),
    ],
)
def test_wrong_images_are_refused(given: dict[str, Array] | None, met: str) -> None:
    with pytest.raises(weft.ArgumentError, match="evaluate: ") as raised:
        lower("summed").evaluate({"at": np.zeros((1, 2))}, given)
    assert met in str(raised.value)


def test_a_texture_cannot_be_fixed() -> None:
    with pytest.raises(weft.ArgumentError, match="parameter 'grain' is a texture and cannot"):
        lower("either", build={"grain": "0"})


def test_an_image_of_a_name_that_is_put_together() -> None:
    with pytest.raises(weft.ArgumentError, match="is a text; fix it"):
        lower("named")


def test_osl_of_blender_5_reads_files_otherwise() -> None:
    with pytest.raises(weft.ArgumentError, match="Cycles of Blender 5 does in another way"):
        lower("either", to="osl", blender=(5, 2))
