# SPDX-License-Identifier: Apache-2.0
"""As tests/python/test_faults.py, for every call of every scenario."""

import pytest

from support.fault_cases import SCENARIOS
from support.fault_sweep import sweep_apart

pytestmark = [pytest.mark.full, pytest.mark.timeout(7200)]


@pytest.mark.parametrize("scenario", [scenario.__name__ for scenario in SCENARIOS])
def test_every_failing_call_is_an_error_and_the_next_call_is_right(scenario, tmp_path):
    assert sweep_apart(scenario, 1 << 30, tmp_path) == ""
