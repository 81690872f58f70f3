# SPDX-License-Identifier: Apache-2.0
"""One failing call of a driver, a file or a pipe is a typed error, and the next call is right."""

import os
import sys

import pytest

import weft
from support.fault_cases import SCENARIOS
from support.fault_sweep import sweep_apart

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1",
    reason="counts what /proc tells, and a process to fail",
)

THINNED = 4
"""Calls of each kind that fail in the quick tests; tests/full/test_every_fault.py has all."""


@pytest.mark.sweep(4)
@pytest.mark.parametrize("scenario", [scenario.__name__ for scenario in SCENARIOS])
def test_one_failing_call_is_an_error_and_the_next_call_is_right(scenario, tmp_path):
    assert sweep_apart(scenario, THINNED, tmp_path) == ""


def test_faults_are_off_in_a_process_that_did_not_ask():
    with pytest.raises(weft.ArgumentError, match="WEFT_TEST_FAULTS=1"):
        weft._native._arm_fault("driver", 1)
