# SPDX-License-Identifier: Apache-2.0
"""The smallest sources that show why Weft rewrites Slang before Slang reads it, for Slang as it is.

Each case has the source as a user writes it and as Weft's rewrite leaves it. Both are compiled by
Slang's own library, without any of Weft, to C++, and run: the derivative beside a central
difference. As a program: ``slang_faults.py [SLANG_LIBRARY]`` prints which rewrites could go.
"""

from __future__ import annotations

import ctypes
import math
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

SDK = Path(__file__).resolve().parents[2] / "build/sdk/lib"
CPP_SOURCE, SLANG_LANGUAGE, COMPUTE_STAGE = 13, 1, 6  # of slang.h


@dataclass(frozen=True)
class Case:
    """A fault of Slang, and what Weft does about it.

    Args:
        name: What is computed wrongly.
        rewrite: The file of native/compile that writes it otherwise.
        written: Slang source with ``float derivative()`` and ``float truth()``.
        rewritten: The same as the rewrite leaves it.
        upstream: Where Slang's authors know of it; "" if they were not told yet.
        fails: Slang, or the program that it made, ends with an error rather than a wrong number.
    """

    name: str
    rewrite: str
    written: str
    rewritten: str
    upstream: str = ""
    fails: bool = False


# What the rewrites call, as shaders/weft/parameter.slang has it.
PRELUDE = """
uniform float* inputs; uniform float* results;
[Differentiable] T same<T : IDifferentiable>(T x, no_diff int place) { return x; }
static const float kStep = 0.01f;
"""

ENTRY = """
[shader("compute")] [numthreads(1, 1, 1)] void computeMain()
{
    results[0] = derivative();
    results[1] = truth();
}
"""

MAIN = """
#include <cstdio>
int main()
{
    float inputs[4] = {0.7f, 1.f, 1.f, 0.4f}, results[2] = {NAN, NAN};
    GlobalParams_0 globals;
    memset(&globals, 0, sizeof globals);
    globals.inputs_0 = inputs;
    globals.results_0 = results;
    ComputeVaryingInput groups;
    memset(&groups, 0, sizeof groups);
    groups.endGroupID = uint3(1, 1, 1);
    computeMain(&groups, nullptr, &globals);
    printf("%.9g %.9g\\n", results[0], results[1]);
}
"""

NUMBER_TRUTH = """
float truth() { float x = inputs[0]; return (f(x + kStep) - f(x - kStep)) / (2 * kStep); }
"""
BACKWARD = (
    NUMBER_TRUTH
    + """
float derivative() { var p = diffPair(inputs[0]); bwd_diff(f)(p, 1.f); return p.d; }
"""
)
FORWARD = (
    NUMBER_TRUTH
    + """
float derivative() { return fwd_diff(f)(diffPair(inputs[0], 1.f)).d; }
"""
)
ARRAY = """
float[8] point(float shift)
{
    float[8] x;
    for (int i = 0; i < 8; i++) x[i] = inputs[0] + 0.1f * float(i) + shift;
    return x;
}
float truth() { return (f(point(kStep)) - f(point(-kStep))) / (2 * kStep); }
float derivative()
{
    var p = diffPair(point(0.f));
    bwd_diff(f)(p, 1.f);
    float sum = 0.f;
    for (int i = 0; i < 8; i++) sum += p.d[i];
    return sum;
}
"""

NEST = """
[Differentiable] float f(float[8] x)
{{
    float s = 0.5f;
    {outer}for (int r = 0; r < 2; r++)
        {inner}for (int c = 0; c < 8; c++)
            s = sin(s * x[c]);
    return s;
}}
"""
READS = """
[Differentiable] float g(float[8] x, no_diff int i, no_diff int j)
{{
    return {first};
}}
[Differentiable] float f(float[8] x) {{ return g(x, int(inputs[1]), int(inputs[2])); }}
"""
WRITTEN = """
[Differentiable] float f(float x)
{{
    float y = 1.f, s, c;
    sincos(x, s, c);
    {copy}
    [MaxIters(4)] for (int i = 0; i < 4; i++)
        y = y * 0.5f + s;
    return y;
}}
"""
PART = """
[ForwardDifferentiable] float f(float x)
{{
    float3 v = {zero};
    v.x = x;
    if (x > 0.f)
        v.y = 1.f + v.x;
    return v.x + v.y;
}}
"""
HANDED = """
[Differentiable] void push(inout float a, float b) {{ a = a * 0.5f + b; }}
[Differentiable] float f(float x) {{ float s = {start}; push(s, x); return s; }}
"""
RESET = """
[Differentiable] void reset(inout float a, float b) {{ a = {value}; }}
[Differentiable] float f(float x) {{ float s = x; reset(s, x); return s; }}
"""
CARRIED = """
[Differentiable] float f(float x)
{{
    float3 ray = float3(x, 0.2f, 0.3f), origin = float3(0.1f, 0.5f, 0.2f);
    float along = inputs[3];
    [MaxIters(4)] for (int i = 0; i < 4; i++)
        along = along * 0.5f + x * x;
    {copy}
    float3 end = origin + along * ray;
    return end.x + 2.f * end.y + 3.f * end.z;
}}
"""
PARAMETER = """
[Differentiable] float3 scaled(float t, float3 b)
{{
    {copy}
    return t * b;
}}
[Differentiable] float f(float x)
{{
    float3 v = scaled(x, float3(0.3f, 0.5f, 0.7f));
    return v.x + v.y + v.z;
}}
float derivative()
{{
    var t = diffPair(inputs[0]);
    var b = diffPair(float3(0.3f, 0.5f, 0.7f));
    bwd_diff(scaled)(t, b, float3(1.f, 1.f, 1.f));
    return t.d;
}}
"""
WHILE = """
[Differentiable] float f(float x)
{{
    float s = x;
    int r = 0;
    [MaxIters(2)] {head}
    {{
        [MaxIters(2)] for (int c = 0; c < 2; c++)
            s = sin(s * x);
        r++;
    }}
    return s;
}}
"""

CASES = (
    Case(
        "values kept of nested loops lie in arrays whose extents are in the wrong order",
        "loop_nests.cpp",
        NEST.format(outer="", inner="") + ARRAY,
        NEST.format(outer="[MaxIters(10)] ", inner="[MaxIters(10)] ") + ARRAY,
        "https://github.com/shader-slang/slang/issues/13000",
        fails=True,
    ),
    Case(
        "a while that holds a loop ends reverse mode",
        "loop_nests.cpp",
        WHILE.format(head="while (r < 2)") + BACKWARD,
        WHILE.format(head="for (; r < 2;)") + BACKWARD,
        fails=True,
    ),
    Case(
        "of two reads of an array by different indices of one value, a gradient is lost",
        "indexed_reads.cpp",
        READS.format(first="2.f * x[i] + 3.f * x[j]") + ARRAY,
        READS.format(first="2.f * same(x, 1)[i] + 3.f * same(x, 2)[j]") + ARRAY,
    ),
    Case(
        "of what a call writes and a loop reads, gradients are lost or come twice",
        "written_values.cpp",
        WRITTEN.format(copy="") + BACKWARD,
        WRITTEN.format(copy="c = same(c, 1); s = same(s, 2);") + BACKWARD,
    ),
    Case(
        "forward mode takes the value of a constant changed in part for its derivative",
        "constant_values.cpp",
        PART.format(zero="0.f") + FORWARD,
        PART.format(zero="same(float3(0.f), 1)") + FORWARD,
    ),
    Case(
        "forward mode leaves the derivative of a constant undefined that a call changes",
        "constant_values.cpp",
        HANDED.format(start="0.4f") + FORWARD,
        HANDED.format(start="same(0.4f, 1)") + FORWARD,
    ),
    Case(
        "an inout parameter that is set to a constant keeps its derivative",
        "constant_values.cpp",
        RESET.format(value="0.5f") + BACKWARD,
        RESET.format(value="same(0.5f, 1)") + BACKWARD,
    ),
    Case(
        "beside a vector, a number that a loop has changed loses gradients",
        "carried_numbers.cpp",
        CARRIED.format(copy="") + BACKWARD,
        CARRIED.format(copy="along = same(along, 1);") + BACKWARD,
        "https://github.com/shader-slang/slang/pull/12095",
    ),
    Case(
        "the gradient of a number is lost whose product with a vector comes first",
        "parameter_gradients.cpp",
        PARAMETER.format(copy="") + NUMBER_TRUTH,
        PARAMETER.format(copy="t = same(t, 1);") + NUMBER_TRUTH,
    ),
)


def find_library() -> Path | None:
    """Return the library of Slang that the build uses; ``None``: there is no build."""
    return next(iter(sorted(SDK.glob("libslang-compiler.*"))), None)


def translate(library: Path, source: str) -> str:
    """Return C++ text of a source by Slang alone. Raises RuntimeError with what Slang says.

    Slang may end the process: call it in one of its own.
    """
    slang = ctypes.CDLL(str(library))
    for name in ("spCreateSession", "spCreateCompileRequest"):
        getattr(slang, name).restype = ctypes.c_void_p
    slang.spGetEntryPointSource.restype = ctypes.c_char_p
    slang.spGetDiagnosticOutput.restype = ctypes.c_char_p
    session = ctypes.c_void_p(slang.spCreateSession(None))
    request = ctypes.c_void_p(slang.spCreateCompileRequest(session))
    slang.spAddCodeGenTarget(request, CPP_SOURCE)
    unit = slang.spAddTranslationUnit(request, SLANG_LANGUAGE, b"case")
    slang.spAddTranslationUnitSourceString(request, unit, b"case.slang", source.encode())
    slang.spAddEntryPoint(request, unit, b"computeMain", COMPUTE_STAGE)
    if slang.spCompile(request) != 0:
        raise RuntimeError(slang.spGetDiagnosticOutput(request).decode())
    return str(slang.spGetEntryPointSource(request, 0).decode())


def version(library: Path) -> str:
    """Return what Slang calls its version."""
    slang = ctypes.CDLL(str(library))
    slang.spGetBuildTagString.restype = ctypes.c_char_p
    return str(slang.spGetBuildTagString().decode())


def compute(library: Path, source: str, compiler: str = "c++") -> tuple[float, float]:
    """Return derivative and truth of a source.

    Raises:
        RuntimeError: Slang or the C++ compiler ended with an error; its text.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "case.slang").write_text(PRELUDE + source + ENTRY)
        ask = [sys.executable, __file__, "--translate", str(library), str(place / "case.slang")]
        code = _without_zeros(_run(ask))
        (place / "case.cpp").write_text(code + MAIN)
        flags = ["-std=c++17", "-w", "-O0", "-fsanitize=address"]
        _run([compiler, *flags, str(place / "case.cpp"), "-o", str(place / "case")])
        derivative, truth = _run([str(place / "case")]).split()
    return float(derivative), float(truth)


def _without_zeros(code: str) -> str:
    """Return C++ in which what Slang leaves undefined is NaN; it writes 0."""
    return re.sub(r"\bfloat (_S\d+) = \{\};", r"float \1 = NAN;", code)


def _run(command: Sequence[str]) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name} failed: {ended.stderr[-4000:]}")
    return ended.stdout


def is_right(library: Path, source: str, *, may_fail: bool = False) -> bool:
    """Return whether the derivative of a source is the truth.

    Args:
        library: Of Slang.
        source: Of a case.
        may_fail: An end with an error is an answer, too: it is not right.
    """
    try:
        derivative, truth = compute(library, source)
    except RuntimeError:
        if not may_fail:
            raise
        return False
    return math.isclose(derivative, truth, rel_tol=5e-3, abs_tol=5e-3)


def main() -> None:
    """Print which rewrites Slang still needs; or translate one source, for ``compute``."""
    if sys.argv[1:2] == ["--translate"]:
        print(translate(Path(sys.argv[2]), Path(sys.argv[3]).read_text()))
        return
    library = Path(sys.argv[1]) if len(sys.argv) > 1 else find_library()
    if library is None:
        raise SystemExit("there is no Slang below build/sdk; run ./dev setup")
    print(f"Slang {version(library)}")
    for case in CASES:
        verdict = "can go" if is_right(library, case.written, may_fail=case.fails) else "needed"
        print(f"  {verdict}  {case.rewrite}: {case.name}")


if __name__ == "__main__":
    main()
