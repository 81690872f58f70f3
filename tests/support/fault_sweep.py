# SPDX-License-Identifier: Apache-2.0
"""As a program, with WEFT_TEST_FAULTS=1: fault_sweep.py SCENARIO MOST prints what went wrong."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from support import fault_cases


def sweep_apart(scenario: str, most: int, cache: Path) -> str:
    """Run a sweep in a process of its own; return what went wrong."""
    environment = os.environ | {
        "WEFT_TEST_FAULTS": "1",
        "WEFT_CACHE_DIR": str(cache),
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)]),
    }
    ended = subprocess.run(
        [sys.executable, __file__, scenario, str(most)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    wrong = ended.stdout.strip()
    if ended.returncode == bool(wrong):
        return wrong
    # It did not come to its end: 1 is also what an exception of its own leaves.
    return f"{wrong}\nended with {ended.returncode}: {ended.stderr[-4000:]}"


def main() -> int:
    """Sweep all kinds of calls of one scenario."""
    (scenario,) = [one for one in fault_cases.SCENARIOS if one.__name__ == sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        place = fault_cases.Workplace(Path(folder), scenario in fault_cases.RENDERING)
        counts = [fault_cases.count_calls(place, scenario, kind) for kind in fault_cases.KINDS]
        wrong = [] if any(counts) else [f"{sys.argv[1]}: no call was counted"]
        wrong += [
            line
            for kind in fault_cases.KINDS
            for line in fault_cases.sweep(place, scenario, kind, int(sys.argv[2]))
        ]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
