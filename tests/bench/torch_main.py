# SPDX-License-Identifier: Apache-2.0
"""Measures calls with tensors of torch: ./dev bench torch. Start reading at torch_subjects.py.

All systems share one process, take turns within a case, and are compared turn by turn. SlangTorch
and SlangPy need an NVIDIA GPU; where they are not measured the table says so, and promises made
against them are neither kept nor missed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import torch

import weft
from bench.cases import StartCase
from bench.measuring import DeviceRun, Outcome, cache_variables, say
from bench.report import finish
from bench.systems import SystemFailed, fresh
from bench.targets import Measure, Target
from bench.timing import measure
from bench.torch_competitors import competitors
from bench.torch_subjects import KERNELS, ROWS, Beside, Row

LOADS = (
    StartCase("load_cold", "loadModule and first launch, no caches",
              (Target("cuda", Measure.SECONDS, 1.0), Target("software", Measure.SECONDS, 2.0))),
    StartCase("load_warm", "the same with warm caches",
              (Target("cuda", Measure.SECONDS, 0.05), Target("software", Measure.SECONDS, 0.15))),
)  # fmt: skip


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = [row.name for row in (*ROWS, *LOADS)]
    parser = argparse.ArgumentParser(prog="./dev bench torch")
    parser.add_argument("--device", choices=("vulkan", "cuda"))
    parser.add_argument("--only", action="append", default=[], choices=names, metavar="NAME",
                        help=f"a case, repeatable: {', '.join(names)}")  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every sample there")
    parser.add_argument("--quick", action="store_true", help="one short round: shows that it works")
    parser.add_argument("--strict", action="store_true", help="status 1 if a target is missed")
    return parser.parse_args(arguments)


def measure_row(row: Row, beside: Beside, others: dict[str, object], is_quick: bool) -> Outcome:
    """Let the systems of a case take turns."""
    outcome = Outcome(row)
    try:
        calls = row.subjects(beside)
        for call in calls.values():
            call()
    except Exception as error:
        outcome.failures["weft"] = f"{type(error).__name__}: {error}".splitlines()[0]
        return outcome
    for name, make in others.items():
        try:
            found = make(row.name)
            if found is not None:
                found()
                calls[name] = found
        except Exception as error:
            outcome.failures[name] = f"{type(error).__name__}: {error}".splitlines()[0]
    for _ in range(1 if is_quick else 5):
        for name, call in calls.items():
            seconds, _ = measure(beside.subject(call), row.batch, 0.02 if is_quick else 0.4)
            outcome.rounds.setdefault(name, []).append(seconds)
    return outcome


def measure_load(case: StartCase, kind: str, is_quick: bool) -> Outcome:
    """Load a module and launch in fresh processes, with caches and without."""
    outcome = Outcome(case)
    with tempfile.TemporaryDirectory() as folder:
        for index in range(1 if is_quick else 3):
            caches = Path(folder) / (f"cold-{index}" if case.name == "load_cold" else "warm")
            program = ["-m", "bench.torch_main", "load", kind, folder]
            try:
                if case.name == "load_warm" and index == 0:
                    fresh(sys.executable, program, cache_variables(caches))
                answer = fresh(sys.executable, program, cache_variables(caches))
            except SystemFailed as error:
                outcome.failures["weft"] = str(error)
                break
            outcome.rounds.setdefault("weft", []).append(answer["seconds"])
    return outcome


def load(kind: str, folder: str) -> None:
    """Print the seconds of loadModule and a first launch, on a device that is there already."""
    from weft import slangtorch

    device = weft.create_device(type=weft.DeviceType[kind])
    x = torch.ones(64, device="cuda" if kind == "cuda" else "cpu")
    path = Path(folder) / "load.slang"
    path.write_text(KERNELS)
    start = time.perf_counter()
    module = slangtorch.loadModule(str(path), device=device)
    module.plain(input=x, output=x).launchRaw(blockSize=(64, 1, 1), gridSize=(1, 1, 1))
    device.wait()
    print(json.dumps({"seconds": time.perf_counter() - start}))


def run_device(kind: str, options: argparse.Namespace) -> DeviceRun:
    """Measure every case on one device. Raises DeviceError if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        beside = Beside(kind, Path(folder))
        others, skipped = competitors(beside, Path(folder))
        names = {"weft": beside.device.info.name, "torch": f"{torch.__version__}, {beside.place}"}
        names |= {"own": "Weft with its own tensors"}
        run = DeviceRun(kind, beside.category, names, skipped=skipped)
        for row in ROWS:
            if not options.only or row.name in options.only:
                say(f"{kind}: {row.title}")
                run.outcomes.append(measure_row(row, beside, others, options.quick))
        beside.device.close()
    for case in LOADS:
        if not options.only or case.name in options.only:
            say(f"{kind}: {case.title}")
            run.outcomes.append(measure_load(case, kind, options.quick))
    return run


def main(arguments: list[str] | None = None) -> int:
    """Measure, print one table a device, and return the exit status."""
    options = parse(arguments)
    runs = []
    for kind in (options.device,) if options.device else ("cuda", "vulkan"):
        try:
            runs.append(run_device(kind, options))
        except weft.DeviceError as error:
            say(f"{kind} is not measured: {error}")
    return finish(runs, options.json, is_strict=options.strict)


if __name__ == "__main__":
    if sys.argv[1:2] == ["load"]:
        load(sys.argv[2], sys.argv[3])
    else:
        sys.exit(main())
