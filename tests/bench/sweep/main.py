# SPDX-License-Identifier: Apache-2.0
"""./dev bench sweep: random programs, checked, beside their bounds and beside torch.

Prints the worst ratios of each family and of all. A case below half of its bound, or behind torch,
needs a sentence in docs/performance.md. Wrong results end with status 1.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import weft
from bench.sweep.arithmetic import draw_adam, draw_loop, draw_network, draw_reduction
from bench.sweep.bounds import Peaks, measure_peaks, seconds_of
from bench.sweep.case import WrongResultError
from bench.sweep.elementwise import draw_backward, draw_sum, draw_vectors
from bench.sweep.tables import draw_look_up, draw_stencil

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.sweep.case import Program

DRAWS = {
    "add": (draw_sum, 5),
    "vectors": (draw_vectors, 2),
    "backward": (draw_backward, 4),
    "tables": (draw_look_up, 4),
    "stencils": (draw_stencil, 3),
    "loops": (draw_loop, 2),
    "networks": (draw_network, 4),
    "reductions": (draw_reduction, 2),
    "optimizers": (draw_adam, 1),
}
"""How programs of each family are drawn, and how often."""
LOW = 0.5  # of the bound: a case below needs a sentence
WORST = 10


@dataclass(frozen=True)
class Row:
    """One measured program."""

    family: str
    name: str
    seconds: float
    bound: float
    beside: float | None

    @property
    def share(self) -> float:
        """Of the bound: 1 is the best that can be."""
        return self.bound / self.seconds

    @property
    def ratio(self) -> float | None:
        """Seconds over those of torch: above 1 Weft is slower."""
        return self.seconds / self.beside if self.beside else None

    def line(self) -> str:
        """Return the row of the table."""
        beside = "" if self.beside is None else f"{self.ratio:6.2f}"
        micro = f"{1e6 * self.seconds:11.1f}"
        return f"  {self.share:5.2f} {beside:>6} {micro}  {self.family:10} {self.name}"


HEAD = "  bound  torch          us  family     program"


def programs(seed: int, count: int, size: int, families: Sequence[str]) -> Iterator[Program]:
    """Draw programs.

    Args:
        seed: Of all of them: the same programs each time.
        count: How many.
        size: Elements of a large array.
        families: Which are drawn.
    """
    rng = random.Random(seed)
    pool = [name for name in families for _ in range(DRAWS[name][1])]
    for _ in range(count):
        yield DRAWS[rng.choice(pool)][0](rng, size)


def torch_of(device: weft.Device) -> Any:
    """Return torch if it is installed and runs on the same GPU."""
    if device.info.type != weft.DeviceType.cuda:
        return None
    try:
        import torch
    except ImportError:
        return None
    return torch if torch.cuda.is_available() else None


def measure(program: Program, device: weft.Device, torch: Any, peaks: Peaks, budget: float) -> Row:
    """Check a program and time it, in turns with torch.

    Raises:
        WrongResultError: The result is wrong.
        weft.Error: The program is refused.
    """
    ready = program.prepare(device, torch)
    ready.run()
    ready.check()
    seconds = seconds_of(ready.run, device.wait, budget)
    beside = None
    if ready.beside is not None:
        beside = seconds_of(ready.beside, torch.cuda.synchronize, budget)
        seconds = min(seconds, seconds_of(ready.run, device.wait, budget))
    return Row(program.family, program.name, seconds, peaks.seconds(program.work), beside)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="./dev bench sweep")
    parser.add_argument("--device", choices=("vulkan", "cuda"))
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--size", type=int, help="elements of a large array; 2^20 in software")
    parser.add_argument("--family", action="append", default=[], choices=list(DRAWS))
    parser.add_argument("--seconds", type=float, default=0.05, help="measuring each program")
    parser.add_argument(
        "--limit", type=float, default=1e9, help="seconds after which no more start"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows there")
    return parser.parse_args(arguments)


def report(rows: Sequence[Row]) -> None:
    """Print families, the worst rows, and what needs a sentence."""
    print("\nfamily      cases  median of bound  worst  median beside torch  worst")
    for family in DRAWS:
        own = [row for row in rows if row.family == family]
        if own:
            shares = [row.share for row in own]
            ratios = [row.ratio for row in own if row.ratio]
            torch = f"{median(ratios):20.2f} {max(ratios):6.2f}" if ratios else ""
            print(f"{family:10} {len(own):6} {median(shares):16.2f} {min(shares):6.2f} {torch}")
    print(f"\nThe {WORST} furthest from their bounds\n{HEAD}")
    for row in sorted(rows, key=lambda row: row.share)[:WORST]:
        print(row.line())
    behind = sorted((r for r in rows if r.ratio), key=lambda r: r.ratio or 0, reverse=True)
    if behind:
        print(f"\nThe {WORST} worst beside torch\n{HEAD}")
        for row in behind[:WORST]:
            print(row.line())
    low = sum(row.share < LOW for row in rows)
    late = sum((row.ratio or 0) > 1 for row in rows)
    print(f"\n{len(rows)} programs right; {low} below {LOW} of their bound, {late} behind torch")


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line."""
    options = parse(arguments)
    device = weft.create_device(type=options.device or weft.DeviceType.automatic)
    size = options.size or (1 << 20 if device.info.features.is_software else 1 << 26)
    torch = torch_of(device)
    peaks = measure_peaks(device, size, 4 * options.seconds)
    print(f"{device.info.name}, {device.info.driver}: {peaks.bytes / 1e9:.0f} GB/s, ", end="")
    print(f"{peaks.operations / 1e12:.2f} Tflop/s, {peaks.sines / 1e9:.1f} Gsine/s, ", end="")
    print(f"{1e6 * peaks.call:.1f} us a call; seed {options.seed}\n{HEAD}", flush=True)
    rows: list[Row] = []
    wrong: list[str] = []
    refused: Counter[str] = Counter()
    start = time.monotonic()
    families = options.family or list(DRAWS)
    for program in programs(options.seed, options.cases, size, families):
        if time.monotonic() - start > options.limit:
            print(f"  no more after {options.limit:.0f} s")
            break
        try:
            row = measure(program, device, torch, peaks, options.seconds)
        except WrongResultError as error:
            wrong.append(f"{program.family} {program.name}: {error}")
            print(f"  WRONG  {wrong[-1]}", flush=True)
            continue
        except weft.Error as error:
            reason = str(error).splitlines()[0]
            refused[reason] += 1
            print(f"  refused  {program.family} {program.name}: {reason}", flush=True)
            continue
        rows.append(row)
        print(row.line(), flush=True)
    if options.json:
        data = {"rows": [vars(row) for row in rows], "wrong": wrong, "refused": refused}
        options.json.write_text(json.dumps(data, indent=1))
    report(rows)
    for line in wrong:
        print(f"WRONG  {line}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
