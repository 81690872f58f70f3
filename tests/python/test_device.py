# SPDX-License-Identifier: Apache-2.0
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import weft


def test_info_names_the_device(device):
    info = device.info

    assert info.name
    assert info.driver
    assert info.type in (weft.DeviceType.vulkan, weft.DeviceType.cuda)
    assert info.memory > 0
    assert info.limits.max_threads_per_group >= 128
    assert isinstance(info.features.float64, bool)


def test_enumerate_lists_every_device_with_the_adapter_to_ask_for(device):
    found = [(info.type, info.adapter) for info in weft.enumerate_devices()]

    assert (device.info.type, device.info.adapter) in found


def test_type_may_be_a_name():
    with weft.create_device(type="vulkan") as device:
        assert device.info.type == weft.DeviceType.vulkan


def test_init_device_is_create_device():
    with weft.init_device(type=weft.DeviceType.vulkan, adapter=0) as device:
        assert device.info.adapter == 0


@pytest.mark.parametrize("value", ["vulkan", "vulkan:0"])
def test_weft_device_decides_where_the_type_is_left_open(monkeypatch, value):
    monkeypatch.setenv("WEFT_DEVICE", value)

    with weft.create_device() as device:
        assert device.info.type == weft.DeviceType.vulkan


def test_leaving_the_block_closes_the_device(fresh_device):
    with fresh_device as device:
        assert not device.is_closed

    assert device.is_closed
    device.close()
    assert "closed" in repr(device)


def test_memory_info_counts_live_tensors(fresh_device):
    before = fresh_device.memory_info()

    tensor = weft.Tensor.empty(fresh_device, (1 << 20,))
    during = fresh_device.memory_info()
    del tensor
    fresh_device.wait()

    assert during.used - before.used >= 4 << 20
    assert during.live_buffers == before.live_buffers + 1
    assert fresh_device.memory_info().used == before.used


def test_two_devices_live_in_one_process(device, fresh_device):
    first = weft.Tensor.full(device, (4,), 1)
    second = weft.Tensor.full(fresh_device, (4,), 2)

    assert first.numpy().tolist() == [1] * 4
    assert second.numpy().tolist() == [2] * 4


def test_threads_share_a_device(device):
    failures = []

    def work(number):
        for step in range(20):
            array = np.full(1000, number * 100 + step, np.int32)
            if not np.array_equal(weft.Tensor.from_numpy(device, array).numpy(), array):
                failures.append((number, step))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.filterwarnings("ignore:os.fork:RuntimeWarning")  # of an imported JAX
def test_a_child_after_fork_is_told_to_make_its_own_device(fresh_device):
    tensor = weft.Tensor.ones(fresh_device, (4,))
    tensor.numpy()
    read, write = os.pipe()

    child = os.fork()
    if child == 0:
        try:
            tensor.numpy()
            message = "no error"
        except weft.DeviceError as error:
            message = str(error)
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
        os.write(write, message.encode())
        os._exit(0)
    os.waitpid(child, 0)

    assert "fork" in os.read(read, 4096).decode()
    assert tensor.numpy().tolist() == [1] * 4


ENDLESS = "void f() { " + "{" * 20000 + "}" * 20000 + " }"


@pytest.mark.skipif(os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1", reason="no process to end")
@pytest.mark.parametrize("way", ["argument", "environment"])
def test_the_time_that_compiling_takes_is_limited(way, monkeypatch):
    if way == "environment":
        monkeypatch.setenv("WEFT_COMPILE_TIME_LIMIT", "0.75")
    limit = {"compile_time_limit": 0.75} if way == "argument" else {}
    device = weft.create_device(**limit)
    start = time.monotonic()

    with pytest.raises(weft.CompileError, match=r"'slow' took longer.*0\.75 s.*compile_time_limit"):
        device.load_module_from_source("slow", ENDLESS)

    assert time.monotonic() - start < 20


def child_processes():
    """Return the ids of this process's children."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(word) for task in tasks for word in task.read_text().split()}


def processor_time(child):
    """Return the seconds that a process has worked."""
    words = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def crash_when_busy(child):
    """End a process by a signal of crashes while it works: one that waits would be replaced."""
    before = processor_time(child)
    deadline = time.monotonic() + 60.0
    while processor_time(child) < before + 0.2 and time.monotonic() < deadline:
        time.sleep(0.001)
    os.kill(child, signal.SIGSEGV)


@pytest.mark.skipif(os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1", reason="no process to stop")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell processor time")
def test_time_that_other_programs_take_does_not_count():
    patient = weft.create_device()
    patient.load_module_from_source("cached", f"float f() {{ return {time.time_ns()}; }}")
    before = child_processes()
    device = weft.create_device(compile_time_limit=1.0)
    device.load_module_from_source("first", f"float f() {{ return {time.time_ns()}; }}")
    (compiler,) = child_processes() - before
    os.kill(compiler, signal.SIGSTOP)
    start = time.monotonic()
    timer = threading.Timer(2.0, os.kill, [compiler, signal.SIGCONT])
    timer.start()

    device.load_module_from_source("second", f"float f() {{ return {time.time_ns()} + 1; }}")

    timer.join()
    assert time.monotonic() - start >= 2.0


@pytest.mark.full
@pytest.mark.skipif(os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1", reason="no process to end")
@pytest.mark.parametrize("way", ["argument", "environment"])
def test_the_memory_of_the_compiler_is_limited(way, monkeypatch):
    least = 1 << 30
    if way == "environment":
        monkeypatch.setenv("WEFT_COMPILE_MEMORY_LIMIT", str(least))
    limit = {"compile_memory_limit": least} if way == "argument" else {}
    device = weft.create_device(**limit)
    large = "\n".join(f"float f{i}(float x) {{ return x * {i} + x; }}" for i in range(60000))

    with pytest.raises(
        weft.CompileError, match=r"'large' ran out of memory.*memory_limit"
    ) as error:
        device.load_module_from_source("large", large)
    assert "1024 MB" in str(error.value)

    module = device.load_module_from_source("small", "float g(float x) { return x; }")
    assert module.g(2.0) == 2.0


@pytest.mark.skipif(os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1", reason="no process to limit")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems set no limits from outside")
@pytest.mark.parametrize("room", [4, 16, 32, 48, 64])
def test_a_compiler_that_earlier_requests_filled_gives_way_to_a_fresh_one(room):
    resource = pytest.importorskip("resource")
    limit = 2 << 30
    before = child_processes()
    with weft.create_device(compile_memory_limit=limit, cache_directory="") as device:
        device.load_module_from_source("warm", "float w(float x) { return x; }")
        (compiler,) = child_processes() - before
        used = int(Path(f"/proc/{compiler}/statm").read_text().split()[0]) * resource.getpagesize()
        resource.prlimit(compiler, resource.RLIMIT_AS, (used + (room << 20), limit))
        lines = [f"float f{i}(float x) {{ return x * {i} + sin(x); }}" for i in range(300)]
        text = "\n".join(["import weft.bsdf;", *lines])

        # With little room operator new fails; with more, Slang follows a null pointer of malloc():
        # as a crash it would be an error.
        large = device.load_module_from_source("large", text)

        assert large.f3(0.0) == 0.0
        assert device.compiler_statistics["helper_starts"] == 2


@pytest.mark.skipif(os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1", reason="no process to end")
@pytest.mark.skipif(sys.platform != "linux", reason="other systems name other signals")
def test_a_compiler_that_crashes_with_memory_left_is_not_out_of_memory():
    before = child_processes()
    with weft.create_device(cache_directory="") as device:
        device.load_module_from_source("warm", "float w(float x) { return x; }")
        (compiler,) = child_processes() - before
        crash = threading.Thread(target=crash_when_busy, args=(compiler,))
        crash.start()

        with pytest.raises(weft.CompileError, match=r"signal 11.*deeply nested"):
            device.load_module_from_source("next", ENDLESS)

        crash.join()
        assert device.load_module_from_source("last", "float g(float x) { return x; }").g(2.0) == 2


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("compile_time_limit", 0),
        ("compile_time_limit", -1),
        ("compile_time_limit", float("nan")),
        ("compile_memory_limit", 4096),
        ("cache_size_limit", 4096),
        ("memory_limit", 4096),
    ],
)
def test_a_limit_that_cannot_work_is_refused(option, value):
    with pytest.raises(weft.ArgumentError, match=rf"create_device: {option} must be .*the default"):
        weft.create_device(**{option: value})


def test_compiled_code_lies_where_the_device_was_told(tmp_path):
    source = "float add_one(float x) { return x + 1.f; }"
    with weft.create_device(cache_directory=tmp_path / "own", cache_size_limit=1 << 24) as device:
        module = device.load_module_from_source("located", source)
        assert module.add_one(1.0) == 2.0
    assert [file for file in (tmp_path / "own" / "slang").rglob("*") if file.is_file()]

    with weft.create_device(cache_directory="") as device:
        module = device.load_module_from_source("located", source)
        assert module.add_one(1.0) == 2.0
        assert device.compiler_statistics["kernel_hits"] == 0


@pytest.mark.parametrize("variable", ["WEFT_COMPILE_TIME_LIMIT", "WEFT_COMPILE_MEMORY_LIMIT"])
def test_a_limit_in_the_environment_must_be_a_number(variable, monkeypatch):
    monkeypatch.setenv(variable, "plenty")

    with pytest.raises(weft.ArgumentError, match=rf"{variable}.*'plenty'.*unset"):
        weft.create_device()
