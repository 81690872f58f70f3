# SPDX-License-Identifier: Apache-2.0
"""Devices for all tests: every test that takes `device` runs on each kind that this machine has."""

from __future__ import annotations

import os

import pytest

import weft

KINDS = ("vulkan", "cuda")


def required_kinds() -> set[str]:
    """Kinds whose absence is a failure: WEFT_TEST_DEVICES, by default software or real Vulkan."""
    return set(os.environ.get("WEFT_TEST_DEVICES", "vulkan").split(","))


def create(kind: str) -> weft.Device:
    """Create a device for tests; skip where the machine has none and none is required."""
    if kind not in {info.type.name for info in weft.enumerate_devices()}:
        message = f"this machine has no {kind} device"
        if kind in required_kinds():
            pytest.fail(f"{message}, and WEFT_TEST_DEVICES requires one")
        pytest.skip(message)
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


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Keep the user's cache out of the tests."""
    previous = os.environ.get("WEFT_CACHE_DIR")
    os.environ["WEFT_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))
    yield
    if previous is None:
        del os.environ["WEFT_CACHE_DIR"]
    else:
        os.environ["WEFT_CACHE_DIR"] = previous
