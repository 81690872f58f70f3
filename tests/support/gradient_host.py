# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501 (Slang in one line reads better than in two strings)
"""Derivatives of the random functions of gradient_programs.py, computed by the host's C++ compiler.

Slang's derivatives are the same for every target; a driver takes seconds for each such function,
a C++ compiler a tenth. The address sanitizer tells what is read or written outside an array.
As a program: ``gradient_host.py FIRST COUNT`` checks that many, 15 at a time, on every core.
"""

from __future__ import annotations

import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from support import gradient_programs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from support.gradient_programs import Program

TRANSLATOR = (
    Path(__file__).resolve().parents[2] / "build/dev/tests/native/compile/weft_slang_to_host"
)
INPUTS = gradient_programs.INPUTS
SHIFTS = (-2, -1, 1, 2)
OUTPUTS = 1 + INPUTS * (1 + len(SHIFTS))
PER_PROGRAM = 15

ENTRY = """
uniform float* points; uniform float* results;
[shader("compute")] [numthreads(1, 1, 1)] void computeMain(uint3 thread : SV_DispatchThreadID)
{{
    const int which = int(thread.x);
    float[8] x; float4 v; Block p;
    for (int i = 0; i < 8; i++) x[i] = points[which * 16 + i];
    for (int i = 0; i < 4; i++) {{ v[i] = points[which * 16 + 8 + i]; p.a[i] = points[which * 16 + 12 + i]; }}
    int n0 = 0, n1 = 0, n2 = 0;
    {bounds}
    const Derivatives d = {way}(which, x, v, p, n0, n1, n2);
    const int first = which * {outputs};
    results[first] = d.value;
    for (int i = 0; i < 16; i++) results[first + 1 + i] = d.slopes[i];
    for (int i = 0; i < 16; i++) for (int k = 0; k < 4; k++)
    {{
        const float h = {step}f * float(k < 2 ? k - 2 : k - 1);
        float[8] x2 = x; float4 v2 = v; Block p2 = p;
        if (i < 8) x2[i] += h; else if (i < 12) v2[i - 8] += h; else p2.a[i - 12] += h;
        results[first + 17 + i * 4 + k] = value_of(which, x2, v2, p2, n0, n1, n2);
    }}
}}
"""

MAIN = """
#include <cstdio>
#include <vector>
int main(int, char** arguments)
{
    const int functions = atoi(arguments[1]), outputs = atoi(arguments[2]);
    std::vector<float> points(functions * 16), results(functions * outputs);
    FILE* file = fopen(arguments[3], "rb");
    if (!file || fread(points.data(), 4, functions * 16, file) != functions * 16u) return 3;
    GlobalParams_0 globals;
    memset(&globals, 0, sizeof globals);
    globals.points_0 = points.data();
    globals.results_0 = results.data();
    ComputeVaryingInput groups;
    memset(&groups, 0, sizeof groups);
    groups.endGroupID = uint3(functions, 1, 1);
    computeMain(&groups, nullptr, &globals);
    for (int i = 0; i < functions * outputs; ++i) printf("%.9g\\n", results[i]);
}
"""


def compiler() -> str | None:
    """Return the C++ compiler, None if there is none that takes GCC's options."""
    return shutil.which(os.environ.get("CXX", "c++")) if os.name == "posix" else None


def run(command: Sequence[str]) -> str:
    """Run a program; return what it prints. Raises RuntimeError with what it said if it fails."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"{command[0]} failed:\n{ended.stderr[:4000]}")
    return ended.stdout


def source_of(programs: Sequence[Program], *, forward: bool = False) -> str:
    """Return Slang whose group i computes the row of function i; `compute` says what is in it."""
    bounds = "\n    ".join(
        f"if (which == {number}) {{ n0 = {p.bounds[0]}; n1 = {p.bounds[1]}; n2 = {p.bounds[2]}; }}"
        for number, p in enumerate(programs)
    )
    entry = ENTRY.format(
        bounds=bounds,
        way="forward" if forward else "reverse",
        outputs=OUTPUTS,
        step=gradient_programs.STEP,
    )
    return gradient_programs.module_text(programs, forward=forward) + entry


def compute(programs: Sequence[Program], folder: Path, *, forward: bool = False) -> np.ndarray:
    """Return a row a function: its value, 16 derivatives, 16 x 4 values at shifted points."""
    source, code, program = folder / "source.slang", folder / "code.cpp", folder / "program"
    source.write_text(source_of(programs, forward=forward))
    run([str(TRANSLATOR), str(source), str(code)])
    code.write_text(without_zeros(code.read_text()) + MAIN)
    flags = ["-std=c++17", "-w", "-O0", "-fsanitize=address", "-fno-omit-frame-pointer"]
    run([str(compiler()), *flags, str(code), "-o", str(program)])
    points = [gradient_programs.point_of(number) for number in range(len(programs))]
    np.array(points, np.float32).tofile(folder / "points")
    printed = run([str(program), str(len(programs)), str(OUTPUTS), str(folder / "points")])
    return np.array(printed.split(), float).reshape(len(programs), OUTPUTS)


def without_zeros(code: str) -> str:
    """Return C++ in which what Slang leaves undefined is NaN; it writes 0, and nothing to SPIR-V."""
    return re.sub(r"\bfloat (_S\d+) = \{\};", r"float \1 = NAN;", code)


def find_wrong(programs: Sequence[Program], *, forward: bool = False) -> list[str]:
    """Return what a mode gets wrong, a line a function: differences are the truth."""
    with tempfile.TemporaryDirectory() as folder:
        return compare(programs, compute(programs, Path(folder), forward=forward))


def compare(programs: Sequence[Program], rows: np.ndarray) -> list[str]:
    """Return what is wrong in rows of `compute`, a line a function."""
    wrong = []
    for program, row in zip(programs, rows, strict=True):
        values = row[1 + INPUTS :].reshape(INPUTS, len(SHIFTS))
        truth, error = gradient_programs.slopes_of(values.T)
        if not gradient_programs.is_right(row[1 : 1 + INPUTS], truth, error):
            found = row[1 : 1 + INPUTS]
            wrong.append(f"{program.name}: found {found}, differences {truth}\n{program.text}")
    return wrong


def check(first: int, count: int, forward: bool) -> list[str]:
    """Return what is wrong of the functions of some seeds."""
    programs = [
        gradient_programs.draw(random.Random(seed), f"f{seed}")
        for seed in range(first, first + count)
    ]
    try:
        return find_wrong(programs, forward=forward)
    except RuntimeError as error:
        if count == 1:
            return [f"{programs[0].name}: {error}\n{programs[0].text}"]
        half = count // 2
        return check(first, half, forward) + check(first + half, count - half, forward)


def main() -> int:
    """Run from the command line."""
    first, count = int(sys.argv[1]), int(sys.argv[2])
    starts = range(first, first + count, PER_PROGRAM)
    jobs = [
        (start, min(PER_PROGRAM, first + count - start), forward)
        for start in starts
        for forward in (False, True)
    ]
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for job, wrong in zip(jobs, pool.map(lambda job: check(*job), jobs), strict=True):
            for line in wrong:
                print("forward" if job[2] else "reverse", line, flush=True)
            bad += len(wrong)
    print(f"{count} functions in reverse and in forward mode, {bad} wrong")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
