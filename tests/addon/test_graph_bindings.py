# SPDX-License-Identifier: Apache-2.0
"""How people name the parameters of a compiled material."""

from __future__ import annotations

import numpy as np
import pytest
from addon.core.graph.addresses import find_binding
from addon.core.graph.bindings import Address
from addon.core.graph.compile import compile_material
from addon.core.graph.model import ImageData

import weft
from support.node_graphs import GraphBuilder, surface_graph


@pytest.fixture(scope="module")
def chrome():
    builder = GraphBuilder()
    first = builder.add("ShaderNodeMath", "Math.001", inputs={"Value_001": 2.0})
    second = builder.add("ShaderNodeMath", "Math.002", inputs={"Value": (first, "Value")})
    node = builder.add(
        "ShaderNodeBsdfPrincipled", "Principled BSDF", inputs={"Roughness": (second, "Value")}
    )
    return compile_material(surface_graph(builder, node), {}, "Chrome.001")


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("Chrome.001.Principled BSDF.Metallic", '"Chrome.001".Principled BSDF.Metallic'),
        ("Chrome.001.Metallic", '"Chrome.001".Principled BSDF.Metallic'),
        ("chrome.001.base color", '"Chrome.001".Principled BSDF.Base Color'),
        ("Chrome.001.Math.001.inputs[0]", '"Chrome.001"."Math.001".inputs[0]'),
        ("Chrome.001.Math.001.Value_001", '"Chrome.001"."Math.001".inputs[1]'),
    ],
)
def test_an_address_finds_its_parameter(chrome, text, parameter):
    assert find_binding(chrome, text).parameter == parameter


def test_several_materials_are_told_apart(chrome):
    builder = GraphBuilder()
    node = builder.add("ShaderNodeBsdfDiffuse", "Diffuse BSDF")
    wood = compile_material(surface_graph(builder, node), {}, "Wood")

    assert find_binding([chrome, wood], "Wood.Color").material == "Wood"


def test_a_wrong_name_is_answered_with_near_ones(chrome):
    with pytest.raises(weft.ArgumentError, match=r"did you mean 'Chrome.001.Metallic'"):
        find_binding(chrome, "Chrome.001.Metalic")


def test_an_address_of_several_parameters_names_them(chrome):
    with pytest.raises(weft.ArgumentError, match=r"may be .*Math.001..inputs\[0\].*; say which"):
        find_binding(chrome, "Chrome.001.Math.001.Value")


def test_a_name_like_nothing_gets_the_list(chrome):
    with pytest.raises(weft.ArgumentError, match=r"there are '.Chrome.001.\..Math"):
        find_binding(chrome, "#")


def linked(inputs):
    """A material whose closure is driven by images and numbers."""
    builder = GraphBuilder()
    for name in ("Wood", "Dirt"):
        builder.add("ShaderNodeTexImage", name, image=name)
    mix = builder.add(
        "ShaderNodeMixRGB", "Mix", inputs={"Color1": ("Wood", "Color"), "Color2": ("Dirt", "Color")}
    )
    assert mix == "Mix"
    node = builder.add("ShaderNodeBsdfPrincipled", "Principled BSDF", inputs=inputs)
    images = {name: ImageData(name, np.ones((2, 2, 3), np.float32)) for name in ("Wood", "Dirt")}
    return compile_material(surface_graph(builder, node), images, "Clay")


def test_an_input_that_one_image_drives_stands_for_the_image():
    clay = linked({"Base Color": ("Wood", "Color")})

    assert find_binding(clay, "Clay.Base Color", is_texture=True).label == "Clay.Wood"
    with pytest.raises(weft.ArgumentError) as told:
        find_binding(clay, "Clay.Base Color")
    assert str(told.value) == (
        "fit: 'Clay.Base Color' is linked to node 'Wood'; fit the image 'texture:Clay.Wood', or "
        "remove the link"
    )


def test_an_input_that_much_drives_says_what():
    clay = linked({"Base Color": ("Mix", "Color")})

    with pytest.raises(weft.ArgumentError) as told:
        find_binding(clay, "Clay.Base Color", is_texture=True)
    for words in ("node 'Mix'", "'texture:Clay.Wood'", "'texture:Clay.Dirt'", "'Clay.Mix.Fac"):
        assert words in str(told.value)


def test_an_exact_address_has_one_meaning(chrome):
    exact = Address("Chrome.001", ("Math.001",), "Value")

    assert find_binding(chrome, exact).parameter == '"Chrome.001"."Math.001".inputs[0]'
    with pytest.raises(weft.ArgumentError, match="no visible object shows material 'Tin'"):
        find_binding(chrome, Address("Tin", ("Math.001",), "Value"))
    with pytest.raises(weft.ArgumentError, match="nothing leads from node 'Loose'"):
        find_binding(chrome, Address("Chrome.001", ("Loose",), "Value"))


def test_a_whole_path_comes_before_a_short_one():
    inner = GraphBuilder("Grain")
    inner.add("ShaderNodeValue", "Value", output=0.25)
    inner.ends("NodeGroupOutput", ("Out", "VALUE", ("Value", "Value")))
    builder = GraphBuilder()
    builder.group("Group", inner.graph())
    builder.add("ShaderNodeValue", "Value", output=0.5)
    links = {"Roughness": ("Group", "Out"), "Metallic": ("Value", "Value")}
    node = builder.add("ShaderNodeBsdfPrincipled", "Principled BSDF", inputs=links)
    compiled = compile_material(surface_graph(builder, node), {}, "Clay")

    for path in (("Value",), ("Group", "Value")):
        assert find_binding(compiled, ".".join(("Clay", *path, "Value"))).path == path
