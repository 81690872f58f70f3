# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/reference: what docstrings and public headers say, read from the sources.

Nothing is imported or built, so that ./dev check can compare the pages in a second.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from dev.project import ROOT, DevError, say
from dev.reference_headers import header_text
from dev.reference_python import Entry, entries_of, listed_names

if TYPE_CHECKING:
    from collections.abc import Sequence

PLACE = ROOT / "docs" / "reference"
PARTS = {
    "weft": "devices, modules, functions, tensors, gradients",
    "fit": "parameters of scenes from pictures",
    "render": "pictures of scenes",
    "scene": "meshes, materials, lights, cameras",
    "optim": "optimisers",
    "torch": "torch's tensors, graph and layers",
    "image": "image files as arrays",
}
HEADERS = ROOT / "packaging" / "cmake" / "weft_install_engine.cmake"
NOTE = "<!-- Written by ./dev reference from the sources. Do not edit. -->\n"


@functools.cache
def pages() -> dict[str, str]:
    """Return the text of each page by its file name."""
    out = {}
    for part in PARTS:
        module = "weft" if part == "weft" else f"weft.{part}"
        out[f"{part}.md"] = python_page(module, entries_of(module))
    out["cpp.md"] = cpp_page()
    out["index.md"] = index_page()
    return out


def index_page() -> str:
    """Return the page that lists the others."""
    rows = []
    for part, about in PARTS.items():
        name = "weft" if part == "weft" else f"weft.{part}"
        rows.append(f"| [`{name}`]({part}.md) | {about} |")
    rows.append("| [C++](cpp.md) | the installed headers: `find_package(weft)` |")
    return (
        f"{NOTE}# Reference\n\nAll public names, from their docstrings and headers. The "
        "[guide](../guide/index.md) says how they belong together, the [glossary](../glossary.md) "
        "what words mean.\n\n| names of | what for |\n| --- | --- |\n" + "\n".join(rows) + "\n"
    )


def python_page(module: str, entries: Sequence[Entry]) -> str:
    """Return the page of a module: a list of its names, then each."""
    names = [f"[`{entry.name}`](#{anchor_of(entry.name)})" for entry in entries]
    parts = [NOTE + f"# {module}", ", ".join(names)]
    for entry in entries:
        parts.append(f"## {entry.name}")
        parts += _body(entry)
        for member in entry.members:
            parts.append(f"### {entry.name}.{member.name}")
            parts += _body(member)
    known = {entry.name for entry in entries}
    others = [f"`{name}`" for name in listed_names(module) if name not in known]
    if others:
        parts += ["## Other names", f"Types and tables: {', '.join(others)}."]
    return "\n\n".join(part for part in parts if part) + "\n"


def anchor_of(heading: str) -> str:
    """Return the anchor that GitHub makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _body(entry: Entry) -> list[str]:
    signature = f"```text\n{entry.signature}\n```" if entry.signature else ""
    return [signature, markdown(entry.text)]


def markdown(docstring: str) -> str:
    """Return a docstring in Google's style as Markdown."""
    out: list[str] = []
    inside = False  # a section whose lines are entries
    for line in docstring.splitlines():
        if heading := re.fullmatch(r"(Args|Returns|Raises|Yields|Attributes):", line):
            out += ["", f"**{heading[1]}**", ""]
            inside = heading[1] not in ("Returns", "Yields")
        elif line.startswith("Example"):
            out += ["", "**Example**", ""]
            inside = False
        elif inside and line.startswith("    "):
            entry = re.fullmatch(r" {4}(\*{0,2}[\w, *]+): (.*)", line)
            deeper = line.startswith("     ")
            out.append(f"- `{entry[1]}`: {entry[2]}" if entry and not deeper else line.strip())
        else:
            inside = inside and not line
            out.append(line.strip() if not line.lstrip().startswith((">>>", "...")) else line)
    return _escaped("\n".join(_fenced(out)).strip())


def _fenced(lines: Sequence[str]) -> list[str]:
    """Put fences around examples."""
    out: list[str] = []
    is_open = False
    for line in lines:
        starts = line.lstrip().startswith((">>>", "..."))
        if starts and not is_open:
            out.append("```text")
            is_open = True
        elif is_open and not line.strip():
            out.append("```")
            is_open = False
        out.append(line.strip() if starts else line)
    return [*out, "```"] if is_open else out


def _escaped(text: str) -> str:
    """Return text whose roles and double backticks are Markdown's code, and `<` is no tag."""
    parts = re.split(r"(```.*?```)", text, flags=re.DOTALL)
    for number in range(0, len(parts), 2):
        part = re.sub(r":\w+:`~?([^`]*)`", r"`\1`", parts[number]).replace("``", "`")
        pieces = re.split(r"(`[^`]*`)", part)
        pieces[::2] = [piece.replace("<", "&lt;").replace("](", "] (") for piece in pieces[::2]]
        parts[number] = "".join(pieces)
    return re.sub(r"\n{3,}", "\n\n", "".join(parts))


def cpp_page() -> str:
    """Return the page of the installed headers."""
    listed = re.search(r"set\(WEFT_PUBLIC_HEADERS(.*?)\)", HEADERS.read_text(), re.DOTALL)
    if listed is None:
        raise DevError(f"{HEADERS.name} lists no WEFT_PUBLIC_HEADERS")
    parts = [
        NOTE + "# C++",
        "The headers of an installation, without what is private; `#include <weft/...>`. "
        "[C++](../guide/cpp.md) shows them at work.",
    ]
    for header in listed[1].split():
        about, code = header_text((ROOT / "native" / header).read_text(encoding="utf-8"))
        if code:
            parts += [f"## {header}", _escaped(about), f"```text\n{code}\n```"]
    return "\n\n".join(part for part in parts if part) + "\n"


def stale() -> list[str]:
    """Return the names of pages that differ from what the sources say."""
    wanted = pages()
    there = {path.name for path in PLACE.glob("*.md")}
    differs = [
        name
        for name, text in wanted.items()
        if name not in there or (PLACE / name).read_text(encoding="utf-8") != text
    ]
    return sorted([*differs, *(there - set(wanted))])


def command_reference(arguments: list[str]) -> int:
    """Write the pages anew."""
    if arguments:
        raise DevError(f"./dev reference takes no arguments, got {' '.join(arguments)}")
    names = stale()
    PLACE.mkdir(exist_ok=True)
    for name in names:
        if name in pages():
            (PLACE / name).write_text(pages()[name], encoding="utf-8")
        else:
            (PLACE / name).unlink()
    say(f"docs/reference: {', '.join(names) or 'nothing'} written")
    return 0
