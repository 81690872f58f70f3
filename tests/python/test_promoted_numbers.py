# SPDX-License-Identifier: Apache-2.0
"""Numbers beside vectors and matrices: reverse mode against forward mode.

Slang loses some of these gradients without a word; native/compile/parameter_gradients.hpp says
which, and what helps.
"""

import re

import numpy as np
import pytest

import weft

TYPES = {"half2": "half", "float3": "float", "double4": "double", "float2x2": "float"}

BODIES = {
    "product": "return a * b;",
    "product, number last": "return b * a;",
    "sum": "return a + b;",
    "sum, number last": "return b + a;",
    "difference": "return a - b;",
    "difference, number last": "return b - a;",
    "ratio": "return a / b;",
    "ratio, number last": "return b / a;",
    "in brackets": "return (a) * b;",
    "negative": "return -a * b;",
    "with itself": "return a * a * b;",
    "a converted number": "return V(a) * b;",
    "a local number": "S t = a; V r = t * b; return r;",
    "two uses": "return a * b + b / a;",
    "assigned sum": "V r = b; r += a; return r;",
    "assigned product": "V r = b; r *= a; return r;",
    "a choice": "return (a > S(0) ? a : S(0)) * b;",
    "a branch": "if (a > S(0)) return a * b; return b;",
    "an unrolled loop": "V r = b; [ForceUnroll] for (int i = 0; i < 2; i++) r = a * r; return r;",
    "a loop": "V r = b; [MaxIters(2)] for (int i = 0; i < 2; i++) r = a * r; return r;",
}

VECTOR_BODIES = {
    "larger of both": "return max(a, b);",
    "smaller of both": "return min(b, a);",
    "blend": "return lerp(b, b * b, a);",
    "blend by a vector": "return lerp(b, b * b, V(a));",
    "clamped": "return clamp(b, a, S(2));",
    "power": "return pow(b, a);",
    "swizzle": "return a * b.SWIZZLE;",
}

FUNCTIONS = {
    "with a constant parameter": "V f(const S a, V b) { return a * b; }",
    "in a function": "V f(S a, V b) { return g(a, b); }",
    "of a number changed in place": "V f(S a, V b) { return h(a, b); }",
    "of a generic function": "V f(S a, V b) { return k<S, 3>(a, b); }",
    "of a number type with a name": "V f(Number a, V b) { return a * b; }",
    "of a method": "V f(S a, V b) { Pair p; p.a = a; p.b = b; return p.product(a); }",
    "of a modern function": "func f(a : S, b : V) -> V { return a * b; }",
}

HELPERS = """
typealias Number = S;
[Differentiable] V g(S a, V b) { return a + b; }
[Differentiable] V h(inout S a, V b) { V r = a * b; a = S(0); return r; }
[Differentiable]
vector<T, N> k<T : __BuiltinFloatingPointType, let N : int>(T a, vector<T, N> b) { return a * b; }
struct Pair : IDifferentiable
{
    S a;
    V b;
    [Differentiable] V product(S c) { return c * b + a * b; }
}
"""

COMPARE = """
{
    S a = S(0.8); V b = V(NUMBERS); V w = V(WEIGHTS);
    var da = diffPair(a); var db = diffPair(b);
    bwd_diff(NAME)(da, db, w);
    let along_a = fwd_diff(NAME)(diffPair(a, S(1)), diffPair(b, V(S(0)))).d;
    let along_b = fwd_diff(NAME)(diffPair(a, S(0)), diffPair(b, w)).d;
    results[INDEX] = float4(float(da.d), total(w, along_a), total(w, db.d), total(w, along_b));
}
"""


def in_words_of(vector, text):
    """Write out S, V and SWIZZLE for a type."""
    text = re.sub(r"\bV\b", vector, re.sub(r"\bS\b", TYPES[vector], text))
    return text.replace("SWIZZLE", "yxxy"[: int(vector[-1])])


def source_of(vector, functions, helpers):
    """Return a module that compares both modes of all `functions`, complete but for their names."""
    is_matrix = "x" in vector
    count = 4 if is_matrix else int(vector[-1])
    numbers = ", ".join(str(0.75 + 0.125 * i) for i in range(count))
    weights = ", ".join(str(0.5 + 0.25 * i) for i in range(count))
    rows = "dot(x[0], y[0]) + dot(x[1], y[1])" if is_matrix else "dot(x, y)"
    parts = [helpers, f"float total(V x, V y) {{ return float({rows}); }}"]
    calls = []
    for number, function in enumerate(functions):
        parts.append("[Differentiable] " + re.sub(r"\bf\(", f"f{number}(", function))
        compare = COMPARE.replace("NAME", f"f{number}").replace("INDEX", str(number))
        calls.append(compare.replace("NUMBERS", numbers).replace("WEIGHTS", weights))
    parts.append(f"void compare(IWTensor<float4, 1> results) {{ {''.join(calls)} }}")
    return in_words_of(vector, "\n".join(parts))


def disagreements(device, vector, named, helpers=""):
    """Return the names whose gradients differ, with the derivatives in both modes."""
    module = weft.Module.load_from_source(
        device, f"promoted_{vector}", source_of(vector, named.values(), helpers)
    )
    results = weft.Tensor.zeros(device, (len(named),), dtype="float4")
    module.compare(results)
    tolerance = 2e-2 if "half" in vector else 1e-3
    return {
        name: row
        for name, row in zip(named, np.asarray(results.to_numpy()).reshape(-1, 4), strict=True)
        if not np.allclose(row[0::2], row[1::2], rtol=tolerance, atol=tolerance)
        or not np.abs(row).max() > 0.1
    }


@pytest.mark.sweep(2)
@pytest.mark.parametrize("vector", TYPES)
def test_reverse_mode_equals_forward_mode_for_each_operator(device, vector):
    bodies = dict(BODIES) if "x" in vector else BODIES | VECTOR_BODIES
    if vector == "double4":
        bodies.pop("power")  # Vulkan has none for double
    named = {name: f"V f(S a, V b) {{ {body} }}" for name, body in bodies.items()}

    assert disagreements(device, vector, named) == {}


def test_reverse_mode_equals_forward_mode_for_each_kind_of_function(device):
    assert disagreements(device, "float3", FUNCTIONS, HELPERS) == {}


def test_gradients_of_imported_modules_are_kept(device, tmp_path):
    (tmp_path / "inner.slang").write_text(
        "[Differentiable] public float3 scaled(float t, float3 b) { return t * b; }\n"
    )
    outer = tmp_path / "outer.slang"
    outer.write_text(
        "import inner;\n[Differentiable] float3 f(float t, float3 b) { return scaled(t, b); }\n"
    )
    t, b = weft.diffPair(0.5), np.array([0.2, 0.5, 0.7], np.float32)

    weft.Module.load_from_file(device, str(outer)).f.bwds(
        t, b, _result=weft.diffPair(np.zeros(3, np.float32), np.ones(3, np.float32))
    )

    assert t.grad == pytest.approx(1.4)
