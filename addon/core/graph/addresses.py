# SPDX-License-Identifier: GPL-3.0-or-later
"""How people and the panel name parameters of materials.

Start reading at find_binding.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from weft import ArgumentError
from weft.scene.parameter_ref import join_name

from .bindings import Address, Binding, LinkedInput, TextureBinding

if TYPE_CHECKING:
    from .compile import CompiledMaterial

MAX_NAMES = 8
Found = Binding | TextureBinding
Entry = Binding | TextureBinding | LinkedInput


def find_binding(
    compiled: CompiledMaterial | Iterable[CompiledMaterial],
    address: str | Address,
    *,
    is_texture: bool = False,
) -> Found:
    """Return what an address means.

    Args:
        compiled: One material, or several.
        address: Exact, or what a person writes: ``"<material>.<node>.<socket>"``, with the group
            nodes before the node where names repeat; ``"<material>.<socket>"`` for the surface's
            own closure, or where only one node has such a socket; ``"<material>.<image node>"``
            for a texture. Names that hold dots and the like may stand between quotes, as
            ``ParameterRef`` writes them, and must where they could mean something else. Sockets go
            by name or identifier, or as ``inputs[1]`` and ``outputs[0]`` where names repeat.
        is_texture: An image is wanted: an input that one image drives stands for that image.

    Raises:
        ArgumentError: Nothing, or more than one thing, has that address, or links drive it.
    """
    materials = list(compiled) if isinstance(compiled, Iterable) else [compiled]
    if isinstance(address, Address):
        found = [entry for m in materials for entry in _entries(m) if address.is_of(entry)]
        if not found:
            raise ArgumentError(f"fit: {_why_absent(materials, address)}")
        return _resolved(found[0], str(address), is_texture)
    return _resolved(_find_text(materials, address), address, is_texture)


def _entries(material: CompiledMaterial) -> Iterable[Entry]:
    yield from material.bindings
    yield from material.textures
    yield from material.linked


def _resolved(found: Entry, text: str, is_texture: bool) -> Found:
    """Return what can be fitted; refuse linked inputs but for one image.

    Raises:
        ArgumentError: The input is linked.
    """
    if not isinstance(found, LinkedInput):
        return found
    if is_texture and len(found.textures) == 1:
        return found.textures[0]
    raise ArgumentError(f"fit: '{text}' is linked to node '{found.driver}'; {_instead_of(found)}")


def _instead_of(found: LinkedInput) -> str:
    """Return what to do about a linked input."""
    ways = [f"fit the image 'texture:{entry.label}'" for entry in found.textures]
    if found.numbers:
        names = _listed([entry.label for entry in found.numbers])
        ways.append(f"fit a number that drives it ({names})")
    return ", or ".join([*ways, "remove the link"])


def _find_text(materials: list[CompiledMaterial], text: str) -> Entry:
    """Return what a person's address means.

    Raises:
        ArgumentError: Nothing, or more than one thing, has that address.
    """
    tables: list[dict[str, list[Entry]]] = [{}, {}, {}]
    for material in materials:
        for rank, address, found in _addresses(material):
            tables[rank].setdefault(address, []).append(found)
    for fold in (str, str.casefold):
        for table in tables:
            found_here = _spelled(table, text, fold)
            if len(found_here) == 1:
                return found_here[0]
            if found_here:
                names = ", ".join(entry.label for entry in found_here)
                raise ArgumentError(f"fit: {text!r} may be {names}; say which")
    known = {name: entries for table in tables for name, entries in table.items()}
    raise ArgumentError(f"fit: nothing is called {text!r}; {_advice(materials, known, text)}")


def _spelled(table: dict[str, list[Entry]], text: str, fold: Callable[[str], str]) -> list[Entry]:
    """Return what has an address, each once, if letters are told apart as `fold` does."""
    hits = [e for key, entries in table.items() if fold(key) == fold(text) for e in entries]
    return list(dict.fromkeys(hits))


def _advice(materials: list[CompiledMaterial], known: dict[str, list[Entry]], text: str) -> str:
    """Return what to try instead."""
    near = difflib.get_close_matches(text, known, n=3, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    labels = sorted({entry.label for entries in known.values() for entry in entries})
    if not labels:
        return "the materials have no numbers that could be fitted"
    return f"there are {_listed(labels)}"


def _listed(names: list[str]) -> str:
    """Return names as text, the first few of them."""
    more = ", ..." if len(names) > MAX_NAMES else ""
    return f"{', '.join(map(repr, names[:MAX_NAMES]))}{more}"


def _why_absent(materials: list[CompiledMaterial], address: Address) -> str:
    """Return why a socket that is there is no parameter."""
    names = {entry.material for m in materials for entry in _entries(m)}
    if address.material not in names:
        return (
            f"'{address}' cannot be found: no visible object shows material '{address.material}'; "
            "give it to one, or remove the parameter"
        )
    if len(address.path) > 1:
        return (
            f"'{address}' is no parameter: nothing leads from node '{address.path[-1]}' to the "
            f"material's output, or '{address.path[0]}' is a Slang node, of which inputs alone can "
            "be fitted; link it, choose an input, or remove the parameter"
        )
    return (
        f"'{address}' has no effect on the surface: nothing leads from node '{address.path[-1]}' "
        "to the material's output; link it or remove the parameter"
    )


def _addresses(material: CompiledMaterial) -> Iterable[tuple[int, str, Entry]]:
    """Yield the addresses of a material's parameters.

    Those of rank 0 are unambiguous, of rank 1 whole but for quotes, of rank 2 short.
    """
    sockets: list[Binding | LinkedInput] = [*material.bindings, *material.linked]
    for entry in sockets:
        yield 0, entry.label, entry
        for rank, text in _addresses_of_socket(entry):
            yield rank, text, entry
    for short, owner in _short_addresses(sockets):
        for text in _spellings(owner.material, short):
            yield 2, text, owner
    for texture in material.textures:
        yield 0, texture.label, texture
        for rank, nodes in ((1, texture.path), (2, texture.path[-1:])):
            for text in _spellings(texture.material, *nodes):
                yield rank, text, texture


def _addresses_of_socket(entry: Binding | LinkedInput) -> Iterable[tuple[int, str]]:
    place = entry.place if isinstance(entry, Binding) else ""
    ways = (entry.path, *(entry.ways if isinstance(entry, Binding) else ()))
    for rank, nodes in (*((1, way) for way in ways), (2, entry.path[-1:])):
        for socket in {entry.socket, entry.socket_name} - {""}:
            for text in _spellings(entry.material, *nodes, socket):
                yield rank, text
        for text in _spellings(entry.material, *nodes) if place else ():
            yield rank, f"{text}.{place}"


def _spellings(*parts: str) -> set[str]:
    """Return a name with and without its quotes."""
    return {join_name(*parts), ".".join(parts)}


def _short_addresses(
    sockets: Iterable[Binding | LinkedInput],
) -> Iterable[tuple[str, Binding | LinkedInput]]:
    """Yield sockets whose node need not be said."""
    for socket, candidates in _owners_of_names(sockets).items():
        main = [entry for entry in candidates if entry.is_main]
        numbers = [entry for entry in candidates if isinstance(entry, Binding)]
        # Linked inputs of other nodes are no answer where a number has the name.
        chosen = main or numbers or candidates
        if len(chosen) == 1:
            yield socket, chosen[0]


def _owners_of_names(
    sockets: Iterable[Binding | LinkedInput],
) -> dict[str, list[Binding | LinkedInput]]:
    owners: dict[str, list[Binding | LinkedInput]] = {}
    for entry in sockets:
        for socket in {entry.socket, entry.socket_name}:
            owners.setdefault(socket, []).append(entry)
    return owners
