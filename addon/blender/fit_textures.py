# SPDX-License-Identifier: GPL-3.0-or-later
"""Fitted textures as images that materials show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from weft.colors import linear_from_srgb
from weft.scene.parameter_ref import split_name

from ..core.graph.bindings import TextureBinding
from .fit_sockets import SocketRef

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft.fit import FittedTexture
    from weft.scene.texture import Wrap

    from ..core.fitting.plan import FitPlan
    from ..core.graph.bindings import Binding

LINEAR, DATA = "Linear Rec.709", "Non-Color"
GAP = 60.0  # between nodes, in units of the node editor


class LiveTextures:
    """The textures of a plan: previews while the fit runs, packed images at its end.

    A socket gets an Image Texture node with the first preview; the image of a node that there is
    is replaced, and stays in the file. restore() takes all of it back.

    Args:
        plan: Whose textures.

    Raises:
        ArgumentError: A socket is not there, or cannot be changed.
    """

    def __init__(self, plan: FitPlan) -> None:
        """Remember where they go."""
        self._bindings = plan.textures
        self._sockets = {
            binding.label: SocketRef.of_binding(binding) for binding in plan.textures.values()
        }
        for ref in self._sockets.values():
            ref.require_editable()
        self._wraps = plan.wraps
        self._shown: dict[str, ShownTexture] = {}

    def preview(self, textures: Mapping[str, FittedTexture]) -> None:
        """Show textures as they are by now, by the references of their parameters."""
        for name, found in textures.items():
            self._show(name, found.pixels, is_last=False)

    def finish(self, textures: Mapping[str, FittedTexture]) -> list[str]:
        """Put the textures that were found into the materials; return labels of what is gone."""
        lost = []
        for name, found in textures.items():
            label = self._bindings[name].label
            if self._show(name, found.pixels, is_last=True):
                self._shown.pop(label)
            else:
                lost.append(label)
        return lost

    def restore(self) -> None:
        """Show what was there at the start."""
        for shown in self._shown.values():
            shown.remove()
        self._shown.clear()

    def _show(self, name: str, pixels: NDArray[np.float32], *, is_last: bool) -> bool:
        """Show an image at its socket; return whether the socket is still there."""
        binding = self._bindings[name]
        label = binding.label
        ref = self._sockets[label]
        if ref.find_node() is None or (ref.socket and ref.find_socket() is None):
            return False
        if label not in self._shown:
            self._shown[label] = ShownTexture(ref, self._wraps.get(label, "repeat"))
        self._shown[label].show(linear_pixels(binding, pixels), is_last=is_last)
        return True


class ShownTexture:
    """An image that a material shows instead of what was there.

    Args:
        ref: A socket, or an image node.
        wrap: How the image of a socket goes on beyond its edges.
    """

    def __init__(self, ref: SocketRef, wrap: Wrap) -> None:
        """Remember what is there; nothing changes yet."""
        self._socket = ref
        self._wrap = wrap
        node = ref.find_node()
        # Numbers of the session: undo makes other objects of them.
        self._old = 0 if ref.socket or node.image is None else node.image.session_uid
        self._image = 0
        self._added = ""  # name of a new node

    def show(self, pixels: NDArray[np.float32], *, is_last: bool) -> None:
        """Show pixels; the last ones stay as a packed image of the socket's name."""
        height, width = pixels.shape[:2]
        image = find_image(self._image)
        if is_last or image is None or tuple(image.size) != (width, height):
            if image is not None:
                bpy.data.images.remove(image)
            image = new_image(".".join(split_name(self._socket.label)), pixels)
            self._image = image.session_uid
            self._wire(image)
        write_pixels(image, pixels)
        if is_last:
            image.pack()

    def remove(self) -> None:
        """Show what was there before."""
        tree, node = self._socket.find_tree(), self._socket.find_node()
        if tree is not None and self._added in tree.nodes:
            tree.nodes.remove(tree.nodes[self._added])
        elif not self._socket.socket and node is not None:
            node.image = find_image(self._old)
        image = find_image(self._image)
        if image is not None:
            bpy.data.images.remove(image)

    def _wire(self, image: bpy.types.Image) -> None:
        """Let the socket show an image."""
        tree = self._socket.find_tree()
        if not self._socket.socket:
            self._socket.find_node().image = image
        elif self._added in tree.nodes:
            tree.nodes[self._added].image = image
        else:
            node = add_image_node(self._socket.require_socket(), image)
            node.extension = self._wrap.upper()
            self._added = node.name


def linear_pixels(
    binding: Binding | TextureBinding, pixels: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the linear numbers of a texture, which may carry the sRGB curve of its image."""
    if not isinstance(binding, TextureBinding) or binding.encoding != "srgb":
        return pixels
    colors = min(pixels.shape[2], 3)
    return np.dstack([linear_from_srgb(pixels[..., :colors]), pixels[..., colors:]])


def find_image(number: int) -> bpy.types.Image | None:
    """Return the image with a session number, ``None`` if it was deleted."""
    return next((entry for entry in bpy.data.images if entry.session_uid == number), None)


def new_image(name: str, pixels: NDArray[np.float32]) -> bpy.types.Image:
    """Return a float image of the size and kind of pixels: one channel is data, three a colour."""
    height, width, channels = pixels.shape
    image = bpy.data.images.new(name, width, height, alpha=channels == 4, float_buffer=True)
    image.colorspace_settings.name = DATA if channels == 1 else LINEAR
    return image


def write_pixels(image: bpy.types.Image, pixels: NDArray[np.float32]) -> None:
    """Write pixels into an image of their size.

    Args:
        image: Of floats.
        pixels: Shape ``(height, width, 1 or 3 or 4)``, linear, the top row first.
    """
    height, width, channels = pixels.shape
    rgba = np.ones((height, width, 4), np.float32)
    rgba[..., :3] = pixels[..., :3]
    if channels == 4:
        rgba[..., 3] = pixels[..., 3]
    image.pixels.foreach_set(rgba[::-1].ravel())
    image.update()


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
