# SPDX-License-Identifier: Apache-2.0
"""Measurements as a table in Markdown, which is also what a terminal shows, and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from bench.targets import Verdict, duration, judge, target_text, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bench.measuring import DeviceRun, Outcome

TITLES = {"weft": "Weft", "hand": "by hand", "plain": "plain call", "slangpy": "SlangPy"}


def verdicts(run: DeviceRun, outcome: Outcome) -> list[Verdict]:
    """Judge every target of a case that holds on this category of device."""
    targets = [target for target in outcome.case.targets if target.category == run.category]
    return [judge(target, outcome.rounds) for target in targets]


def is_shown(verdict: Verdict) -> bool:
    """Leave out the comparison of two devices where only one was measured."""
    return verdict.value is not None or verdict.target.reference != "weft on cuda"


def bandwidth(outcome: Outcome) -> str:
    seconds = outcome.seconds("weft")
    if not outcome.bytes_moved or not seconds:
        return ""
    return f"{outcome.bytes_moved / seconds / 1e9:#.4g}".rstrip(".")


def columns(run: DeviceRun) -> list[str]:
    """Return the systems that were measured in any case, in the order of first use."""
    names: dict[str, None] = {"weft": None}
    for outcome in run.outcomes:
        names |= dict.fromkeys(outcome.rounds)
    return [name for name in names if name != "bound"]


def cell(outcome: Outcome, system: str) -> str:
    seconds = outcome.seconds(system)
    if seconds is None:
        return "failed" if system in outcome.failures else ""
    return duration(seconds)


def table_rows(run: DeviceRun) -> list[list[str]]:
    """Return the table's cells, the head first; a case with two targets takes two rows."""
    systems = columns(run)
    head = [
        "case",
        *(TITLES.get(name, name) for name in systems),
        "GB/s",
        "target",
        "value",
        "verdict",
    ]
    rows = [head]
    for outcome in run.outcomes:
        start = [outcome.case.title, *(cell(outcome, name) for name in systems), bandwidth(outcome)]
        judged = [verdict for verdict in verdicts(run, outcome) if is_shown(verdict)]
        ends = [[target_text(v.target), value_text(v), v.word] for v in judged] or [["", "", ""]]
        rows += [start + ends[0], *([""] * len(start) + end for end in ends[1:])]
    return rows


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Lay rows out as a table with aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    ruler = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], ruler, *lines[1:]])


def text_report(run: DeviceRun) -> str:
    """Return what was measured on one device, the table, and what failed or was left out."""
    lines = [
        f"Device: {run.device}. " + "; ".join(f"{k}: {v}" for k, v in run.descriptions.items())
    ]
    lines += ["", markdown(table_rows(run)), ""]
    for outcome in run.outcomes:
        lines += [
            f"{system}, {outcome.case.title}: {why}" for system, why in outcome.failures.items()
        ]
    return "\n".join(lines + run.skipped).rstrip()


def misses(run: DeviceRun) -> list[str]:
    """Return the targets that were missed, a case of Weft's that failed included."""
    found = []
    for outcome in run.outcomes:
        for verdict in verdicts(run, outcome):
            if verdict.word == "miss" or "weft" in outcome.failures:
                promise = f"{run.device}, {outcome.case.title}: {target_text(verdict.target)}"
                found.append(f"{promise}, got {value_text(verdict)}")
    return found


def as_data(run: DeviceRun) -> dict[str, Any]:
    """Return a device's measurements for --json."""
    return {
        "device": run.device,
        "category": run.category,
        "systems": run.descriptions,
        "skipped": run.skipped,
        "cases": [
            {
                "name": outcome.case.name,
                "title": outcome.case.title,
                "bytes": outcome.bytes_moved,
                "seconds": outcome.rounds,
                "failures": outcome.failures,
                "targets": [
                    {"target": target_text(v.target), "value": v.value, "verdict": v.word}
                    for v in verdicts(run, outcome)
                ],
            }
            for outcome in run.outcomes
        ],
    }


def finish(runs: list[DeviceRun], json_file: Path | None, *, is_strict: bool) -> int:
    """Print a table a device and what is missed, write --json, and return the exit status."""
    missed = [text for run in runs for text in misses(run)]
    for run in runs:
        print(f"\n{text_report(run)}")
    for text in missed:
        print(f"MISS {text}")
    if json_file:
        json_file.write_text(json.dumps([as_data(run) for run in runs], indent=1))
    if not runs:
        return 2
    return 1 if missed and is_strict else 0
