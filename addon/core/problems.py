# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a scene cannot be rendered or fitted as Blender has it."""

from __future__ import annotations

import re
from dataclasses import dataclass

_STEP = re.compile(r"(\w+) '(.*?)'(?= > |$)")


@dataclass(frozen=True)
class Problem:
    """Something that Weft leaves out or replaces.

    Args:
        where: Place, from the outside in: ``"Material 'Wood' > group 'Grain' > node 'Noise'"``.
        message: One sentence: what is not supported, and what to do.
        used_instead: What the picture shows in its place; "": nothing.
    """

    where: str
    message: str
    used_instead: str = ""

    def steps(self) -> list[tuple[str, str]]:
        """Return the place as kinds and names: ``[("Material", "Wood"), ("node", "Noise")]``."""
        return _STEP.findall(self.where)

    def __str__(self) -> str:
        """Return one line for reports."""
        instead = f" (used instead: {self.used_instead})" if self.used_instead else ""
        return f"{self.where}: {self.message}{instead}"
