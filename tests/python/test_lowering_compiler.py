# SPDX-License-Identifier: Apache-2.0
"""Sources that the compiler does not get through end in one error, and the next one is lowered."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import weft
from support.compiler_processes import compilers

pytestmark = pytest.mark.skipif(
    os.environ.get("WEFT_COMPILER_IN_PROCESS") == "1", reason="no process to end"
)

HANGS = "void f() { " + "{" * 20000 + "}" * 20000 + " }"
FITS = "float g(float x) { return x + 1; }"


@pytest.fixture(autouse=True)
def compiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A compiler that finds nothing compiled, so that its process starts."""
    monkeypatch.setenv("WEFT_CACHE_DIR", str(tmp_path))
    weft.lowering._compiler.cache_clear()
    yield
    weft.lowering._compiler.cache_clear()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("WEFT_COMPILE_TIME_LIMIT", "0.75")
    weft.lowering._compiler.cache_clear()
    yield
    weft.lowering._compiler.cache_clear()


@pytest.mark.parametrize("form", ["nodes", "osl"])
@pytest.mark.usefixtures("impatient")
def test_a_source_that_hangs_the_compiler_is_one_error(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(weft.CompileError, match=r"'<text>' took longer.*0\.75 s") as refused:
        weft.lower(None, "f", text=HANGS, to=form)
    assert refused.value.__cause__ is None

    monkeypatch.delenv("WEFT_COMPILE_TIME_LIMIT")
    weft.lowering._compiler.cache_clear()
    assert weft.lower(None, "g", text=FITS).nodes == 1


@pytest.mark.skipif(sys.platform != "linux", reason="looks for the process in /proc")
def test_a_compiler_that_was_ended_while_it_waited_is_replaced() -> None:
    for number in range(3):
        assert weft.lower(None, "g", text=FITS.replace("1", f"{number}.25")).nodes == 1
        ended = compilers()
        assert ended
        for process in ended:
            os.kill(process, signal.SIGKILL)
        until = time.monotonic() + 60
        while set(ended) & set(compilers()):  # its end of the pipe is open
            assert time.monotonic() < until
            time.sleep(0.01)


def crash_what_starts(known: set[int]) -> None:
    """End the first compiler that is not known as a crash does."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for process in set(compilers()) - known:
            os.kill(process, signal.SIGSEGV)
            return
        time.sleep(0.01)


@pytest.mark.parametrize("form", ["nodes", "osl"])
@pytest.mark.skipif(sys.platform != "linux", reason="looks for the process in /proc")
def test_a_compiler_that_crashes_is_one_error(form: str) -> None:
    weft.lowering._compiler.cache_clear()
    crash = threading.Thread(target=crash_what_starts, args=(set(compilers()),))
    crash.start()

    with pytest.raises(weft.CompileError) as refused:
        weft.lower(None, "f", text=HANGS, to=form)

    crash.join()
    assert re.match(
        r"compiling '<text>' crashed the Slang compiler \(its process was killed by signal 11.*\); "
        "look for deeply nested or very long expressions",
        str(refused.value),
    )
    assert refused.value.__cause__ is None
    assert weft.lower(None, "g", text=FITS.replace("1", "7.5")).nodes == 1
