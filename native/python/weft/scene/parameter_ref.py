# SPDX-License-Identifier: Apache-2.0
"""Which parameter is meant, from a panel or a script to the kernel, and how its name is written.

A name is the parts of a reference with dots between them. A part stands between double quotes
where it would be read as something else: if it is empty, has a dot, a quote, a backslash, a
bracket, a colon, an at sign or a control character, or begins or ends with a space. So
``"Material.001".Math.inputs[1]`` has three parts, the first with a dot in it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Self, TypeVar

from weft._native import ArgumentError, quoted_part, split_name, split_owner

Kind = Literal["material", "light", "exposure", "environment"]
T = TypeVar("T")
Name = TypeVar("Name", bound=str)


class ParameterRef(str):
    """One parameter: what it belongs to, and where in it. It reads as its unambiguous name.

    Names are equal where the parameters are, so references are keys of mappings and stand in files
    as they are; a plain text of the same letters finds the same entry.

    Args:
        text: The name, such as ``"Chrome.roughness"`` or ``'"Material.001".Math.inputs[1]'``.
        kind: ``material``: a number, colour or image of a material; ``light``: the factor of a
            light; ``exposure``: that of a picture; ``environment``: the light from everywhere.

    Attributes:
        kind: See above.
        parts: The parts of the name without quotes: owner, then the way to the number.

    Raises:
        ArgumentError: The text is empty, or a quote in it is not closed.

    Example:
        >>> ref = ParameterRef.of("Material.001", "Math", "Value")
        >>> ref, ref.owner, ref.path
        ('"Material.001".Math.Value', 'Material.001', ('Math', 'Value'))
    """

    kind: Kind
    parts: tuple[str, ...]

    def __new__(cls, text: str, kind: Kind = "material") -> Self:
        """Read the parts."""
        made = super().__new__(cls, text)
        made.parts = tuple(split_name(text))
        made.kind = getattr(text, "kind", kind)
        return made

    def __reduce__(self) -> tuple[type[Self], tuple[str, Kind]]:
        """Return what copies and pickles are made of."""
        return type(self), (str.__str__(self), self.kind)

    @classmethod
    def of(cls, *parts: str, kind: Kind = "material") -> Self:
        """Return the reference with these parts, the owner first; see also ``join_name``."""
        return cls(join_name(*parts), kind)

    @property
    def owner(self) -> str:
        """The material, light or picture that it belongs to."""
        return self.parts[0]

    @property
    def path(self) -> tuple[str, ...]:
        """The way from the owner to the number: nodes or closures, and the input."""
        return self.parts[1:]

    @property
    def within(self) -> str:
        """The name below the owner; "": it is the owner itself."""
        return rest_of(self)

    @property
    def input(self) -> str:
        """What the number itself is called, in small letters with underscores: ``base_color``."""
        last = self.parts[-1].rpartition("/")[2]  # scenes of earlier exports have slashes
        return last.lower().replace(" ", "_")


def quoted(part: str) -> str:
    """Return a part of a name as it is written."""
    return quoted_part(part)


def join_name(*parts: str) -> str:
    """Return the name of parts, quoted where it must be."""
    return ".".join(map(quoted_part, parts))


def rest_of(name: str) -> str:
    """Return the name below the owner, as it is written; "": there is none."""
    return split_owner(name)[1]


def owner_of(name: str) -> str:
    """Return the material, light or picture that a named parameter belongs to."""
    return split_owner(name)[0]


def find_name(name: str, known: Iterable[Name]) -> Name | None:
    """Return which of the known names is meant; ``None``: none is.

    That is the name itself, or the only one that reads so without its quotes.

    Raises:
        ArgumentError: Several read so; the message has them.
    """
    names = list(known)
    for entry in names:
        if entry == name:
            return entry
    alike = [entry for entry in names if '"' in entry and ".".join(split_name(entry)) == name]
    if len(alike) > 1:
        raise ArgumentError(f"{name!r} may be {' or '.join(alike)}; write the one with its quotes")
    return alike[0] if alike else None


def names_near(name: str, known: Iterable[str]) -> str:
    """Return known names of the same owner, or any, for an error."""
    owners = {entry: owner_of(entry) for entry in known}
    begins = {own for own in owners.values() if name.startswith((f"{own}.", f"{quoted(own)}."))}
    near = max(begins, key=len, default=None)
    return ", ".join([entry for entry, own in owners.items() if own == near] or owners)


class NamedValues(dict[str, T]):
    """Values by the names of parameters; a name without its quotes is found if only one reads so.

    Raises:
        ArgumentError: Several names read so.
    """

    def __missing__(self, name: str) -> T:
        """Return the value of the only name that reads so."""
        found = find_name(name, self) if isinstance(name, str) else None
        if found is None:
            raise KeyError(name)
        return self[found]
