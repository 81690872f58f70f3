# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree of shader nodes as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Plain = float | tuple[float, ...] | str | None
"""What a socket holds: a number, three or four of them, text, or nothing."""


@dataclass(frozen=True)
class Socket:
    """An input or an output of a node.

    Args:
        identifier: Unique among the inputs, or the outputs, of a node; the same in all versions.
        name: What people read; it may change with Blender's version and need not be unique.
        kind: Blender's ``socket.type``: VALUE, INT, BOOLEAN, VECTOR, RGBA, SHADER, STRING, ...
        value: Of an unlinked input, and of outputs that hold one (Value, RGB). Colours are linear
            Rec.709 with alpha.
        link: Name of the node and identifier of the output that drives an input.
        low: Smallest value of the slider.
        high: Largest value of the slider.
        is_enabled: The socket is in use with the node's properties as they are.
        hides_value: The interface shows no value: unlinked, the renderer chooses one.
        more_links: Of an input that takes several, those that come after `link`, as Blender does.
    """

    identifier: str
    name: str
    kind: str
    value: Plain = None
    link: tuple[str, str] | None = None
    low: float = 0.0
    high: float = 1.0
    is_enabled: bool = True
    hides_value: bool = False
    more_links: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Node:
    """A node.

    Args:
        name: Unique in its tree.
        kind: Blender's ``bl_idname``.
        label: What the user wrote on it, or "".
        properties: Plain values by name: enums are text, vectors tuples, images the name of the
            image; colour ramps and curves are mappings (see addon/blender/graphs.py).
        inputs: In Blender's order.
        outputs: In Blender's order.
        is_muted: `internal_links` take the node's place.
        internal_links: Identifier of an output -> identifier of the input that it passes on.
        tree: Of a group.
    """

    name: str
    kind: str
    label: str = ""
    properties: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    inputs: Sequence[Socket] = ()
    outputs: Sequence[Socket] = ()
    is_muted: bool = False
    internal_links: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    tree: Graph | None = None

    def find_input(self, identifier: str) -> Socket | None:
        """Return an input by its identifier, or ``None``."""
        return next((s for s in self.inputs if s.identifier == identifier), None)

    def find_output(self, identifier: str) -> Socket | None:
        """Return an output by its identifier, or ``None``."""
        return next((s for s in self.outputs if s.identifier == identifier), None)


@dataclass(frozen=True)
class Graph:
    """A node tree.

    Args:
        name: Unique among the trees of a material and the groups that it uses.
        nodes: By name.
        converts_on_the_way: Reroutes, muted nodes and sockets of groups convert what they pass on
            to their own kind, and pass on 0 if nothing reaches them, as before Blender 5.0; later
            ones are as if they were not there.
        hashes_by_lookup3: Cells of Voronoi textures have the points that they had before Blender
            5.0.
        walks_once: Subsurface scattering is diffuse behind a diffuse bounce, as before Blender 5.0.
        ies_ends_dark: Curves of IES textures come from and end in darkness, as before Blender 5.0.
        random_walk: What the method *Random Walk* is, of ``weft.scene.closures.WALKS``.
        is_function: It was made from a Slang function: its numbers are part of it, and it is one
            function for the engine and for fits.
    """

    name: str
    nodes: Mapping[str, Node]
    converts_on_the_way: bool = False
    hashes_by_lookup3: bool = False
    walks_once: bool = False
    ies_ends_dark: bool = False
    random_walk: str = "random_walk"
    is_function: bool = False


def property_keys(kind: str, name: str) -> tuple[str, str]:
    """Return the names in ``ObjectInstance.info`` of the color and the alpha of a property.

    Args:
        kind: Of an Attribute node: OBJECT, INSTANCER or VIEW_LAYER.
        name: Of the property.
    """
    return f"{kind} {name}", f"Alpha of {kind} {name}"


@dataclass(frozen=True, eq=False)
class ImageData:
    """An image that nodes use.

    Args:
        name: Blender's.
        pixels: Shape ``(height, width, channels)``, float32, 1, 3 or 4 channels, the top row
            first; linear Rec.709, or the file's numbers if it holds data.
        encoding: ``srgb``: the numbers carry the sRGB curve, which is removed after interpolation,
            as Cycles does with images of bytes.
        is_associated: Colour is multiplied by alpha.
        tiles: Pixels of the tiles of a UDIM set by their numbers, 1001 and up; `pixels` are those
            of the first.
        kept: What is made of its pixels once.
    """

    name: str
    pixels: NDArray[np.float32]
    encoding: Literal["linear", "srgb"] = "linear"
    is_associated: bool = False
    tiles: Mapping[int, NDArray[np.float32]] = field(default_factory=lambda: MappingProxyType({}))
    kept: dict[object, Any] = field(default_factory=dict, init=False, repr=False)


Images = Mapping[str, ImageData]
"""Images by name; a node whose image is missing is a problem."""
