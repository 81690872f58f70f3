# SPDX-License-Identifier: Apache-2.0
"""The kernels of tensors above 4 GiB, on small tensors: 64-bit indices, addresses as integers.

`tests/bench/device/large_tensors.py` runs the same checks on more than 4 GiB.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "bench" / "device" / "large_tensors.py"


def load_script():
    specification = importlib.util.spec_from_file_location("large_tensors", SCRIPT)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


script = load_script()


@pytest.fixture(scope="module", params=["large", "usual"])
def checks(device, request):
    patch = pytest.MonkeyPatch()
    patch.setenv("WEFT_KERNELS_FOR", request.param)
    yield script.Checks(device, (1 << 14) + script.TAIL)
    patch.undo()


@pytest.mark.parametrize("name", script.NAMES)
def test_large_kernels_read_and_write_what_usual_ones_do(checks, name):
    getattr(checks, name)()


def test_the_kernels_of_large_tensors_have_64_bit_indices(device, monkeypatch):
    monkeypatch.setenv("WEFT_KERNELS_FOR", "large")
    checks = script.Checks(device, 1024)

    assert "64-bit indices" in checks.module.twice.explain(checks.values)
