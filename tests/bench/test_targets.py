# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from bench.targets import Measure, Target, duration, judge, target_text, value_text


@pytest.mark.parametrize(
    ("measure", "bound", "weft", "other", "value", "word"),
    [
        (Measure.TIME, 0.5, 2.0, 5.0, 0.4, "pass"),
        (Measure.TIME, 0.5, 3.0, 5.0, 0.6, "miss"),
        (Measure.SPEED, 0.95, 1.0, 0.96, 0.96, "pass"),
        (Measure.SPEED, 0.95, 1.0, 0.9, 0.9, "miss"),
        (Measure.BEYOND, 0.15, 0.3, 0.2, 0.1, "pass"),
        (Measure.BEYOND, 0.15, 0.4, 0.2, 0.2, "miss"),
    ],
)
def test_a_target_is_kept_on_the_right_side_of_its_bound(
    measure: Measure, bound: float, weft: float, other: float, value: float, word: str
) -> None:
    verdict = judge(Target("cuda", measure, bound, "torch"), {"weft": [weft], "torch": [other]})

    assert verdict.value == pytest.approx(value)
    assert verdict.word == word


def test_ratios_are_taken_within_a_round_so_that_a_drifting_machine_is_fair() -> None:
    rounds = {"weft": [1.0, 10.0, 100.0], "torch": [2.0, 20.0, 200.0]}

    verdict = judge(Target("cuda", Measure.TIME, 1.0, "torch"), rounds)

    assert verdict.value == 0.5


def test_an_absolute_target_needs_no_reference() -> None:
    verdict = judge(Target("vulkan", Measure.SECONDS, 6e-6), {"weft": [7e-6, 5e-6, 5e-6]})

    assert verdict.value == 5e-6
    assert verdict.is_kept


@pytest.mark.parametrize("rounds", [{"weft": [1.0]}, {"torch": [1.0]}, {}])
def test_a_missing_side_is_not_measured_rather_than_passed(rounds: dict[str, list[float]]) -> None:
    verdict = judge(Target("cuda", Measure.TIME, 1.0, "torch"), rounds)

    assert verdict.word == "not measured"
    assert not verdict.is_kept
    assert value_text(verdict) == "-"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.50 s"), (0.0123, "12.3 ms"), (4.3e-6, "4.30 us"), (1.23e-4, "123 us"),
     (8e-8, "80 ns"), (0.0, "0 ns")],
)  # fmt: skip
def test_durations_have_three_digits_and_a_unit(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_target_reads_as_a_promise() -> None:
    assert target_text(Target("cuda", Measure.SPEED, 0.95, "torch")) == "speed >= 0.95 of torch"
    assert target_text(Target("cuda", Measure.BEYOND, 0.15, "driver")) == "<= 150 ms beyond driver"
