# SPDX-License-Identifier: Apache-2.0
"""Measures Weft and Mitsuba on the anchor scene, in turn on one machine; prints a table.

./dev bench rendering [--seeds 5] [--json out/side_by_side.json]

Each case of each system is a process of its own. Both fit pictures of their own. Mitsuba needs
LLVM 17 or newer; where the machine's own is older, DRJIT_LIBLLVM_PATH names the library.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from curves import stay_time

HERE = Path(__file__).resolve().parent
RUNS = (
    ("weft", "numbers"),
    ("mitsuba", "numbers"),
    ("mitsuba", "gauss-newton"),
    ("weft", "texture"),
    ("mitsuba", "texture"),
    ("weft", "forward"),
    ("mitsuba", "forward"),
    ("weft", "cold"),
    ("mitsuba", "cold"),
    ("weft", "warm"),
    ("mitsuba", "warm"),
)


def run_case(system: str, case: str, folder: Path, seeds: int) -> dict[str, Any]:
    """Run a case in a process of its own and return what it printed; "error" if it failed."""
    # "cold" finds nothing that an earlier process compiled, "warm" what "cold" has.
    first = case in ("cold", "warm")
    home = folder / (f"{system}_first" if first else "home")
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [
            sys.executable,
            HERE / f"{system}_side.py",
            "first" if first else case,
            folder,
            str(seeds),
        ],
        env=os.environ | {"HOME": str(home), "WEFT_CACHE_DIR": str(home / "weft")},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        return {"error": (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def median_stay(runs: list[list[tuple[float, float]]], limit: float) -> float | None:
    """Return the median over the runs of the time to stay below a limit; late ones are infinite."""
    times = [stay_time(steps, limit) for steps in runs]
    median = statistics.median(float("inf") if t is None else t for t in times)
    return None if median == float("inf") else median


def rows_of(found: dict[str, dict[str, Any]]) -> list[tuple[str, Any, Any, str]]:
    """Return rows of the table: what, Weft's figure, Mitsuba's, unit."""

    def figure(name: str, key: str) -> Any:
        return found[name].get(key)

    def stays(name: str, limit: float) -> float | None:
        runs = figure(name, "runs")
        return median_stay(runs, limit) if runs else None

    def first_below(name: str, limit: float) -> float | None:
        runs = figure(name, "runs") or [[]]
        return next((seconds for seconds, error in runs[0] if error <= limit), None)

    def final(name: str, key: str) -> float | None:
        runs = figure(name, key) or [[]]
        return runs[0][-1][1] if runs[0] else None

    rows = [("forward, 64 samples", "weft forward", "mitsuba forward")]
    rows += [(f"first iteration, {c}", f"weft {c}", f"mitsuba {c}") for c in ("cold", "warm")]
    table = [(what, figure(a, "seconds"), figure(b, "seconds"), "s") for what, a, b in rows]
    for name, theirs in (("Adam", "mitsuba numbers"), ("Gauss-Newton", "mitsuba gauss-newton")):
        for limit in (0.02, 0.01):
            what = f"five numbers stay below {limit}, {name} there"
            table.append((what, stays("weft numbers", limit), stays(theirs, limit), "s"))
    for limit in (0.052, 0.044, 0.035):
        what = f"texture below {limit} RMSE"
        mine, theirs = (first_below(f"{s} texture", limit) for s in ("weft", "mitsuba"))
        table.append((what, mine, theirs, "s"))
    best = [final(f"{s} texture", "runs") for s in ("weft", "mitsuba")]
    table.append(("texture after the longest fit, RMSE, averaged", *best, ""))
    for case in ("numbers", "texture"):
        peaks = [figure(f"{s} {case}", "mebibytes") for s in ("weft", "mitsuba")]
        table.append((f"peak memory, {case}", *peaks, "MiB"))
    return table


def text_of(value: float | None, unit: str) -> str:
    """Return a figure as the table has it."""
    if value is None:
        return "never"
    return f"{value:.0f} {unit}" if unit == "MiB" else f"{value:.3g} {unit}".strip()


def print_table(found: dict[str, dict[str, Any]]) -> None:
    """Print the table, and what failed."""
    print("| what | Weft | Mitsuba | ratio |\n| --- | --- | --- | --- |")
    for what, mine, theirs, unit in rows_of(found):
        ratio = f"{mine / theirs:.2f}" if mine and theirs else ""
        print(f"| {what} | {text_of(mine, unit)} | {text_of(theirs, unit)} | {ratio} |")
    for name, figures in found.items():
        if "error" in figures:
            print(f"{name} failed: {figures['error']}")


def main() -> int:
    """Run all cases."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="also keep all figures")
    options = parser.parse_args()
    found = {}
    with tempfile.TemporaryDirectory() as name:
        for system, case in RUNS:
            print(f"{system}, {case} ...", file=sys.stderr, flush=True)
            found[f"{system} {case}"] = run_case(system, case, Path(name), options.seeds)
    print_table(found)
    if options.json:
        options.json.write_text(json.dumps(found))
    return 1 if any("error" in figures for figures in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
