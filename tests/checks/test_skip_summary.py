# SPDX-License-Identifier: Apache-2.0
"""./dev test, and so the continuous integration, says in its last lines what it skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from checks.source_tree import ROOT
from dev import testing
from dev.skips import skip_lines, skips_of
from dev.testing import Result

OUTPUT = """
weft: no cuda device here; its tests are skipped
.....s
SKIPPED [3] tests/python/test_calls.py:12: needs a GPU
SKIPPED [1] tests/python/test_images.py: could not import 'OpenImageIO': No module named 'x'
SKIPPED [2] tests/python/test_other.py:99: needs a GPU
12/40 Test  #12: vulkan_layers ....................***Skipped   0.01 sec
====== 100 passed, 6 skipped, 31 deselected in 3.21s ======
""".splitlines()


def test_equal_reasons_are_counted_together():
    found = skips_of(OUTPUT)

    assert found["needs a GPU"] == 5
    assert found["could not import 'OpenImageIO': No module named 'x'"] == 1
    assert found["native test vulkan_layers"] == 1
    assert found["left out by mark, see pyproject.toml"] == 31
    assert "no cuda device here" in found


def test_a_long_reason_is_cut_to_one_line():
    (reason,) = skips_of([f"SKIPPED [1] a.py:1: {'word ' * 100}"])

    assert len(reason) <= 110
    assert reason.endswith("...")


def test_lines_name_run_count_and_reason_the_most_frequent_first():
    lines = skip_lines({"Python 3.11": skips_of(OUTPUT)}, ["no Python 3.13: not tested"])

    assert lines[0] == "Skipped"
    assert lines[1] == "  all of it: no Python 3.13: not tested"
    assert lines[2].split() == "31 left out by mark, see pyproject.toml (Python 3.11)".split()
    assert lines[3].split() == "5 needs a GPU (Python 3.11)".split()
    assert lines[-1].split() == "all no cuda device here (Python 3.11)".split()


def test_a_run_that_skips_nothing_says_so():
    assert skip_lines({"Python 3.11": {}}, []) == ["Skipped", "  nothing"]


def test_the_report_ends_with_what_was_skipped(capsys, monkeypatch):
    monkeypatch.setattr(testing, "left_out", ["no Blender"])

    assert testing.report([Result("run", True, 1.0, "1 passed", {"needs a GPU": 2})]) == 0

    assert capsys.readouterr().out.splitlines()[-3:] == [
        "Skipped",
        "  all of it: no Blender",
        "      2  needs a GPU (run)",
    ]


def test_pytest_names_skips_as_the_summary_reads_them(tmp_path):
    (tmp_path / "test_a.py").write_text(
        "import pytest\n\n@pytest.mark.parametrize('k', range(3))\n"
        "def test_a(k):\n    pytest.skip('needs a GPU')\n"
    )
    command = [sys.executable, "-m", "pytest", "-ra", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert skips_of(done.stdout.splitlines()) == {"needs a GPU": 3}


@pytest.mark.parametrize(("check", "test"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_the_continuous_integration_runs_checks_and_tests(tmp_path, check, test):
    (tmp_path / ".ci").mkdir()
    script = tmp_path / ".ci" / "run"
    script.write_text((ROOT / ".ci" / "run").read_text())
    dev = tmp_path / "dev"
    dev.write_text(
        f'#!/bin/sh\necho "$@ CI=$CI" >> "{tmp_path}/calls"\n'
        f"[ $1 = check ] && exit {check}\necho Skipped; exit {test}\n"
    )
    dev.chmod(0o755)
    environment = {name: value for name, value in os.environ.items() if name != "CI"}

    done = subprocess.run(
        ["bash", script], env=environment, cwd=Path("/"), capture_output=True, text=True
    )

    assert (tmp_path / "calls").read_text().split("\n")[:2] == ["check CI=true", "test CI=true"]
    assert done.returncode == (1 if check or test else 0)
    verdict = "FAILED" if check else "passed"
    assert done.stdout.splitlines()[-2:] == ["Skipped", f"  {verdict}  ./dev check"]
