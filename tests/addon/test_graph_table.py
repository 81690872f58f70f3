# SPDX-License-Identifier: Apache-2.0
"""The table of nodes against Blender's own list of them."""

from __future__ import annotations

import pytest
from addon.core.graph.compile import compile_material
from addon.core.graph.nodes import closures, shaders
from addon.core.graph.table import TABLE, TOPICS

from support.node_graphs import GraphBuilder, descriptions, surface_graph
from weft.scene import CLOSURES, SlangCall

# Blender 5.0 has these no more; it turns them into others when it opens a file.
FORMER = {f"ShaderNode{way}{mode}" for way in ("Combine", "Separate") for mode in ("HSV", "RGB")}

UNUSED = {"Weight"}

SHADERS = {
    "ShaderNodeBackground": "emission",
    "ShaderNodeBsdfAnisotropic": "glossy",
    "ShaderNodeBsdfDiffuse": "diffuse",
    "ShaderNodeBsdfGlass": "glass",
    "ShaderNodeBsdfMetallic": "metallic",
    "ShaderNodeBsdfPrincipled": "principled",
    "ShaderNodeBsdfRefraction": "refraction",
    "ShaderNodeBsdfSheen": "sheen",
    "ShaderNodeBsdfTranslucent": "translucent",
    "ShaderNodeBsdfTransparent": "transparent",
    "ShaderNodeEmission": "emission",
}


def test_every_entry_is_a_node_of_blender_with_its_label():
    labels = {kind: entry["label"] for kind, entry in descriptions().items()}

    assert {kind: spec.label for kind, spec in TABLE.items() if kind not in FORMER} == {
        kind: labels.get(kind) for kind in TABLE if kind not in FORMER
    }


def test_no_node_is_in_two_menus():
    assert sum(map(len, TOPICS.values())) == len(TABLE)


def test_bounds_are_of_sockets_that_exist():
    sockets = {
        kind: {s["identifier"] for s in entry.get("inputs", [])}
        for kind, entry in descriptions().items()
    }

    wrong = {kind: set(spec.bounds) - sockets.get(kind, set()) for kind, spec in TABLE.items()}

    assert {kind: names for kind, names in wrong.items() if names} == {}


@pytest.mark.parametrize("kind", SHADERS)
def test_every_input_of_a_shader_reaches_the_closure(kind):
    described = descriptions()[kind]
    builder = GraphBuilder()
    links = {}
    for socket in described["inputs"]:
        if socket["identifier"] in UNUSED or not socket.get("is_enabled", True):
            continue
        source = builder.add(
            "ShaderNodeVectorMath" if socket["kind"] == "VECTOR" else "ShaderNodeMath",
            socket["identifier"],
            inputs={"Vector": (1.0, 0.0, 0.0)} if socket["kind"] == "VECTOR" else None,
        )
        links[socket["identifier"]] = (source, "Vector" if socket["kind"] == "VECTOR" else "Value")
    node = builder.add(kind, "Shader", inputs=links)
    graph = surface_graph(builder, node, described["outputs"][0]["identifier"])

    surface = compile_material(graph, {}, "M").material.surface

    driven = {k: value for k, value in surface.inputs.items() if isinstance(value, SlangCall)}
    drivers = {name: closure_driver(value) for name, value in driven.items()}
    spec = CLOSURES[SHADERS[kind]]
    assert surface.kind == SHADERS[kind]
    assert sorted(drivers.values()) == sorted(links)
    assert set(drivers) >= set(spec.normals) | (set(spec.inputs) - {"both_sides", "subsurface_ior"})


def closure_driver(value):
    """Return the name of the node that drives an input."""
    while value.function not in ("mathAdd", "vectorAdd"):
        value = next(iter(value.arguments.values()))
    return next(iter(value.arguments.values())).name.partition(".")[0]


def test_switched_off_inputs_are_inputs_of_the_closure():
    nodes = [value for value in vars(shaders).values() if isinstance(value, closures.ClosureNode)]

    assert nodes
    for node in nodes:
        assert set(node.gates) <= set(node.inputs), node.kind
        for gate in node.gates.values():
            assert set(gate.others) <= set(node.inputs), node.kind


def test_a_metal_by_its_index_gets_two_reflectances():
    builder = GraphBuilder()
    node = builder.add("ShaderNodeBsdfMetallic", "Gold", fresnel_type="PHYSICAL_CONDUCTOR")

    inputs = compile_material(surface_graph(builder, node), {}, "M").material.surface.inputs

    assert inputs["color"].function == "conductorColor"
    assert [entry.name for entry in inputs["edge_tint"].arguments.values()] == [
        "Gold.IOR",
        "Gold.Extinction",
    ]


def test_what_a_shader_lacks_is_named():
    builder = GraphBuilder()
    node = builder.add(
        "ShaderNodeBsdfAnisotropic", "Brushed", distribution="PHONG", inputs={"Anisotropy": 0.5}
    )

    problems = compile_material(surface_graph(builder, node), {}, "M").problems

    assert [problem.message for problem in problems] == ["the distribution PHONG is not supported"]


@pytest.mark.parametrize("kind", ["Anisotropic", "Glass", "Metallic", "Principled"])
@pytest.mark.parametrize("distribution", ["GGX", "MULTI_GGX"])
def test_a_shader_has_the_distribution_of_its_node(kind, distribution):
    builder = GraphBuilder()
    node = builder.add(f"ShaderNodeBsdf{kind}", "Old", distribution=distribution)

    compiled = compile_material(surface_graph(builder, node), {}, "M")

    expected = {} if distribution == "MULTI_GGX" else {"distribution": "ggx"}
    assert compiled.material.surface.options == expected
    assert compiled.problems == []


@pytest.mark.parametrize(
    ("kind", "distribution"),
    [
        ("Anisotropic", "BECKMANN"),
        ("Anisotropic", "ASHIKHMIN_SHIRLEY"),
        ("Glass", "BECKMANN"),
        ("Metallic", "BECKMANN"),
        ("Refraction", "BECKMANN"),
    ],
)
def test_other_distributions_reach_the_closure(kind, distribution):
    builder = GraphBuilder()
    node = builder.add(f"ShaderNodeBsdf{kind}", "Old", distribution=distribution)

    compiled = compile_material(surface_graph(builder, node), {}, "M")

    assert compiled.material.surface.options == {"distribution": distribution.lower()}
    assert compiled.problems == []


def test_sheen_of_ashikhmin_is_velvet():
    builder = GraphBuilder()
    node = builder.add("ShaderNodeBsdfSheen", "Cloth", distribution="ASHIKHMIN")

    compiled = compile_material(surface_graph(builder, node), {}, "M")

    assert compiled.material.surface.kind == "velvet"
    assert compiled.problems == []


def test_an_unknown_surface_shader_is_diffuse_in_its_color():
    builder = GraphBuilder()
    color = builder.add("ShaderNodeRGB", "Red", output=(0.8, 0.1, 0.1, 1.0))
    node = builder.add("ShaderNodeBsdfToon", "Toon BSDF", inputs={"Color": (color, "Color")})

    result = compile_material(surface_graph(builder, node), {}, "M")

    assert result.material.surface.kind == "diffuse"
    assert result.material.surface.inputs["color"].name == "Red.Color"
    assert result.problems[0].used_instead == "a Diffuse BSDF of its 'Color'"
