# SPDX-License-Identifier: Apache-2.0
"""The processes in which this one has Slang compile, on Linux."""

from __future__ import annotations

import os
from pathlib import Path


def compilers() -> list[int]:
    """Return the processes of this one's compilers that run."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "stat").read_text()
        except OSError:
            continue
        name, rest = words[words.index("(") + 1 :].rsplit(") ", 1)
        state, parent = rest.split()[:2]
        if name.startswith("weft-compiler") and int(parent) == os.getpid() and state != "Z":
            found.append(int(entry.name))
    return found
