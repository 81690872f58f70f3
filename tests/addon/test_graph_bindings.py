# SPDX-License-Identifier: Apache-2.0
"""How people name the parameters of a compiled material."""

from __future__ import annotations

import pytest
from addon.core.graph.bindings import find_binding
from addon.core.graph.compile import compile_material

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
        ("Chrome.001.Principled BSDF.Metallic", "Chrome~001.Principled BSDF/Metallic"),
        ("Chrome.001.Metallic", "Chrome~001.Principled BSDF/Metallic"),
        ("chrome.001.base color", "Chrome~001.Principled BSDF/Base Color"),
        ("Chrome.001.Math.001.Value_001", "Chrome~001.Math~001/Value_001"),
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
    with pytest.raises(weft.ArgumentError, match=r"may be .*Math.001.Value.*; say which"):
        find_binding(chrome, "Chrome.001.Math.001.Value")


def test_a_name_like_nothing_gets_the_list(chrome):
    with pytest.raises(weft.ArgumentError, match=r"there are 'Chrome.001\.Math"):
        find_binding(chrome, "#")
