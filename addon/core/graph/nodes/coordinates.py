# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that say where a point is: coordinates, UV maps, attributes, Mapping."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.scene.values import Attribute, ColorAttribute

from ..model import property_keys
from ..spec import Call, NodeSpec
from ..texture_coordinates import generated, uv_map
from ..values import call
from .spaces import CAMERA_NOTE, in_camera_space, radial_tangent, window

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext

_MAPPINGS = MappingProxyType(
    {
        "POINT": Call("mapPoint", ("Vector", "Location", "Rotation", "Scale"), 3),
        "TEXTURE": Call("mapTexture", ("Vector", "Location", "Rotation", "Scale"), 3),
        "VECTOR": Call("mapVector", ("Vector", "Rotation", "Scale"), 3),
        "NORMAL": Call("mapNormal", ("Vector", "Rotation", "Scale"), 3),
    }
)


def _mapping(context: NodeContext, _output: str) -> Value:
    return context.call(_MAPPINGS[str(context.properties["vector_type"])])


def object_normal(context: NodeContext) -> Value:
    """Return the normal in the space of the object, unit, on the side of the viewer."""
    normals = ColorAttribute(context.attribute("normal"))
    return context.shared(
        "object normal",
        lambda: call("objectNormal", 3, False, normal=normals, backfacing=Attribute.BACKFACING),
    )


def _coordinate(context: NodeContext, output: str) -> Value:
    if context.properties.get("from_instancer") and output in ("Generated", "UV"):
        return ColorAttribute(context.attribute("object_info", f"Instancer {output}"))
    if output == "Generated":
        return generated(context)
    if output == "UV":
        return uv_map(context)
    if output == "Object":
        return _object(context)
    if output == "Normal":
        return object_normal(context)
    if output == "Reflection":
        normal, incoming = context.normal, Attribute.INCOMING
        return call("reflectionVector", 3, False, incoming=incoming, normal=normal)
    return window(context) if output == "Window" else in_camera_space(context)


def _object(context: NodeContext) -> Value:
    """Return the place in the space of an object."""
    if not context.properties.get("object"):
        return ColorAttribute(context.attribute("object"))
    rows = context.properties.get("object_to_world_inverse")
    if rows is None:
        return context.unsupported("the space of another object, whose place is unknown,")
    arguments = {f"row{k}": tuple(rows[4 * k : 4 * k + 4]) for k in range(3)}
    return call("placeInSpace", 3, False, position=Attribute.POSITION, **arguments)


def _uv(context: NodeContext, _output: str) -> Value:
    if context.properties.get("from_instancer"):
        return ColorAttribute(context.attribute("object_info", "Instancer UV"))
    return uv_map(context, str(context.properties.get("uv_map") or ""))


def _attribute(context: NodeContext, output: str) -> Value:
    kind = str(context.properties.get("attribute_type", "GEOMETRY"))
    name = str(context.properties["attribute_name"])
    if kind == "GEOMETRY":
        return _named(context, output, name)
    of_color, of_alpha = property_keys(kind, name)
    if output == "Alpha":
        alpha = ColorAttribute(context.attribute("object_info", of_alpha))
        return call("redOf", 1, color=alpha)
    values = ColorAttribute(context.attribute("object_info", of_color))
    return call("vectorToFloat", 1, x=values) if output == "Fac" else values


def _color_attribute(context: NodeContext, output: str) -> Value:
    return _named(context, output, str(context.properties["layer_name"]))


def _named(context: NodeContext, output: str, name: str) -> Value:
    """Return an attribute of the mesh by its name; "" is the active colour."""
    if output == "Alpha":
        return call("redOf", 1, color=ColorAttribute(context.attribute("alpha", name)))
    values = ColorAttribute(context.attribute("color", name))
    return call("vectorToFloat", 1, x=values) if output == "Fac" else values


_GEOMETRY = MappingProxyType(
    {
        "Position": Attribute.POSITION,
        "True Normal": Attribute.GEOMETRIC_NORMAL,
        "Incoming": Attribute.INCOMING,
        "Backfacing": Attribute.BACKFACING,
        "Parametric": Attribute.PARAMETRIC,
    }
)


def _geometry(context: NodeContext, output: str) -> Value:
    if output == "Normal":
        return context.normal
    if output in _GEOMETRY:
        return _GEOMETRY[output]
    if output == "Tangent":
        return radial_tangent(context, "Z")
    return call("redOf", 1, color=ColorAttribute(context.attribute("shape", output)))


def _object_info(context: NodeContext, output: str) -> Value:
    values = ColorAttribute(context.attribute("object_info", output))
    return values if output in ("Location", "Color") else call("redOf", 1, color=values)


VECTORS = MappingProxyType({"ShaderNodeMapping": NodeSpec("Mapping", _mapping)})

INPUTS = MappingProxyType(
    {
        "ShaderNodeTexCoord": NodeSpec(
            "Texture Coordinate",
            _coordinate,
            f"Camera, Window: {CAMERA_NOTE[0].lower()}{CAMERA_NOTE[1:]}",
        ),
        "ShaderNodeUVMap": NodeSpec("UV Map", _uv),
        "ShaderNodeAttribute": NodeSpec("Attribute", _attribute),
        "ShaderNodeVertexColor": NodeSpec("Color Attribute", _color_attribute),
        "ShaderNodeNewGeometry": NodeSpec("Geometry", _geometry),
        "ShaderNodeObjectInfo": NodeSpec("Object Info", _object_info),
    }
)
