# SPDX-License-Identifier: GPL-3.0-or-later
"""Which function of a source a node is: among overloads, with the arguments of a generic one."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product
from typing import TYPE_CHECKING

import weft
from weft import lowering

from .interface import signature, text_of
from .naming import arguments_of, base_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft import FunctionInfo
    from weft.lowering import SourceInfo

    from .sources import Source

NUMBERS = ("float", "float2", "float3", "int")
COUNTS = ("2", "3", "4")
MAX_TRIED = 27
BUILT_IN = frozenset(("IArithmetic", "IComparable", "IDifferentiable", "IFloat", "IInteger"))
"""Interfaces that numbers have; others are those of structures."""


@dataclass(frozen=True)
class Choice:
    """A function of a source.

    Args:
        function: Its declaration; of a generic one, with its arguments.
        spelled: As ``weft.lower`` takes it: ``f``, ``f(float2, int)``, ``f<float, 3>``.
        variants: What else it could be: its overloads, and the generic one with other arguments;
            empty where there is nothing to choose.
    """

    function: FunctionInfo
    spelled: str
    variants: tuple[str, ...]


def candidates(info: SourceInfo) -> list[str]:
    """Return what of a source can be a node; overloads are told apart by their types.

    Generic functions are there without arguments; `choose` finds some.
    """
    usable = [entry for entry in info.functions if _is_usable(entry)]
    plain = [entry.name for entry in usable if not entry.generics]
    found = [
        signature(entry) if not entry.generics and plain.count(entry.name) > 1 else entry.name
        for entry in usable
    ]
    return list(dict.fromkeys(found))


def _is_usable(function: FunctionInfo) -> bool:
    has_result = function.return_type.name != "void" or any(
        str(entry.direction) != "Direction.in_" for entry in function.parameters
    )
    return not function.owner and has_result


def choose(source: Source, info: SourceInfo, spelled: str, known: str = "") -> Choice:
    """Return the function that a node is.

    Args:
        source: Of the node.
        info: What it declares.
        spelled: What is asked for. Of an overload whose types are others now, the one that is most
            like it; of a function that was renamed, the new one.
        known: Signature of what the node is so far.

    Raises:
        ArgumentError: There is no such function, or no arguments are known for a generic one.
    """
    named = _require_named(info, spelled)
    name = named[0].name
    plain, generic = _by_generics(named)
    special = [name + given for entry in generic for given in specializations(source, info, entry)]
    overloads = list(map(signature, plain)) if len(plain) > 1 else [name] * len(plain)
    variants = [*overloads, *special]
    arguments = arguments_of(spelled)
    if generic and (arguments or not plain):
        function, chosen = _specialized(source, name, arguments, special, known)
        return Choice(function, chosen, tuple(dict.fromkeys((*variants, chosen))))
    place = _place_of_overload(list(map(signature, plain)), spelled, known)
    return Choice(plain[place], overloads[place], tuple(variants) if len(variants) > 1 else ())


def _require_named(info: SourceInfo, spelled: str) -> list[FunctionInfo]:
    named = _named(info, base_name(spelled)) or _named(info, spelled)
    if not named:
        names = ", ".join(candidates(info)) or "none that can be a node"
        message = f"the source has no function '{spelled}'; it has: {names}"
        raise weft.ArgumentError(message)
    return named


def _by_generics(named: Sequence[FunctionInfo]) -> tuple[list[FunctionInfo], list[FunctionInfo]]:
    """Return the functions without generic parameters, and those that have some."""
    return (
        [entry for entry in named if not entry.generics],
        [entry for entry in named if entry.generics],
    )


def _specialized(
    source: Source, name: str, arguments: str, special: Sequence[str], known: str
) -> tuple[FunctionInfo, str]:
    """Return a generic function with its arguments, and how that is spelled.

    Args:
        source: That has it.
        name: Of the function.
        arguments: That are asked for; without any, the first ones that it takes.
        special: The function with arguments that it takes.
        known: Signature of what the node is so far.
    """
    chosen = name + arguments if arguments else next(iter(special), "")
    if not chosen:
        message = f"'{name}' is generic: name its arguments, as in {name}<float>"
        raise weft.ArgumentError(message)
    function = _declaration(source, chosen)
    if function is None and special and known:  # it was made, and takes others now
        chosen = special[0]
        function = _declaration(source, chosen)
    if function is None:
        message = f"no '{chosen}': '{name}' cannot have these arguments"
        raise weft.ArgumentError(message)
    return function, chosen


def _place_of_overload(signatures: Sequence[str], spelled: str, known: str) -> int:
    """Return the overload that is meant: the one asked for, or most like what the node is."""
    place = _closest(signatures, spelled if "(" in spelled else known)
    if not known and "(" in spelled and _types(spelled) != _types(signatures[place]):
        message = f"no overload is '{spelled}'; there are: {', '.join(signatures)}"
        raise weft.ArgumentError(message)
    return place


def _named(info: SourceInfo, name: str) -> list[FunctionInfo]:
    """Return the functions of a name; without one, those that had it."""
    usable = [entry for entry in info.functions if not entry.owner]
    return [entry for entry in usable if entry.name == name] or [
        entry for entry in usable if text_of(entry, "WasNamed") == name
    ]


def _closest(signatures: Sequence[str], wanted: str) -> int:
    """Return the place of the signature whose types are most like those of another one."""
    likeness = [SequenceMatcher(None, _types(wanted), _types(own)).ratio() for own in signatures]
    return likeness.index(max(likeness))


def _types(spelled: str) -> list[str]:
    return spelled.partition("(")[2].rstrip(")").replace(" ", "").split(",")


def specializations(source: Source, info: SourceInfo, function: FunctionInfo) -> list[str]:
    """Return arguments that a generic function takes: numbers, structures of its source."""
    structures = [entry.name for entry in info.structures if not entry.generics]
    choices = []
    for parameter in function.generics:
        is_number = all(map(_is_of_numbers, parameter.constraints))
        choices.append(COUNTS if parameter.is_value else NUMBERS if is_number else structures)
    tried = [f"<{', '.join(given)}>" for given in product(*choices)][:MAX_TRIED]
    return [given for given in tried if _declaration(source, function.name + given) is not None]


def _is_of_numbers(interface: str) -> bool:
    return interface.startswith("__") or interface in BUILT_IN


def _declaration(source: Source, spelled: str) -> FunctionInfo | None:
    try:
        return lowering.function_info(
            source.path,
            spelled,
            text=source.text,
            include_paths=source.folders,
            name=source.title,
        )
    except (weft.ArgumentError, weft.CompileError):
        return None
