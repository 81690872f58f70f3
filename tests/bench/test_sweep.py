# SPDX-License-Identifier: Apache-2.0
"""The programs of ./dev bench sweep: always the same, right, and found out if wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bench.sweep.arithmetic import Network
from bench.sweep.arrays import PLAIN, Layout
from bench.sweep.bounds import Peaks
from bench.sweep.case import Work, WrongResultError, require_close
from bench.sweep.elementwise import Sum
from bench.sweep.main import DRAWS, Row, programs, report


def test_a_seed_draws_the_same_programs_and_another_one_others() -> None:
    first, again, other = (list(programs(seed, 60, 4096, list(DRAWS))) for seed in (1, 1, 2))

    assert first == again
    assert first != other
    assert {program.family for program in first} == set(DRAWS)
    assert len({program.name for program in first}) > 50


@pytest.mark.parametrize("family", [name for name in DRAWS if name != "networks"])
def test_programs_of_each_family_are_right(device, family) -> None:
    for program in programs(3, 3, 4096, [family]):
        ready = program.prepare(device, None)
        ready.run()
        ready.check()


def test_gradients_of_a_network_are_right(device) -> None:
    ready = Network((3, 5, 2), 64, "float", True, "Tanh").prepare(device, None)

    ready.run()

    ready.check()


def test_a_view_is_laid_out_as_its_name_says() -> None:
    layout = Layout("axes 201", order=(2, 0, 1))
    stored = layout.draw(np.random.default_rng(0), "int", (3, 4, 5))

    assert stored.shape == (5, 3, 4)
    assert layout.view_of(stored).shape == (3, 4, 5)
    assert layout.view_of(stored)[1, 2, 3] == stored[3, 1, 2]


def test_a_wrong_result_is_found(device, monkeypatch) -> None:
    program = Sum("float", (40,), (PLAIN, PLAIN))
    ready = program.prepare(device, None)

    with pytest.raises(WrongResultError, match=r"0\.0 at \(\d+,\), not "):
        ready.check()  # nothing has run
    with pytest.raises(WrongResultError, match="nan"):
        require_close(np.array([1.0, np.nan]), np.array([1.0, 2.0]), "float")
    with pytest.raises(WrongResultError, match="shape"):
        require_close(np.zeros(2), np.zeros(3), "float")


def test_the_bound_is_the_longest_part_of_the_work() -> None:
    peaks = Peaks(bytes=100.0, operations=10.0, sines=1.0, call=0.5)

    assert peaks.seconds(Work(bytes=200)) == 2.0
    assert peaks.seconds(Work(bytes=200, operations=50)) == 5.0
    assert peaks.seconds(Work(bytes=200, sines=3)) == 3.0
    assert peaks.seconds(Work(bytes=1)) == 0.5


def test_the_report_names_the_worst_and_counts_what_needs_a_sentence(capsys) -> None:
    rows = [Row("add", f"program {n}", 1.0 + n, 1.0, 2.0 if n % 2 else None) for n in range(12)]

    report(rows)

    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "12 programs right; 10 below 0.5 of their bound, 5 behind torch"
    assert "program 11" in lines[lines.index("The 10 furthest from their bounds") + 2]
    assert replace(rows[1], seconds=3.0).ratio == 1.5
