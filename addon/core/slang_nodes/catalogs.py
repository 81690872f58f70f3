# SPDX-License-Identifier: GPL-3.0-or-later
"""Catalogs of asset libraries: what ``blender_assets.cats.txt`` says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from uuid import UUID, uuid5

if TYPE_CHECKING:
    from collections.abc import Iterable

FILE = "blender_assets.cats.txt"
ROOT = "Weft"
_SPACE = UUID("5d1f6a0e-30b5-4f0c-9c39-8a3a1c9e6f21")
_HEAD = """\
# Catalogs of an asset library of Blender. Lines are UUID:path:name; everything else is left alone.

VERSION 1

"""


def catalog_path(category: str) -> str:
    """Return the path of the catalog of a category, in which ``/`` divides.

    >>> catalog_path("Pattern")
    'Weft/Pattern'
    """
    words = [re.sub(r"[:\\\s]+", " ", part).strip() for part in category.split("/")]
    return "/".join([ROOT, *filter(None, words)])


def catalog_id(path: str) -> str:
    """Return the UUID of a path: the same on every machine, so that libraries share catalogs.

    >>> catalog_id("Weft/Pattern")
    '9bf14c8f-a109-5008-bf85-0d264219644f'
    """
    return str(uuid5(_SPACE, path))


def catalogs_of(text: str) -> dict[str, str]:
    """Return the UUIDs of the paths that a file names."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        parts = line.strip().split(":")
        if len(parts) >= len(("uuid", "path")) and not line.lstrip().startswith("#"):
            found.setdefault(parts[1], parts[0])
    return found


def with_catalogs(text: str, paths: Iterable[str]) -> str:
    """Return a file's text with the paths in it that it lacked; what it says stays.

    Args:
        text: Of the file; "": there is none yet.
        paths: That it shall have; those above them come, too.
    """
    known = catalogs_of(text)
    wanted = {
        "/".join(path.split("/")[:end]) for path in paths for end in range(1, path.count("/") + 2)
    }
    lines = [
        f"{catalog_id(path)}:{path}:{path.replace('/', '-')}\n"
        for path in sorted(wanted)
        if path not in known
    ]
    if not text.strip():
        text = _HEAD
    elif not text.endswith("\n"):
        text += "\n"
    return text + "".join(lines)
