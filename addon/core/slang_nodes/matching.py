# SPDX-License-Identifier: GPL-3.0-or-later
"""Which socket of a node is which after its function was edited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .menus import MENU, case_labels, find_case

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from .interface import SocketSpec

    Plain = float | tuple[float, ...]
    Value = Plain | bool | str


@dataclass(frozen=True)
class Existing:
    """A socket that a tree has.

    Args:
        identifier: Blender's.
        name: The parameter's that it was made for.
        type: Blender's: ``NodeSocketFloat``, ...
        cases: Of an enumeration, names and values.
    """

    identifier: str
    name: str
    type: str
    cases: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Match:
    """A socket of the new function.

    Args:
        spec: What it is now.
        old: What it was; ``None``: it is new.
    """

    spec: SocketSpec
    old: Existing | None

    @property
    def is_retyped(self) -> bool:
        """Whether its value is lost and has to be set anew."""
        return self.old is not None and self.old.type != self.spec.type

    @property
    def has_other_values(self) -> bool:
        """Whether its value has to be converted: the type is another one, or the cases are."""
        return self.old is not None and (self.is_retyped or self.old.cases != self.spec.cases)

    def converted(self, value: Value) -> Value:
        """Return a value of the old socket as the new one has it; cases keep their names.

        A case that is there no longer becomes the default.
        """
        cases = () if self.old is None else self.old.cases
        if cases:
            place = find_case(cases, value)
            if self.spec.cases:
                return self.spec.shown("" if place is None else cases[place][0])
            value = 0 if place is None else cases[place][1]
        return self.spec.shown(value)


@dataclass(frozen=True)
class Matching:
    """Old and new sockets of one direction.

    Args:
        sockets: In the order of the function.
        removed: What the function has no longer.
    """

    sockets: tuple[Match, ...]
    removed: tuple[Existing, ...]


def match_sockets(existing: Sequence[Existing], specs: Sequence[SocketSpec]) -> Matching:
    """Match sockets by name, then by the name that a parameter says it had.

    Of what is left over, one socket that went and one that came at the same place with the same
    type are one that was renamed: its link would be lost otherwise.
    """
    by_name = {socket.name: socket for socket in existing}
    found: dict[str, Existing] = {
        spec.name: by_name.pop(spec.name) for spec in specs if spec.name in by_name
    }
    for spec in specs:
        former = _former_name(spec)
        if spec.name not in found and former in by_name:
            found[spec.name] = by_name.pop(former)
    renamed = _find_renamed(existing, by_name, specs, found)
    if renamed is not None:
        old, new = renamed
        found[new.name] = by_name.pop(old.name)
    return Matching(
        tuple(Match(spec, found.get(spec.name)) for spec in specs), tuple(by_name.values())
    )


def _find_renamed(
    existing: Sequence[Existing],
    left: Collection[str],
    specs: Sequence[SocketSpec],
    found: Collection[str],
) -> tuple[Existing, SocketSpec] | None:
    """Return the one socket that went and the one that came, if they are alike."""
    came = [place for place, spec in enumerate(specs) if spec.name not in found]
    went = [place for place, socket in enumerate(existing) if socket.name in left]
    if came != went or len(came) != 1:
        return None
    old, new = existing[went[0]], specs[came[0]]
    return (old, new) if old.type == new.type else None


def _former_name(spec: SocketSpec) -> str:
    """Return what a socket was called; of a field the parameter's name is another one."""
    if not spec.was_named:
        return ""
    for place, letter in enumerate(spec.name):
        if letter in ".[":
            return spec.was_named + spec.name[place:]
    return spec.was_named


_WIDTHS = {"NodeSocketVector": 3, "NodeSocketColor": 4}


def shown_case(cases: Sequence[tuple[str, int]], place: int, kind: str) -> Value:
    """Return a case as a socket has it: in a menu its label, else its value."""
    return case_labels(name for name, _ in cases)[place] if kind == MENU else cases[place][1]


def converted(value: Plain | bool, new: str) -> Plain | bool:
    """Return a value as a socket of another type has it, as Blender's links convert.

    Args:
        value: A number, a truth, three numbers, or four of a colour.
        new: Type of the socket: ``NodeSocketInt``, ...

    Raises:
        TypeError: It is none of these; ValueError as well, and OverflowError for an integer.
    """
    # Enabling the extension must not load the engine.
    from ..evaluation.converting import convert

    given = tuple(map(float, value)) if isinstance(value, tuple) else float(value)
    if new in _WIDTHS:
        return tuple(convert(given, "float64", (_WIDTHS[new],)).tolist())
    if new == "NodeSocketBool":
        return bool(convert(given, "bool"))
    number = float(convert(given, "float64"))
    return int(number) if new == "NodeSocketInt" else number
