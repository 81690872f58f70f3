# SPDX-License-Identifier: Apache-2.0
"""Fills and copies wait for what they read and overwrite.

Lavapipe runs commands in order, so values cannot tell: Vulkan's synchronisation validation does.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import weft
from conftest import KINDS

PROGRAM = """
import sys
import weft

device = weft.create_device(weft.DeviceType.vulkan, debug=True)
held = [weft.Tensor.empty(device, (1 << 17,), "double") for _ in range(2)]
expected = [None, None]
for name in sys.argv[1]:
    if name in "fc":
        value = 0.0 if name == "f" else 1.5  # one command; or copies that double a first part
        expected = [value, value + 1 if name == "c" else value]
        for tensor, number in zip(held, expected):
            tensor.fill(number)
    else:
        to, source = (0, 1) if name == "x" else (1, 0)
        held[to][:] = held[source]
        expected[to] = expected[source]
device.wait()
print(all((tensor.numpy() == number).all() for tensor, number in zip(held, expected)))
"""

SETTINGS = """
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.validate_sync = true
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,info
khronos_validation.log_filename = {log}
"""


@pytest.mark.slow
@pytest.mark.parametrize("order", ["c", "ff", "cf", "cc", "fcfcc", "fx", "cx", "cxy", "cxfycx"])
def test_commands_that_move_bytes_have_no_hazard(tmp_path, order):
    if "vulkan" not in KINDS:
        pytest.skip("no Vulkan device")
    log = tmp_path / "layer.txt"
    (tmp_path / "vk_layer_settings.txt").write_text(SETTINGS.format(log=log))
    path = [str(Path(weft.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    variables = {
        "VK_LAYER_SETTINGS_PATH": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(filter(None, path)),
    }

    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, order],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=250,
    )

    assert done.stdout.strip() == "True", done.stderr
    text = log.read_text()
    assert "SYNCHRONIZATION_VALIDATION" in text, "the layer did not watch synchronisation"
    assert "HAZARD" not in text
