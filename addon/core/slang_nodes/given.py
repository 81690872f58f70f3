# SPDX-License-Identifier: GPL-3.0-or-later
"""What a source asks a node tree for, instead of taking it as a parameter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_IMPORT = re.compile(r"\bimport\s+weft\.inputs\s*;")
_ASKED = re.compile(
    r"(?<![\w.])(position|normal|uv|attribute|attributeVector|sceneTime|objectRandom|sampleImage)"
    r"\s*\("
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def asked_input(texts: Iterable[str]) -> str:
    """Return a function of ``weft.inputs`` that is called; "": none.

    On a device such functions give constants.

    Args:
        texts: Of a source and of what it imports.
    """
    for text in texts:
        plain = _COMMENT.sub(" ", text)
        found = _ASKED.search(plain) if _IMPORT.search(plain) else None
        if found is not None:
            return found.group(1)
    return ""
