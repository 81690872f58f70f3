# SPDX-License-Identifier: Apache-2.0
"""Devices for all tests: every test that takes `device` runs on each kind that this machine has."""

from __future__ import annotations

import importlib.util
import os
import signal
import zlib

# Shells start what runs in the background with Ctrl-C ignored; programs of tests inherit it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# JAX otherwise takes three quarters of a GPU's memory when it is imported.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import pytest

import weft

REQUIRED = os.environ.get("WEFT_TEST_DEVICES", "vulkan").split(",")
"""Kinds whose absence is a failure; others are tested where the machine has them."""

PRESENT = {info.type.name for info in weft.enumerate_devices()}
KINDS = [kind for kind in ("vulkan", "cuda") if kind in PRESENT or kind in REQUIRED]


HAS_IMAGES = importlib.util.find_spec("OpenImageIO") is not None


def has_layer() -> bool:
    """Return whether Vulkan's validation layer is installed."""
    if "vulkan" not in PRESENT:
        return False
    try:
        weft.create_device(type=weft.DeviceType.vulkan, debug=True).close()
    except weft.DeviceError as error:
        if "VK_LAYER_KHRONOS_validation" in str(error):
            return False
        raise
    return True


HAS_LAYER = has_layer()


def pytest_report_header():
    """Say once what is left out."""
    missing = [kind for kind in ("vulkan", "cuda") if kind not in KINDS]
    lines = [f"weft: no {kind} device here; its tests are skipped" for kind in missing]
    if "vulkan" in PRESENT and not HAS_LAYER:
        lines.append(
            "weft: no Vulkan validation layer here; nothing watches the calls of the driver "
            "(apt install vulkan-validationlayers)"
        )
    if not HAS_IMAGES:
        lines.append(
            "weft: no OpenImageIO here; tests of image files are skipped (pip install OpenImageIO)"
        )
    return lines


def skip_without_images(error: Exception) -> None:
    """Skip the test if it failed because OpenImageIO is absent."""
    if not HAS_IMAGES and "OpenImageIO cannot be loaded" in str(error):
        pytest.skip("no OpenImageIO")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """Leave out tests whose fixtures need OpenImageIO where it is absent."""
    try:
        return (yield)
    except (weft.ImageError, AssertionError) as error:
        skip_without_images(error)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Leave out tests that need OpenImageIO where it is absent."""
    try:
        return (yield)
    except (weft.ImageError, AssertionError) as error:  # of a command: in what it printed
        skip_without_images(error)
        raise


def is_drawn(name: str, share: int) -> bool:
    """Return whether a case is one of those that each run has: always the same ones."""
    return zlib.crc32(name.encode()) % share == 0


def pytest_collection_modifyitems(config, items):
    """Take one case in `share` of a test that is marked so, at least one; --full takes all."""
    if "not full" not in config.option.markexpr:
        return
    cases = {}
    for item in items:
        if item.get_closest_marker("sweep"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    dropped = []
    for same in cases.values():
        share = same[0].get_closest_marker("sweep").args[0]
        drawn = [item for item in same if is_drawn(item.nodeid, share)] or same[:1]
        dropped += [item for item in same if item not in drawn]
    if dropped:
        config.hook.pytest_deselected(items=dropped)
        gone = set(dropped)
        items[:] = [item for item in items if item not in gone]


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
    return weft.create_device(
        type=weft.DeviceType[kind],
        debug=kind == "vulkan" and HAS_LAYER,
        check_indices=False,  # makes every call wait; tests/python/test_index_checks.py has it on
    )


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
def unchecked_gradients():
    """Leave background checks of gradients to test_gradient_checks.py: they compile, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WEFT_CHECK_GRADIENTS", "0")
        yield


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Keep the user's cache and trusted functions out of the tests.

    Whole runs have one cache for all their suites: most of their time goes into compiling.
    """
    with pytest.MonkeyPatch.context() as patch:
        for variable in ("WEFT_CACHE_DIR", "WEFT_TRUST_DIR"):
            patch.setenv(variable, str(tmp_path_factory.mktemp("own")))
        if shared := os.environ.get("WEFT_TEST_CACHE"):
            patch.setenv("WEFT_CACHE_DIR", shared)
        # Kernels that come compiled would hide what compiles them, and counts of what is compiled.
        patch.setenv("WEFT_SHIPPED_KERNELS", "0")
        yield
