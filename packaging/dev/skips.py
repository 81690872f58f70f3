# SPDX-License-Identifier: Apache-2.0
"""What a run of tests left out, and why, in a few lines."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] [^:]+(?::\d+)?: (.*)$")
CTEST = re.compile(r"^\s*\d+/\d+ Test +#\d+: (\S+) \.*\*{3}Skipped")
TOTALS = re.compile(r"\b(\d+) deselected\b")
ABSENT = re.compile(r"^weft: (no \w+ device here); its tests are skipped")
MAX_CHARACTERS = 110


def skips_of(lines: Iterable[str]) -> Counter[str]:
    """Return how often each reason stands in the output of pytest or ctest.

    A reason that comes without a number, such as that of a whole device, counts 0.
    """
    found: Counter[str] = Counter()
    for line in lines:
        if match := SKIPPED.match(line):
            found[short(match[2])] += int(match[1])
        elif match := CTEST.match(line):
            found[f"native test {match[1]}"] += 1
        elif match := ABSENT.match(line):
            found[match[1]] += 0
        elif line.startswith("=") and (match := TOTALS.search(line)):
            found["left out by mark, see pyproject.toml"] += int(match[1])
    return found


def short(reason: str) -> str:
    """Return a reason without what differs between equal ones, on one line."""
    plain = " ".join(reason.removeprefix("Skipped: ").split())
    return plain if len(plain) <= MAX_CHARACTERS else f"{plain[: MAX_CHARACTERS - 3]}..."


def skip_lines(runs: Mapping[str, Mapping[str, int]], notes: Sequence[str]) -> list[str]:
    """Return what was skipped, for the end of a report; never empty.

    Args:
        runs: Reasons and their counts by name of the run.
        notes: What was left out as a whole.
    """
    lines = [f"  all of it: {note}" for note in notes]
    for name, reasons in runs.items():
        ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
        lines += [f"  {count or 'all':>5}  {reason} ({name})" for reason, count in ordered]
    return ["Skipped", *lines] if lines else ["Skipped", "  nothing"]
