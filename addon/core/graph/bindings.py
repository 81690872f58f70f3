# SPDX-License-Identifier: GPL-3.0-or-later
"""Which parameter of a weft material is which socket of Blender's, and how people name them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import ArgumentError

if TYPE_CHECKING:
    from .compile import CompiledMaterial


@dataclass(frozen=True)
class Binding:
    """A number of Blender's that is a parameter of the material.

    Args:
        parameter: Weft's name, ``"<material>.<name>"``.
        material: Blender's name of the material.
        path: Names of nodes: the groups from the outside in, then the node.
        tree: Name of the tree that has the node. A group that is used twice has one number.
        socket: Identifier of the input, or of the output if `is_output`.
        socket_name: As people read it.
        value: As Blender has it now, without alpha.
        low: Smallest sensible value.
        high: Largest sensible value.
        is_output: The number stands at an output, as that of a Value node.
        is_active: The material has the parameter. If not, it would change nothing unless fitted:
            pass its name to ``compile_material(keep=...)``.
        is_main: It belongs to the closure that is the surface.
    """

    parameter: str
    material: str
    path: tuple[str, ...]
    tree: str
    socket: str
    socket_name: str
    value: float | tuple[float, ...]
    low: float
    high: float
    is_output: bool = False
    is_active: bool = True
    is_main: bool = False

    @property
    def label(self) -> str:
        """What people read: ``"Chrome.Principled BSDF.Roughness"``."""
        return ".".join((self.material, *self.path, self.socket_name))

    @property
    def size(self) -> int:
        """Number of components."""
        return len(self.value) if isinstance(self.value, tuple) else 1


@dataclass(frozen=True)
class TextureBinding:
    """An image of Blender's that is a texture of the material.

    Args:
        texture: Name of the ``weft.scene.Texture``, unique in the material.
        material: Blender's name of the material.
        path: Names of nodes, as in `Binding`.
        tree: Name of the tree that has the node.
        image: Blender's name of the image.
        encoding: What the texture's numbers are, as in ``ImageData``.
        is_associated: Its colour is multiplied by alpha.
    """

    texture: str
    material: str
    path: tuple[str, ...]
    tree: str
    image: str
    encoding: str = "linear"
    is_associated: bool = False

    @property
    def label(self) -> str:
        """What people read: ``"Wood.Image Texture"``."""
        return ".".join((self.material, *self.path))


def find_binding(
    compiled: CompiledMaterial | Iterable[CompiledMaterial], text: str
) -> Binding | TextureBinding:
    """Return what a person's address means.

    Args:
        compiled: One material, or several.
        text: ``"<material>.<node>.<socket>"``, with the group nodes before the node where names
            repeat; ``"<material>.<socket>"`` for the surface's own closure, or where only one node
            has such a socket; ``"<material>.<image node>"`` for a texture. Blender's names may hold
            dots themselves. Sockets go by name or identifier.

    Raises:
        ArgumentError: Nothing, or more than one thing, has that address.
    """
    materials = compiled if isinstance(compiled, Iterable) else (compiled,)
    by_address: dict[str, list[Binding | TextureBinding]] = {}
    for material in materials:
        for address, found in _addresses(material):
            by_address.setdefault(address, []).append(found)
    folded: dict[str, list[Binding | TextureBinding]] = {}
    for address, entries in by_address.items():
        folded.setdefault(address.casefold(), []).extend(entries)
    for table, key in ((by_address, text), (folded, text.casefold())):
        found_here = list(dict.fromkeys(table.get(key, ())))
        if len(found_here) == 1:
            return found_here[0]
        if found_here:
            names = ", ".join(repr(entry.label) for entry in found_here)
            raise ArgumentError(f"find_binding: {text!r} may be {names}; say which")
    raise ArgumentError(f"find_binding: nothing is called {text!r}; {_advice(by_address, text)}")


def _advice(by_address: dict[str, list[Binding | TextureBinding]], text: str) -> str:
    """Return what to try instead."""
    near = difflib.get_close_matches(text, by_address, n=3, cutoff=0.5)
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    labels = sorted({entry.label for entries in by_address.values() for entry in entries})
    if not labels:
        return "the material has no numbers that could be fitted"
    return f"there are {', '.join(map(repr, labels[:8]))}{', ...' if len(labels) > 8 else ''}"


def _addresses(material: CompiledMaterial) -> Iterable[tuple[str, Binding | TextureBinding]]:
    """Yield all addresses of a material's parameters."""
    for binding in material.bindings:
        nodes = {".".join(binding.path), binding.path[-1]}
        for socket in {binding.socket, binding.socket_name}:
            yield from ((f"{binding.material}.{node}.{socket}", binding) for node in nodes)
    for short, owner in _short_addresses(material.bindings):
        yield f"{owner.material}.{short}", owner
    for texture in material.textures:
        for node in {".".join(texture.path), texture.path[-1]}:
            yield f"{texture.material}.{node}", texture


def _short_addresses(bindings: Iterable[Binding]) -> Iterable[tuple[str, Binding]]:
    """Yield sockets whose node need not be said."""
    owners: dict[str, list[Binding]] = {}
    for binding in bindings:
        for socket in {binding.socket, binding.socket_name}:
            owners.setdefault(socket, []).append(binding)
    for socket, candidates in owners.items():
        main = [binding for binding in candidates if binding.is_main]
        chosen = main or candidates
        if len(chosen) == 1:
            yield socket, chosen[0]
