# SPDX-License-Identifier: Apache-2.0
"""Benchmarks on input that nobody here made: public assets beside Cycles, and a phone capture.

./dev bench real [--mirrors FOLDER] [--case assets|card] [--only NAME] [--samples 128]
                 [--pictures FOLDER] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from fetch import Source, provide  # noqa: E402

LIMIT_SECONDS = 900


def measure_asset(source: Source, options: argparse.Namespace) -> dict[str, Any]:
    """Measure an asset in a process of its own: a crash is a figure, too."""
    command = [os.environ["WEFT_BENCH_BLENDER"], str(HERE / "one_asset.py"), str(source.place)]
    command += ["--samples", str(options.samples)]
    if options.pictures:
        command += ["--pictures", str(options.pictures)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return {"asset": source.name, "error": f"took more than {LIMIT_SECONDS} s"}
    for line in done.stdout.splitlines():
        if line.startswith("figures: "):
            return {"asset": source.name, **json.loads(line.removeprefix("figures: "))}
    last = (done.stderr.strip() or "no output").splitlines()[-1]
    return {"asset": source.name, "error": f"exit status {done.returncode}: {last}"}


def bench_assets(options: argparse.Namespace) -> dict[str, Any]:
    """Measure all public assets; print a table."""
    rows = []
    print(f"{'asset':34} materials untouched  mean  blocks<2%  largest  s")
    for source in provide("asset", options.mirrors):
        if options.only and source.name not in options.only:
            continue
        row = measure_asset(source, options)
        rows.append(row)
        if "error" in row:
            print(f"{source.name:34} {row['error']}", flush=True)
            continue
        line = f"{source.name:34} {row['materials']:9} {row['untouched']:9}"
        if "mean" in row:
            line += f" {row['mean']:+6.1%} {row['blocks_alike']:9.0%} {row['largest_block']:8.2f}"
            line += f" {row['seconds']:4.0f}"
        print(line, flush=True)
        for problem in row["problems"]:
            print(f"    {problem}")
    good = [row for row in rows if "error" not in row]
    materials = sum(row["materials"] for row in good)
    untouched = sum(row["untouched"] for row in good)
    print(
        f"{len(good)} of {len(rows)} assets; {untouched} of {materials} materials untouched "
        f"({untouched / max(materials, 1):.0%})"
    )
    return {"assets": rows, "materials": materials, "untouched": untouched}


def bench_card(options: argparse.Namespace) -> dict[str, Any]:
    """Fit seven flash photos of a card, compare the two others."""
    from card import measure_card

    photos = provide("card_blue", options.mirrors)
    return measure_card({source.name: source.place for source in photos}, options.pictures)


CASES = {"assets": bench_assets, "card": bench_card}


def main() -> int:
    """Run the cases that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mirrors", type=Path, help="clones to take instead of the network")
    parser.add_argument("--case", choices=CASES, action="append")
    parser.add_argument("--only", action="append", help="name of an asset")
    parser.add_argument("--samples", type=int, default=128, help="0: count alone")
    parser.add_argument("--pictures", type=Path)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    figures = {case: CASES[case](options) for case in options.case or CASES}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
