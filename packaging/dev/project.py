# SPDX-License-Identifier: Apache-2.0
"""Paths of the project, how a step runs, and stamps that let a step be skipped."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
PACKAGING = ROOT / "packaging"


class DevError(Exception):
    """A step failed; the text is one sentence for the user. Empty if the step has said it all."""


left_out: list[str] = []
"""What was skipped as a whole; ./dev test repeats it in its last lines."""


def leave_out(text: str) -> None:
    """Print that something is skipped, and remember it."""
    left_out.append(text)
    say(text)


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"dev: {text}", flush=True)


def run(*command: str | Path, env: Mapping[str, str] | None = None, check: bool = True) -> int:
    """Run a command in the project's root, with its output shown, and return its exit status.

    Args:
        *command: Program and arguments.
        env: Variables added to the environment.
        check: Raise DevError if the status is not zero.
    """
    words = [str(word) for word in command]
    status = subprocess.run(
        words, cwd=ROOT, env=os.environ | dict(env or {}), stdin=subprocess.DEVNULL
    ).returncode
    if check and status != 0:
        raise DevError(f"'{' '.join(words)[:300]}' failed with status {status}")
    return status


def output_of(*command: str | Path) -> str:
    """Run a command and return what it wrote to standard output; DevError if it failed."""
    words = [str(word) for word in command]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if result.returncode != 0:
        raise DevError(f"'{' '.join(words)[:300]}' failed: {result.stderr.strip()[-500:]}")
    return result.stdout


def content_hash(paths: Iterable[Path], *, extra: str = "") -> str:
    """Return one hash over names and contents of files; a folder counts with all it holds."""
    digest = hashlib.sha256(extra.encode())
    for path in paths:
        files = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in files:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(ROOT)}\0{file.stat().st_mode & 0o111}\0".encode())
                digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


class Stamp:
    """Remembers under which inputs a step last succeeded."""

    def __init__(self, name: str, key: str) -> None:
        self._path = BUILD / "stamps" / name
        self.key = key

    def is_fresh(self) -> bool:
        """Return whether the step succeeded with these inputs last time."""
        return self._path.is_file() and self._path.read_text() == self.key

    def write(self) -> None:
        """Record success."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(self.key)


@contextlib.contextmanager
def build_lock() -> Iterator[None]:
    """Let one ./dev at a time change build/."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / ".lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("waiting for another ./dev in this folder")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def timed(what: str) -> Iterator[None]:
    """Print what is done and, if it took a while, how long."""
    say(what)
    start = time.monotonic()
    yield
    elapsed = time.monotonic() - start
    if elapsed > 5:
        say(f"{what}: {elapsed:.0f} s")


def tracked_files(*suffixes: str) -> list[Path]:
    """Return the project's files with these suffixes: known to git, or new and not ignored."""
    names = output_of("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    files = (ROOT / name for name in sorted(set(names.split("\0"))) if name.endswith(suffixes))
    return [file for file in files if file.is_file()]
