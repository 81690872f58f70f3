# SPDX-License-Identifier: Apache-2.0
"""Groups that were made from Slang functions: one function of what arrives at them."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from addon.core.graph.addresses import find_binding
from addon.core.graph.bindings import Address
from addon.core.graph.compile import compile_material
from addon.core.graph.functions import literal
from addon.core.graph.model import ImageData

import weft
from support.node_evaluation import printed
from support.node_graphs import GraphBuilder, surface_graph
from weft.scene import Attribute, Constant, SlangCall, Texture

MATH = ("ADD", "SUBTRACT", "MULTIPLY", "DIVIDE", "POWER", "SINE", "SQRT", "LESS_THAN", "MAXIMUM")
FUNCTION_INPUTS = ("Socket_1", "Socket_2")


def function_group(seed, count=12, *, is_function=True):
    """Return a group of random nodes with two inputs, a part in it, and two outputs."""
    draw = random.Random(seed)
    part = GraphBuilder("Part")
    part.ends("NodeGroupInput", ("In", "VALUE", 0.5))
    part.add(
        "ShaderNodeMath",
        "Scaled",
        operation="MULTIPLY",
        inputs={"Value": ("NodeGroupInput", "In"), "Value_001": draw.uniform(-2, 2)},
    )
    part.ends("NodeGroupOutput", ("Out", "VALUE", ("Scaled", "Value")))
    tree = GraphBuilder("Function")
    tree.ends("NodeGroupInput", *((name, "VALUE", 0.5) for name in FUNCTION_INPUTS))
    made = [("NodeGroupInput", name) for name in FUNCTION_INPUTS]
    tree.group("Part", part.graph(), {"In": made[0]})
    made.append(("Part", "Out"))
    for number in range(count):
        other = draw.choice(made) if draw.random() < 0.8 else draw.uniform(-2, 2)
        values = {"Value": made[-1] if draw.random() < 0.7 else draw.choice(made)}
        values["Value_001"] = other
        tree.add("ShaderNodeMath", f"n{number}", operation=draw.choice(MATH), inputs=values)
        made.append((f"n{number}", "Value"))
    tree.add("ShaderNodeMath", "Last", inputs={"Value": made[-1], "Value_001": made[1]})
    outputs = (("Out_1", "VALUE", ("Last", "Value")), ("Out_2", "VALUE", made[-2]))
    tree.ends("NodeGroupOutput", *outputs)
    return replace(tree.graph(), is_function=is_function)


def compiled(tree, links, images=None):
    builder = GraphBuilder()
    builder.group("Own", tree, dict.fromkeys(FUNCTION_INPUTS, 0.3))
    node = builder.add("ShaderNodeBsdfPrincipled", inputs=links)
    return compile_material(surface_graph(builder, node), images or {}, "Wall")


def results(tree):
    made = compiled(tree, {"Roughness": ("Own", "Out_1"), "Metallic": ("Own", "Out_2")})
    assert made.problems == []
    return [made.material.surface.inputs[name] for name in ("roughness", "metallic")]


def text_of(value):
    """Return a value as Slang of `a` and `b`, and the functions that it calls."""
    sources = {f"Own.{name}": text for name, text in zip(FUNCTION_INPUTS, "ab", strict=True)}
    if not isinstance(value, SlangCall) or value.module:
        return printed(value, sources, []), ""
    arguments = ", ".join(printed(entry, sources, []) for entry in value.arguments.values())
    return f"{value.function}({arguments})", value.source


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(4))
def test_functions_compute_what_their_nodes_compute(device, seed):
    functions, bodies = {}, []
    for number in range(8):
        for kind, is_function in (("nodes", False), ("function", True)):
            tree = function_group(100 * seed + number, is_function=is_function)
            for output, value in enumerate(results(tree)):
                text, source = text_of(value)
                functions[source.replace("import weft.nodes;\n", "")] = None
                bodies.append(
                    f"[Differentiable] float {kind}{number}{output}(float a, float b)\n"
                    f"{{ return {text}; }}\n"
                )
    text = "import weft.nodes;\n" + "".join(functions) + "".join(bodies)
    module = device.load_module_from_source(f"functions{seed}", text)
    a, b = np.random.default_rng(seed).uniform(-2, 2, (2, 64)).astype(np.float32)
    for name in (f"{number}{output}" for number in range(8) for output in range(2)):
        found = []
        for kind in ("nodes", "function"):
            call = getattr(module, kind + name)
            ones = np.ones(64, np.float32)
            tensors = [weft.Tensor.from_numpy(device, x).with_grads() for x in (a, b)]
            result = call(*tensors)
            result = result.with_grads()
            result.grad.copy_from_numpy(ones)
            call.bwds(*tensors, result)
            found.append([result.to_numpy(), *(x.grad.to_numpy() for x in tensors)])
        for own, other in zip(*found, strict=True):
            np.testing.assert_allclose(other, own, rtol=1e-5, atol=1e-6)


def test_numbers_in_a_function_are_no_parameters_of_the_material():
    made = compiled(function_group(3), {"Roughness": ("Own", "Out_1")})

    value = made.material.surface.inputs["roughness"]
    assert isinstance(value, SlangCall)
    assert value.module == ""
    assert all(isinstance(entry, Constant) for entry in value.arguments.values())
    names = {binding.parameter for binding in made.bindings if "Own" in binding.parameter}
    assert names <= {f"Wall.Own.{name}" for name in FUNCTION_INPUTS}
    assert names
    assert made.linked == [entry for entry in made.linked if "Own" not in entry.path]
    with pytest.raises(weft.ArgumentError, match="'Own' is a Slang node, of which inputs alone"):
        find_binding(made, Address("Wall", ("Own", "Last"), "Value_002", tree="Function"))


def test_two_uses_of_a_group_are_one_function():
    builder = GraphBuilder()
    tree = function_group(3)
    builder.group("First", tree, {"Socket_1": 0.1, "Socket_2": 0.2})
    builder.group("Second", tree, {"Socket_1": 0.4, "Socket_2": 0.5})
    links = {"Roughness": ("First", "Out_1"), "Metallic": ("Second", "Out_1")}
    node = builder.add("ShaderNodeBsdfPrincipled", inputs=links)

    surface = compile_material(surface_graph(builder, node), {}, "Wall").material.surface

    first, second = surface.inputs["roughness"], surface.inputs["metallic"]
    assert first.source == second.source
    numbers = [[entry.value for entry in call.arguments.values()] for call in (first, second)]
    assert numbers[0] != numbers[1]


def test_an_output_that_computes_nothing_is_what_arrives():
    tree = GraphBuilder("Function")
    tree.ends("NodeGroupInput", ("Socket_1", "VALUE", 0.5), ("Socket_2", "VALUE", 0.5))
    tree.ends("NodeGroupOutput", ("Out_1", "VALUE", ("NodeGroupInput", "Socket_1")))
    group = replace(tree.graph(), is_function=True)

    made = compiled(group, {"Roughness": ("Own", "Out_1")}).material.surface

    assert made.inputs["roughness"].name == "Own.Socket_1"


def test_images_in_a_function_are_looked_up_outside_of_it():
    tree = GraphBuilder("Function")
    tree.ends("NodeGroupInput", ("Socket_1", "VALUE", 0.5), ("Socket_2", "VALUE", 0.5))
    links = {"X": ("NodeGroupInput", "Socket_1"), "Y": 0.25}
    tree.add("ShaderNodeCombineXYZ", "Place", inputs=links)
    tree.add("ShaderNodeTexImage", "Image", inputs={"Vector": ("Place", "Vector")}, image="Dirt")
    factors = {"Value": ("Image", "Alpha"), "Value_001": 0.5}
    tree.add("ShaderNodeMath", "Half", operation="MULTIPLY", inputs=factors)
    tree.ends("NodeGroupOutput", ("Out_1", "VALUE", ("Half", "Value")))
    group = replace(tree.graph(), is_function=True)
    images = {"Dirt": ImageData("Dirt", np.ones((2, 2, 4), np.float32))}

    value = compiled(group, {"Roughness": ("Own", "Out_1")}, images).material.surface.inputs

    call = value["roughness"]
    (texture,) = call.arguments.values()
    assert isinstance(texture, Texture)
    assert "sampleTexture" not in call.source
    assert texture.uv.module == ""
    assert [entry.name for entry in texture.uv.arguments.values()] == ["Own.Socket_1"]
    assert Attribute.UV not in texture.uv.arguments.values()


def test_long_chains_in_a_function_are_no_problem():
    tree = GraphBuilder("Function")
    tree.ends("NodeGroupInput", ("Socket_1", "VALUE", 0.5), ("Socket_2", "VALUE", 0.5))
    made = ("NodeGroupInput", "Socket_1")
    for number in range(3000):
        made = (tree.add("ShaderNodeMath", f"n{number}", inputs={"Value": made}), "Value")
    tree.ends("NodeGroupOutput", ("Out_1", "VALUE", made))
    group = replace(tree.graph(), is_function=True)

    call = compiled(group, {"Roughness": ("Own", "Out_1")}).material.surface.inputs["roughness"]

    assert call.source.count("mathAdd") == 3000


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2, "2.0f"), (1e-8, "1e-08f"), ((0.1, -1.0, 1e30), "float3(0.1f, -1.0f, 1e+30f)")],
)
def test_literals_keep_their_value(value, expected):
    assert literal(value) == expected
