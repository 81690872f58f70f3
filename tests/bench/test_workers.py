# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys

import numpy as np
import pytest

from bench import gradient_problems
from bench.operations import inputs, require_right
from bench.systems import System, SystemFailed, fresh
from bench.timing import Subject, measure, sample


def test_a_worker_prepares_measures_and_reports_what_it_lacks() -> None:
    system = System("numpy", [sys.executable, "-m", "bench.numpy_cases"])
    try:
        assert system.description["name"].startswith("numpy")
        assert system.ask(prepare="add", count=1000) == {}
        answer = system.ask(measure=0.01, batch=2)
        assert 0.0 < answer["seconds"] < 1.0
        assert answer["samples"] >= 3
        assert system.ask(prepare="flops", count=1000) == {"unsupported": True}
    finally:
        system.stop()


def test_measuring_before_preparing_is_an_error_that_says_so() -> None:
    system = System("numpy", [sys.executable, "-m", "bench.numpy_cases"])
    try:
        assert "nothing was prepared" in system.ask(measure=0.01, batch=1)["error"]
    finally:
        system.stop()


def test_a_worker_that_cannot_start_says_why() -> None:
    with pytest.raises(SystemFailed, match="no_such_module_here"):
        System("none", [sys.executable, "-m", "no_such_module_here"])


def test_a_fresh_program_that_fails_says_why() -> None:
    with pytest.raises(SystemFailed, match="status 3"):
        fresh(sys.executable, ["-c", "import sys; sys.exit(3)"])


@pytest.mark.parametrize("operation", ["add", "flops", "broadcast", "structure", "transposed"])
def test_a_wrong_result_is_never_timed(operation: str) -> None:
    count = 64 * 64
    wrong = np.full(count * (6 if operation == "structure" else 1), -1.0, np.float32)

    with pytest.raises(ArithmeticError, match=operation):
        require_right(operation, inputs(operation, count), wrong)


@pytest.mark.parametrize("operation", ["bwds", "bwds_shared", "bwds_column", "gather_one"])
def test_a_wrong_gradient_is_never_timed(operation: str) -> None:
    wanted = gradient_problems.problem(operation, 1 << 15)
    right = dict(wanted.expected)

    gradient_problems.require_gradients(operation, wanted, right)
    for position, expected in right.items():
        with pytest.raises(ArithmeticError, match=f"{operation}: .* argument {position}"):
            gradient_problems.require_gradients(operation, wanted, right | {position: 2 * expected})


def test_adam_that_does_not_move_is_never_timed() -> None:
    parameter, gradient = gradient_problems.adam_arrays(1000)

    gradient_problems.require_step(
        gradient_problems.after_one_step_of_adam(parameter, gradient), 1000
    )
    with pytest.raises(ArithmeticError, match="adam"):
        gradient_problems.require_step(parameter, 1000)


def test_the_right_result_is_accepted() -> None:
    a, b = inputs("transposed", 64 * 64)
    require_right("transposed", [a, b], a.T + b)
    row, column = inputs("broadcast", 64 * 64)
    require_right("broadcast", [row, column], row + column)


def test_a_sample_waits_once_for_its_batch_and_settles_untimed() -> None:
    calls: list[str] = []
    subject = Subject(
        run=lambda: calls.append("run"),
        finish=lambda: calls.append("finish"),
        settle=lambda: calls.append("settle"),
    )

    sample(subject, batch=3)

    assert calls == ["run", "run", "run", "finish", "settle"]


def test_measuring_takes_at_least_three_samples_of_a_slow_call() -> None:
    _, samples = measure(Subject(run=lambda: None), batch=1, budget=0.0)

    assert samples == 3
