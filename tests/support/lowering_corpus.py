# SPDX-License-Identifier: Apache-2.0
"""The functions of ``lowering_corpus.slang`` and ``lowering_operations.slang``."""

from __future__ import annotations

import re
from pathlib import Path

TEXT = Path(__file__).with_suffix(".slang").read_text(encoding="utf-8")
OPERATIONS = Path(__file__).with_name("lowering_operations.slang").read_text(encoding="utf-8")
NOISE = Path(__file__).with_name("lowering_noise.slang").read_text(encoding="utf-8")
_MARK = "// With integers of all 32 bits"
_KINDS = r"(?:float[234]?(?:x3)?|bool|u?int3?|half|void|Hit)"
_HELPERS = ("pcg", "hash1", "valueNoise")


def names(text: str = TEXT) -> list[str]:
    """Return the names of the functions, in order, without those that only others call."""
    found = re.findall(rf"^{_KINDS} (\w+)\(", text, re.MULTILINE)
    return [name for name in found if name not in _HELPERS]


def names_of_reals(text: str = TEXT) -> list[str]:
    """Return the names of the functions that stand before those with integers of all bits."""
    return names(text.partition(_MARK)[0])
