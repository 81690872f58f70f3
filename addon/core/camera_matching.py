# SPDX-License-Identifier: GPL-3.0-or-later
"""Which camera took which picture, by their names."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def match_cameras(files: Sequence[str], cameras: Sequence[str]) -> list[str | None]:
    """Return the camera of each picture file, ``None`` where names do not tell.

    A camera of the file's own name comes first (``left.jpg`` and ``Left``), then the one whose
    name is in the file's as a word (``shot_left_02.jpg``), then the only one that ends with the
    same number (``IMG_0002.jpg`` and ``Camera.002``). Letters' case and what stands between words
    do not matter.

    Args:
        files: Names or paths.
        cameras: Names.
    """
    known = {name: _words(name) for name in cameras}
    return [_camera_of(_words(Path(file).stem), known) for file in files]


def _words(text: str) -> list[str]:
    """Return the words and numbers of a name, in small letters; numbers without leading zeros."""
    found = re.findall(r"[^\W\d_]+|\d+", text.casefold())
    return [str(int(word)) if word.isdigit() else word for word in found]


def _camera_of(words: list[str], cameras: dict[str, list[str]]) -> str | None:
    same = [name for name, known in cameras.items() if known == words]
    if len(same) == 1:
        return same[0]
    inside = _longest_inside(words, cameras)
    if len(inside) == 1:
        return inside[0]
    numbered = _of_last_number(words, cameras)
    return numbered[0] if len(numbered) == 1 else None


def _longest_inside(words: list[str], cameras: dict[str, list[str]]) -> list[str]:
    """Return the cameras whose words all come in these, the longest names only."""
    inside = [name for name, known in cameras.items() if _is_in(known, words)]
    longest = max((len(cameras[name]) for name in inside), default=0)
    return [name for name in inside if len(cameras[name]) == longest]


def _of_last_number(words: list[str], cameras: dict[str, list[str]]) -> list[str]:
    """Return the cameras that end with the same number."""
    last = words[-1] if words else ""
    if not last.isdigit():
        return []
    return [name for name, known in cameras.items() if known and known[-1] == last]


def _is_in(part: list[str], whole: list[str]) -> bool:
    """Return whether words follow each other in others."""
    starts = range(len(whole) - len(part) + 1)
    return bool(part) and any(whole[k : k + len(part)] == part for k in starts)
