# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that know the camera, or the object: Camera Data, Vector Transform, Tangent."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.scene.values import Attribute, ColorAttribute, UVTangent

from ..spec import NodeSpec
from ..texture_coordinates import generated
from ..values import call, call_with

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext
    from ..view import View

TO_WORLD, TO_OBJECT = "To World", "To Object"
CAMERA_NOTE = "Of the scene's camera, in the viewport, too; not in fits"


def view_of(context: NodeContext) -> View:
    """Return the camera that the nodes of a scene see."""
    found = context.compiler.view
    if found is None:
        context.unsupported("the space of the camera where there is none or more than one")
    assert found is not None
    return found


def in_camera_space(context: NodeContext) -> Value:
    """Return where the point is seen from the camera: to the right, up, into the picture."""
    rows = view_of(context).rows

    def make() -> Value:
        arguments = {f"row{k}": tuple(row) for k, row in enumerate(rows)}
        return call("placeInSpace", 3, False, position=Attribute.POSITION, **arguments)

    return context.shared("camera space", make)


def window(context: NodeContext) -> Value:
    """Return where in the picture the point is seen, 0 to 1."""
    view = view_of(context)
    if view.window is None:
        return context.unsupported("the window of a camera that sees all around")
    low, high = view.window
    return call(
        f"windowCoordinates<{str(view.is_perspective).lower()}>",
        3,
        False,
        place=in_camera_space(context),
        low=low,
        extent=(high[0] - low[0], high[1] - low[1]),
    )


def _camera(context: NodeContext, output: str) -> Value:
    coordinates = in_camera_space(context)
    if output == "View Vector":
        return call("unitOrZero", 3, v=coordinates)
    function = "depthOf" if output == "View Z Depth" else "distanceOf"
    return call(function, 1, False, place=coordinates)


def columns_of(context: NodeContext, space: str, way: str, count: int) -> dict[str, Value]:
    """Return the first columns of the matrix from a space to the world, or back."""
    if space == "OBJECT":
        numbers = [context.attribute("object_info", f"{way} {k}") for k in range(count)]
        return {f"column{k}": ColorAttribute(number) for k, number in enumerate(numbers)}
    view = view_of(context)
    matrix = view.inverse_columns() if way == TO_WORLD else view.columns()
    return {f"column{k}": matrix[k] for k in range(count)}


def _turn(context: NodeContext, value: Value, space: str, way: str) -> Value:
    """Return a vector that goes from a space to the world, or back."""
    kind = str(context.properties["vector_type"])
    if kind == "NORMAL":
        other = TO_OBJECT if way == TO_WORLD else TO_WORLD
        return call_with("turnNormal", 3, {"v": value, **columns_of(context, space, other, 3)})
    count = 4 if kind == "POINT" else 3
    function = "turnPoint" if kind == "POINT" else "turnVector"
    return call_with(function, 3, {"v": value, **columns_of(context, space, way, count)})


def _transform(context: NodeContext, _output: str) -> Value:
    source, target = (str(context.properties[f"convert_{way}"]) for way in ("from", "to"))
    value = context.input("Vector")
    if source != target:
        if source != "WORLD":
            value = _turn(context, value, source, TO_WORLD)
        if target != "WORLD":
            value = _turn(context, value, target, TO_OBJECT)
    if context.properties["vector_type"] == "NORMAL":
        return call("unitOrZero", 3, v=value)
    return value


def radial_tangent(context: NodeContext, axis: str) -> Value:
    """Return the tangent around an axis of the object, world space, unit."""
    around = call(f"aroundAxis<{'XYZ'.index(axis)}>", 3, False, generated=generated(context))
    columns = columns_of(context, "OBJECT", TO_OBJECT, 3)
    turned = call_with("turnNormal", 3, {"v": around, **columns})
    return call("alongSurface", 3, False, direction=turned, normal=context.normal)


def _tangent(context: NodeContext, _output: str) -> Value:
    if context.properties["direction_type"] != "RADIAL":
        return UVTangent(context.attribute("uv", str(context.properties.get("uv_map") or "")))
    return radial_tangent(context, str(context.properties["axis"]))


INPUTS = MappingProxyType(
    {
        "ShaderNodeCameraData": NodeSpec("Camera Data", _camera, CAMERA_NOTE),
        "ShaderNodeTangent": NodeSpec("Tangent", _tangent),
    }
)

VECTORS = MappingProxyType(
    {
        "ShaderNodeVectorTransform": NodeSpec(
            "Vector Transform",
            _transform,
            f"Space of the camera: {CAMERA_NOTE[0].lower()}{CAMERA_NOTE[1:]}",
        )
    }
)
