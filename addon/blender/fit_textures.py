# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitted textures as packed images that materials show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from weft import ArgumentError

from .fit_places import Place

if TYPE_CHECKING:
    from ..core.fitting.outcome import FoundTexture
    from ..core.fitting.plan import FitPlan

LINEAR, DATA = "Linear Rec.709", "Non-Color"
GAP = 60.0  # between nodes, in units of the node editor


def require_editable_places(plan: FitPlan) -> dict[str, Place]:
    """Return where a plan's textures go, by the names of parameters.

    Raises:
        ArgumentError: A place is not there, or cannot be changed.
    """
    places = {name: Place.of_binding(binding) for name, binding in plan.textures.items()}
    for place in places.values():
        place.require_editable()
    return places


def apply_texture(found: FoundTexture, place: Place) -> bpy.types.Image:
    """Put a fitted texture into a material.

    A socket gets a new Image Texture node; the image of a node that there is is replaced, the old
    image stays in the file while it is used elsewhere.

    Args:
        found: What was fitted.
        place: Where it goes.

    Returns:
        The packed image.

    Raises:
        ArgumentError: The node is not there any more.
    """
    node = place.find_node()
    if node is None:
        raise ArgumentError(f"fit: '{place.label}' is not there any more; the texture is lost")
    image = make_image(place.label, found.pixels)
    if place.socket:
        add_image_node(place.require_socket(), image)
    else:
        node.image = image
    return image


def make_image(name: str, pixels: np.ndarray) -> bpy.types.Image:
    """Return a new packed float image.

    Args:
        name: Of the image.
        pixels: Shape ``(height, width, 1 or 3 or 4)``, linear, the top row first; one channel is
            data, three are a colour.
    """
    height, width, channels = pixels.shape
    has_alpha = channels == 4
    image = bpy.data.images.new(name, width, height, alpha=has_alpha, float_buffer=True)
    image.colorspace_settings.name = DATA if channels == 1 else LINEAR
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = pixels[..., :3]
    if has_alpha:
        rgba[..., 3] = pixels[..., 3]
    image.pixels.foreach_set(rgba[::-1].ravel())
    image.update()
    image.pack()
    return image


def add_image_node(socket: bpy.types.NodeSocket, image: bpy.types.Image) -> bpy.types.Node:
    """Let an image drive a socket, through a new node left of the socket's own."""
    tree = socket.id_data
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    node.label = image.name
    owner = socket.node
    node.location = (owner.location.x - node.width - GAP, owner.location.y)
    tree.links.new(node.outputs["Color"], socket)
    return node
