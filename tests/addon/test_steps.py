# SPDX-License-Identifier: Apache-2.0
"""Work that is cut into steps."""

from __future__ import annotations

import time

import pytest
from addon.core.steps import Stepper, last_value


def counted(done, steps=5, seconds=0.0):
    """Note each step and return their number."""
    for number in range(steps):
        time.sleep(seconds)
        done.append(number)
        yield
    return steps


def test_all_steps_at_once_give_the_value():
    done = []
    assert last_value(counted(done)) == 5
    assert done == [0, 1, 2, 3, 4]


def test_a_bit_of_time_takes_some_steps_and_never_none():
    done = []
    stepper = Stepper(counted(done, seconds=0.01))

    assert not stepper.advance(0.0)
    assert done == [0]
    assert not stepper.advance(0.015)
    assert 1 < len(done) < 5
    assert stepper.advance(10)
    assert stepper.value == 5
    assert stepper.advance(0)


def test_a_step_that_fails_is_the_last_one():
    def failing():
        yield
        raise ValueError("no picture")

    stepper = Stepper(failing())
    stepper.advance(0)
    with pytest.raises(ValueError, match="no picture"):
        stepper.advance(0)


def test_closing_ends_the_work():
    done = []
    stepper = Stepper(counted(done))
    stepper.advance(0)
    stepper.close()
    assert stepper.advance(1)
    assert done == [0]
