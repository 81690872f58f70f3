# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's materials as materials of `weft.scene`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft.scene import CLOSURES

from ..core.problems import Problem

if TYPE_CHECKING:
    import bpy


@dataclass
class CompiledMaterial:
    """A material, and what of Blender's nodes it stands for."""

    material: weft.scene.Material
    bindings: list[Any] = field(default_factory=list)
    textures: list[Any] = field(default_factory=list)
    attributes: list[Any] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


RENAMED = {"specular_ior_level": "specular_level"}


def compile_blender_material(material: bpy.types.Material | None) -> CompiledMaterial:
    """Return a material of the numbers of the Principled node that drives the output."""
    if material is None:
        grey = weft.scene.Closure("diffuse", color=(0.8, 0.8, 0.8))
        return CompiledMaterial(weft.scene.Material("no material", grey))
    name = material.name.replace(".", "_")
    tree = material.node_tree
    if not material.use_nodes or tree is None:
        inputs = {"base_color": tuple(material.diffuse_color[:3]), "metallic": material.metallic}
        return CompiledMaterial(weft.scene.principled(name, roughness=material.roughness, **inputs))
    output = tree.get_output_node("CYCLES")
    links = output.inputs["Surface"].links if output else ()
    node = links[0].from_node if links else None
    if node is None or node.bl_idname != "ShaderNodeBsdfPrincipled":
        problem = Problem(f"Material '{material.name}'", "its nodes are not supported yet", "grey")
        grey = weft.scene.Closure("diffuse", color=(0.8, 0.8, 0.8))
        return CompiledMaterial(weft.scene.Material(name, grey), problems=[problem])
    return CompiledMaterial(weft.scene.principled(name, **_numbers(node)))


def _numbers(node: bpy.types.Node) -> dict[str, Any]:
    """Return what a Principled node's unlinked sockets say, where it differs from the default."""
    known = CLOSURES["principled"].inputs
    found = {}
    for socket in node.inputs:
        key = socket.identifier.lower().replace(" ", "_")
        key = RENAMED.get(key, key)
        if key not in known or socket.is_linked or not socket.enabled:
            continue
        default = known[key].default
        value = socket.default_value
        value = tuple(value)[:3] if isinstance(default, tuple) else float(value)
        if key in ("base_color", "roughness") or not _equal(value, default):
            found[key] = value
    return found


def _equal(value: float | tuple[float, ...], default: float | tuple[float, ...]) -> bool:
    return bool(np.allclose(value, default, rtol=0, atol=1e-6))
