# SPDX-License-Identifier: Apache-2.0
"""Devices for all tests: every test that takes `device` runs on each kind that this machine has."""

from __future__ import annotations

import os

import pytest

import weft

REQUIRED = os.environ.get("WEFT_TEST_DEVICES", "vulkan").split(",")
"""Kinds whose absence is a failure; others are tested where the machine has them."""

PRESENT = {info.type.name for info in weft.enumerate_devices()}
KINDS = [kind for kind in ("vulkan", "cuda") if kind in PRESENT or kind in REQUIRED]


def pytest_report_header():
    """Say which kinds of device are left out."""
    missing = [kind for kind in ("vulkan", "cuda") if kind not in KINDS]
    return [f"weft: no {kind} device here; its tests are skipped" for kind in missing]


def pytest_terminal_summary(terminalreporter):
    """Print what long tests measured (record_property), one line a test."""
    reports = [
        report
        for report in terminalreporter.getreports("passed")
        if report.when == "call" and report.user_properties
    ]
    if reports:
        terminalreporter.section("figures")
    for report in reports:
        figures = ", ".join(f"{name} {value}" for name, value in report.user_properties)
        terminalreporter.write_line(f"{report.nodeid}: {figures}")


def create(kind: str) -> weft.Device:
    """Create a device for tests, with the validation layer on Vulkan."""
    if kind not in PRESENT:
        pytest.fail(f"this machine has no {kind} device, and WEFT_TEST_DEVICES requires one")
    return weft.create_device(type=weft.DeviceType[kind], debug=kind == "vulkan")


@pytest.fixture(scope="session", params=KINDS)
def device(request):
    """A device of each kind, shared by all tests; the validation layer must stay silent."""
    made = create(request.param)
    yield made
    made.wait()
    assert made.validation_messages == []


@pytest.fixture(params=KINDS)
def fresh_device(request):
    """A device of each kind that the test may close."""
    made = create(request.param)
    yield made
    made.close()


@pytest.fixture(scope="module", params=["own", "gpu"])
def kernels(request, device):
    """The way in which kernels are written: that of the device; on a CPU also that of GPUs."""
    if request.param == "gpu" and not device.info.features.is_software:
        pytest.skip("this device is a GPU")
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "gpu":
            patch.setenv("WEFT_KERNELS_FOR", "gpu")
        yield request.param


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Keep the user's cache and trusted functions out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("WEFT_CACHE_DIR", "WEFT_TRUST_DIR"):
            patch.setenv(variable, str(tmp_path_factory.mktemp("own")))
        yield
