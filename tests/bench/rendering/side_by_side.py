# SPDX-License-Identifier: Apache-2.0
"""Measures Weft and Mitsuba on the anchor scene, in turn on one machine; prints a table.

./dev bench rendering [--seeds 5] [--json out/side_by_side.json]

Each case of each system is a process of its own. Both fit pictures of their own. Mitsuba needs
LLVM 17 or newer, which ./dev installs on Debian; elsewhere DRJIT_LIBLLVM_PATH names the library.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from curves import Spent, Step, stay_time

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


def median_stay(runs: list[list[Step]], limit: float) -> Spent | None:
    """Return the median over the runs of the time to stay below a limit; late ones are infinite."""
    never = Spent(math.inf, math.inf)
    times = [stay_time(steps, limit) or never for steps in runs]
    median = Spent(*(statistics.median(part) for part in zip(*times, strict=True)))
    return None if math.inf in median else median


def first_below(runs: list[list[Step]], limit: float) -> Spent | None:
    """Return the time of the first step of the first run with an error below a limit."""
    return next((Spent(*step[:2]) for step in runs[0] if step[2] <= limit), None)


def rows_of(found: dict[str, dict[str, Any]]) -> list[tuple[str, Any, Any]]:
    """Return rows of the table: what, Weft's figure and Mitsuba's; times are Spent."""

    def both(case: str, figure: Any, theirs: str | None = None) -> tuple[Any, Any]:
        given = (found[f"weft {case}"], found[f"mitsuba {theirs or case}"])
        return tuple(None if "error" in one else figure(one) for one in given)

    def time(one: dict[str, Any]) -> Spent:
        return Spent(one["seconds"], one["cpu_seconds"])

    rows = [("forward, 64 samples", *both("forward", time))]
    rows += [(f"first iteration, {case}", *both(case, time)) for case in ("cold", "warm")]
    for name, theirs in (("Adam", "numbers"), ("Gauss-Newton", "gauss-newton")):
        for limit in (0.02, 0.01):
            stays = both("numbers", lambda one, at=limit: median_stay(one["runs"], at), theirs)
            rows.append((f"five numbers stay below {limit}, {name} there", *stays))
    for limit in (0.052, 0.044, 0.035):
        times = both("texture", lambda one, at=limit: first_below(one["runs"], at))
        rows.append((f"texture below {limit} RMSE", *times))
    last = both("texture", lambda one: f"{one['runs'][0][-1][2]:.4f}")
    rows.append(("RMSE of the texture after the longest fit", *last))
    for case in ("numbers", "texture"):
        peaks = both(case, lambda one: f"{one['mebibytes']} MiB")
        rows.append((f"peak memory, {case}", *peaks))
    return rows


def text_of(value: Spent | str | None) -> str:
    """Return a figure as the table has it."""
    if isinstance(value, Spent):
        return f"{value.seconds:.3g} s ({value.cpu_seconds:.3g})"
    return value or "never"


def ratio_of(mine: Any, theirs: Any) -> str:
    """Return Weft's time over Mitsuba's."""
    if not (isinstance(mine, Spent) and isinstance(theirs, Spent)):
        return ""
    return f"{mine.seconds / theirs.seconds:.2f} ({mine.cpu_seconds / theirs.cpu_seconds:.2f})"


def print_table(found: dict[str, dict[str, Any]]) -> None:
    """Print the table, and what failed."""
    print("In brackets: seconds of CPU, those of compiler processes left out.\n")
    print("| what | Weft | Mitsuba | ratio |\n| --- | --- | --- | --- |")
    for what, mine, theirs in rows_of(found):
        cells = (what, text_of(mine), text_of(theirs), ratio_of(mine, theirs))
        print(f"| {' | '.join(cells)} |")
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
