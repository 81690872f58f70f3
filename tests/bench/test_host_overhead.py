# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

from bench.host_overhead.run import changes, first_thread, too_dear


def test_counts_are_read_from_the_calling_thread_only(tmp_path: Path) -> None:
    request = "desc: Trigger: Client Request: {}\n\ntotals: {}\n"
    (tmp_path / "counts.1-01").write_text(request.format("numbers", 5000))
    (tmp_path / "counts.1-02").write_text(request.format("numbers", 999999))
    (tmp_path / "counts.2-01").write_text(request.format("append_to", 7000))
    (tmp_path / "counts-01").write_text("desc: Trigger: Program termination\n\ntotals: 10\n")

    assert first_thread(tmp_path) == {"numbers": 5000, "append_to": 7000}


def test_growth_is_relative_and_leaves_new_cases_out() -> None:
    growth = changes({"numbers": 1100, "new": 1}, {"instructions": {"numbers": 1000, "gone": 5}})

    assert growth == {"numbers": pytest.approx(0.1)}


def test_a_kind_of_result_may_cost_three_percent_of_the_plain_call() -> None:
    counts = {"new_result": 1000, "new_tensor": 1030, "array_by_function": 1000, "array": 1031}

    assert too_dear(counts) == ["array costs 1.031 of array_by_function, at most 1.03 is allowed"]
