# SPDX-License-Identifier: GPL-3.0-or-later
"""Where textures are looked up: coordinates that Cycles takes if nothing drives an input."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.values import Attribute, ColorAttribute, SlangCall, UVSet

from .values import call, call_with

if TYPE_CHECKING:
    from weft.scene.values import Value

    from .context import NodeContext


def generated(context: NodeContext) -> Value:
    """Return coordinates in the box around the undeformed mesh, 0 to 1."""
    return ColorAttribute(context.attribute("generated"))


def uv_map(context: NodeContext, name: str = "") -> Value:
    """Return a UV map as a vector of three; "" is the active one."""
    index = context.attribute("uv", name)
    return context.shared(f"uv {index}", lambda: call("uvVector", 3, uv=UVSet(index)))


def coordinates_of(context: NodeContext, identifier: str, default: str = "generated") -> Value:
    """Return what drives the vector of a texture.

    Args:
        context: The node.
        identifier: Of the input.
        default: What Cycles takes if nothing drives it: ``generated``, ``uv`` or ``position``.
    """
    if context.is_driven(identifier):
        return context.input(identifier)
    if default == "uv":
        return uv_map(context)
    return Attribute.POSITION if default == "position" else generated(context)


def flat_coordinates(vector: Value) -> Value:
    """Return the first two components of a vector; a UV map as it is, whose rays have a width."""
    if isinstance(vector, SlangCall) and vector.function == "uvVector":
        return vector.arguments["uv"]
    return call("projectFlat", 2, vector=vector)


def lattice_coordinates(context: NodeContext, dimensions: int) -> Value:
    """Return where a texture of cells is looked up, four numbers: Vector, W or both, scaled."""
    arguments: dict[str, Value] = {}
    if dimensions > 1:
        arguments["vector"] = coordinates_of(context, "Vector")
    if dimensions in (1, 4):
        arguments["w"] = context.input("W")
    arguments["scale"] = context.input("Scale")
    return call_with(f"noisePosition{dimensions}", 4, arguments)
