# SPDX-License-Identifier: Apache-2.0
"""A fork beside a device whose driver does not bear it brings one warning; nothing else does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import weft
from weft import _forks
from weft._native import Tracer

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


def info(kind="vulkan", name="a GPU", is_software=False):
    return SimpleNamespace(
        type=weft.DeviceType[kind], name=name, features=SimpleNamespace(is_software=is_software)
    )


GPU = info()
OTHER = info(name="Another")
CUDA = info("cuda")
SOFTWARE = info(is_software=True)


@pytest.mark.parametrize(
    ("devices", "names"),
    [
        ([], ""),
        ([CUDA], ""),
        ([SOFTWARE], ""),
        ([SOFTWARE, CUDA], ""),
        ([GPU], "a GPU"),
        ([CUDA, SOFTWARE, GPU], "a GPU"),
        ([GPU, GPU], "a GPU"),
        ([GPU, OTHER], "Another, a GPU"),
    ],
)
def test_hardware_behind_vulkan_is_what_a_fork_endangers(devices, names):
    assert _forks.names_of_endangered(devices) == names


def fork():
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def warnings_of_fork():
    """Fork, and return the warnings of Weft."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fork()
    return [entry for entry in caught if "Vulkan" in str(entry.message)]


@pytest.fixture
def open_devices(monkeypatch):
    """What the process seems to hold."""
    devices = []
    monkeypatch.setattr(_forks, "_open_devices", lambda: devices)
    _forks._warn.cache_clear()
    yield devices
    _forks._warn.cache_clear()


@needs_fork
def test_the_first_fork_brings_one_warning_that_says_what_to_do(open_devices):
    open_devices.append(GPU)

    (warning,) = warnings_of_fork()

    assert warning.category is RuntimeWarning
    assert warning.filename == __file__
    for word in ("os.fork", "(a GPU)", "crash", "wait", "'spawn'", "subprocess", "CUDA"):
        assert word in str(warning.message)
    assert warnings_of_fork() == []


@needs_fork
@pytest.mark.parametrize("devices", [[], [CUDA], [SOFTWARE]])
def test_a_fork_that_drivers_bear_brings_none(open_devices, devices):
    open_devices.extend(devices)

    assert warnings_of_fork() == []


@needs_fork
def test_another_device_is_another_warning(open_devices):
    open_devices.append(GPU)
    assert len(warnings_of_fork()) == 1
    open_devices.append(OTHER)

    assert [str(entry.message).count("Another") for entry in warnings_of_fork()] == [1]


def test_a_program_that_is_started_brings_none(open_devices):
    open_devices.append(GPU)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        subprocess.run([sys.executable, "-c", ""], check=True, timeout=100)

    assert _forks._warn.cache_info().misses == 0


@needs_fork
def test_a_process_whose_warnings_are_errors_forks_all_the_same():
    text = """
        import os, sys, types, weft
        info = types.SimpleNamespace(type=weft.DeviceType.vulkan, name="a GPU",
                                     features=types.SimpleNamespace(is_software=False))
        weft._forks._open_devices = lambda: [info]
        child = os.fork()
        if child == 0:
            os._exit(5)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    ended = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        timeout=100,
    )

    assert (ended.returncode, ended.stdout) == (0, "5\n"), ended.stderr
    assert "RuntimeWarning: os.fork: this process has an open Vulkan device" in ended.stderr


def count_open(device):
    return [entry.name for entry in weft._native._open_devices()].count(device.info.name)


def test_open_devices_are_known_until_they_are_closed(fresh_device):
    count = count_open(fresh_device)
    fresh_device.close()

    assert count_open(fresh_device) == count - 1 >= 0


def test_a_device_that_only_a_tensor_holds_is_open(device):
    before = count_open(device)
    tensor = weft.Tensor.from_numpy(weft.create_device(type=device.info.type), np.ones(3))

    assert count_open(device) == before + 1
    assert tensor.numpy().tolist() == [1, 1, 1]
    del tensor
    assert count_open(device) == before


@needs_fork
@pytest.mark.filterwarnings("ignore:os.fork")  # JAX, loaded by other tests, warns of its threads
def test_a_child_may_drop_what_has_threads(device):
    """The end of a condition variable waits for those that wait: threads that a child has not."""
    corners = np.array([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], np.float32)
    mesh = (corners, np.array([[0, 1, 2]], np.uint32))
    tracer = Tracer(device, [mesh], np.zeros(1, np.uint32), np.eye(4, dtype=np.float32)[None, :3])

    child = os.fork()
    if child == 0:
        del tracer
        os._exit(7)

    end = time.monotonic() + 60
    while (ended := os.waitpid(child, os.WNOHANG))[0] == 0 and time.monotonic() < end:
        time.sleep(0.01)
    if ended[0] == 0:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    assert ended[0] == child
    assert os.waitstatus_to_exitcode(ended[1]) == 7
