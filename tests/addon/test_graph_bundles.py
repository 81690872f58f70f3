# SPDX-License-Identifier: Apache-2.0
"""Bundles of shader nodes: what is put into one takes the place of what leaves it."""

from __future__ import annotations

from dataclasses import replace

from addon.core.graph.compile import compile_material
from addon.core.graph.files import graph_from_json, graph_to_json
from addon.core.graph.model import Node, Socket

from support.node_graphs import GraphBuilder, surface_graph
from weft.scene import Constant, SlangCall


def combine(builder, name, **items):
    """Add a Combine Bundle; an item is (kind, value or link)."""
    inputs = tuple(
        Socket(f"Item_{k}", label, kind, **_held(value))
        for k, (label, (kind, value)) in enumerate(items.items())
    )
    return builder.put(
        Node(
            name,
            "NodeCombineBundle",
            inputs=inputs,
            outputs=(Socket("Bundle", "Bundle", "BUNDLE"),),
        )
    )


def _held(value):
    is_link = isinstance(value, tuple) and isinstance(value[0], str)
    return {"link": value} if is_link else {"value": value}


def separate(builder, name, link, **items):
    """Add a Separate Bundle; an item is a kind."""
    return builder.put(
        Node(
            name,
            "NodeSeparateBundle",
            inputs=(Socket("Bundle", "Bundle", "BUNDLE", link=link),),
            outputs=tuple(
                Socket(f"Item_{k}", label, kind) for k, (label, kind) in enumerate(items.items())
            ),
        )
    )


def join(builder, name, first, *others):
    socket = Socket("Bundle", "Bundle", "BUNDLE", link=first, more_links=others)
    ends = (Socket("Bundle", "Bundle", "BUNDLE"),)
    return builder.put(Node(name, "NodeJoinBundle", inputs=(socket,), outputs=ends))


def compiled(builder, **links):
    node = builder.add("ShaderNodeBsdfPrincipled", inputs=links)
    found = compile_material(surface_graph(builder, node), {}, "Wall")
    assert found.problems == []
    return found


def test_items_are_found_by_name_in_bundles_in_bundles():
    builder = GraphBuilder()
    combine(builder, "Inner", Rough=("VALUE", 0.3))
    combine(builder, "Outer", Wave=("BUNDLE", ("Inner", "Bundle")), Metal=("VALUE", 0.7))
    separate(builder, "A", ("Outer", "Bundle"), Metal="VALUE", Wave="BUNDLE")
    separate(builder, "B", ("A", "Item_1"), Missing="VALUE", Rough="VALUE")

    found = compiled(builder, Roughness=("B", "Item_1"), Metallic=("A", "Item_0"))

    inputs = found.material.surface.inputs
    assert [inputs[name].name for name in ("roughness", "metallic")] == [
        "Inner.Rough",
        "Outer.Metal",
    ]
    assert [inputs[name].value for name in ("roughness", "metallic")] == [0.3, 0.7]
    active = {binding.parameter for binding in found.bindings if binding.is_active}
    assert {"Wall.Inner.Rough", "Wall.Outer.Metal"} <= active


def test_what_a_bundle_lacks_is_nothing():
    builder = GraphBuilder()
    combine(builder, "Outer", Other=("VALUE", 0.7))
    separate(builder, "A", ("Outer", "Bundle"), Rough="VALUE")
    separate(builder, "B", None, Rough="VALUE")

    for name in ("A", "B"):
        surface = compiled(builder, Roughness=(name, "Item_0")).material.surface
        assert surface.inputs["roughness"] == 0


def test_the_first_of_joined_bundles_wins():
    builder = GraphBuilder()
    combine(builder, "Given", Rough=("VALUE", 0.3))
    combine(builder, "Defaults", Rough=("VALUE", 0.9), Metal=("VALUE", 0.7))
    join(builder, "Joined", ("Given", "Bundle"), ("Defaults", "Bundle"))
    separate(builder, "A", ("Joined", "Bundle"), Rough="VALUE", Metal="VALUE")
    links = {"Roughness": ("A", "Item_0"), "Metallic": ("A", "Item_1")}

    inputs = compiled(builder, **links).material.surface.inputs

    assert (inputs["roughness"].value, inputs["metallic"].value) == (0.3, 0.7)
    graph = builder.graph()
    assert graph_from_json(graph_to_json(graph)).nodes["Joined"] == graph.nodes["Joined"]


def test_an_item_of_another_kind_is_converted():
    builder = GraphBuilder()
    combine(builder, "Outer", Rough=("VECTOR", (0.1, 0.2, 0.6)))
    separate(builder, "A", ("Outer", "Bundle"), Rough="VALUE")

    found = compiled(builder, Roughness=("A", "Item_0")).material.surface.inputs["roughness"]

    assert isinstance(found, SlangCall)
    assert found.function == "vectorToFloat"


def function_group():
    """Return a group of a function that doubles an item of a bundle, and hands it on in another."""
    tree = GraphBuilder("Function")
    tree.ends("NodeGroupInput", ("In", "BUNDLE", None))
    combine(tree, "Defaults", Rough=("VALUE", 0.25), Metal=("VALUE", 0.5))
    join(tree, "Joined", ("NodeGroupInput", "In"), ("Defaults", "Bundle"))
    separate(tree, "Apart", ("Joined", "Bundle"), Rough="VALUE", Metal="VALUE")
    tree.add(
        "ShaderNodeMath",
        "Doubled",
        operation="MULTIPLY",
        inputs={"Value": ("Apart", "Item_0"), "Value_001": 2.0},
    )
    combine(
        tree, "Made", Rough=("VALUE", ("Doubled", "Value")), Metal=("VALUE", ("Apart", "Item_1"))
    )
    tree.ends("NodeGroupOutput", ("Out", "BUNDLE", ("Made", "Bundle")))
    return replace(tree.graph(), is_function=True)


def test_functions_take_and_give_bundles():
    builder = GraphBuilder()
    combine(builder, "Given", Rough=("VALUE", 0.3))
    builder.group("First", function_group(), {"In": ("Given", "Bundle")})
    builder.group("Second", function_group(), {"In": ("First", "Out")})
    separate(builder, "A", ("Second", "Out"), Rough="VALUE", Metal="VALUE")

    found = compiled(builder, Roughness=("A", "Item_0"), Metallic=("A", "Item_1"))

    outer = found.material.surface.inputs["roughness"]
    assert isinstance(outer, SlangCall)
    (inner,) = outer.arguments.values()
    (number,) = inner.arguments.values()
    assert isinstance(number, Constant)
    assert (inner.function, number.name) == (outer.function, "Given.Rough")
    assert found.material.surface.inputs["metallic"] == 0.5
    names = {binding.parameter for binding in found.bindings if binding.is_active}
    assert not [name for name in names if "First" in name or "Second" in name]
