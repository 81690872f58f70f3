# SPDX-License-Identifier: Apache-2.0
"""The tracer ray_query on a driver that has it: Mesa's software driver, from Debian's backports.

WEFT_RAY_QUERY_DRIVER names the driver's folder (default: build/ray_query). Where the machine's own
driver has ray queries, the tests of tests/native/render and test_tracer.py cover them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from dev.project import BUILD, ROOT

FOLDER = Path(os.environ.get("WEFT_RAY_QUERY_DRIVER", BUILD / "ray_query"))
RELEASE = Path("/etc/os-release")

pytestmark = [
    pytest.mark.full,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(
        not RELEASE.exists() or "VERSION_CODENAME=bookworm" not in RELEASE.read_text(),
        reason="the driver is a package of Debian 12's backports",
    ),
]


@pytest.fixture(scope="module")
def environment():
    """Variables with which the Vulkan loader finds that driver alone."""
    script = ROOT / "tests" / "full" / "ray_query" / "make_driver.sh"
    done = subprocess.run([script, FOLDER], check=True, stdout=subprocess.PIPE, text=True)
    return os.environ | dict(line.split("=", 1) for line in done.stdout.splitlines())


def run(environment, *command):
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    return done


def test_the_driver_has_ray_queries(environment):
    program = "import weft; print(weft.create_device(type='vulkan').info.features.ray_query)"

    assert run(environment, sys.executable, "-c", program).stdout.strip() == "True"


@pytest.mark.parametrize("part", ["device", "render"])
def test_what_devices_and_tracers_promise_holds_for_the_driver(environment, part):
    program = BUILD / "dev" / "tests" / "native" / part / f"weft_test_{part}"

    assert run(environment, program).returncode == 0


def test_python_traces_with_the_driver(environment):
    tests = ROOT / "tests" / "python" / "render" / "test_tracer.py"

    assert run(environment, sys.executable, "-m", "pytest", "-q", tests).returncode == 0


def test_hits_and_pictures_are_those_of_the_other_tracers(environment):
    script = ROOT / "tests" / "bench" / "device" / "ray_query.py"

    assert run(environment, sys.executable, script, "--small").returncode == 0
