# SPDX-License-Identifier: GPL-3.0-or-later
"""A function of a person's as a template: names of its files, and the marks that menus look for."""

from __future__ import annotations

import re
import unicodedata

_LONGEST = 64
_RESERVED = frozenset(
    ["con", "prn", "aux", "nul", *(f"{port}{k}" for port in ("com", "lpt") for k in range(1, 10))]
)
"""Names that Windows gives to no file."""

_HIDDEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|^[ \t]*#(?:[^\n\\]|\\.)*', re.DOTALL | re.MULTILINE
)
_MODULE = re.compile(r"\s*module\s+[\w.\"]+\s*;")


def file_name(title: str) -> str:
    """Return what files of a template are called: letters, digits and underscores.

    >>> file_name("Brick wall, old")
    'brick_wall_old'

    Returns:
        "" where a title has neither letters nor digits.
    """
    plain = unicodedata.normalize("NFC", title).lower()
    name = "_".join(re.findall(r"[^\W_]+", plain))[:_LONGEST].strip("_")
    return f"{name}_" if name in _RESERVED else name


def is_title(text: str) -> bool:
    """Return whether a text can be a name or a category: one line that Slang's strings hold.

    >>> is_title("Brick Wall"), is_title('"')
    (True, False)
    """
    return bool(file_name(text)) and text.isprintable() and not set(text) & set('"\\:')


def marked_source(text: str, function: str, line: int, category: str, label: str) -> str:
    """Return a source whose function says its category and label, and is no other node's.

    Args:
        text: The source.
        function: Name of the function.
        line: On which it is declared, from 1; of several functions of that name the nearest one.
        category: Of the menu.
        label: What people read.

    Raises:
        ValueError: The function is not in the text.
    """
    plain = _masked(text)
    begin, end = _declaration(plain, function, line)
    before = _without_nodes(text[:begin], plain[:begin])
    after = _without_nodes(text[end:], plain[end:])
    head = _with_attribute(text[begin:end], "Label", label)
    head = _with_attribute(head, "Node", category)
    return _with_import(before + head + after)


def previewed_source(text: str, function: str, line: int, kind: str) -> str:
    """Return a source whose function says how it is drawn: to be drawn, not to be saved.

    Raises:
        ValueError: The function is not in the text.
    """
    begin, _ = _declaration(_masked(text), function, line)
    return f'{text[:begin]}[Preview("{kind}", 1)] {text[begin:]}'


def _masked(text: str) -> str:
    """Return a text of the same length without comments, strings and lines of the preprocessor."""
    return _HIDDEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


def _declaration(plain: str, function: str, line: int) -> tuple[int, int]:
    """Return where the attributes of a function begin, and where its name does."""
    pattern = rf"\b{re.escape(function)}\s*(?:<[^()]*>)?\("
    heads = [found.start() for found in re.finditer(pattern, plain)]
    if not heads:
        message = f"the text has no function '{function}'"
        raise ValueError(message)
    name = min(heads, key=lambda place: abs(plain.count("\n", 0, place) + 1 - line))
    begin = max(plain.rfind(end, 0, name) for end in "};{") + 1
    return begin + len(plain[begin:name]) - len(plain[begin:name].lstrip()), name


def _with_attribute(head: str, name: str, value: str) -> str:
    """Return the attributes of a declaration with one more, or another value of it."""
    plain = _masked(head)
    known = re.search(rf"\b{name}\s*\(", plain)
    if known is None:
        return f'[{name}("{value}")] {head}'
    return f'{head[: known.end()]}"{value}"{head[plain.index(")", known.end()) :]}'


def _without_nodes(text: str, plain: str) -> str:
    """Return a text without ``[Node("...")]``: one function of a template is the node."""
    found = list(re.finditer(r"\[\s*Node\s*\(\s*\)\s*\][ \t]*", plain))
    for mark in reversed(found):
        text = text[: mark.start()] + text[mark.end() :]
    return text


def _with_import(text: str) -> str:
    """Return a text that imports what attributes are declared in."""
    plain = _masked(text)
    if re.search(r"\bimport\s+weft\s*\.\s*node\s*;", plain):
        return text
    module = _MODULE.match(plain)
    place = module.end() if module else 0
    line = "import weft.node;\n"
    return text[:place] + ("\n\n" + line if module else line + "\n") + text[place:].lstrip("\n")
