# SPDX-License-Identifier: Apache-2.0
"""What functions of other people's files may not do on software devices.

There an address is one of this process. A function of a material gets numbers and returns numbers,
and needs none; what could make, follow or overrun one is refused by its spelling, before anything
compiles it. More is refused than need be.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING

import weft
from weft._native import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

TOKEN = re.compile(r"[A-Za-z_]\w*|\.?\d[\w.]*|::|->|=>|==|<=|>=|!=|&&|\|\||[^\s]")
NAME = re.compile(r"[A-Za-z_]\w*")
IMPORT = re.compile(r"\b(?:__exported\s+)?import\s+weft\.nodes\s*;")
BUILT_IN = re.compile(
    r"(?:void|bool|half|float|double|u?int(?:8|16|32|64)?_t|float(?:16|32|64)_t|u?int|vector|"
    r"matrix)(?:[1-4](?:x[1-4])?)?"
)
STATEMENTS = ("return", "else", "case", "do", "in")
TYPE_WORDS = ("struct", "class", "interface", "enum", "typealias", "associatedtype", "typename")
FORBIDDEN = re.compile(
    r"(?:__|weft_)\w*|\w*(?:bit_cast|reinterpret|asm|[aA]ligned|[aA]ddress|[pP]ointer)\w*|groupshared|"
    r"cbuffer|tbuffer|uniform|extern|export|import|implementing|module|typedef|syntax|"
    r"attribute_syntax|globallycoherent|operator|extension|u?intptr_t|u?size_t|u?int64_t[1-4]?|"
    r"printf|decltype|namespace|using|"
    # Memory by way of a type; a text may declare the name in one place and mean Weft's in another.
    r"(?:[A-Z]\w*)?(?:Atomic|Block|Buffer|Handle|Ptr|Record|Ref|Sampler|Storage|String|Structure|"
    r"Tensor|Texture)\w*"
)
CORE_TYPES = (
    "Array Differential DifferentialPair IArithmetic IDifferentiable IFloat IInteger ILogical "
    "Optional This Tuple"
).split()
ATTRIBUTES = (
    "BackwardDerivative BackwardDerivativeOf BackwardDifferentiable Differentiable ForceInline "
    "ForceUnroll ForwardDerivative ForwardDerivativeOf ForwardDifferentiable MaxIters NoDiffThis "
    "PreferCheckpoint PreferRecompute PrimalSubstitute TreatAsDifferentiable branch flatten loop "
    "mutating noinline unroll"
).split()
SHADERS = Path(weft.__file__).parent / "shaders"
PUBLIC = re.compile(r"^public \w+ ([a-z]\w*)\s*[<(]", re.MULTILINE)
TAKES_ADDRESS = re.compile(
    r"\b([a-zA-Z_]\w*)\s*(?:<[^;={}()]*>)?\([^(){};]*int64_t[^(){};]*\)\s*\{"
)


@functools.cache
def address_functions() -> frozenset[str]:
    """Return the names of Weft's functions that take addresses; every source sees them."""
    texts = [_without_comments(file.read_text()) for file in SHADERS.rglob("*.slang")]
    found = {name for text in texts for name in TAKES_ADDRESS.findall(text)}
    return frozenset(found - {"if", "for", "while"})


@functools.cache
def node_functions() -> frozenset[str]:
    """Return the names of the functions of weft.nodes: numbers in, numbers out."""
    files = (SHADERS / "weft" / "nodes").glob("*.slang")
    return frozenset(name for file in files for name in PUBLIC.findall(file.read_text()))


def find_escape(source: str) -> str | None:
    """Return what in a Slang text could leave the function's own numbers; ``None``: nothing."""
    plain = IMPORT.sub(" ", _without_comments(source))
    odd = next((letter for letter in plain if ord(letter) > 0x7E or letter in "\"'\\#@`$"), None)
    if odd is not None:
        return f"the letter {odd!r}"
    words = TOKEN.findall(plain)
    types = _types_of(words)
    for at, word in enumerate(words):
        found = _problem_of(words, at, types)
        if found is not None:
            return found
        if NAME.fullmatch(word) and (FORBIDDEN.fullmatch(word) or word in address_functions()):
            return f"'{word}'"
    return None


def _problem_of(words: Sequence[str], at: int, types: set[str]) -> str | None:
    """Return what is wrong about a word in its place."""
    word = words[at]
    if word == "*" and _is_pointer(words, at, types):
        return f"the pointer '{' '.join(words[max(at - 1, 0) : at + 2])}'"
    if word == "&" and _is_unary(words, at):
        return f"the address '{' '.join(words[at : at + 2])}'"
    if word in ("->", "=>"):
        return f"'{word}'"
    if word == "[":
        return _problem_of_brackets(words, at)
    return f"the type '{word}', which is not its own" if _is_foreign(words, at, types) else None


def _is_foreign(words: Sequence[str], at: int, types: set[str]) -> bool:
    """Return whether a word may be a type that the text does not declare."""
    word = words[at]
    if not _is_class_like(word) or word in types or word in (*CORE_TYPES, *ATTRIBUTES):
        return False
    declared = words[at + 1 : at + 2] in (["="], ["["]) or words[at - 1 : at] == ["."]
    return not declared


def require_contained(sources: Sequence[tuple[str, str]]) -> None:
    """Refuse functions of files that only a flag trusts, for a software device.

    Args:
        sources: Text and file of each.

    Raises:
        ArgumentError: One could reach memory that is not its own.
    """
    for source, file in sources:
        found = find_escape(source)
        if found is not None:
            raise ArgumentError(
                f"Renderer: a Slang function of '{file}' has {found}, which can reach the memory "
                "of this process, because this device is software; functions of files may not, "
                "not even with trust: render it on a GPU, or save the scene yourself, from the "
                "script that makes it"
            )


def _without_comments(source: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", " ", source, flags=re.DOTALL)


def _types_of(words: Sequence[str]) -> set[str]:
    """Return the names that a text declares as types, generic parameters among them."""
    types = {words[at + 1] for at, word in enumerate(words[:-1]) if word in TYPE_WORDS}
    is_open = False
    for at, word in enumerate(words):
        if word in (";", "{", "}", ")", "?", "&&", "||"):
            is_open = False
        elif word == "<":
            is_open = True
        elif is_open and word in (":", ",", ">", "="):
            types.add(words[at - 1])
    return types


def _is_class_like(word: str) -> bool:
    """Return whether a word is spelt like a type: a capital, and small letters behind it."""
    return word[0].isupper() and len(word) > 1 and not word.isupper()


def _is_pointer(words: Sequence[str], at: int, types: set[str]) -> bool:
    """Return whether a star may be that of a pointer and not a product."""
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    if after == "=" and re.fullmatch(r"[\w\])]+", before):
        return BUILT_IN.fullmatch(before) is not None or before in types
    if not re.match(r"[\w.(+!~-]", after):
        return True
    if re.match(r"[\d.]", before) or before in (")", "]"):
        return False
    if not NAME.fullmatch(before):
        return True
    return BUILT_IN.fullmatch(before) is not None or before in types or _is_class_like(before)


def _is_unary(words: Sequence[str], at: int) -> bool:
    before = words[at - 1] if at else ""
    return re.fullmatch(r"[\w.]+|\)|\]", before) is None or before in ("return", "case")


def _arrays_of(words: Sequence[str]) -> set[str]:
    """Return the names that a text declares with an extent."""
    return {
        words[at - 1]
        for at, word in enumerate(words[2:], 2)
        if word == "[" and NAME.fullmatch(words[at - 2]) and words[at - 2] not in STATEMENTS
    }


def _problem_of_brackets(words: Sequence[str], at: int) -> str | None:
    """Return why a pair of brackets is neither an attribute nor a place known before it runs."""
    before = words[at - 1] if at else ";"
    inside = words[at + 1 : at + 2]
    if re.fullmatch(r"[\w)\]>]+", before) and before != "return":
        if _is_known_index(words, at):
            return None
        return (
            f"an index or an extent that is no plain number, '{' '.join(words[at - 1 : at + 3])}'"
        )
    if inside and inside[0] in ATTRIBUTES:
        return None
    return f"the attribute '[{' '.join(inside)}]'"


def _is_known_index(words: Sequence[str], at: int) -> bool:
    """Return whether brackets hold a plain number, and one that may be an index of what is there.

    Slang knows the extents of arrays, and does not look at those of vectors.
    """
    inside = words[at + 1 : at + 2]
    closes = words[at + 2 : at + 3] == ["]"]
    if not (inside and re.fullmatch(r"\d{1,9}u?", inside[0]) and closes):
        return False
    return int(inside[0].rstrip("u")) < 4 or words[at - 1] in _arrays_of(words)
