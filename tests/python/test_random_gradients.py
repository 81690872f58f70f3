# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (Slang in one line reads better than in two strings)
"""Reverse mode for random functions with nests of loops, jumps and colliding indices.

Slang alone gets about half of them wrong; docs/slang_reverse_mode.md says which and why.
tests/bench/device/random_gradients.py draws thousands.
"""

import random
import sys

import numpy as np
import pytest

import weft
from support import gradient_host, gradient_programs

MAX_LINES = 22
"""Of a function for a device: of 40 lines LLVM makes no kernel of software Vulkan in 15 minutes."""


def draw(seed):
    return gradient_programs.draw(random.Random(seed), f"f{seed}")


ON_DEVICE = [
    pytest.param(seed, marks=[pytest.mark.full, pytest.mark.timeout(900)])
    for seed in range(64)
    if len(draw(seed).text.splitlines()) <= MAX_LINES
]
ON_HOST = 150 if sys.version_info < (3, 12) else 15
"""Functions that the host's C++ compiler runs; the second Python of a test run changes nothing."""

needs_host_compiler = pytest.mark.skipif(
    gradient_host.compiler() is None or not gradient_host.TRANSLATOR.exists(),
    reason="compiles C++ with the tools of a build from source",
)


@pytest.mark.sweep(27)
@needs_host_compiler
@pytest.mark.parametrize("mode", ["reverse", "forward"])
@pytest.mark.parametrize("first", range(0, ON_HOST, gradient_host.PER_PROGRAM))
def test_derivatives_equal_differences_for_random_functions_on_the_host(first, mode):
    programs = [draw(seed) for seed in range(first, first + gradient_host.PER_PROGRAM)]

    assert gradient_host.find_wrong(programs, forward=mode == "forward") == []


@pytest.mark.parametrize("seed", ON_DEVICE)
def test_reverse_mode_equals_differences_for_random_functions(device, seed):
    assert gradient_programs.find_wrong(device, [draw(seed)]) == []


CASES = {
    "a dense layer": (
        "float f(float[8] x) { float s = 0; for (int o = 0; o < 3; o++) { float t = 0;"
        " for (int i = 0; i < 32; i++) t = sin(t + x[i % 8] * x[o]); s += t * t; } return s; }"
    ),
    "many outer rounds": (
        "float f(float[8] x) { float s = 1; for (int o = 0; o < 40; o++)"
        " for (int i = 0; i < 2; i++) s = sin(s * x[(o + i) % 8]); return s; }"
    ),
    "a while that holds a loop": (
        "float f(float[8] x) { float s = 1; int o = 0; [MaxIters(3)] while (o < 3)"
        " { for (int i = 0; i < 9; i++) s = sin(s * x[i % 8]); o++; } return s; }"
    ),
    "four levels": (
        "float f(float[8] x) { float s = 1; for (int a = 0; a < 2; a++) for (int b = 0; b < 5; b++)"
        " for (int c = 0; c < 1; c++) for (int d = 0; d < 6; d++) s = sin(s * x[(a + b + c + d) % 8]);"
        " return s; }"
    ),
    "bounds with names": (
        "float f(float[8] x) { float s = 1; for (int a = kTwo; a < kTwo * 2; a++)"
        " for (int b = 9; b >= kTwo; b -= 1) s = sin(s * x[(a + b) % 8]); return s; }"
    ),
    "two reads with one index": "float f(float[8] x) { int i = same(3); return 2 * x[i] + 3 * x[same(i)]; }",
    "a read beside a literal": "float f(float[8] x) { return 2 * x[same(1)] + 3 * x[1]; }",
    "a vector": (
        "float f(float[8] x) { float4 v = float4(x[0], x[1], x[2], x[3]);"
        " return 2 * v[same(1)] + 3 * v[same(1)] * v.y; }"
    ),
    "a matrix": (
        "float f(float[8] x) { float2x2 m = float2x2(x[0], x[1], x[2], x[3]);"
        " return m[same(1)][same(0)] * m[same(1)][0] + m[1][same(0)]; }"
    ),
    "an array of structures": (
        "float f(float[8] x) { Two[4] t; for (int i = 0; i < 4; i++) { t[i].a = x[i]; t[i].b[0] = x[i + 4]; t[i].b[1] = 1; }"
        " return t[same(2)].a * t[same(2)].b[same(0)] + t[2].a; }"
    ),
    "an argument that is written": (
        "float f(float[8] x) { float[8] h = x; int i = same(2); grow(h[i], h[same(i)] * 2);"
        " return h[i] * h[same(2)]; }"
    ),
    "assignments with an operation": (
        "float f(float[8] x) { float[8] h = x; int i = same(2); h[i] += h[same(2)] * h[i]; h[same(i)] *= x[i];"
        " return h[same(i)] + h[2]; }"
    ),
}

PRELUDE = """
static const int kTwo = 2;
struct Two : IDifferentiable { float a; float[2] b; }
int same(int i) { return i; }
[Differentiable] void grow(inout float a, float b) { a = a * a + b; }
[Differentiable] {function}
struct Both { float[8] reverse; float[8] forward; }
Both both(float[8] x)
{
    Both r;
    float[8] zero; for (int i = 0; i < 8; i++) zero[i] = 0;
    var pair = diffPair(x, zero);
    bwd_diff(f)(pair, 1.f);
    r.reverse = pair.d;
    for (int i = 0; i < 8; i++) { float[8] e = zero; e[i] = 1; r.forward[i] = fwd_diff(f)(diffPair(x, e)).d; }
    return r;
}
"""


NESTS = {
    "a dense layer",
    "many outer rounds",
    "a while that holds a loop",
    "four levels",
    "bounds with names",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.full, pytest.mark.timeout(1800)])  # software Vulkan
        if name in NESTS
        else name
        for name in CASES
    ],
)
def test_reverse_mode_is_right_for(device, name):
    text = PRELUDE.replace("{function}", CASES[name])
    module = weft.Module.load_from_source(device, "case", text)
    x = np.linspace(0.4, 1.1, 8, dtype=np.float32)

    both = module.both(x)
    argument = weft.diffPair(x)
    module.f.bwds(argument, _result=weft.diffPair(0.0, 1.0))

    np.testing.assert_allclose(both["reverse"], both["forward"], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(argument.grad, both["forward"], rtol=1e-3, atol=1e-4)


@pytest.mark.full
def test_functions_of_imported_and_included_files_are_right(device, tmp_path):
    (tmp_path / "layers.slang").write_text(
        "module layers;\n[Differentiable] public float layer(float[8] x, no_diff int i, no_diff int j)"
        " { return 2 * x[i] + 3 * x[j]; }\n"
    )
    (tmp_path / "nest.h").write_text(
        "[Differentiable] float nest(float[8] x) { float s = 1; for (int o = 0; o < 2; o++)"
        " for (int i = 0; i < 9; i++) s = sin(s * x[i % 8]); return s; }\n"
    )
    main = tmp_path / "main.slang"
    function = "float f(float[8] x) { return layer(x, 1, same(1)) + nest(x); }"
    main.write_text('import layers;\n#include "nest.h"\n' + PRELUDE.replace("{function}", function))
    module = weft.Module.load_from_file(device, main)

    both = module.both(np.linspace(0.4, 1.1, 8, dtype=np.float32))

    np.testing.assert_allclose(both["reverse"], both["forward"], rtol=1e-3, atol=1e-4)


OPAQUE = {
    "a macro with a loop": (
        "#define TWICE(s) for (int o = 0; o < 2; o++) { s; }\n"
        "[Differentiable] float f(float[8] x) { float s = 1; for (int i = 0; i < 8; i++) { TWICE(s = sin(s * x[i])) } return s; }",
        "the macro 'TWICE' hides a loop or an index",
    ),
    "a macro with an index": (
        "#define AT(a, i) a[i]\n"
        "[Differentiable] float f(float[8] x) { int i = 1; return AT(x, i) + AT(x, 1); }",
        "write it as a function",
    ),
}


@pytest.mark.parametrize("name", OPAQUE)
def test_what_cannot_be_changed_is_refused_by_name(device, name):
    text, reason = OPAQUE[name]
    text += "\n[Differentiable] float g(float[8] x) { return 2 * f(x); }"
    module = weft.Module.load_from_source(device, "opaque", text)
    x = np.ones(8, np.float32)

    assert np.isfinite(module.g(x))
    for function in (module.f, module.g):
        with pytest.raises(
            weft.ArgumentError, match="reverse mode of Slang would be wrong at opaque:2"
        ) as error:
            function.bwds(weft.diffPair(x), _result=weft.diffPair(0.0, 1.0))
        assert reason in str(error.value)
    module.f.fwds(weft.diffPair(x, x), _result=weft.diffPair(0.0, 0.0))
