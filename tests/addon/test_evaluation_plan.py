# SPDX-License-Identifier: Apache-2.0
"""What a function takes and gives where the engine evaluates it on geometry."""

from __future__ import annotations

import re

import pytest
from addon.core.slang_nodes.preparing import ENGINE, Request, prepare
from addon.core.slang_nodes.sources import Source, SourceKey

import weft

EVERYTHING = """
import weft.node;

enum Mode { Soft, Hard }
struct Cell { float size; float3 place; }
struct Found { float height; [Color] float3 tint; }

Found everything(float3 position, int index, float frame, [Range(0, 3)] float gain, Mode mode,
                 Cell cell, double fine, [Source("Object")] float4x4 matrix,
                 ITensor<float, 1> weights, Tensor<float4, 2> picture,
                 [Source("attribute:density")] float d, [Source("Position")] ITensor<float3, 1> all,
                 inout float3 speed, out int kind)
{
    kind = int(mode);
    return {};
}
"""


def prepared(text, function="everything", **request):
    source = Source(SourceKey("text", "t.slang"), text=text)
    return prepare(Request(source, function, "GeometryNodeTree", (4, 5), form=ENGINE, **request))


def test_each_parameter_has_a_source():
    plan = prepared(EVERYTHING).plan

    assert {entry.value.name: entry.source for entry in plan.inputs} == {
        "position": "position",
        "index": "index",
        "frame": "frame",
        "gain": "socket",
        "mode": "socket",
        "cell.size": "socket",
        "cell.place": "socket",
        "fine": "socket",
        "matrix": "object",
        "weights": "file",
        "picture": "image",
        "d": "attribute:density",
        "all": "position",
        "speed": "socket",
    }
    assert [entry.value.name for entry in plan.outputs] == [
        "Result.height",
        "Result.tint",
        "speed",
        "kind",
    ]


def test_what_geometry_and_scene_give_has_no_socket():
    interface = prepared(EVERYTHING).interface

    named = {spec.name: spec.type for spec in interface.inputs if not spec.is_internal}
    assert named == {
        "<geometry>": "NodeSocketGeometry",
        "gain": "NodeSocketFloat",
        "mode": "NodeSocketInt",
        "cell.size": "NodeSocketFloat",
        "cell.place": "NodeSocketVector",
        "fine": "NodeSocketFloat",
        "weights": "NodeSocketString",
        "picture": "NodeSocketImage",
        "d": "NodeSocketFloat",
        "speed": "NodeSocketVector",
    }
    assert {spec.name: spec.attribute for spec in interface.outputs} == {
        "<geometry>": "",
        "Result.height": "height",
        "Result.tint": "tint",
        "speed": "speed",
        "kind": "kind",
    }


def test_a_result_called_position_moves_the_elements():
    moved = prepared("void f(inout float3 position, out float h) { h = position.z; }", "f")

    assert moved.plan.moves
    assert [spec.name for spec in moved.interface.outputs] == ["<geometry>", "h"]


@pytest.mark.parametrize(
    ("text", "domain", "message"),
    [
        ("float f(bool3 b) { return b.x ? 1 : 0; }", "POINT", "'b' is vector<bool,3>, which no"),
        ("void f(float x) {}", "POINT", "'f' gives nothing: let it return a value"),
        ("void f(inout float3 position) {}", "FACE", "choose the domain Point"),
        ("float f(float position) { return 1; }", "LINE", "domain is one of POINT"),
        (
            'import weft.node;\nfloat f([Source("Normal")] float n) { return n; }',
            "POINT",
            "'n' is float and cannot be 'normal', which is float3",
        ),
        (
            "import weft.inputs;\nfloat f(float x) { return position().x; }",
            "POINT",
            "calls position() of weft.inputs, which only trees have",
        ),
        (
            "float f(Sampler2D<float3> s, float2 uv) { return s.Sample(uv).x; }",
            "POINT",
            "write Tensor<float4, 2> and look it up by sample(uv)",
        ),
    ],
)
def test_what_cannot_be_evaluated_is_refused(text, domain, message):
    with pytest.raises(weft.ArgumentError, match=re.escape(message)):
        prepared(text, "f", domain=domain)


def test_a_domain_is_part_of_what_a_node_is():
    text = "float f(float x) { return x; }"

    assert prepared(text, "f").hash != prepared(text, "f", domain="FACE").hash


def test_inputs_of_trees_that_nothing_calls_are_no_obstacle():
    text = "import weft.inputs;\n// position() is not called\nfloat f(float x) { return x; }"

    assert prepared(text, "f").plan.inputs[0].source == "socket"


def test_only_geometry_is_evaluated():
    source = Source(SourceKey("text", "t.slang"), text="float f(float x) { return x; }")

    with pytest.raises(weft.ArgumentError, match="geometry nodes"):
        prepare(Request(source, "f", "ShaderNodeTree", (4, 5), form=ENGINE))


@pytest.mark.parametrize(
    "text",
    ["float f(out float Result) { Result = 1; return 2; }", "float f(float _result) { return 1; }"],
)
def test_names_of_the_return_value_are_refused(text):
    with pytest.raises(weft.ArgumentError, match="give the parameter another name"):
        prepared(text, "f")


def test_arrays_of_bool_are_refused():
    text = 'import weft.node;\nfloat f([Source("attribute:on")] ITensor<bool, 1> on) { return 1; }'

    with pytest.raises(weft.ArgumentError, match="write ITensor<int, 1>"):
        prepared(text, "f")
