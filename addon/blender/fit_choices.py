# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a material a fit may find, as the menus of the panel offer it.

Start reading at choices_of.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy
import numpy as np

from weft.scene.materials import textures_of

from ..core.graph.bindings import Address
from ..core.graph.effect import compile_with_effect
from ..core.graph.model import ImageData
from .fit_sockets import tree_at
from .graphs import read_graph
from .node_names import input_title, node_title
from .versions import node_tree_of

if TYPE_CHECKING:
    from ..core.graph.bindings import Binding, LinkedInput, TextureBinding
    from ..core.graph.compile import CompiledMaterial

ROLES = (("Base Color", "Color"), ("Metallic",), ("Roughness",))
"""Identifiers of the inputs of closures that matter most."""

MIXES = ("ShaderNodeMixShader", "ShaderNodeAddShader", "ShaderNodeGroup")


@dataclass(frozen=True)
class Choice:
    """A number or an image of a material.

    Args:
        address: Where.
        kind: ``NUMBER`` or ``TEXTURE``.
        title: What Blender's interface calls it.
        size: Of the image, texels; (0, 0) of numbers.
        role: 0 base color, 1 metallic, 2 roughness of a closure that it is or drives; -1: other.
        is_only: No other image drives that input.
    """

    address: Address
    kind: str
    title: str
    size: tuple[int, int] = (0, 0)
    role: int = -1
    is_only: bool = True


@dataclass(frozen=True)
class Choices:
    """What a fit may find of a material.

    Args:
        entries: Inputs with an effect, and images that drive any; the most important ones first.
        blocked: Important inputs that links drive, but not from one image: what Blender calls them.
    """

    entries: list[Choice]
    blocked: list[str]


class _Sizes(Mapping[str, ImageData]):
    """The images of the file without their pixels."""

    def __getitem__(self, name: str) -> ImageData:
        image = next((entry for entry in bpy.data.images if entry.name_full == name), None)
        if image is None or min(image.size) < 1:
            raise KeyError(name)
        return ImageData(name, np.zeros((1, 1, 4), np.float32))

    def __iter__(self) -> Iterator[str]:
        return (entry.name_full for entry in bpy.data.images)

    def __len__(self) -> int:
        return len(bpy.data.images)


def choices_of(material: bpy.types.Material) -> Choices:
    """Return what a fit may find of a material."""
    if node_tree_of(material) is None:
        return Choices([], [])
    compiled, numbers = _compiled(material)
    shown = {entry.name for entry in textures_of(compiled.material.surface)}
    found = [_number(material, binding) for binding in numbers]
    found += [
        _image(material, texture, compiled.linked)
        for texture in compiled.textures
        if texture.texture in shown
    ]
    made = [choice for choice in found if choice is not None]
    made.sort(key=lambda choice: choice.role % (len(ROLES) + 1))
    return Choices(made, _blocked(material, compiled.linked))


def find_choice(
    material: bpy.types.Material | None,
    path: tuple[str, ...],
    socket: str,
    *,
    is_output: bool = False,
) -> Choice | None:
    """Return the choice of an input or, if one image drives it, that image; ``None``: none."""
    if material is None or node_tree_of(material) is None:
        return None
    compiled, numbers = _compiled(material)
    wanted = Address(material.name_full, path, socket, is_output)
    for entry in compiled.linked:
        if wanted.is_of(entry) and len(entry.textures) == 1:
            return _image(material, entry.textures[0], compiled.linked)
    for texture in compiled.textures:
        if wanted.is_of(texture):
            return _image(material, texture, compiled.linked)
    found = next((entry for entry in numbers if wanted.is_of(entry)), None)
    return None if found is None else _number(material, found)


def _compiled(material: bpy.types.Material) -> tuple[CompiledMaterial, list[Binding]]:
    graph = read_graph(node_tree_of(material))
    return compile_with_effect(graph, _Sizes(), material.name_full)


def _blocked(material: bpy.types.Material, linked: list[LinkedInput]) -> list[str]:
    """Return the important inputs that something else than one image drives."""
    found = []
    for entry in linked:
        node = _node(material, entry.path)
        if node is None or len(entry.textures) == 1 or _role(node, entry.socket) < 0:
            continue
        found += [input_title(s) for s in node.inputs if s.identifier == entry.socket]
    return found


def _address(material: bpy.types.Material, entry: Binding | TextureBinding) -> Address:
    return Address(
        material.name_full,
        entry.path,
        getattr(entry, "socket", ""),
        getattr(entry, "is_output", False),
        entry.tree if len(entry.path) > 1 else "",
    )


def _node(material: bpy.types.Material, path: tuple[str, ...]) -> bpy.types.Node | None:
    tree = tree_at(material, path[:-1])
    return None if tree is None else tree.nodes.get(path[-1])


def _number(material: bpy.types.Material, binding: Binding) -> Choice | None:
    """Return a number; ``None``: it is no socket, as stops of ramps."""
    node = _node(material, binding.path)
    if node is None or binding.index < 0:
        return None
    socket = (node.outputs if binding.is_output else node.inputs)[binding.index]
    role = _role(node, binding.socket)
    return Choice(_address(material, binding), "NUMBER", input_title(socket), role=role)


def _image(
    material: bpy.types.Material, texture: TextureBinding, linked: list[LinkedInput]
) -> Choice | None:
    """Return an image, with the most important input that it drives."""
    node = _node(material, texture.path)
    if node is None or node.image is None:
        return None
    roles = {}
    for entry in linked:
        owner = _node(material, entry.path) if texture in entry.textures else None
        role = -1 if owner is None else _role(owner, entry.socket)
        if role >= 0:
            roles[role] = len(entry.textures) == 1
    role = min(roles, default=-1)
    width, height = node.image.size
    address = _address(material, texture)
    title = f"Image {node_title(node)}"
    return Choice(address, "TEXTURE", title, (width, height), role, roles.get(role, True))


def _role(node: bpy.types.Node, socket: str) -> int:
    """Return which of the important inputs of a closure a socket is; -1: none."""
    is_closure = any(entry.type == "SHADER" for entry in node.outputs)
    if not is_closure or node.bl_idname in MIXES:
        return -1
    return next((k for k, names in enumerate(ROLES) if socket in names), -1)
