# SPDX-License-Identifier: Apache-2.0
"""The files of the project as the checks see them."""

from __future__ import annotations

import functools
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@functools.cache
def project_files() -> tuple[Path, ...]:
    """Return all files known to git, and new ones that are not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = (ROOT / name for name in sorted(set(names.split("\0"))) if name)
    return tuple(path for path in paths if path.is_file())


def files_under(folder: str, *suffixes: str) -> list[Path]:
    """Return the project's files below a folder (relative to the root) with one of the suffixes."""
    base = ROOT / folder
    return [
        path for path in project_files() if path.is_relative_to(base) and path.suffix in suffixes
    ]


@functools.cache
def text_of(path: Path) -> str:
    """Return the text of a file."""
    return path.read_text(encoding="utf-8")


def short(path: Path) -> str:
    """Return a path relative to the root, for messages."""
    return str(path.relative_to(ROOT))
