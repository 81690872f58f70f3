# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all."""

from __future__ import annotations

import atexit
import os
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_lock = threading.Lock()
_unfinished: set[Path] = set()
_ending = threading.Event()


def _remove_unfinished() -> None:
    """Remove what daemon threads write: the end of the interpreter stops them where they are."""
    with _lock:
        _ending.set()
        for temporary in _unfinished:
            with suppress(OSError):  # Windows removes no open file
                temporary.unlink(missing_ok=True)


atexit.register(_remove_unfinished)


def _is_stopped() -> bool:
    """Return whether the interpreter ends and stops this thread, whose files are removed."""
    return _ending.is_set() and threading.current_thread().daemon


def _stop_at_end() -> None:
    """Wait for ever in a daemon thread once the interpreter ends, which then stops it."""
    if _is_stopped():
        threading.Event().wait()


@contextmanager
def replacing(file: Path) -> Iterator[Path]:
    """Give a name beside a file, which takes its place if the block ends well.

    It is in the same folder, so that the rename is one step, and has the same ending, which tells
    writers the format. At the end of the interpreter nothing is left of what was not finished.
    """
    _stop_at_end()
    temporary = file.with_name(f".{file.stem}.{os.getpid()}{file.suffix}")
    with _lock:
        _unfinished.add(temporary)
    try:
        yield temporary
        with _lock:
            if not _is_stopped():
                temporary.replace(file)
    finally:
        _stop_at_end()
        with _lock:
            _unfinished.discard(temporary)
        temporary.unlink(missing_ok=True)
