# SPDX-License-Identifier: Apache-2.0
"""Background checks of gradients hinder no end: of a process, a child, a device, a thread."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import weft
from weft._forks import names_of_endangered

SOURCE = """
[Differentiable] float f(float x)
{
    float y[1] = { x };
    for (int i = 0; i < 3; i++)
        y[0] *= x;
    return y[0];
}
"""

SCRIPT = """
import os, pathlib, signal, sys, tempfile, threading, time, warnings
import numpy as np, weft
warnings.simplefilter("ignore")
folder = tempfile.mkdtemp()
device = weft.create_device(type=weft.DeviceType.{device}, cache_directory=folder)
path = pathlib.Path(folder) / "m.slang"
path.write_text('''{source}''')
module = weft.Module.load_from_file(device, path)
x = weft.Tensor.from_numpy(device, np.linspace(.1, .9, 50).astype(np.float32)).with_grads()
r = weft.Tensor.zeros(device, (50,)).with_grads()
module.f.bwds(x, _result=r)
{rest}
"""

STATES = {"under way": "", "done": "device.wait_for_gradient_checks(); time.sleep(.3)"}


def run_script(device, *rest):
    """Run a process whose check of a first call goes on, and return what became of it."""
    text = SCRIPT.format(
        device=device.info.type.name,
        source=SOURCE,
        rest="\n".join(textwrap.dedent(part) for part in rest),
    )
    settings = {**os.environ, "WEFT_CHECK_GRADIENTS": "1"}
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env=settings, timeout=300
    )


@pytest.mark.sweep(3)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    "action",
    ["pass", "device.close()", "del device, module, x, r", "device.wait_for_gradient_checks()"],
)
def test_a_forked_child_ends(device, state, action):
    if names_of_endangered([device.info]):
        pytest.skip("the driver crashes when a forked child ends (docs/devices.md)")
    ended = run_script(
        device,
        STATES[state],
        f"""
        child = os.fork()
        if child == 0:
            try:
                {action}
            except weft.DeviceError:
                pass
            sys.exit(5)
        limit = time.monotonic() + 60
        while time.monotonic() < limit:
            found, status = os.waitpid(child, os.WNOHANG)
            if found:
                print(os.waitstatus_to_exitcode(status))
                break
            time.sleep(.05)
        else:
            os.kill(child, signal.SIGKILL)
        """,
    )

    assert (ended.returncode, ended.stdout) == (0, "5\n"), ended.stderr


@pytest.mark.sweep(3)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("count", [1, 2, 8])
def test_threads_may_close_at_once(device, state, count):
    ended = run_script(
        device,
        STATES[state],
        f"""
        threads = [threading.Thread(target=device.close) for _ in range({count})]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print("closed")
        """,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "closed\n", "")


def test_a_daemon_thread_may_make_first_calls_while_the_process_ends(device):
    ended = run_script(
        device,
        """
        def load():
            for i in range(1000):
                text = path.read_text().replace("3", str(i))
                other = weft.Module.load_from_source(device, f"other{i}", text)
                other.f.bwds(x, _result=r)
        threading.Thread(target=load, daemon=True).start()
        time.sleep(.5)
        """,
    )

    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_wait_for_checks_ends_with_ctrl_c(device):
    ended = run_script(
        device,
        """
        for i in range(20):
            text = path.read_text().replace("3", str(i))
            other = weft.Module.load_from_source(device, f"other{i}", text)
            other.f.bwds(x, _result=r)
        threading.Timer(.1, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            for _ in range(1000): device.wait_for_gradient_checks(); time.sleep(.01)
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - start < 5)
        """,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "interrupted True\n", "")


def test_each_module_is_looked_at_also_where_one_was_before(device):
    before = device.check_gradients
    device.check_gradients = True
    x = weft.Tensor.from_numpy(device, np.linspace(0.1, 0.9, 50).astype(np.float32)).with_grads()
    result = weft.Tensor.zeros(device, (50,)).with_grads()
    try:
        for _ in range(12):  # memory of a module that ended is soon that of the next one
            module = weft.Module.load_from_source(device, "again", SOURCE)
            module.f.bwds(x, _result=result)
            device.wait_for_gradient_checks()
            assert "right at 4 elements" in module.f.bwds.explain(x, _result=result)
            del module
    finally:
        device.check_gradients = before


def test_a_check_looks_at_no_array_of_a_call_that_ended(device):
    ended = run_script(
        device,
        """
        count = 50
        for i in range(12):
            text = path.read_text().replace("3", str(i + 1))
            other = weft.Module.load_from_source(device, f"other{i}", text)
            given = weft.diffPair(np.linspace(.1, .9, count, dtype=np.float32))
            zero, one = np.zeros(count, np.float32), np.ones(count, np.float32)
            other.f.bwds(given, _result=weft.diffPair(zero, one))
            del given, other
            for _ in range(50): module.f(np.full((2, 3, 4, 5, 6), .5, np.float32))
        device.wait_for_gradient_checks()
        print("checked")
        """,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "checked\n", "")
