# SPDX-License-Identifier: Apache-2.0
"""The code of one page of the documents: found, run, compared.

On a page, in order and in one namespace:

- a ``python`` block is run;
- an ``output`` block is what the ``python`` block before it printed; ``...`` stands for anything;
- a ``slang``, ``cpp`` or ``cmake`` block whose first line is ``// path`` or ``# path`` quotes that
  file of the project; if there is none, a ``slang`` block becomes that file in the working folder,
  for the ``python`` blocks after it;
- ``<!-- not run: reason -->`` above a block leaves it out.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checks.source_tree import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CHECKED = ("python", "output", "slang", "cpp", "cmake")
FENCE = re.compile(r"^(\s*)```(\w*)")
MARKER = re.compile(r"^<!--\s*not run\b:?\s*(.*?)\s*-->$")
PATH = re.compile(r"^(?://|#) ([\w./-]+\.\w+)\n")


class PageError(Exception):
    """A page whose blocks cannot be understood, or do not say the truth."""


@dataclass(frozen=True)
class Block:
    """A fenced block; `line` is that of its first line of code, `reason` why it is not run."""

    language: str
    text: str
    line: int
    reason: str = ""


def read_blocks(text: str) -> list[Block]:
    """Return the blocks of a page in order."""
    blocks: list[Block] = []
    lines = text.splitlines()
    marker: str | None = None
    i = 0
    while i < len(lines):
        fence = FENCE.match(lines[i])
        if fence is None:
            marker = _marker_of(lines[i], i, marker)
            i += 1
            continue
        if fence[1] and fence[2] in CHECKED:
            raise PageError(f"line {i + 1}: an indented {fence[2]} block is not run; move it out")
        end = i + 1
        while end < len(lines) and lines[end].strip() != "```":
            end += 1
        if end == len(lines):
            raise PageError(f"line {i + 1}: this block is never closed")
        body = "".join(line + "\n" for line in lines[i + 1 : end])
        blocks.append(Block(fence[2], body, i + 2, marker or ""))
        marker = None
        i = end + 1
    if marker is not None:
        raise PageError("the last 'not run' stands above no block")
    return blocks


def _marker_of(line: str, index: int, before: str | None) -> str | None:
    found = MARKER.match(line)
    if found is None:
        if before is not None and line.strip():
            raise PageError(f"line {index + 1}: 'not run' must stand right above a block")
        return before
    if not found[1]:
        raise PageError(f"line {index + 1}: 'not run' gives no reason")
    return found[1]


def run_blocks(blocks: list[Block], page: str, folder: Path) -> None:
    """Run a page's blocks.

    Args:
        blocks: Of read_blocks().
        page: Path of the page, for tracebacks.
        folder: The working folder, which takes the files that the page makes.

    Raises:
        PageError: A block shows what is not so.
        Exception: What a block raised.
    """
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    for block in blocks:
        if block.reason or block.language not in CHECKED:
            printed = None
        elif block.language == "python":
            code = compile("\n" * (block.line - 1) + block.text, page, "exec")
            with contextlib.redirect_stdout(io.StringIO()) as stream:
                exec(code, namespace)
            printed = stream.getvalue()
        elif block.language == "output":
            _compare(block, printed)
        else:
            _quote(block, folder)


def check_blocks(blocks: list[Block], page: str, folder: Path) -> None:
    """Compile a page's Python and compare its quotations, without running anything.

    Args:
        blocks: Of read_blocks().
        page: Path of the page, for tracebacks.
        folder: Takes the files that the page makes.

    Raises:
        PageError: A quotation is not what the file holds.
        SyntaxError: A block is no Python.
    """
    for block in blocks:
        if block.reason or block.language not in CHECKED or block.language == "output":
            continue
        if block.language == "python":
            compile("\n" * (block.line - 1) + block.text, page, "exec")
        else:
            _quote(block, folder)


def _compare(block: Block, printed: str | None) -> None:
    if printed is None:
        raise PageError(f"line {block.line}: this output follows no python block that is run")
    if not doctest.OutputChecker().check_output(block.text, printed, doctest.ELLIPSIS):
        raise PageError(f"line {block.line}: expected\n{block.text}got\n{printed}")


def _quote(block: Block, folder: Path) -> None:
    path = PATH.match(block.text)
    if path is None:
        raise PageError(
            f"line {block.line}: the first line of a {block.language} block names a file"
        )
    body = block.text[path.end() :]
    source = ROOT / path[1]
    if source.is_file():
        # A quotation may leave lines out; what it shows stands in the file, in this order.
        at, text = 0, source.read_text(encoding="utf-8")
        for part in re.split(r"^\s*(?://|#) \.\.\.\n", body, flags=re.MULTILINE):
            found = text.find(part.strip("\n"), at)
            if found < 0:
                raise PageError(f"line {block.line}: {path[1]} has no such lines:\n{part}")
            at = found + len(part.strip("\n"))
    elif block.language == "slang":
        file = folder / path[1]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(body, encoding="utf-8")
    else:
        raise PageError(f"line {block.line}: there is no file {path[1]}")
