# SPDX-License-Identifier: Apache-2.0
"""Every way in which gradients add up: right, and without a hazard that Vulkan's layer can see."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from conftest import KINDS
from support import gradient_patterns
from support.gradient_patterns import Patterns

LAYER_SETTINGS = """
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.validate_sync = true
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,info
khronos_validation.log_filename = {log}
"""


@pytest.mark.sweep(2)
@pytest.mark.parametrize("count", [128, 1 << 14, 3 << 17])
def test_every_pattern_gives_the_right_gradients(device, kernels, count):
    assert len(Patterns(device, count).run_all()) == 9


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("kind", ["own", "gpu"])
def test_synchronisation_validation_finds_no_hazard_in_backward_calls(tmp_path, kind):
    if "vulkan" not in KINDS:
        pytest.skip("no Vulkan device")
    log = tmp_path / "layer.txt"
    (tmp_path / "vk_layer_settings.txt").write_text(LAYER_SETTINGS.format(log=log))
    program = [sys.executable, gradient_patterns.__file__, "vulkan"]
    path = os.pathsep.join(
        filter(None, (str(Path(weft.__file__).parents[1]), os.environ.get("PYTHONPATH")))
    )
    variables = os.environ | {"VK_LAYER_SETTINGS_PATH": str(tmp_path), "PYTHONPATH": path}
    variables |= {"WEFT_KERNELS_FOR": "gpu"} if kind == "gpu" else {}

    result = subprocess.run(program, env=variables, capture_output=True, text=True, timeout=200)

    assert result.returncode == 0, result.stderr
    assert "right: one_to_one" in result.stdout
    assert "validation:" not in result.stdout
    text = log.read_text()
    assert "SYNCHRONIZATION_VALIDATION" in text, "the layer did not watch synchronisation"
    assert "HAZARD" not in text
    assert "ERROR" not in text
