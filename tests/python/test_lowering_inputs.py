# SPDX-License-Identifier: Apache-2.0
"""weft.inputs: what a tree knows of the point that it computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import weft

TEXT = """
import weft.inputs;
float stripes(float scale)
{
    float sum = scale * position().x + normal().z + 2 * attribute("density");
    return sum - attribute("mask") + uv("Map").y;
}
float3 placed() { return position() + attributeVector("shift"); }
float chosen(int n) { return n > 2 ? attribute("density") : sceneTime() + objectRandom(); }
float timed() { return 2 * sceneTime(); }
float active() { return uv("").x; }
"""


def lower(name: str, **options: Any) -> weft.Lowered:
    return weft.lower(None, name, text=TEXT, **options)


def columns(count: int = 8) -> dict[str, np.ndarray[Any, Any]]:
    random = np.random.default_rng(5)
    shapes = {
        "scale": (count,),
        "position()": (count, 3),
        "normal()": (count, 3),
        'attribute("density")': (count,),
        'attribute("mask")': (count,),
        'uv("Map")': (count, 2),
    }
    return {name: random.uniform(-2, 2, shape).astype("f4") for name, shape in shapes.items()}


def test_inputs_are_named_in_the_graph() -> None:
    lowered = lower("stripes", to="dag")
    values = columns()
    assert {variable.name for variable in lowered.parameters} == set(values)

    found = lowered.evaluate(values)["Result"]

    expected = (
        values["scale"] * values["position()"][:, 0]
        + values["normal()"][:, 2]
        + 2 * values['attribute("density")']
        - values['attribute("mask")']
        + values['uv("Map")'][:, 1]
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("tree", "types"),
    [
        ("shader", {"NewGeometry", "Attribute", "UVMap"}),
        (
            "geometry",
            {"InputPosition", "InputNormal", "InputNamedAttribute"},
        ),
    ],
)
def test_inputs_are_nodes(tree: str, types: set[str]) -> None:
    lowered = lower("stripes", tree=tree)

    assert lowered.tree is not None
    assert [socket.name for socket in lowered.inputs] == ["scale"]
    prefix = "ShaderNode" if tree == "shader" else "GeometryNode"
    found = {node["type"].removeprefix(prefix) for node in lowered.tree["nodes"]}
    assert types <= found


def test_names_reach_the_nodes() -> None:
    shader, geometry = (lower("placed", tree=tree).tree for tree in ("shader", "geometry"))

    assert shader is not None
    assert geometry is not None
    names = [node["properties"].get("attribute_name") for node in shader["nodes"]]
    assert "shift" in names
    assert "shift" in [node["inputs"].get("Name") for node in geometry["nodes"]]


def test_osl_reads_globals_and_attributes() -> None:
    text = lower("stripes", to="osl").text

    assert "= point(P);" in text
    assert 'getattribute("density", ' in text
    assert 'getattribute("geom:uv", ' in lower("active", to="osl").text


def test_on_a_device_inputs_are_constants(device: weft.Device) -> None:
    module = weft.Module.load_from_source(device, "inputs", TEXT)

    assert module.stripes(3.0) == 1
    assert module.chosen(1) == 0


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("timed", {"blender": "4.5"}, ["before Blender 5.2", "no sceneTime()", "as a parameter"]),
        ("timed", {"to": "osl"}, ["OSL has no sceneTime()"]),
        ("chosen", {"tree": "geometry"}, ["no objectRandom()", "as a parameter"]),
        ("placed", {"tree": "compositor"}, ["the compositor has no position()"]),
        ("active", {"tree": "geometry"}, ["no active UV map", "name it"]),
    ],
)
def test_inputs_that_a_tree_has_not_are_refused(
    name: str, options: dict[str, Any], words: list[str]
) -> None:
    with pytest.raises(weft.ArgumentError) as raised:
        lower(name, **options)

    assert str(raised.value).startswith(f"lower: {name} (<text>:")
    assert all(word in str(raised.value) for word in words)


def test_time_is_a_node_where_there_is_one() -> None:
    for options in ({"tree": "geometry"}, {"blender": "5.2"}, {"tree": "compositor"}):
        tree = lower("timed", **options).tree
        assert tree is not None
        assert tree["nodes"][1]["type"].endswith("SceneTime")
