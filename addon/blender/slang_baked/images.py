# SPDX-License-Identifier: GPL-3.0-or-later
"""Images that hold what was baked; they are packed into the file, and go with their group."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import bpy
import numpy as np

from .tree import MARK, baked_images, baked_nodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from ...core.baking.bake import Baked
    from ...core.steps import Steps

    Pixels = NDArray[np.float32]

DATA = "Non-Color"
UDIM = "<UDIM>"


def write_images(group: bpy.types.NodeTree, baked: Baked) -> Steps[None]:
    """Show what was baked; the image of a node that shows another size gets the new one.

    Args:
        group: Whose nodes look images up.
        baked: One image a node.
    """
    for number, node in sorted(baked_nodes(group).items()):
        if node.bl_idname != "ShaderNodeTexImage":
            continue
        tiles = {tile: images[number] for tile, images in baked.tiles.items()}
        if set(tiles) == {0}:
            _write_one(group, node, tiles[0])
        else:
            _write_tiles(group, node, tiles)
        extension = "REPEAT" if baked.wraps else "EXTEND"
        if node.extension != extension:
            node.extension = extension
        yield


def _write_one(group: bpy.types.NodeTree, node: bpy.types.Node, pixels: Pixels) -> None:
    height, width = pixels.shape[:2]
    image = node.image
    is_own = image is not None and _is_own(group, image) and image.source != "TILED"
    if not is_own or tuple(image.size) != (width, height):
        old, name = image, _name(group, node)
        # Half the time of image.scale(), which computes texels.
        image = _marked(bpy.data.images.new(name, width, height, float_buffer=True))
        if is_own:
            old.user_remap(image)  # editors that show it
        _replace(node, image)
        if is_own:
            bpy.data.images.remove(old)
            image.name = name
    image.pixels.foreach_set(pixels.ravel())
    image.update()


def _write_tiles(
    group: bpy.types.NodeTree, node: bpy.types.Node, tiles: Mapping[int, Pixels]
) -> None:
    """Make an image of tiles: Blender reads such ones from files alone."""
    name = _name(group, node)
    with tempfile.TemporaryDirectory() as folder:
        for tile, pixels in tiles.items():
            height, width = pixels.shape[:2]
            single = bpy.data.images.new(name, width, height, float_buffer=True)
            try:
                single.colorspace_settings.name = DATA
                single.pixels.foreach_set(pixels.ravel())
                single.filepath_raw = str(Path(folder) / f"baked.{tile}.exr")
                single.file_format = "OPEN_EXR"
                single.save()
            finally:
                bpy.data.images.remove(single)
        first = min(tiles)
        image = bpy.data.images.load(str(Path(folder) / f"baked.{first}.exr"))
        image.source = "TILED"
        image.filepath_raw = str(Path(folder) / f"baked.{UDIM}.exr")
        for tile in tiles:
            if tile not in {entry.number for entry in image.tiles}:
                image.tiles.new(tile)
        for entry in list(image.tiles):
            if entry.number not in tiles and len(image.tiles) > 1:
                image.tiles.remove(entry)
        image.pack()
    _replace(node, _marked(image))
    image.name = name  # the one before it has gone


def _name(group: bpy.types.NodeTree, node: bpy.types.Node) -> str:
    number = int(node[MARK])
    return f"{group.name} baked" + (f" {number + 1}" if number else "")


def _marked(image: bpy.types.Image) -> bpy.types.Image:
    image.colorspace_settings.name = DATA
    image.alpha_mode = "CHANNEL_PACKED"
    image[MARK] = True
    return image


def _is_own(group: bpy.types.NodeTree, image: bpy.types.Image) -> bool:
    """Return whether an image may be written: it was baked for this group, and is in no other."""
    uses = sum(own == image for own in baked_images(group).values())
    return MARK in image and image.library is None and image.users - image.use_fake_user <= uses


def _replace(node: bpy.types.Node, image: bpy.types.Image) -> None:
    old, node.image = node.image, image
    if old is not None:
        remove_unused_image(old)


def pack_images(group: bpy.types.NodeTree) -> Steps[None]:
    """Pack the images of a group into the file, where they were written since."""
    for image in baked_images(group).values():
        if image.is_dirty or image.packed_file is None:
            image.pack()
            yield


def pack_all(groups: Iterable[bpy.types.NodeTree]) -> None:
    """Pack what is shown at the moment, coarse perhaps: Blender saves no pixels of other images.

    Images that the user has unpacked stay files.
    """
    for image in [own for group in groups for own in baked_images(group).values() if own.is_dirty]:
        with suppress(RuntimeError):
            image.pack()


def remove_unused_image(image: bpy.types.Image) -> None:
    """Remove an image that was baked, and that nothing uses any more."""
    if MARK in image and image.users == 0 and image.library is None:
        bpy.data.images.remove(image)
