# SPDX-License-Identifier: Apache-2.0
"""Parts of a Slang text that only CUDA's compiler understands, for errors of devices without it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_BLANKED = re.compile(
    r"(?P<comment>//[^\n]*|/\*.*?\*/)|R\"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)\"|\"(?:\\.|[^\"\\\n])*\"",
    re.DOTALL,
)
_CUDA_ONLY = re.compile(
    r"\b(?P<prelude>__requirePrelude)\s*\("
    r"|\b__target_intrinsic\s*\(\s*\"?(?P<intrinsic>cuda)\b"
    r"|\bcase\s+cuda\s*:\s*\{?\s*(?P<assembly>__intrinsic_asm)\b"
)
_IMPORTED = re.compile(
    r"^[ \t]*(?:(?:__exported\s+)?import|__include|implementing)\s+([\w.]+)\s*;", re.M
)
_QUOTED = re.compile(r"^[ \t]*(?:(?:__exported\s+)?import\s+|#\s*include\s+)\"([^\"\n]+)\"", re.M)


def find_cuda_text(path: str, folders: Sequence[str]) -> list[tuple[str, int, str]]:
    """Return file, line and word of each part for CUDA alone, of a file and what it imports.

    Args:
        path: Of the file.
        folders: Where imports are looked for, beside the folder of the file that imports.
    """
    found: list[tuple[str, int, str]] = []
    pending, known = [Path(path)], set()
    while pending:
        file = pending.pop()
        if file in known or not file.is_file():
            continue
        known.add(file)
        text = _BLANKED.sub(_blank, file.read_text(encoding="utf-8", errors="replace"))
        for match in _CUDA_ONLY.finditer(text):
            word = match[match.lastgroup or 0]
            start = match.start(match.lastgroup or 0)
            line = text.count("\n", 0, start) + 1
            found.append((str(file), line, "__target_intrinsic" if word == "cuda" else word))
        pending += _imports(file, folders)
    return found


def explained(error: weft.CompileError, path: str, folders: Sequence[str]) -> weft.CompileError:
    """Return an error that names the parts for CUDA alone; the same one if there are none."""
    found = find_cuda_text(path, folders)
    if not found:
        return error
    file, line, word = found[0]
    more = f", and {len(found) - 1} more like it," if len(found) > 1 else ""
    made = weft.CompileError(
        f"{file}:{line}: '{word}'{more} is for CUDA's compiler, and this device has another; give "
        "the functions that use it a body without it, or load the module on a CUDA device. Slang "
        f"says: {error}"
    )
    return made


def _blank(match: re.Match[str]) -> str:
    """Return the lines of a comment, or of a string, whose word 'cuda' counts."""
    whole = match[0]
    return whole if whole == '"cuda"' else re.sub(r"[^\n]", " ", whole)


def _imports(file: Path, folders: Sequence[str]) -> Iterator[Path]:
    text = file.read_text(encoding="utf-8", errors="replace")
    names = [match[1].replace(".", "/") for match in _IMPORTED.finditer(text)]
    names += [match[1] for match in _QUOTED.finditer(text)]
    for name in names:
        for folder in (file.parent, *map(Path, folders)):
            for spelled in (name, f"{name}.slang", f"{name.replace('_', '-')}.slang"):
                if (folder / spelled).is_file():
                    yield folder / spelled
