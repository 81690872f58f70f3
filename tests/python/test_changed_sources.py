# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (Slang in one line reads better than in two strings)
"""Derivatives that Slang alone gets wrong without a word are right in both modes.

Each body is that of ``float f(float x, float y, int k)``; differences of its values are the truth.
"""

import numpy as np
import pytest

import weft

PRELUDE = """
import helpers;
struct Pair : IDifferentiable
{
    float a; float b;
    [Differentiable] [mutating] void step(float t) { a = a * 0.5f + sin(t); }
    [Differentiable] [mutating] float loops(float t)
    {
        step(t);
        float s = 0.f;
        for (int i = 0; i < 4; i++) s += a * (1.f + i);
        return s;
    }
    [Differentiable] [mutating] float members(float t)
    {
        push(this.a, t); push(b, t);
        float s = 0.f;
        for (int i = 0; i < 4; i++) s = s * 0.5f + a * b;
        return s;
    }
}
[Differentiable] void push(inout float a, float b) { a = a * 0.5f + sin(b); }
[Differentiable] void push3(inout float3 a, float b) { a = a * 0.5f + float3(sin(b), b, b * b); }
[Differentiable] void give(out float r, float b) { r = sin(b); }
[Differentiable] void both(inout float a, inout float b) { a = a * b; b = sin(b); }
[Differentiable] void reset(inout float a, float b) { a = 0.5f; }
[Differentiable] void reset_or_push(inout float a, float b) { if (b > 10.f) { push(a, b); return; } a = no_diff(half_of(3.f)); }
[Differentiable] void reset_element(inout float3 a, float b) { a.y = 2; a.x *= b; }
float half_of(float a) { return a * 0.5f; }
[Differentiable] float both_and_more(inout float a, float b) { a = a * b; return a + b; }
#define PUSH(a, b) push(a, b)
#define ADD_X a += x
#define TIMES(a, b) ((a) * (b))
typealias Real = float;
[Differentiable] float3 marched(float a, float3 v) { for (int i = 0; i < 3; i++) a += v.y; return a * v; }
[Differentiable] float3 counted(no_diff float a, float3 v) { for (int i = 0; i < 3; i++) a += 0.1f; return a * v; }
[Differentiable] float3 moved(inout float a, float x, float3 v) { for (int i = 0; i < 3; i++) a += x; return a * v; }
[Differentiable] void given(out float a, float x, float3 v, out float3 r) { a = 0.2f; for (int i = 0; i < 3; i++) a += x; r = a * v; }
[Differentiable] vector<T, 3> marched_as<T : __BuiltinFloatingPointType>(T a, vector<T, 3> v) { T b = a; for (int i = 0; i < 3; i++) b = b + a; return b * v; }
"""

HELPERS = """
[Differentiable] public void far_push(inout float a, float b) { a = a * 0.5f + sin(b); }
[Differentiable] public void far_give(float b, out float r) { r = sin(b); }
"""

# What a call wrote, read in a loop.
WRITTEN = {
    "inout": "float s = y, h = y; push(h, x); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s;",
    "inout, in a call": "float s = y, h = y; push(h, x); for (int j = 0; j < 4; j++) push(s, h); return s;",
    "out": "float s = y, h; give(h, x); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s;",
    "sincos": "float s = y, a, b; sincos(x, a, b); for (int j = 0; j < 4; j++) s += a * s + b; return s;",
    "a copy": "float s = y, h = y; push(h, x); float c = h; for (int j = 0; j < 4; j++) s = s * 0.5f + c; return s;",
    "a copy of a copy": "float s = y, h = y; push(h, x); float c = h; float[2] d = { c, y }; for (int j = 0; j < 4; j++) s = s * 0.5f + d[0]; return s;",
    "a copy in the loop": "float s = y, h = y; push(h, x); for (int j = 0; j < 4; j++) { float c = h; s = s * 0.5f + c; } return s;",
    "an element": "float s = y; float[2] a = { x, y }; push(a[0], y); for (int j = 0; j < 4; j++) s = s * 0.5f + a[0]; return s;",
    "a field": "float s = y; Pair p = { x, y }; push(p.a, y); for (int j = 0; j < 4; j++) s = s * 0.5f + p.a; return s;",
    "a component": "float s = y; float3 p = float3(x, y, x); push(p.y, x); for (int j = 0; j < 4; j++) s = s * 0.5f + p.y; return s;",
    "a vector": "float s = y; float3 p = float3(x, y, x); push3(p, x); for (int j = 0; j < 4; j++) s = s * 0.5f + p.z; return s;",
    "a parameter": "float s = y; push(x, y); for (int j = 0; j < 4; j++) s = s * 0.5f + x; return s;",
    "a result, too": "float s = both_and_more(x, y); for (int j = 0; j < 4; j++) s = s * 0.5f + x; return s;",
    "a nest": "float s = y, h = y; push(h, x); for (int i = 0; i < 2; i++) for (int j = 0; j < 5; j++) s = s * 0.5f + h; return s;",
    "within a loop": "float s = y; for (int i = 0; i < 2; i++) { float h = y; push(h, x); for (int j = 0; j < 5; j++) s = s * 0.5f + h; } return s;",
    "within a loop, carried": "float s = y, h = y; for (int i = 0; i < 2; i++) { push(h, x); for (int j = 0; j < 5; j++) s = s * 0.5f + h; } return s;",
    "by a loop": "float s = y, h = y; for (int j = 0; j < 3; j++) push(h, x); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s;",
    "without braces": "float s = y, h = y; push(h, x); if (k >= 0) for (int j = 0; j < 4; j++) s = s * 0.5f + h; else s = x; return s;",
    "while": "float s = y, h = y; push(h, x); int j = 0; [MaxIters(4)] while (j < 4) { s = s * 0.5f + h; j++; } return s;",
    "do": "float s = y, h = y; push(h, x); int j = 0; [MaxIters(4)] do { s = s * 0.5f + h; j++; } while (j < 4); return s;",
    "break": "float s = y, h = y; push(h, x); for (int j = 0; j < 9; j++) { if (j == 4) break; s = s * 0.5f + h; } return s;",
    "and after the loop": "float s = y, h = y; push(h, x); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s * h;",
    "and changed there": "float s = y, h = y; push(h, x); for (int j = 0; j < 4; j++) both(s, h); return s * h;",
    "in a branch": "float s = y, h = y; if (x > 0) push(h, x); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s;",
    "a method": "Pair p = { x, y }; p.step(y); float s = x; for (int j = 0; j < 4; j++) s = s * 0.5f + p.a; return s;",
    "of this": "Pair p = { x, y }; return p.loops(y) + p.a;",
    "members of this": "Pair p = { x, y }; return p.members(x) + p.a;",
    "behind a macro": "float s = y, h = y; PUSH(h, x); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s;",
    "of another file": "float s = y, h = y; far_push(h, x); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s;",
    "of another file, out": "float s = y, h; far_give(x, h); for (int j = 0; j < 4; j++) s = s * 0.5f + h; return s;",
    "read in some rounds": "float s = y; for (int j = 0; j < 4; j++) { float h; give(h, x * (1.f + j)); if (j == 1) s += h; } return s;",
    "read in some rounds, else": "float s = y; for (int j = 0; j < 4; j++) { float h; give(h, x * (1.f + j)); if (j == 1) s += h; else s *= 0.5f; } return s;",
    "not in skipped rounds": "float s = y; for (int j = 0; j < 4; j++) { float h; give(h, x * (1.f + j)); if (j == 1) continue; s += h; } return s;",
    "in a ternary": "float s = y; for (int j = 0; j < 4; j++) { float h; give(h, x * (1.f + j)); s += j == 1 ? h : s * h; } return s;",
    "an element, in some rounds": "float s = y; for (int j = 0; j < 4; j++) { float[2] h; h[1] = s; give(h[0], x * (1.f + j)); if (j == 1) s += h[0] * h[1]; } return s;",
    "around a loop that returns": "float s = y; for (int i = 0; i < 6; ++i) { float q, r; sincos(x * (1.f + i), q, r); for (int j = 0; j < 1; ++j) { if (j == 5) return s; } push(s, q); } return s;",
    "in an expression": "float s = y; for (int j = 0; j < 4; j++) { float h = x; float t = both_and_more(h, y); if (j != 2) s += h * t; } return s;",
    "another of its name": "float s = y; { float h; give(h, x); s += h; } for (int j = 0; j < 4; j++) { float h = x; s = s * 0.5f + h; } return s;",
}

LOOP = "for (int j = 0; j < 3; j++) "
VECTOR = "float3 v = float3(x, y, x * y); float a = 0.1f; float3 r = 0.f; "
SUM = " return dot(r, float3(1.f, 2.f, 3.f));"

# Numbers that a loop changes, and that stand beside a vector behind it.
CARRIED = {
    name: VECTOR + body + ("" if "return dot" in body else SUM)
    for name, body in {
        "times a vector": LOOP + "a += x; r = a * v;",
        "a vector times": LOOP + "a += x; r = v * a;",
        "in a sum": LOOP + "a = min(a + x, 5.f); r = v + a * v;",
        "bounded": LOOP + "a = min(a + x, 1.5f); r = v + a * v;",
        "chosen": LOOP + "a = y < 0.f ? a : a + x; r = a * v;",
        "scaled": LOOP + "a *= 1.f + x; r = a * v;",
        "in a branch of the loop": LOOP + "if (j > 0) a += x; r = a * v;",
        "below": LOOP + "a += x; r = v / a;",
        "above": LOOP + "a += x; r = a / v;",
        "multiplied with": LOOP + "a += x; r = v; r *= a;",
        "divided by": LOOP + "a += x; r = v; r /= a;",
        "mul": LOOP + "a += x; r = mul(a, v);",
        "a matrix": LOOP + "a += x; float2x2 m = a * float2x2(x, y, x * y, 1.f);"
        " return dot(m[0], m[1]);",
        "a march": LOOP + "{ float3 p = v + a * r; a = min(a + length(p), 9.f); } r = v + a * v;",
        "a copy": LOOP + "a += x; float b = a; r = b * v;",
        "var": "var b = 0.1f; " + LOOP + "b += x; r = b * v;",
        "an alias": "Real b = 0.1f; " + LOOP + "b += x; r = b * v;",
        "without derivative": LOOP + "a += 0.5f; r = a * v;",
        "while": "int j = 0; [MaxIters(3)] while (j < 3) { a += x; j++; } r = a * v;",
        "do": "int j = 0; [MaxIters(3)] do { a += x; j++; } while (j < 3); r = a * v;",
        "break": LOOP + "{ a += x; if (a > 1.f) break; } r = a * v;",
        "return": LOOP + "{ a += x; if (a > 9.f) return a; } r = a * v;",
        "an inner loop": LOOP + "{ for (int i = 0; i < 2; i++) a += x; r += a * v; }",
        "two loops": LOOP + "for (int i = 0; i < 2; i++) a += x; r = a * v;",
        "two do": "int j = 0; [MaxIters(2)] do { int i = 0; [MaxIters(3)] do a += x;"
        " while (++i < 3); r += a * v; j++; } while (j < 2); r += a * v;",
        "in another loop": LOOP + "a += x; " + LOOP + "r += a * v;",
        "in a branch": "if (x > 0.f) " + LOOP + "a += x; else a = y; r = a * v;",
        "in the other branch": "if (x < 0.f) a = y; else " + LOOP + "{ a += x; } r = a * v;",
        "shadowed": LOOP + "{ float a = 0.f; a += x; r += a * v; } r += a * v;",
        "shadowed and constant": "const float b = 0.1f; "
        + LOOP
        + "{ float b = y; b += x; r += b * v; } r += b * v;",
        "declared again": LOOP + "{ float b = x; b += y; r += b * v; } float b = y; r += b * v;",
        "changed by a call": LOOP + "push(a, x); r = a * v;",
        "changed by a macro": LOOP + "{ ADD_X; } r = a * v;",
        "beside it by a macro": LOOP + "a += x; r = TIMES(a, v);",
        "a parameter": "r = marched(x, v);",
        "a parameter without gradient": "r = counted(0.4f, v);",
        "a parameter of a generic": "r = marched_as(x, v);",
        "an inout parameter": "a = y; r = moved(a, x, v); r.x += a;",
        "an out parameter": "given(a, x, v, r); r.x += a;",
    }.items()
}

# Constants of which a part is changed.
CONSTANT = {
    "loop": "float3 h = 0.f; h.x = y; for (int i = 0; i < 3; i++) { h.y += x; h.x += x * x; } return h.x + h.y;",
    "branch": "float3 h = 0.f; h.x = x; if (x > 0.f) h.y = 1.f + h.x; return h.x + h.y;",
    "other branch": "float3 h = 0.f; h.x = x; if (x < 0.f) h.y = 1.f; else h.z = y; return h.x + h.y + h.z;",
    "constructor": "float3 h = float3(0.f); h.x = 1.f; for (int i = 0; i < 3; i++) h += float3(x); return h.x + h.y;",
    "array": "float[2] h = { 0.2f, 0.3f }; h[k] *= 0.9f; for (int i = 0; i < 3; i++) h[k] += 0.1f * h[i % 2] * x; return h[0] + x;",
    "nested array": "float[2][2] h = { { 0.2f, 0.3f }, { 0.4f, 0.5f } }; h[k][0] *= x; for (int i = 0; i < 3; i++) h[k][1] += 0.1f * h[i % 2][0] * x; return h[0][1] + h[k][0];",
    "vector by index": "float4 h = { 0.2f, 0.3f, 0.4f, 0.5f }; h[k] *= x; for (int i = 0; i < 3; i++) h[k] += 0.1f * h[i % 2]; return h[0] + h[k];",
    "two": "float2 h = { 0.2f, 0.3f }; float2 g = { .4f, .5f }; h[k] *= 0.9f; g[k] *= .8f; for (int i = 0; i < 3; i++) { h[k] += 0.1f * h[i % 2]; g[k] += g[i % 2] * h[i % 2] * x; } return h[0] + x + g[0];",
    "assigned": "float3 h; h = 0.f; h.x = x; for (int i = 0; i < 3; i++) h.y += h.x; return h.y;",
    "assigned in a branch": "float3 h = x; if (y > 0.f) h = 1.f; else h = 2.f; h.x = x; for (int i = 0; i < 3; i++) h.y += h.x; return h.y;",
    "of a table": "float[3] h = kTable; h[k] *= x; for (int i = 0; i < 3; i++) h[k] += h[i] * x; return h[k] + h[2];",
    "in an argument": "float3 h = 0.f; push(h.x, x); for (int i = 0; i < 3; i++) h.y += h.x * y; return h.y;",
    "matrix": "float2x2 h = { 1.f, 2.f, 3.f, 4.f }; h[k][0] = x; for (int i = 0; i < 3; i++) h[1][k] += h[0][0] * x; return h[1][0] + h[k][0];",
    "in a nest": "float3 h = 0.f; h.x = 1.f; for (int j = 0; j < 2; j++) for (int i = 0; i < 3; i++) h.y += x * h.x; return h.y + x;",
    "in a loop": "float s = 0.f; for (int j = 0; j < 3; j++) { float3 h = 0.f; h.x = 1.f; if (j < 2) h.y = x * h.x; s += h.y + h.x * y; } return s;",
}

# Values without derivative that calls change.
CALLED = {
    "a number": "float q = 0.4f; push(q, x); return q * y;",
    "two in one declaration": "float q = 0.4f, r = 0.5f; both(q, r); push(r, x); return q + r;",
    "an integer": "float q = 1; push(q, x); return q;",
    "integers": "float q = k + 1; push(q, x); float r; r = 2 * k; push(r, y); return q + r;",
    "set later": "float q; q = 0.4f; push(q, x); return q;",
    "set again": "float q = x; push(q, y); q = 0.3f; push(q, x); return q;",
    "set in a block": "float q = x; push(q, y); { q = 0.3f; } push(q, x); return q;",
    "in a branch": "float q = x; if (y > 0.f) { q = 0.3f; push(q, x * y); } return q;",
    "in an unrolled loop": "float q = 0.4f; [ForceUnroll] for (int i = 0; i < 3; i++) push(q, x); return q;",
    "a choice": "float q = y > 0.f ? 0.4f : 0.5f; push(q, x); return q;",
    "a copy": "float c = 0.4f; float q = c; push(q, x); return q;",
    "a constant of the module": "float q = kTable[1]; push(q, x); return q;",
    "of functions": "float q = sin(0.4f) + max(0.1f, float(k)); push(q, x); return q;",
    "an element": "float[2] h = { 0.4f, 0.3f }; push(h[1], x); return h[0] + h[1];",
    "an element beside another": "float[2] h = { 1, y }; push(h[0], x); return h[0] + h[1];",
    "an element, set": "float[2] h; h[0] = 0.1f; h[1] = 2; push(h[1], x); return h[0] + h[1];",
    "a component, set": "float3 v = x; push(v.y, x); v.y = 0.3f; push(v.y, y); return v.x + v.y + v.z;",
    "components, set": "float3 v = x; push(v.y, x); v.xy = float2(0.3f, 0.4f); push(v.y, y); return v.x + v.y + v.z;",
    "a vector": "float3 v = float3(0.3f); push3(v, x); return v.x + v.y * v.z;",
    "of another file": "float q = 0.4f; far_push(q, x); return q;",
    "behind a macro": "float q = 0.4f; PUSH(q, x); return q;",
    "a parameter": "x = 0.4f; push(x, y); return x;",
    "an inout parameter": "float q = x; reset(q, x); push(q, y); return q;",
    "an inout parameter, returned": "float q = x; reset_or_push(q, y); return q * y;",
    "an inout parameter, in part": "float3 v = float3(x, x, y); reset_element(v, y); return v.x + v.y + v.z;",
}
BODIES = {
    "what a call wrote": WRITTEN,
    "what a loop changed": CARRIED,
    "a constant changed in part": CONSTANT,
    "a constant that a call changes": CALLED,
}


def module_text(bodies):
    """`value`, `forward` and `reverse` of (which, x, y, k)."""
    text = PRELUDE + "static const float[3] kTable = { 0.5f, 0.6f, 0.7f };\n"
    cases = {"value": "", "forward": "", "reverse": ""}
    for n, body in enumerate(bodies):
        text += f"[Differentiable] float f{n}(float x, float y, no_diff int k) {{ {body} }}\n"
        cases["value"] += f"case {n}: return float2(f{n}(x, y, k));\n"
        cases["forward"] += (
            f"case {n}: return float2(fwd_diff(f{n})(diffPair(x, 1.f), diffPair(y, 0.f), k).d,"
            f" fwd_diff(f{n})(diffPair(x, 0.f), diffPair(y, 1.f), k).d);\n"
        )
        cases["reverse"] += (
            f"case {n}: {{ var a = diffPair(x, 0.f); var b = diffPair(y, 0.f);"
            f" bwd_diff(f{n})(a, b, k, 1.f); return float2(a.d, b.d); }}\n"
        )
    for name, case in cases.items():
        text += (
            f"float2 {name}(int which, float x, float y, int k)"
            f" {{ switch (which) {{ {case} default: return float2(0.f); }} }}\n"
        )
    return text


@pytest.fixture(params=BODIES, scope="module")
def bodies(request):
    return BODIES[request.param]


@pytest.mark.sweep(4)
def test_derivatives_in_both_modes_are_those_of_differences(device, bodies, tmp_path):
    (tmp_path / "helpers.slang").write_text(HELPERS)
    (tmp_path / "cases.slang").write_text(module_text(bodies.values()))
    module = weft.Module.load_from_file(device, tmp_path / "cases.slang")
    which = np.arange(len(bodies), dtype=np.int32)
    x, y, k, step = 0.7, 0.9, 0, 2.0**-6

    forward = module.forward(which, x, y, k, _result="numpy")
    reverse = module.reverse(which, x, y, k, _result="numpy")

    def value(x, y):
        return module.value(which, x, y, k, _result="numpy")[:, 0].astype(float)

    slopes = np.stack(
        [
            (
                8 * (value(x + s, y + t) - value(x - s, y - t))
                - value(x + 2 * s, y + 2 * t)
                + value(x - 2 * s, y - 2 * t)
            )
            / (12 * step)
            for s, t in ((step, 0), (0, step))
        ],
        -1,
    )
    for n, name in enumerate(bodies):
        np.testing.assert_allclose(
            forward[n], slopes[n], rtol=1e-3, atol=1e-3, err_msg=f"forward, {name}"
        )
        np.testing.assert_allclose(
            reverse[n], slopes[n], rtol=1e-3, atol=1e-3, err_msg=f"reverse, {name}"
        )


def test_a_part_of_a_constant_may_go_to_a_call_and_to_a_field_without_gradient(device):
    module = weft.Module.load_from_source(
        device,
        "chances",
        """
        import weft.noise;
        struct Place : IDifferentiable { float height; no_diff float random; }
        [Differentiable] Place place(float x, no_diff float seed)
        {
            const float3 chance = no_diff whiteNoiseColor(seed);
            const float random = lerp(chance.x, 1.f, 0.5f);
            return { x * chance.y, random };
        }
        [Differentiable] float height(float x, no_diff float seed) { return place(x, seed).height; }
        """,
    )
    x = weft.diffPair(2.0)

    module.height.bwds(x, 0.5, _result=weft.diffPair(0.0, 1.0))

    assert x.grad == pytest.approx(module.height(1.0, 0.5))
