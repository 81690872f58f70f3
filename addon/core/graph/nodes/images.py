# SPDX-License-Identifier: GPL-3.0-or-later
"""Image Texture and Environment Texture."""

from __future__ import annotations

from copy import copy
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from weft.scene import Texture

from ..spec import NodeSpec
from ..texture_coordinates import coordinates_of, flat_coordinates
from ..values import call, call_with
from .coordinates import object_normal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.scene.texture import Filter, Wrap
    from weft.scene.values import Value

    from ..context import NodeContext
    from ..model import ImageData

_WRAPS: MappingProxyType[str, Wrap] = MappingProxyType(
    {"REPEAT": "repeat", "EXTEND": "extend", "CLIP": "clip", "MIRROR": "mirror"}
)


def _image(context: NodeContext) -> ImageData | None:
    """Return the image of a node, if there is one that can be read."""
    name = context.properties.get("image")
    if not name:
        return None
    found = context.image(str(name))
    if found is None:
        context.problem(
            f"the image '{name}' is missing or cannot be read", "pink, as Cycles shows such images"
        )
    return found


def _filter(context: NodeContext) -> Filter:
    """Return how to look between texels."""
    return "closest" if context.properties.get("interpolation") == "Closest" else "linear"


def _is_cubic(context: NodeContext) -> bool:
    """Return whether texels are joined by curves; Cycles takes Smart for Cubic."""
    return context.properties.get("interpolation") in ("Cubic", "Smart")


def _name_of(context: NodeContext, image: ImageData) -> str:
    """Return the name of an image's texture; one of several lookups cannot be fitted."""
    return context.texture_name() if _is_cubic(context) else context.bind_texture(image.name)


def _decoded(context: NodeContext, image: ImageData, texel: Value, channels: int) -> Value:
    """Return colour and alpha of texels, four components, as Cycles does after interpolation."""
    curve = "true" if image.encoding == "srgb" else "false"
    divides = image.is_associated and context.is_used("Alpha")
    name = f"imageColor{channels}<{curve}"
    return call(f"{name}, {'true' if divides else 'false'}>", 4, texel=texel)


def _texture(
    image: ImageData, pixels: NDArray[np.float32], name: str, **others: Value | Wrap | Filter
) -> Texture:
    """Return a texture of an image or of its tile; all of them have the same array.

    Renderers so find it on the device, however often the graph is compiled.
    """
    known: dict[int, Texture] = image.kept.setdefault("textures", {})
    if id(pixels) not in known:
        known[id(pixels)] = Texture(pixels)
    out = copy(known[id(pixels)])
    out.name = name
    for field, value in others.items():
        setattr(out, field, value)
    return out


def _look_up(
    context: NodeContext,
    image: ImageData,
    pixels: NDArray[np.float32],
    uv: Value,
    name: str,
    wrap: Wrap,
) -> Value:
    """Return colour and alpha of an image at a place."""
    if _is_cubic(context):
        extent = (float(pixels.shape[1]), float(pixels.shape[0]))
        parts: dict[str, Value] = {"weights": call("cubicWeights", 2, uv=uv, extent=extent)}
        for corner, letter in enumerate("abcd"):
            at = call(f"cubicPosition<{corner}>", 2, uv=uv, extent=extent)
            corner_name = f"{name}/{letter}"
            parts[letter] = _texture(image, pixels, corner_name, wrap=wrap, uv=at)
        channels = int(pixels.shape[2])
        return _decoded(
            context, image, call_with(f"cubicBlend{channels}", channels, parts), channels
        )
    texture = _texture(image, pixels, name, wrap=wrap, filter=_filter(context), uv=uv)
    return _decoded(context, image, texture, texture.channels)


def _tiled(context: NodeContext, image: ImageData, coordinates: Value, wrap: Wrap) -> Value:
    """Return colour and alpha of the tile of a UDIM set that a place lies in."""
    name = context.texture_name()
    uv = flat_coordinates(coordinates)
    color: Value = call("missingTile", 4, False)
    for number, pixels in sorted(image.tiles.items()):
        inside = call(f"tileCoordinates<{number}>", 2, uv=uv)
        texel = _look_up(context, image, pixels, inside, f"{name}/{number}", wrap)
        color = call(f"tileColor<{number}>", 4, before=color, uv=uv, color=texel)
    return color


def _boxed(context: NodeContext, image: ImageData, coordinates: Value, wrap: Wrap) -> Value:
    """Return colour and alpha of the sides of a box that the normal points to."""
    normal = object_normal(context)
    blend = float(context.properties.get("projection_blend", 0.0))
    if blend <= 0:
        uv = call("boxCoordinates", 2, vector=coordinates, normal=normal)
        return _look_up(context, image, image.pixels, uv, _name_of(context, image), wrap)
    name = context.texture_name()
    weights = call("boxWeights", 3, normal=normal, blend=blend)
    sides: dict[str, Value] = {"weights": weights}
    for axis in "XYZ":
        uv = call(f"boxCoordinates{axis}", 2, vector=coordinates, normal=normal)
        texel = _look_up(context, image, image.pixels, uv, f"{name}/{axis}", wrap)
        sides[axis.lower()] = texel
    return call_with("boxBlend", 4, sides)


_PROJECTIONS = MappingProxyType({"SPHERE": "projectSphere", "TUBE": "projectTube"})


MISSING = (1.0, 0.0, 1.0, 1.0)
"""What Cycles shows where a node has no image, or none that can be read: pink."""


def _texel(context: NodeContext) -> Value:
    """Return colour and alpha of an Image Texture."""
    image = _image(context)
    if image is None:
        return MISSING
    wrap = _WRAPS[str(context.properties.get("extension", "REPEAT"))]
    coordinates = coordinates_of(context, "Vector", "uv")
    projection = str(context.properties.get("projection", "FLAT"))
    if projection == "BOX":
        return _boxed(context, image, coordinates, wrap)
    if projection in _PROJECTIONS:
        coordinates = call(_PROJECTIONS[projection], 2, vector=coordinates)
    if image.tiles:
        return _tiled(context, image, coordinates, wrap)
    uv = coordinates if projection in _PROJECTIONS else flat_coordinates(coordinates)
    return _look_up(context, image, image.pixels, uv, _name_of(context, image), wrap)


def _image_texture(context: NodeContext, output: str) -> Value:
    return _part(context.once("texel", lambda: _texel(context)), output)


def _part(color: Value, output: str) -> Value:
    return call("alphaOf", 1, color=color) if output == "Alpha" else call("colorOf", 3, color=color)


def _surroundings(context: NodeContext, _output: str) -> Value:
    image = _image(context)
    if image is None:
        return _part(MISSING, "Color")
    kind: Literal["Equirectangular", "MirrorBall"] = "Equirectangular"
    if context.properties.get("projection") == "MIRROR_BALL":
        kind = "MirrorBall"
    uv = call(f"project{kind}", 2, direction=coordinates_of(context, "Vector", "position"))
    name = _name_of(context, image)
    return _part(_look_up(context, image, image.pixels, uv, name, "repeat"), "Color")


_NOTE = "images of Cubic or Smart interpolation cannot be fitted"

ENTRIES = MappingProxyType(
    {
        "ShaderNodeTexImage": NodeSpec("Image Texture", _image_texture, _NOTE),
        "ShaderNodeTexEnvironment": NodeSpec("Environment Texture", _surroundings, _NOTE),
    }
)
