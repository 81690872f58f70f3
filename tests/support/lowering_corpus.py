# SPDX-License-Identifier: Apache-2.0
"""The functions of ``lowering_corpus.slang`` and ``lowering_operations.slang``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from weft.lowering import Variable

TEXT = Path(__file__).with_suffix(".slang").read_text(encoding="utf-8")
OPERATIONS = Path(__file__).with_name("lowering_operations.slang").read_text(encoding="utf-8")
NOISE = Path(__file__).with_name("lowering_noise.slang").read_text(encoding="utf-8")
CALLS = Path(__file__).with_name("lowering_calls.slang").read_text(encoding="utf-8")
PATTERNS = Path(__file__).with_name("lowering_patterns.slang").read_text(encoding="utf-8")
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


def drawn(
    variable: Variable, seed: int, count: int, *, lowest: int = 0
) -> np.ndarray[Any, np.dtype[Any]]:
    """Return values of a parameter: truth, integers from `lowest` to 99, real numbers of 12 bits.

    Blender 5.2's attributes move longer real numbers by a unit in the last place.
    """
    random = np.random.default_rng(seed)
    shape = (count,) if variable.components == 1 else (count, variable.components)
    if variable.scalar in ("float", "half"):
        return (random.integers(-2048, 2048, shape) / 512).astype(np.float32)
    if variable.scalar == "bool":
        return random.integers(0, 2, shape).astype(bool)
    return random.integers(lowest, 100, shape).astype(np.int32)
