# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the code of a node stands."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

FORMAT = 1
"""Of what trees keep; raised when trees of older extensions have to be made again."""

KINDS = ("text", "file", "template", "library")


@dataclass(frozen=True, order=True)
class SourceKey:
    """A source's name as it is kept in files.

    Args:
        kind: ``text``: a text block of the file; ``file``; ``template``: one that Weft brings;
            ``library``: one that a person saved.
        name: Of the text block; a path, as Blender writes it (``//noise.slang`` is beside the
            file); below the folder of templates, without its ending (``texture/fractal_noise``).
            ``library``: the same below the folder of templates that a person saved.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        """Return it as one text; see `parse_key`."""
        return f"{self.kind}:{self.name}"


def parse_key(text: str) -> SourceKey:
    """Return the source that a text names.

    Raises:
        ValueError: It names none.
    """
    kind, colon, name = text.partition(":")
    if not colon or kind not in KINDS or not name:
        message = "a source is 'text:NAME', 'file:PATH', 'template:NAME' or 'library:NAME'"
        message += f", got {text!r}"
        raise ValueError(message)
    return SourceKey(kind, name)


@dataclass(frozen=True)
class Source:
    """A source as it is compiled.

    Args:
        key: Its name.
        path: Of the file; ``None``: `text` is all there is of it.
        text: Of a text block.
        folders: In which imports of a text block are looked for.
    """

    key: SourceKey
    path: Path | None = None
    text: str | None = None
    folders: tuple[Path, ...] = ()

    @property
    def title(self) -> str:
        """What messages call it."""
        return self.key.name if self.path is None else self.path.name


def texts_of(source: Source, files: tuple[str, ...]) -> list[str]:
    """Return the texts of a source and of what it imports, Weft's modules left out.

    Args:
        source: Which.
        files: That it is made of; a text block has no file of its own.
    """
    texts = [] if source.text is None else [source.text]
    return texts + [Path(file).read_text(encoding="utf-8", errors="replace") for file in files]


@cache
def templates_folder() -> Path:
    """Return the folder of the functions that Weft brings; the engine stays unloaded."""
    spec = find_spec("weft")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "node_templates"


@dataclass(frozen=True)
class Entry:
    """A function that menus offer before anything is compiled.

    Args:
        key: Of its source.
        function: Its name.
        label: What people read, "" where its name is it.
        category: Of the menu, "" where the source says none.
    """

    key: SourceKey
    function: str
    label: str = field(default="", compare=False)
    category: str = field(default="", compare=False)


_NODE = re.compile(r'\[Node\("(?P<category>[^"\n]*)"\)\]')
_LABEL = re.compile(r'\[Label\("(?P<label>[^"\n]*)"\)\]')
_HEAD = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?:<[^()]*>)?\(")
_ATTRIBUTE = re.compile(r'\[[^\[\]"]*(?:"[^"\n]*"[^\[\]"]*)*\]')
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def marked_functions(key: SourceKey, text: str) -> list[Entry]:
    """Return the functions that a text marks by ``[Node("category")]``, in order.

    Menus are drawn before anything is compiled: this looks at marks alone, and what it finds is
    offered, not compiled.
    """
    plain = _COMMENT.sub(lambda found: "\n" * found.group().count("\n"), text)
    found = []
    for mark in _NODE.finditer(plain):
        head = plain[mark.end() : plain.find("{", mark.end())]
        before = plain[plain.rfind("}", 0, mark.start()) + 1 : mark.start()]
        declaration = _ATTRIBUTE.sub(" ", head)
        name = _HEAD.search(declaration)
        if name is None:
            continue
        attributes = before + head[: _head_end(head, name.group("name"))]
        label = _LABEL.search(attributes)
        found.append(
            Entry(
                key,
                name.group("name"),
                "" if label is None else label.group("label"),
                mark.group("category"),
            )
        )
    return found


def _head_end(head: str, name: str) -> int:
    found = re.search(rf"\b{re.escape(name)}\s*(?:<[^()]*>)?\(", head)
    return len(head) if found is None else found.start()


def template_files(folder: Path) -> list[Path]:
    """Return the sources below a folder; none of a folder that is not there."""
    return sorted(folder.glob("*/*.slang"))


def template_entries(folder: Path, kind: str = "template") -> list[Entry]:
    """Return the marked functions of all sources below a folder, by category and name.

    Args:
        folder: That holds a folder a category.
        kind: Of their keys. What of a person's cannot be read is left out.
    """
    found = []
    for path in template_files(folder):
        name = path.relative_to(folder).with_suffix("").as_posix()
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeError):
            continue
        found += marked_functions(SourceKey(kind, name), text)
    return sorted(found, key=in_menus)


def in_menus(entry: Entry) -> tuple[str, str]:
    """Return by what menus sort functions."""
    return entry.category, entry.label or entry.function
