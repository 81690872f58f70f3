# SPDX-License-Identifier: Apache-2.0
"""Every resource type of Slang's core module is refused by name before a driver sees it.

A driver that meets a descriptor without a resource may end the process, so calls run in a process
of their own, which is started anew behind each call that ends it.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import weft

HELPERS = """
struct Pair { float k; float l; };
struct Holder { Texture2D<float4> inside; float plain; };
Texture2D<float4> pic;
SamplerState other;
SamplerComparisonState compared;
Holder holder;
ConstantBuffer<Holder> held;
ParameterBlock<Holder> blocked;
Texture2D<float4> several[3];
uniform float gain;
float trace(RaytracingAccelerationStructure s)
{
    RayQuery<RAY_FLAG_NONE> query;
    RayDesc ray;
    ray.Origin = float3(0);
    ray.Direction = float3(1, 0, 0);
    ray.TMin = 0;
    ray.TMax = 1;
    query.TraceRayInline(s, 0, 255, ray);
    query.Proceed();
    return query.CommittedRayT();
}
float append(AppendStructuredBuffer<float> queue) { queue.Append(1.f); return 1.f; }
float feed_back(FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> feedback)
{
    feedback.WriteSamplerFeedback(pic, other, float2(0.5f));
    return 1.f;
}
float from_inside(Holder h) { return h.inside.Load(int3(0)).x; }
float untouched(float x) { return x + 1; }
float plain_member(float x) { return x * gain; }
"""

TEXTURES = {
    "1D": ("int2(0)", "uint(0)", "0.5f"),
    "2D": ("int3(0)", "uint2(0)", "float2(0.5f)"),
    "3D": ("int4(0)", "uint3(0)", "float3(0.5f)"),
    "1DArray": ("int3(0)", "uint2(0)", "float2(0.5f)"),
    "2DArray": ("int4(0)", "uint3(0)", "float3(0.5f)"),
}


def texture_types():
    """Yield (type, expression) for plain, combined and writable textures."""
    for shape, (load, index, uv) in TEXTURES.items():
        yield f"Texture{shape}<float4>", f"r.Load({load}).x"
        yield f"Sampler{shape}<float4>", f"r.SampleLevel({uv}, 0).x"
        yield f"RWTexture{shape}<float4>", f"r[{index}].x"
        yield f"RasterizerOrderedTexture{shape}<float4>", f"r[{index}].x"
    for shape, uv in (("Cube", "float3(1)"), ("CubeArray", "float4(1)")):
        yield f"Texture{shape}<float4>", f"r.SampleLevel(other, {uv}, 0).x"
        yield f"Sampler{shape}<float4>", f"r.SampleLevel({uv}, 0).x"
    for shape, load in (("2DMS", "int2(0)"), ("2DMSArray", "int3(0)")):
        yield f"Texture{shape}<float4>", f"r.Load({load}, 0).x"
    yield "Sampler2DMS<float4>", "r.Load(int2(0), 0).x"
    yield "RWTexture2DMS<float4>", "r[uint2(0), 0].x"


REFUSED = [
    *texture_types(),
    ("DepthTexture2D", "r.SampleCmpLevelZero(compared, float2(0.5f), 0.5f)"),
    ("Sampler2DShadow", "r.SampleCmpLevelZero(float2(0.5f), 0.5f)"),
    ("FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP>", "feed_back(r)"),
    ("Buffer<float4>", "r[0].x"),
    ("RWBuffer<float4>", "r[0].x"),
    ("RasterizerOrderedBuffer<float4>", "r[0].x"),
    ("SamplerState", "pic.SampleLevel(r, float2(0.5f), 0).x"),
    ("SamplerComparisonState", "pic.SampleCmpLevelZero(r, float2(0.5f), 0.5f)"),
    ("RaytracingAccelerationStructure", "trace(r)"),
    ("AppendStructuredBuffer<float>", "append(r)"),
    ("ConsumeStructuredBuffer<float>", "r.Consume()"),
    ("RasterizerOrderedStructuredBuffer<float>", "r[0]"),
    ("RasterizerOrderedByteAddressBuffer", "float(r.Load(0))"),
    ("SubpassInput<float4>", "r.SubpassLoad().x"),
    ("SubpassInputMS<float4>", "r.SubpassLoad(0).x"),
    ("DescriptorHandle<Texture2D<float4>>", "r.Load(int3(0)).x"),
    ("DescriptorHandle<SamplerState>", "pic.SampleLevel(r, float2(0.5f), 0).x"),
    ("GLSLShaderStorageBuffer<Pair>", "r.k"),
]

PLACES = {
    "holder": "from_inside(holder)",
    "held": "held.inside.Load(int3(0)).y",
    "blocked": "from_inside(blocked)",
    "several": "several[2].Load(int3(0)).x",
}
"""Textures in structures, in blocks, in arrays; and used by a called function."""


UNKNOWN_TO_CUDA = ("SubpassInput<float4>", "SubpassInputMS<float4>")
"""A module with a global of such a type does not load there; test_layout.cpp holds the message."""


def source(device: str) -> str:
    """Build a module with a resource of each type, and a function for each that uses it."""
    lines = [HELPERS]
    for i, (kind, use) in enumerate(REFUSED):
        if device == "cuda" and kind in UNKNOWN_TO_CUDA:
            continue
        name = f"resource{i}"
        lines.append(f"{kind} {name};")
        expression = (
            use.replace("r.", f"{name}.").replace("r[", f"{name}[").replace("(r)", f"({name})")
        )
        expression = expression.replace("(r,", f"({name},")
        lines.append(f"float inner{i}() {{ return {expression}; }}")
        lines.append(f"float use{i}(float x) {{ return x + inner{i}(); }}")
    lines += [
        f"float use_{place}(float x) {{ return x * {use}; }}" for place, use in PLACES.items()
    ]
    return "\n".join(lines)


CHILD = """
import json, sys, weft
request = json.load(sys.stdin)
device = weft.create_device(type=weft.DeviceType[request["device"]])
module = weft.Module.load_from_source(device, "resource_types", request["source"])
for name in request["functions"]:
    print(name, end=" ", flush=True)
    try:
        outcome = ["value", float(getattr(module, name)(1.0))]
    except weft.Error as error:
        outcome = [type(error).__name__, str(error)]
    print(json.dumps(outcome), flush=True)
"""


def outcomes(kind: str, functions: list[str]) -> dict[str, list]:
    """Call the functions, each where its call can end no other's process."""
    found: dict[str, list] = {}
    while missing := [name for name in functions if name not in found]:
        request = json.dumps({"device": kind, "source": source(kind), "functions": missing})
        child = subprocess.run(
            [sys.executable, "-c", CHILD],
            input=request,
            capture_output=True,
            text=True,
            timeout=500,
        )
        lines = child.stdout.splitlines()
        assert lines, child.stderr
        for line in lines:
            name, _, outcome = line.partition(" ")
            found[name] = json.loads(outcome) if outcome else ["died", child.returncode]
    return found


@pytest.fixture(scope="module")
def called(device):
    kind = device.info.type.name
    used = [
        f"use{i}"
        for i, (resource, _) in enumerate(REFUSED)
        if kind != "cuda" or resource not in UNKNOWN_TO_CUDA
    ]
    return outcomes(kind, [*used, *(f"use_{place}" for place in PLACES), "untouched"])


@pytest.mark.parametrize("index", range(len(REFUSED)), ids=[kind for kind, _ in REFUSED])
def test_a_resource_in_use_is_refused_by_name(device, called, index):
    if device.info.type.name == "cuda" and REFUSED[index][0] in UNKNOWN_TO_CUDA:
        pytest.skip("CUDA has no layout for it")
    what, message = called[f"use{index}"]

    assert what == "ArgumentError", message
    assert f"use{index}: " in message
    assert f"'resource{index}'" in message
    assert "Weft cannot bind" in message


@pytest.mark.parametrize("place", PLACES)
def test_a_resource_in_a_structure_or_array_is_refused_by_name(called, place):
    what, message = called[f"use_{place}"]

    assert what == "ArgumentError", message
    assert f"use_{place}: " in message
    assert place in message


def test_resources_that_a_function_does_not_use_are_no_hindrance(called):
    assert called["untouched"] == ["value", 2.0]


def test_a_resource_of_an_imported_module_is_refused_by_name(device, tmp_path):
    (tmp_path / "textured.slang").write_text(
        "Texture2D<float4> imported_picture;\n"
        "float texel(int i) { return imported_picture.Load(int3(i)).x; }\n"
        "float twice(float x) { return 2 * x; }\n"
    )
    (tmp_path / "main.slang").write_text(
        "import textured;\nfloat f(int i) { return texel(i); }\n"
        "float g(float x) { return twice(x); }\n"
    )
    module = weft.Module.load_from_file(device, tmp_path / "main.slang")

    with pytest.raises(weft.ArgumentError, match=r"f: it uses 'imported_picture' \(Texture2D"):
        module.f(1)
    assert module.g(2.0) == 4.0


@pytest.mark.parametrize(
    "parameter",
    [
        "Texture2D<float4> t",
        "SamplerState t",
        "RaytracingAccelerationStructure t",
        "Texture2D<float4> t[2]",
        "Holder t",
        "AppendStructuredBuffer<float> t",
    ],
)
@pytest.mark.parametrize("value", [1.0, [1.0, 2.0], {"inside": 1.0, "plain": 2.0}, None])
def test_a_resource_as_a_parameter_is_refused_by_name(device, parameter, value):
    module = weft.Module.load_from_source(
        device,
        "resource_parameter",
        "struct Holder { Texture2D<float4> inside; float plain; };\n"
        f"float f({parameter}) {{ return 1; }}\nfloat g(float x) {{ return x; }}\n",
    )

    with pytest.raises(weft.ArgumentError, match=r"f: .*'t"):
        module.f(value)
    assert module.g(1.0) == 1.0
