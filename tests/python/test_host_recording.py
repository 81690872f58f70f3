# SPDX-License-Identifier: Apache-2.0
"""The script that finds which recording kernel a driver cannot compile, on one kernel each."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "bench" / "device" / "host_recording.py"


def load_script():
    specification = importlib.util.spec_from_file_location("host_recording", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    sys.modules["host_recording"] = module  # its dataclass looks itself up
    specification.loader.exec_module(module)
    return module


script = load_script()


@pytest.mark.parametrize("variation", script.variations(), ids=lambda each: each.name)
def test_variations_record_the_same(device, variation):
    assert script.run_one(device, variation)
