# SPDX-License-Identifier: Apache-2.0
"""What cannot be lowered is refused in one sentence: function, place, what was met, what to do."""

from __future__ import annotations

import pytest

import weft

WIDE = """
float f(float x)
{
    float v[250];
    for (int i = 0; i < 250; i++)
        v[i] = sin(x * (i + 1));
    float s = 0;
    for (int k = 0; k < 250; k++)
        s += v[k] * v[249 - k] * v[(k * 7) % 250];
    return s;
}
"""

REFUSALS = [
    # name, source, form, tree, what was met, what to do
    (
        "unbounded",
        "float f(float x) { while (x * x > 2) x = x / 2 + 1 / x; return x; }",
        "nodes",
        "shader",
        "more than 256 rounds",
        "use OSL",
    ),
    (
        "rounds of constants",
        "float f(float x) { float a = 0; for (int i = 0; i < 250; i++)"
        " for (int j = 0; j < 250; j++) for (int k = 0; k < 40; k++) a += 1; return a * x; }",
        "nodes",
        "geometry",
        "more than 2 million rounds",
        "fewer rounds",
    ),
    *(
        (
            f"printf, {form}",
            'float f(float x) { printf("%f", x); return x; }',
            form,
            "shader",
            "printf",
            "take that out of it",
        )
        for form in ("nodes", "osl")
    ),
    (
        "buffer",
        "StructuredBuffer<float> table; float f(int i) { return table[i]; }",
        "nodes",
        "geometry",
        "table",
        "pass",
    ),
    (
        "memory parameter",
        "float f(RWStructuredBuffer<float> x) { return x[0]; }",
        "nodes",
        "geometry",
        "parameter 'x'",
        "pass the values themselves",
    ),
    (
        "texture of another kind",
        "float f(Texture3D<float4> x) { return x[int3(0)].x; }",
        "nodes",
        "shader",
        "parameter 'x', a Texture3D",
        "take a Texture2D<float4>",
    ),
    (
        "texels",
        "float f(Texture2D<float4> x) { return x[int2(0)].x; }",
        "osl",
        "shader",
        "reads texels of an image",
        "write Sample(sampler, uv)",
    ),
    (
        "level of an image",
        "float f(Sampler2D x, float2 at) { return x.SampleLevel(at, at.x).x; }",
        "nodes",
        "geometry",
        "looks an image up at a level",
        "write Sample(sampler, uv)",
    ),
    (
        "image in the compositor",
        "float f(Sampler2D x, float2 at) { return x.Sample(at).x; }",
        "nodes",
        "compositor",
        "has no Image Texture node",
        "as a parameter",
    ),
    (
        "texture of the source",
        "Sampler2D own; float f(float2 at) { return own.Sample(at).x; }",
        "nodes",
        "shader",
        "the texture 'own'",
        "call sampleImage()",
    ),
    (
        "name of an image",
        "import weft.inputs; float f(String n, float2 at) { return sampleImage(n, at).x; }",
        "nodes",
        "shader",
        "parameter 'n', a String, is a text",
        "fix it",
    ),
    (
        "64 bits",
        "float f(double x) { return float(x); }",
        "nodes",
        "shader",
        "parameter 'x', a double",
        "take float",
    ),
    (
        "64 bits within",
        "float f(float x) { return float(double(x) * 1.1L); }",
        "nodes",
        "geometry",
        "64 bits",
        "take",
    ),
    (
        "interface",
        "interface IShape { float area(); } float f(IShape x) { return x.area(); }",
        "nodes",
        "shader",
        "parameter 'x'",
        "name one",
    ),
    (
        "large integers",
        "int f(int x) { return x * x; }",
        "nodes",
        "shader",
        "'i_mul'",
        "bound it with clamp()",
    ),
    (
        "bit cast",
        "int f(float x) { return asint(x); }",
        "nodes",
        "geometry",
        "'real_bits'",
        "use OSL",
    ),
    ("live values", WIDE, "nodes", "shader", "values are needed at once", "use OSL"),
    (
        "no result",
        "void f(float x) {}",
        "nodes",
        "shader",
        "has no result",
        "needs a returned value",
    ),
    (
        "derivative of the screen",
        "float f(float x) { return ddx(x); }",
        "nodes",
        "shader",
        "derivatives of the screen (ddx)",
        "take that out",
    ),
    (
        "wave",
        "float f(float x) { return WaveActiveSum(x); }",
        "osl",
        "shader",
        "wave operations",
        "take them out",
    ),
    (
        "atomic",
        "RWStructuredBuffer<int> n; int f(int x) { int o; InterlockedAdd(n[0], x, o); return o; }",
        "nodes",
        "geometry",
        "atomics",
        "take them out",
    ),
    (
        "discard",
        "float f(float x) { if (x < 0) discard; return x; }",
        "nodes",
        "shader",
        "discards",
        "return one",
    ),
    (
        "a bundle that is no structure",
        "import weft.node;\nfloat f([Bundle] float3 x) { return x.x; }",
        "nodes",
        "geometry",
        "parameter 'x' is marked [Bundle], which takes a structure, and is a vector<float,3>",
        "take the attribute away",
    ),
    (
        "a result that is no structure",
        "import weft.node;\n[Bundle] float f(float x) { return x; }",
        "osl",
        "shader",
        "the result is marked [Bundle], which takes a structure, and is a float",
        "take the attribute away",
    ),
]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("source", "form", "tree", "met", "advice"),
    [entry[1:] for entry in REFUSALS],
    ids=[entry[0] for entry in REFUSALS],
)
def test_refusal(source: str, form: str, tree: str, met: str, advice: str) -> None:
    text = f"\n\n\n{source}"
    line = 1 + text.partition(" f(")[0].count("\n")
    with pytest.raises(weft.Error) as raised:
        weft.lower(None, "f", text=text, to=form, tree=tree)

    message = str(raised.value)
    assert f"lower: f (<text>:{line})" in message
    assert met in message
    assert advice in message


def test_recursion_is_refused() -> None:
    source = "int f(int n) { return n <= 1 ? 1 : n * f(n - 1); }"

    with pytest.raises(weft.Error, match="recursi"):
        weft.lower(None, "f", text=source)


def test_a_source_that_does_not_compile_has_slangs_diagnostics() -> None:
    with pytest.raises(weft.CompileError, match="'g'"):
        weft.lower(None, "f", text="float f(float x) { return g(x); }")
