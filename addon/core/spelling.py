# SPDX-License-Identifier: GPL-3.0-or-later
"""The spelling of Blender's interface."""

from __future__ import annotations

import re

AMERICAN = {
    "behaviour": "behavior",
    "centre": "center",
    "colour": "color",
    "grey": "gray",
    "metre": "meter",
    "neighbour": "neighbor",
    "optimise": "optimize",
}
_QUOTED = re.compile(r"(?<!\w)('[^']*')")
_BRITISH = re.compile("|".join(AMERICAN), re.IGNORECASE)


def american(text: str) -> str:
    """Return a message of the engine as Blender spells; names in quotes stay as they are."""
    parts = _QUOTED.split(text)
    return "".join(part if part.startswith("'") else _BRITISH.sub(_spelled, part) for part in parts)


def _spelled(found: re.Match[str]) -> str:
    word = AMERICAN[found.group().lower()]
    return word.capitalize() if found.group()[0].isupper() else word
