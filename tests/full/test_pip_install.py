# SPDX-License-Identifier: Apache-2.0
"""`pip install .` works from a fresh clone, in pip's own isolated build environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]

PROGRAM = """
import weft

device = weft.create_device(weft.DeviceType.vulkan)
module = weft.Module.load_from_source(device, "m", "float twice(float x) { return 2 * x; }")
print(weft.__file__, module.twice(21.0))
"""


def run(*command: str | Path, folder: Path) -> str:
    """Run a command outside of the project's environment; return its output."""
    left_out = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "CUDA_HOME", "CUDA_PATH", "CC", "CXX")
    environment = {name: value for name, value in os.environ.items() if name not in left_out}
    # As a login shell has it, without the tools of the environment that runs this test.
    own = str(Path(sys.executable).parent)
    path = [entry for entry in environment["PATH"].split(os.pathsep) if entry != own]
    environment["PATH"] = os.pathsep.join(path)
    done = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def test_a_fresh_clone_installs_and_runs_a_function(tmp_path):
    if not (ROOT / ".git").exists():
        pytest.skip("the sources are no clone")
    base = getattr(sys, "_base_executable", sys.executable)
    run("git", "clone", "-q", "--depth", "1", f"file://{ROOT}", "clone", folder=tmp_path)
    run(base, "-m", "venv", "venv", folder=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"

    run(python, "-m", "pip", "install", "-q", "./clone", folder=tmp_path)

    file, value = run(python, "-c", PROGRAM, folder=tmp_path).split()
    assert Path(file).is_relative_to(tmp_path / "venv")
    assert float(value) == 42.0
    assert "fit-blend" in run(tmp_path / "venv" / "bin" / "weft", "--help", folder=tmp_path)
