# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C ends whatever the main thread waits for, and the next call is right."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import weft

pytestmark = [
    pytest.mark.skipif(
        os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1", reason="nothing interrupts Slang itself"
    ),
    pytest.mark.skipif(sys.platform == "win32", reason="sends POSIX signals"),
]

PROMISED = 0.3
"""Seconds on a machine that does nothing else."""

BOUND = 3.0
"""Seconds on a machine where eight other programs want each core; what was wrong took minutes."""

PREPARE = """
import sys, threading, time
import numpy as np
import weft

device = weft.create_device(type=sys.argv[1])
ENDLESS = "void f() { " + "{" * 20000 + "}" * 20000 + " }"
SOURCE = '''
uint spin(uint x) { for (uint i = 0; i < 60000; ++i) x = x * 1664525 + 1013904223; return x; }
float add(float a, float b) { return a + b; }
'''
module = weft.Module.load_from_source(device, "m", SOURCE)
module.add(np.ones(3, np.float32), 1.0)

def background(work):
    begun = threading.Event()
    def body():
        begun.set()
        try:
            work()
        except BaseException:
            pass
    threading.Thread(target=body, daemon=True).start()
    begun.wait()
    time.sleep(0.3)
"""

STATES = {
    "loading": "ready(); weft.Module.load_from_source(device, 'slow', ENDLESS)",
    "loading a file": """
        import pathlib, tempfile
        path = pathlib.Path(tempfile.mkdtemp()) / "slow.slang"
        path.write_text(ENDLESS)
        ready()
        weft.Module.load_from_file(device, path)
    """,
    "reloading": """
        import pathlib, tempfile
        path = pathlib.Path(tempfile.mkdtemp()) / "m.slang"
        path.write_text("float f(float x) { return x; }")
        again = weft.Module.load_from_file(device, path)
        path.write_text(ENDLESS)
        ready()
        again.reload()
    """,
    "waiting for a compile of another thread": """
        other = weft.create_device(type=sys.argv[1])
        background(lambda: weft.Module.load_from_source(other, "slow", ENDLESS))
        ready()
        while True:
            source = f"float f(float x) {{ return x * {time.time_ns()}.f; }}"
            weft.Module.load_from_source(other, "other", source)
    """,
    "waiting for the device": """
        x = weft.Tensor.from_numpy(device, np.arange(1 << 13, dtype=np.uint32))
        for _ in range(8):
            y = module.spin(x, _result="tensor")
        ready()
        while True:
            y = module.spin(y, _result="tensor")
            device.wait()
    """,
    "reading a result": """
        x = weft.Tensor.from_numpy(device, np.arange(1 << 13, dtype=np.uint32))
        ready()
        while True:
            for _ in range(4):
                y = module.spin(x, _result="tensor")
            y.numpy()
    """,
    "filling the queue": """
        x = weft.Tensor.from_numpy(device, np.arange(1 << 13, dtype=np.uint32))
        ready()
        while True:
            module.spin(x, _result="tensor")
    """,
    "calling for the first time": """
        ready()
        for count in range(1, 10000):
            new = weft.Module.load_from_source(
                device, f"m{count}", f"float f(float x) {{ return x * {time.time_ns()}.f; }}")
            new.f(np.ones(count, np.float32))
    """,
    "making devices": """
        ready()
        while True:
            weft.create_device(type=sys.argv[1])
    """,
    "closing": """
        other = weft.create_device(type=sys.argv[1])
        spinning = weft.Module.load_from_source(other, "m", SOURCE)
        x = weft.Tensor.from_numpy(other, np.arange(1 << 13, dtype=np.uint32))
        for _ in range(12):
            y = spinning.spin(x, _result="tensor")
        ready()
        other.close()
        time.sleep(100)
    """,
}

FINISH = """
print("interrupted", time.time(), flush=True)
result = module.add(np.ones(3, np.float32), 2.0, _result="numpy")
assert result.tolist() == [3.0] * 3, result
new = weft.Module.load_from_source(device, "next", "float twice(float x) { return 2 * x; }")
assert new.twice(4.0) == 8.0
print("right", flush=True)
"""


def interrupt(kind, state, delay):
    """Send Ctrl-C to a script; return the seconds until its exception, and what it says then."""
    body = textwrap.indent(textwrap.dedent(state), "    ")
    script = (
        f"{PREPARE}\ndef ready():\n    print('ready', flush=True)\n"
        f"try:\n{body}\nexcept KeyboardInterrupt:\n    pass\nelse:\n    sys.exit(9)\n{FINISH}"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, kind],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as host:
        killer = threading.Timer(60, host.kill)
        killer.start()
        assert host.stdout.readline() == "ready\n", host.stderr.read()
        time.sleep(delay)
        sent = time.time()
        host.send_signal(signal.SIGINT)
        out, err = host.communicate()
        killer.cancel()
    assert host.returncode == 0, err
    lines = out.splitlines()
    return float(lines[0].split()[1]) - sent, lines[1]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("state", STATES)
def test_ctrl_c_ends_the_wait_and_the_next_call_is_right(device, state, record_property):
    seconds, then = interrupt(device.info.type.name, STATES[state], 0.7)

    record_property("seconds", round(seconds, 3))
    assert seconds < BOUND
    assert then == "right"


def children_of(process):
    """Return the ids of a process's children."""
    tasks = Path(f"/proc/{process}/task").glob("*/children")
    return {int(word) for task in tasks for word in task.read_text().split()}


def is_alive(process):
    """Say whether a process runs; one that has ended and waits to be collected does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


HOSTS = {
    "compiling": "ready(); weft.Module.load_from_source(device, 'slow', ENDLESS)",
    "idle": "ready(); time.sleep(100)",
    "started by a thread that ended": """
        source = "float t() { return 1; }"
        starter = threading.Thread(
            target=lambda: weft.Module.load_from_source(device, "t", source))
        starter.start()
        starter.join()
        ready()
        weft.Module.load_from_source(device, "slow", ENDLESS)
    """,
    "with a fork that keeps the pipe open": """
        import os, warnings
        warnings.simplefilter("ignore")
        child = os.fork()
        if child == 0:
            time.sleep(30)
            os._exit(0)
        ready()
        weft.Module.load_from_source(device, "slow", ENDLESS)
    """,
}


@pytest.mark.sweep(3)
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("state", HOSTS)
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM])
def test_the_compiler_ends_with_its_host(
    device, state, ending, record_property, tmp_path, monkeypatch
):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    body = textwrap.dedent(HOSTS[state]).strip()
    script = f"{PREPARE}\ndef ready():\n    print('ready', flush=True)\n{body}\n"
    with subprocess.Popen(
        [sys.executable, "-c", script, device.info.type.name], stdout=subprocess.PIPE, text=True
    ) as host:
        assert host.stdout.readline() == "ready\n"
        time.sleep(0.5)
        compilers = {
            child
            for child in children_of(host.pid)
            if "weft-compiler" in Path(f"/proc/{child}/cmdline").read_text()
        }
        forks = children_of(host.pid) - compilers
        assert compilers
        host.send_signal(ending)
        host.wait()
        ended = time.monotonic()
        while any(map(is_alive, compilers)) and time.monotonic() < ended + 30:
            time.sleep(0.01)
        seconds = time.monotonic() - ended
        for fork in forks:
            os.kill(fork, signal.SIGKILL)

    record_property("seconds", round(seconds, 3))
    assert seconds < 1 + BOUND


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_compiler_outlives_the_thread_that_started_it(device, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    with weft_device(device) as fresh:
        load = [f"float f() {{ return {number}; }}" for number in range(3)]
        first = threading.Thread(target=fresh.load_module_from_source, args=("a", load[0]))
        first.start()
        first.join()
        fresh.load_module_from_source("b", load[1])
        fresh.load_module_from_source("c", load[2])

        assert fresh.compiler_statistics["helper_starts"] == 1


def weft_device(like):
    """Create another device of a kind."""
    return weft.create_device(type=like.info.type)
