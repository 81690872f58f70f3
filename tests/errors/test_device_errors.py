# SPDX-License-Identifier: Apache-2.0
import re
import signal
import threading
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


@pytest.mark.parametrize("kind", [weft.DeviceType.d3d12, weft.DeviceType.metal, weft.DeviceType.cpu, "d3d12"])
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
    assert_raises(weft.ArgumentError, "adapter", lambda: weft.create_device(type="vulkan", adapter=99))


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
        ("vulkan:x", "the adapter in WEFT_DEVICE='vulkan:x' is no number; use for example vulkan:1"),
        ("vulkan:", "the adapter in WEFT_DEVICE='vulkan:' is no number"),
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


def test_a_wait_in_the_main_thread_obeys_signal_handlers(device):
    class Interruption(Exception):
        pass

    def interrupt(*_):
        raise Interruption

    previous = signal.signal(signal.SIGINT, interrupt)
    try:
        timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
        timer.start()
        with pytest.raises(Interruption):
            deadline = time.monotonic() + 10
            while time.monotonic() < deadline:
                weft.Tensor.zeros(device, (1 << 16,)).numpy()
                device.wait()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, previous)

    assert weft.Tensor.ones(device, (4,)).numpy().sum() == 4
