# SPDX-License-Identifier: Apache-2.0
"""The private names of torch that Weft uses are those that its decision lists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
DECISION = ROOT / "docs" / "decisions" / "0037-torch.md"
PACKAGE = ROOT / "native" / "python" / "weft"
NAME = re.compile(r"\b((?:torch|forward_ad)(?:\.[A-Za-z]\w*)*\._[A-Za-z]\w*(?:\.\w+)?)")


def private_names(text):
    """Return the private names in a text, each cut behind its first part below ``torch._C``."""
    found = set()
    for name in NAME.findall(text):
        parts = name.split(".")
        found.add(".".join(parts[:3] if parts[:2] == ["torch", "_C"] else parts[:2]))
    return found


def test_each_private_name_of_torch_is_in_the_decision():
    used = set()
    for folder in ("torch", "slangtorch"):
        for file in (PACKAGE / folder).glob("*.py"):
            used |= private_names(file.read_text())

    assert used == private_names(DECISION.read_text().replace("`", " "))
    assert "torch._C._functorch" in used
