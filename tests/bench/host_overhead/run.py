# SPDX-License-Identifier: Apache-2.0
"""Instructions that one call costs on the host, counted by callgrind: a figure that a busy machine
does not change. Only the calling thread counts, so that the work of a software device stays out.

    ./dev python tests/bench/host_overhead/run.py                   compare with baseline.json
    ./dev python tests/bench/host_overhead/run.py --write-baseline  record what is measured now

Status 1 if a case has grown by more than 5 %, or costs more beside another case than it may. Counts
depend on compiler and Python, so the baseline names them; a comparison across others is shown but
does not fail.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline.json"
TOLERANCE = 0.05
RATIOS = {"new_tensor": ("new_result", 1.03), "array": ("array_by_function", 1.03)}
"""How much a case may cost of another one, both of one run."""
TRIGGER = re.compile(r"^desc: Trigger: Client Request: (\w+)$", re.MULTILINE)
TOTALS = re.compile(r"^totals: (\d+)$", re.MULTILINE)


def machine() -> dict[str, str]:
    """Return what the counts depend on besides Weft's source."""
    return {"python": platform.python_version(), "architecture": platform.machine()}


def build_marks(folder: Path) -> Path:
    """Compile the client requests."""
    library = folder / "libmarks.so"
    command = ["cc", "-shared", "-fPIC", "-O2", "-o", library, HERE / "marks.c"]
    subprocess.run(command, check=True)
    return library


def first_thread(folder: Path) -> dict[str, int]:
    """Return the instructions of the calling thread by case, from callgrind's files."""
    counts = {}
    # counts.7-01: dump number, thread. The dump at the end of the program has no number.
    dumps = sorted(folder.glob("counts.*-01"), key=lambda path: int(path.name[7:-3]))
    for path in dumps:
        text = path.read_text()
        trigger, totals = TRIGGER.search(text), TOTALS.search(text)
        if trigger and totals:
            counts[trigger[1]] = int(totals[1])
    return counts


def count_calls(calls: int, device: str, folder: Path) -> dict[str, int]:
    """Run calls.py under callgrind, with its files in `folder`; return instructions a call."""
    program = [sys.executable, HERE / "calls.py", build_marks(folder)]
    variables = os.environ | {"PYTHONHASHSEED": "0", "WEFT_CACHE_DIR": str(folder / "cache")}
    # Compiling under valgrind takes minutes; this run fills the cache.
    subprocess.run([*program, "1", device], env=variables, check=True)
    options = ("--separate-threads=yes", "--instr-atstart=no", "--combine-dumps=no")
    valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/counts"]
    command = [*valgrind, *options, *program, str(calls), device]
    result = subprocess.run(command, env=variables, capture_output=True, text=True)
    counts = first_thread(folder)
    if result.returncode != 0 or not counts:
        sys.exit(f"host_overhead: valgrind failed:\n{result.stderr[-2000:]}")
    return {case: round(count / calls) for case, count in counts.items()}


def changes(counts: dict[str, int], baseline: dict[str, Any]) -> dict[str, float]:
    """Return the relative growth of each case that the baseline knows."""
    known = baseline.get("instructions", {})
    return {case: count / known[case] - 1.0 for case, count in counts.items() if known.get(case)}


def too_dear(counts: dict[str, int]) -> list[str]:
    """Return what costs more of another case than it may, one line each."""
    lines = []
    for case, (beside, most) in RATIOS.items():
        ratio = counts[case] / counts[beside]
        if ratio > most:
            lines.append(f"{case} costs {ratio:.3f} of {beside}, at most {most} is allowed")
    return lines


def report(counts: dict[str, int], growth: dict[str, float]) -> None:
    """Print one line a case."""
    for case, count in counts.items():
        change = f"{growth[case]:+.1%}" if case in growth else "new"
        print(f"{case:24} {count:10,} instructions a call  {change}")


def main() -> int:
    """Count, compare or record, and return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--calls", type=int, default=1000, help="calls a case")
    parser.add_argument("--device", choices=("vulkan", "cuda"), default="vulkan")
    parser.add_argument("--write-baseline", action="store_true", help=f"write {BASELINE.name}")
    parser.add_argument(
        "--profile",
        type=Path,
        metavar="FOLDER",
        help="keep callgrind's files, for callgrind_annotate",
    )
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("host_overhead: valgrind is needed; install the system package 'valgrind'")
    with tempfile.TemporaryDirectory(prefix="weft-overhead-") as scratch:
        counts = count_calls(options.calls, options.device, Path(scratch))
        if options.profile:
            shutil.copytree(scratch, options.profile, dirs_exist_ok=True)
    if options.write_baseline:
        data = {"machine": machine(), "instructions": counts}
        BASELINE.write_text(json.dumps(data, indent=2) + "\n")
    baseline = json.loads(BASELINE.read_text()) if BASELINE.is_file() else {}
    growth = changes(counts, baseline)
    report(counts, growth)
    dear = too_dear(counts)
    print("\n".join(dear), end="\n" if dear else "")
    if baseline.get("machine") != machine():
        print(f"the baseline is from {baseline.get('machine')}, this is {machine()}: no judgement")
        return 1 if dear else 0
    grown = [case for case, change in growth.items() if change > TOLERANCE]
    if grown:
        print(f"more than {TOLERANCE:.0%} above the baseline: {', '.join(grown)}")
    return 1 if grown or dear else 0


if __name__ == "__main__":
    sys.exit(main())
