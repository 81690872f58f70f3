# SPDX-License-Identifier: Apache-2.0
"""./dev bench torch runs and says what it measured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import KINDS

pytest.importorskip("torch", reason="torch is not installed")

SCRIPT = Path(__file__).parents[1] / "bench" / "run.py"


@pytest.mark.parametrize("kind", KINDS)
def test_a_short_round_measures_every_system_of_a_case(tmp_path, kind):
    found = tmp_path / "found.json"
    cases = ["--only", "call_given", "--only", "launch", "--only", "entry_point"]

    done = subprocess.run(
        [sys.executable, SCRIPT, "torch", "--quick", "--device", kind, *cases, "--json", found],
        capture_output=True,
        text=True,
        env=os.environ,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    cases = {entry["name"]: entry for entry in json.loads(found.read_text())[0]["cases"]}
    assert set(cases) == {"call_given", "launch", "entry_point"}
    assert {"weft", "torch", "own"} <= set(set(cases["call_given"]["seconds"]))
    assert not any(case["failures"] for case in cases.values())
