# SPDX-License-Identifier: Apache-2.0
"""Files that appear whole or not at all."""

from __future__ import annotations

import atexit
import shutil
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ATTEMPTS = 100

_lock = threading.Lock()
_unfinished: set[Path] = set()
_ending = threading.Event()


def _remove_unfinished() -> None:
    """Remove what daemon threads write: the end of the interpreter stops them where they are."""
    with _lock:
        _ending.set()
        for folder in _unfinished:
            for _ in range(_ATTEMPTS):  # a thread may create its file between a look and the end
                shutil.rmtree(folder, ignore_errors=True)
                if not folder.exists():
                    break


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
    """Give a name for a file, which takes the place of ``file`` if the block ends well.

    It is in a folder of its own beside the file: the rename is one step, writers see the same name,
    and nothing can be created there once the folder is gone. At the end of the interpreter nothing
    is left of what was not finished.

    Raises:
        OSError: The folder of the file does not exist, or nothing can be written in it.
    """
    _stop_at_end()
    with _lock:
        folder = Path(tempfile.mkdtemp(prefix=f".{file.stem[:64]}.", dir=file.parent))
        _unfinished.add(folder)
    try:
        yield folder / file.name
        with _lock:
            if not _is_stopped():
                (folder / file.name).replace(file)
    finally:
        _stop_at_end()
        shutil.rmtree(folder, ignore_errors=True)
        with _lock:
            _unfinished.discard(folder)
