# SPDX-License-Identifier: Apache-2.0
"""A header without what its reader does not need: includes, private parts, bodies."""

from __future__ import annotations

import re

ACCESS = re.compile(r"^(public|protected|private):")


def header_text(source: str) -> tuple[str, str]:
    """Return what a header says of itself, and its public declarations with their comments."""
    lines = source.splitlines()
    about = []
    for line in lines:
        if line.startswith("// SPDX"):
            continue
        if not line.startswith("//"):
            break
        about.append(line.removeprefix("//").strip())
    code = _without_bodies(_public_lines(lines))
    return "\n".join(about), "\n".join(code).strip()


def _public_lines(lines: list[str]) -> list[str]:
    out: list[str] = []
    is_public = True
    is_first = True
    for line in lines:
        is_first = is_first and line.startswith("//")
        if is_first or line.startswith(("#", "namespace ", "} // namespace", "// SPDX")):
            continue
        if access := ACCESS.match(line):
            is_public = access[1] == "public"
            if is_public:
                continue
        if line.startswith("};"):
            is_public = True
        if is_public and not (line == "" and (not out or out[-1] == "")):
            out.append(line.replace("WEFT_API ", ""))
    return out


def _without_bodies(lines: list[str]) -> list[str]:
    """Return lines in which bodies of functions that span lines are left out."""
    out: list[str] = []
    skipped_until = ""
    for line in lines:
        if skipped_until:
            if line.startswith(skipped_until):
                skipped_until = ""
            continue
        opens = re.match(r"^(\s*).*\)[^;{}]*\{$", line)
        if opens and not re.match(r"^\s*(class|struct|enum|union)\b", line):
            out.append(line[:-1].rstrip() + ";")
            skipped_until = opens[1] + "}"
        else:
            out.append(line)
    return out
