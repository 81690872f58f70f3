# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's materials, compiled once an export."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import bpy

import weft

from ..core.graph.compile import AttributeTable, CompiledMaterial, compile_material
from .graphs import read_graph
from .ignored import MATERIAL, ignored
from .versions import node_tree_of

if TYPE_CHECKING:
    from ..core.graph.model import Images
    from ..core.graph.view import View
    from ..core.problems import Problem


class Everything(Collection[str]):
    """A collection that has every name."""

    def __contains__(self, name: object) -> bool:
        """Return True."""
        return True

    def __iter__(self) -> Iterator[str]:
        """Return nothing: there is no end of it."""
        return iter(())

    def __len__(self) -> int:
        """Return 0; see __iter__()."""
        return 0


EVERYTHING = Everything()

NO_MATERIAL = ""
"""The name under which what objects without material show is found."""


class MaterialStore:
    """The materials of one export.

    Attributes:
        compiled: By Blender's full names.
        view: The camera that nodes see; ``None``: there is none, or more than one.
        attributes: What meshes must bring; all materials count alike.
    """

    def __init__(
        self, images: Images, keep: Collection[str] = (), unwrapped: Collection[str] = ()
    ) -> None:
        """Begin without materials.

        Args:
            images: That materials use.
            keep: Names of parameters that a fit wants though they have no effect now.
            unwrapped: Full names of materials whose meshes bring their active UV map; EVERYTHING:
                all of them, as the first of their UV sets.
        """
        self.compiled: dict[str, CompiledMaterial] = {}
        self.view: View | None = None
        self.attributes = AttributeTable()
        self._images = images
        self._keep = keep
        self._unwrapped = unwrapped
        if unwrapped is EVERYTHING:
            self.attributes.require("uv", "")

    def find(self, material: bpy.types.Material | None) -> CompiledMaterial:
        """Return a compiled material; ``None`` is Blender's default, grey."""
        name = material_name(material)
        if name not in self.compiled:
            self.compiled[name] = self._compile(name, material)
            if name in self._unwrapped:
                self._require_uvs(self.compiled[name])
        return self.compiled[name]

    def keep(self, keep: Collection[str], unwrapped: Collection[str]) -> None:
        """Have what a fit wants in the materials, see __init__(); others stay as they are."""
        self._keep, self._unwrapped = keep, unwrapped
        for name, entry in list(self.compiled.items()):
            if not entry.left_out.isdisjoint(keep):
                del self.compiled[name]
            elif name in unwrapped:
                self._require_uvs(entry)

    def _compile(self, name: str, material: bpy.types.Material | None) -> CompiledMaterial:
        if material is None:
            return plain_material(_unused_name(), default_closure())
        tree = node_tree_of(material)
        if tree is None:
            color = tuple(material.diffuse_color[:3])
            return plain_material(name, weft.scene.Closure("diffuse", color=color))
        graph = read_graph(tree)
        compiled = compile_material(
            graph,
            self._images,
            name,
            keep=self._keep,
            attributes=self.attributes,
            view=self.view,
            displacement=material.displacement_method,
        )
        shadows = material.use_transparent_shadow
        own = replace(compiled.material, transparent_shadows=shadows)
        found = ignored(material, MATERIAL, f"Material '{name}'")
        return replace(compiled, material=own, problems=[*compiled.problems, *found])

    def _require_uvs(self, compiled: CompiledMaterial) -> None:
        request = self.attributes.require("uv", "")
        if request not in compiled.attributes:
            compiled.attributes.append(request)

    def problems(self) -> list[Problem]:
        """Return what materials cannot show."""
        return [problem for entry in self.compiled.values() for problem in entry.problems]


def material_name(material: bpy.types.Material | None) -> str:
    """Return the name under which a store knows a material."""
    return material.name_full if material else NO_MATERIAL


def _unused_name() -> str:
    """Return a name for Blender's default that no material has."""
    name = "no material"
    while name in bpy.data.materials:
        name = f"({name})"
    return name


def default_closure() -> weft.scene.Closure:
    """Return what Cycles shows where there is no material."""
    if bpy.app.version < (5, 0, 0):
        return weft.scene.Closure("diffuse", color=(0.8, 0.8, 0.8))
    return weft.scene.Closure("principled", base_color=(0.8, 0.8, 0.8), roughness=0.5)


def plain_material(name: str, surface: weft.scene.Closure) -> CompiledMaterial:
    """Return a material that Blender has no nodes for."""
    return CompiledMaterial(weft.scene.Material(name, surface), [], [], [], [])
