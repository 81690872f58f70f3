# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: E501  (messages stand as they are printed)
import re
import signal
import subprocess
import sys
import time

import pytest

import weft


def assert_raises(kind, text, action):
    with pytest.raises(kind, match=re.escape(text)) as caught:
        action()
    assert not isinstance(caught.value, weft.InternalError)


def test_the_error_classes_have_the_bases_that_users_expect():
    assert issubclass(weft.ArgumentError, ValueError)
    assert issubclass(weft.ArgumentTypeError, weft.ArgumentError)
    assert issubclass(weft.ArgumentTypeError, TypeError)
    assert issubclass(weft.ArgumentNotFoundError, FileNotFoundError)
    assert issubclass(weft.ArgumentAttributeError, AttributeError)
    assert issubclass(weft.CompileError, RuntimeError)
    assert issubclass(weft.DeviceError, RuntimeError)
    assert issubclass(weft.OutOfMemoryError, weft.DeviceError)
    assert issubclass(weft.OutOfMemoryError, MemoryError)
    assert issubclass(weft.ImageError, OSError)
    for name in ("ArgumentError", "CompileError", "DeviceError", "ImageError", "InternalError"):
        assert issubclass(getattr(weft, name), weft.Error)


def test_messages_are_printed_as_they_are():
    for name in ("ArgumentNotFoundError", "ArgumentAttributeError", "OutOfMemoryError"):
        assert str(getattr(weft, name)("f: it's gone; look again")) == "f: it's gone; look again"


@pytest.mark.parametrize(
    "kind", [weft.DeviceType.d3d12, weft.DeviceType.metal, weft.DeviceType.cpu, "d3d12"]
)
def test_device_types_without_a_backend_name_the_alternatives(kind):
    assert_raises(
        weft.ArgumentError,
        "create_device: type must be automatic, vulkan or cuda",
        lambda: weft.create_device(type=kind),
    )


def test_unknown_device_types_are_refused():
    assert_raises(
        ValueError,
        "create_device: type must be 'automatic', 'vulkan' or 'cuda', got 'opengl'",
        lambda: weft.create_device(type="opengl"),
    )
    assert_raises(
        TypeError,
        "create_device: type must be a weft.DeviceType, got int; pass for example weft.DeviceType.vulkan",
        lambda: weft.create_device(type=3),
    )


def test_adapters_that_do_not_exist_are_refused():
    assert_raises(
        weft.ArgumentError, "adapter", lambda: weft.create_device(type="vulkan", adapter=99)
    )


def test_an_absent_cuda_driver_says_how_to_get_it():
    if any(info.type == weft.DeviceType.cuda for info in weft.enumerate_devices()):
        pytest.skip("this machine has CUDA")

    with pytest.raises(weft.DeviceError) as caught:
        weft.create_device(type=weft.DeviceType.cuda)

    assert "driver" in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("opengl", "WEFT_DEVICE must be 'vulkan' or 'cuda', with ':1' for adapter 1, got 'opengl'; correct or unset it"),
        ("vulkan:x", "WEFT_DEVICE must be 'vulkan' or 'cuda', with ':1' for adapter 1, got 'vulkan:x'"),
        ("vulkan:", "WEFT_DEVICE must be 'vulkan' or 'cuda', with ':1' for adapter 1, got 'vulkan:'"),
        ("cuda:-1", "WEFT_DEVICE must be 'vulkan' or 'cuda', with ':1' for adapter 1, got 'cuda:-1'"),
    ],
)  # fmt: skip
def test_a_bad_weft_device_is_named(monkeypatch, value, text):
    monkeypatch.setenv("WEFT_DEVICE", value)

    assert_raises(weft.ArgumentError, f"create_device: {text}", weft.create_device)


def test_include_paths_must_be_paths():
    assert_raises(
        TypeError,
        "create_device: include_paths must be a str or pathlib.Path, got int",
        lambda: weft.create_device(include_paths=[3]),
    )


SPIN = """
float spin(float x, int steps)
{
    for (int i = 0; i < steps; i++)
        x = sin(x) + 1e-3f;
    return x;
}
"""

WAITING = """
import signal
# A job in the background starts with Ctrl-C ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)
import time, weft
device = weft.create_device(type={kind!r})
module = weft.Module.load_from_source(device, "spin", {source!r})
x = weft.Tensor.ones(device, (1 << 16,))
module.spin(x, 1, _result=x)
device.wait()
probe, seconds = 200, 0.0
while seconds < 0.05:  # shorter ones time the launch
    probe *= 4
    start = time.perf_counter()
    module.spin(x, probe, _result=x)
    device.wait()
    seconds = time.perf_counter() - start
steps = int(probe * 20 / seconds)
print("ready", flush=True)
try:
    module.spin(x, min(steps, 2**31 - 1), _result=x)
    {action}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    import os
    os._exit(0)
print("done", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent the POSIX way")
@pytest.mark.parametrize("action", ["device.wait()", "x.numpy()"])
def test_ctrl_c_ends_waits_and_reads(device, action):
    code = WAITING.format(kind=device.info.type.name, source=SPIN, action=action)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(1.0)  # the 20 seconds of work are under way

        start = time.perf_counter()
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline()
        waited = time.perf_counter() - start

    assert answer == "interrupted\n"
    assert waited < 5.0


def test_a_loop_that_the_driver_ends_is_an_error_that_names_function_and_remedy():
    device = weft.create_device(type="vulkan")
    if not re.search(r"llvmpipe Mesa (2[0-4]|1)", device.info.driver):
        pytest.skip("the driver ends no loops")
    source = "int rounds(int n) { int i = 0; while (i < n) i += 1; return i; }"
    module = weft.Module.load_from_source(device, "cut_short", source)

    with pytest.raises(weft.DeviceError) as caught:
        module.rounds(100_000)

    for part in ("'rounds' has a loop", "65535 rounds", "Mesa 25 or later", "split the loop"):
        assert part in str(caught.value)
    assert module.rounds(1000) == 1000
