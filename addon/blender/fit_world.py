# SPDX-License-Identifier: GPL-3.0-or-later
"""A fitted environment as an image that the scene's world shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from .fit_textures import GAP, find_image, new_image, write_pixels
from .versions import node_tree_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "Fitted Environment"


class LiveWorld:
    """The world of a scene while its light is found: previews, and a packed image at the end.

    The first preview puts an Environment Texture node and a Background node between the world's
    nodes and its output. A scene without world, or one without nodes, gets a new world; the one it
    had stays in the file. restore() takes all of it back.

    Args:
        scene: Whose world.
        override: The world of the view layer instead; ``None``: it has none.

    Raises:
        ArgumentError: The world belongs to a library file and cannot be changed, or the view
            layer's has no nodes.
    """

    def __init__(self, scene: bpy.types.Scene, override: bpy.types.World | None = None) -> None:
        """Remember what there is; nothing changes yet."""
        from weft import ArgumentError

        world = override or scene.world
        if override is not None and node_tree_of(override) is None:
            raise ArgumentError(
                f"fit: the view layer's world '{override.name}' has no nodes that could show an "
                "image; let it use nodes, or take the override away"
            )
        if world is not None and world.library is not None:
            raise ArgumentError(
                f"fit: the world '{world.name}' belongs to the file {world.library.filepath} and "
                "cannot be changed; make it local first"
            )
        # Numbers of the session: undo makes other objects of them.
        self._scene = scene.session_uid
        self._old = 0 if world is None else world.session_uid
        self._made = 0  # a new world
        self._image = 0
        self._added: tuple[str, ...] = ()  # names of new nodes
        self._source: tuple[str, str] | None = None  # node and socket that drove the output
        self._end = ""  # name of the output node

    def show(self, pixels: NDArray[np.float32], *, is_last: bool) -> bool:
        """Show radiance; the last one stays as a packed image. Return whether there is a scene."""
        scene = find(bpy.data.scenes, self._scene)
        if scene is None:
            return False
        height, width = pixels.shape[:2]
        image = find_image(self._image)
        if is_last or image is None or tuple(image.size) != (width, height):
            if image is not None:
                bpy.data.images.remove(image)
            image = new_image(NAME, pixels)
            self._image = image.session_uid
            self._wire(scene, image)
        write_pixels(image, pixels)
        if is_last:
            image.pack()
            self._keep()
        return True

    def restore(self) -> None:
        """Show what was there at the start."""
        scene, old = find(bpy.data.scenes, self._scene), find(bpy.data.worlds, self._old)
        if self._made:
            made = find(bpy.data.worlds, self._made)
            if scene is not None and scene.world == made:
                scene.world = old
            if made is not None:
                bpy.data.worlds.remove(made)
        elif old is not None and self._added:
            self._unwire(old.node_tree)
        image = find_image(self._image)
        if image is not None:
            bpy.data.images.remove(image)
        self._made = self._image = 0
        self._added = ()

    def _keep(self) -> None:
        """Let what was found stay: restore() does nothing from now on."""
        old = find(bpy.data.worlds, self._old)
        if self._made and old is not None and old.users == 0:
            old.use_fake_user = True  # else it would be gone with the next saving
        self._old = self._made = self._image = 0
        self._added = ()

    def _wire(self, scene: bpy.types.Scene, image: bpy.types.Image) -> None:
        """Let the world show an image."""
        world = find(bpy.data.worlds, self._made or self._old)
        if world is None or node_tree_of(world) is None:
            world = bpy.data.worlds.new(NAME)
            if world.node_tree is None:
                world.use_nodes = True
            world.node_tree.nodes.clear()
            self._made, self._added = world.session_uid, ()
            scene.world = world
        tree = world.node_tree
        if not all(name in tree.nodes for name in self._added) or not self._added:
            self._add_nodes(tree)
        tree.nodes[self._added[0]].image = image

    def _add_nodes(self, tree: bpy.types.NodeTree) -> None:
        """Put the image before the output."""
        end = tree.get_output_node("CYCLES") or tree.get_output_node("ALL")
        nodes = [tree.nodes.new(f"ShaderNode{kind}") for kind in ("TexEnvironment", "Background")]
        if end is None:
            end = tree.nodes.new("ShaderNodeOutputWorld")
            nodes.append(end)
        surface = end.inputs["Surface"]
        if surface.is_linked:
            link = surface.links[0]
            self._source = (link.from_node.name, link.from_socket.identifier)
        picture, background = nodes[:2]
        picture.label = NAME
        x, y = end.location
        background.location = (x, y - 2 * GAP)
        picture.location = (x - picture.width - GAP, y - 2 * GAP)
        tree.links.new(picture.outputs["Color"], background.inputs["Color"])
        tree.links.new(background.outputs["Background"], surface)
        self._added, self._end = tuple(node.name for node in nodes), end.name

    def _unwire(self, tree: bpy.types.NodeTree) -> None:
        """Take the nodes away and link the output as it was."""
        for name in self._added:
            if name in tree.nodes:
                tree.nodes.remove(tree.nodes[name])
        end = tree.nodes.get(self._end)
        if end is None or self._source is None:
            return
        node, identifier = self._source
        outputs = tree.nodes[node].outputs if node in tree.nodes else ()
        for socket in outputs:
            if socket.identifier == identifier:
                tree.links.new(socket, end.inputs["Surface"])


def find(entries: bpy.types.bpy_prop_collection, number: int) -> bpy.types.ID | None:
    """Return what has a session number, ``None`` if it was deleted."""
    return next((entry for entry in entries if entry.session_uid == number), None)
