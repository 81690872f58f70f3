# SPDX-License-Identifier: GPL-3.0-or-later
"""What a source asks a node tree for, instead of taking it as a parameter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .sources import Source

_IMPORT = re.compile(r"\bimport\s+weft\.inputs\s*;")
_ASKED = re.compile(
    r"\b(position|normal|uv|attribute|attributeVector|sceneTime|objectRandom|sampleImage)\s*\("
)
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def asks_weft_inputs(source: Source) -> str:
    """Return a function of ``weft.inputs`` that a source calls; "": none.

    Looked for in the source's own text: on a device such functions give constants.
    """
    text = source.text
    if text is None:
        assert source.path is not None
        text = source.path.read_text(encoding="utf-8")
    plain = _COMMENT.sub(" ", text)
    found = _ASKED.search(plain) if _IMPORT.search(plain) else None
    return "" if found is None else found.group(1)
