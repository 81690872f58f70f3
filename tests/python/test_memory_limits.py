# SPDX-License-Identifier: Apache-2.0
"""What does not fit into memory is refused untouched, and nothing is kept that nobody needs."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft

GIB = 1 << 30


def machine_memory():
    """Bytes of RAM that this machine has left."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no MemAvailable")


def resident_kib():
    """KiB of this process that are in memory."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


@pytest.fixture
def software(fresh_device):
    """A device that takes the machine's own memory."""
    if not fresh_device.info.features.is_software or sys.platform != "linux":
        pytest.skip("its memory is its own")
    return fresh_device


def test_memory_info_counts_what_the_machine_has(software):
    info = software.memory_info()

    assert 0 < info.available <= info.total
    assert info.available <= machine_memory() * 1.1


def test_memory_info_counts_what_was_promised_but_not_touched(software):
    before = software.memory_info().available
    if before < 6 * GIB:
        pytest.skip("other programs use the memory, and their changes would count")
    tensors = [weft.Tensor.empty(software, (1 << 28,)) for _ in range(4)]

    promised = software.memory_info().available
    del tensors

    assert before - promised > 2 * GIB


@pytest.mark.parametrize("part", [1 << 20, 1 << 26, 1 << 28])
def test_what_cannot_fit_is_refused_untouched(software, part):
    if part == 1 << 20 and machine_memory() > 64 * GIB:
        pytest.skip("too many parts")
    total = software.memory_info().total
    before = resident_kib()
    kept = []

    def take_all():
        for _ in range(2 * total // (4 * part) + 2):
            kept.append(weft.Tensor.empty(software, (part,)))

    with pytest.raises(weft.OutOfMemoryError, match="is out of memory: asked for"):
        take_all()

    assert resident_kib() - before < 1 << 18, "it was touched"
    assert 4 * part * len(kept) < total
    kept.clear()
    gc.collect()
    assert weft.Tensor.zeros(software, (4,)).numpy().tolist() == [0] * 4


def test_one_tensor_larger_than_the_machine_is_refused(software):
    count = 2 * software.memory_info().total // 4

    with pytest.raises(weft.OutOfMemoryError):
        weft.Tensor.zeros(software, (count,))

    assert weft.Tensor.full(software, (4,), 3).numpy().tolist() == [3] * 4


def test_devices_of_a_process_share_what_is_there(software):
    with weft.create_device(type=software.info.type) as other:
        before = other.memory_info().available
        if before < 6 * GIB:
            pytest.skip("other programs use the memory, and their changes would count")
        tensors = [weft.Tensor.empty(software, (1 << 28,)) for _ in range(4)]

        assert before - other.memory_info().available > 2 * GIB
        del tensors


@pytest.mark.skipif(sys.platform != "linux", reason="sets a limit of Linux")
def test_a_limit_of_the_process_is_kept():
    script = """
import resource, sys
import weft
with weft.create_device(type="vulkan") as device:
    if not device.info.features.is_software:
        sys.exit()
    used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30),) * 2)
    assert device.memory_info().available < 1 << 30, device.memory_info().available
    try:
        weft.Tensor.empty(device, (1 << 28,))
    except weft.OutOfMemoryError as error:
        print(error)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)

    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "" or "is out of memory" in ended.stdout


def reload_and_call(path, module, first, count):
    for number in range(first, first + count):
        path.write_text(f"float f(float x) {{ return x * {number}; }}\n")
        module.reload()
        assert module.f(np.full(2, 2, np.float32), _result="numpy").tolist() == [2 * number] * 2


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_reloads_followed_by_calls_keep_nothing(fresh_device, tmp_path, record_property):
    path = tmp_path / "m.slang"
    path.write_text("float f(float x) { return x; }\n")
    module = weft.Module.load_from_file(fresh_device, path)
    reload_and_call(path, module, 1, 60)
    before = resident_kib()

    reload_and_call(path, module, 100, 100)
    kept = (resident_kib() - before) / 100

    record_property("KiB", round(kept, 1))
    assert kept < 20


SUB_INTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
one = interpreters.create({})
code = '''
try:
    import weft
except ImportError as error:
    print("ImportError:", error, flush=True)
'''
{}
interpreters.run_string(one, code)
interpreters.destroy(one)
{}
"""


@pytest.mark.parametrize("isolated", ["", "'legacy'"])
@pytest.mark.parametrize("before", ["", "import weft"])
@pytest.mark.parametrize("after", ["", "import weft; print(weft.create_device().is_closed)"])
def test_a_sub_interpreter_says_that_it_cannot_import_weft(isolated, before, after):
    if isolated and sys.version_info < (3, 13):
        isolated = "isolated=False"
    ended = subprocess.run(
        [sys.executable, "-c", SUB_INTERPRETER.format(isolated, before, after)],
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("ImportError: ")
    assert "main interpreter" in lines[0]
    assert lines[1:] == (["False"] if after else [])


@pytest.mark.parametrize("way", ["argument", "environment"])
def test_a_limit_of_the_device_is_kept(way, monkeypatch):
    limit = 256 << 20
    if way == "environment":
        monkeypatch.setenv("WEFT_MEMORY_LIMIT", str(limit))
    with weft.create_device(
        "vulkan", **({"memory_limit": limit} if way == "argument" else {})
    ) as own:
        kept = weft.Tensor.empty(own, (40 << 20,))

        with pytest.raises(weft.OutOfMemoryError, match=r"memory_limit is 256 MiB.*held by"):
            weft.Tensor.empty(own, (40 << 20,))

        assert own.memory_info().total == limit
        del kept
        assert weft.Tensor.empty(own, (50 << 20,)).shape == (50 << 20,)


def test_memory_of_sizes_that_change_is_given_back(software):
    for rows in (26, 32, 40, 50):
        unused = weft.Tensor.empty(software, (rows << 20,))
        del unused
    software.wait()
    other = weft.Tensor.empty(software, (8 << 20,))

    assert software.memory_info().reserved <= (256 + 64 + 33) << 20
    assert other.shape == (8 << 20,)
