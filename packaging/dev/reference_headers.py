# SPDX-License-Identifier: Apache-2.0
"""A header without what its reader does not need: includes, private parts, bodies."""

from __future__ import annotations

import re

ACCESS = re.compile(r"^(public|protected|private):")
ENDS = (";", "{", "}", ":")
"""Of lines after which another declaration begins."""


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
    begin = ""  # the line that the declaration under way begins with
    for line in lines:
        if skipped_until:
            if line.startswith(skipped_until):
                skipped_until = begin = ""
            continue
        begin = begin or line
        is_body = re.match(r"^.*\)[^;{}]*\{$", line)
        if is_body and not re.match(r"^\s*(class|struct|enum|union)\b", begin):
            out.append(line[:-1].rstrip() + ";")
            skipped_until = begin[: len(begin) - len(begin.lstrip())] + "}"
        else:
            if line.startswith("}") and out and out[-1] == "":
                out.pop()
            out.append(line)
            if not line.strip() or line.lstrip().startswith("//") or line.endswith(ENDS):
                begin = ""
    return out
