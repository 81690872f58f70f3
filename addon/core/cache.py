# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder of compiled kernels: how much it holds, and how it is emptied."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PARTS = ("slang", "device")
"""What the engine makes in its folder; nothing else in there is touched."""


def measure_cache(folder: Path) -> int:
    """Return how many bytes the files of a cache have; a folder that is not there holds none."""
    total = 0
    for part in PARTS:
        for file in (folder / part).rglob("*"):
            try:
                total += file.stat().st_size if file.is_file() else 0
            except FileNotFoundError:  # another process removed it meanwhile
                continue
    return total


def clear_cache(folder: Path) -> None:
    """Remove what the engine keeps in a folder. Devices in use go on and compile again.

    Raises:
        OSError: Something cannot be removed.
    """
    for part in PARTS:
        if (folder / part).is_dir():
            shutil.rmtree(folder / part)
