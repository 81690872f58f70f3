# SPDX-License-Identifier: Apache-2.0
"""torch is imported by the first tensor of it, and by nothing else."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="torch is not installed")

CALL = """
import sys, weft
import numpy as np
device = weft.create_device()
module = weft.Module.load_from_source(device, "m", "float twice(float x) { return 2 * x; }")
module.twice(np.ones(3, np.float32))
module.twice([1.0, 2.0])
assert "torch" not in sys.modules and "weft.torch" not in sys.modules
import torch
assert "weft.torch" not in sys.modules
assert module.twice(torch.ones(2)).tolist() == [2, 2]
assert "weft.torch" in sys.modules
"""


def test_a_call_without_tensors_of_torch_does_not_import_it():
    subprocess.run([sys.executable, "-c", CALL], check=True, timeout=300)


def test_without_torch_a_device_for_it_says_how_to_install_it():
    code = """
import sys; sys.modules["torch"] = None
import weft
try:
    weft.create_torch_device()
except weft.ArgumentError as error:
    assert "pip install torch" in str(error), error
else:
    raise SystemExit("no error")
module = weft.Module.load_from_source(weft.create_device(), "m", "float f(float x) { return x; }")
try:
    module.f(1.0, _result="torch")
except weft.ArgumentError as error:
    assert "pip install torch" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=300)
