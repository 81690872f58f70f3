# SPDX-License-Identifier: Apache-2.0
"""What a scene is not: differences from where it came from that are known."""

from __future__ import annotations

import re
from dataclasses import dataclass

from weft._native import ArgumentError

_STEP = re.compile(r"(\w+) '(.*?)'(?= > |$)")


@dataclass(frozen=True)
class Problem:
    """Something that is left out or replaced on the way into a scene.

    Args:
        where: Place, from the outside in: ``"Material 'Wood' > group 'Grain' > node 'Noise'"``.
        message: One sentence: what is not supported, and what to do.
        used_instead: What pictures show in its place; "": nothing.

    Raises:
        ArgumentError: One of them is no text.

    Example:
        >>> str(Problem("Image 'sky'", "it cannot be read", "no image"))
        "Image 'sky': it cannot be read (used instead: no image)"
    """

    where: str
    message: str
    used_instead: str = ""

    def __post_init__(self) -> None:
        """Check the texts."""
        for text in (self.where, self.message, self.used_instead):
            if not isinstance(text, str):
                raise ArgumentError(f"Problem: a text was expected, got {type(text).__name__}")

    def steps(self) -> list[tuple[str, str]]:
        """Return the place as kinds and names: ``[("Material", "Wood"), ("node", "Noise")]``."""
        return _STEP.findall(self.where)

    def __str__(self) -> str:
        """Return one line for reports."""
        instead = f" (used instead: {self.used_instead})" if self.used_instead else ""
        return f"{self.where}: {self.message}{instead}"

    def as_dict(self) -> dict[str, str]:
        """Return it as JSON has it."""
        return {"where": self.where, "message": self.message, "used_instead": self.used_instead}
