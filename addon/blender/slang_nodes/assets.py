# SPDX-License-Identifier: GPL-3.0-or-later
"""Slang nodes' groups as assets: marks, pictures and files of a library."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ...core.slang_nodes.catalogs import FILE, catalog_id, catalog_path, catalogs_of, with_catalogs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Picture = NDArray[np.float32]

SUFFIXES = {
    "ShaderNodeTree": "",
    "GeometryNodeTree": " (Geometry)",
    "CompositorNodeTree": " (Compositor)",
}
"""Of the names of assets: the names of a file's groups differ."""

ICON = 32
_SUFFIX = re.compile(r"(?: \((?:Geometry|Compositor)\))?(?:\.\d{3,})?$")


@dataclass(frozen=True)
class About:
    """What an asset browser shows of a function.

    Args:
        title: What people read.
        category: Of the menu.
        description: A sentence or more.
        tags: By which it is found.
        author: "": unknown.
        license: "": unknown.
    """

    title: str
    category: str
    description: str = ""
    tags: Sequence[str] = ()
    author: str = ""
    license: str = ""


def asset_name(title: str, tree_type: str, taken: Iterable[str] = ()) -> str:
    """Return the name of a function's asset for one kind of tree.

    Args:
        title: Of the function.
        tree_type: Blender's name of the kind.
        taken: Kinds of which there is an asset of that function already: the first has no suffix.
    """
    return title + (SUFFIXES[tree_type] if any(True for _ in taken) else "")


def plain_name(name: str) -> str:
    """Return the name of a group without what tells assets apart.

    >>> plain_name("Bricks (Geometry).001")
    'Bricks'
    """
    return _SUFFIX.sub("", name)


def mark_asset(
    tree: bpy.types.NodeTree, about: About, catalogs: str, picture: Picture | None
) -> None:
    """Make a group an asset.

    Args:
        tree: The group.
        about: What is known of it.
        catalogs: Text of the library's catalogs, in which its category is.
        picture: As ``weft.gallery`` draws it, row 0 at the top; ``None``: it has none.
    """
    path = catalog_path(about.category)
    tree.asset_mark()
    data = tree.asset_data
    data.catalog_id = catalogs_of(catalogs).get(path, catalog_id(path))
    data.description = about.description
    data.author = about.author
    data.license = about.license
    for tag in about.tags:
        data.tags.new(tag, skip_if_exists=True)
    if picture is not None:
        set_preview(tree, picture)


def set_preview(tree: bpy.types.NodeTree, picture: Picture) -> None:
    """Give a group its picture, and an icon made of it."""
    import numpy as np

    preview = tree.preview_ensure()
    height, width = picture.shape[:2]
    opaque = np.ones((height, width, 4), np.float32)
    opaque[..., :3] = picture[::-1]
    preview.image_size = (width, height)
    preview.image_pixels_float.foreach_set(opaque.ravel())
    rows = np.arange(ICON) * height // ICON
    columns = np.arange(ICON) * width // ICON
    preview.icon_size = (ICON, ICON)
    preview.icon_pixels_float.foreach_set(opaque[rows][:, columns].ravel())


@contextmanager
def named(trees: dict[str, bpy.types.NodeTree]) -> Iterator[None]:
    """Let groups have names for a while, whatever other groups of the file are called.

    Args:
        trees: By the names that they are to have.
    """
    others = {
        name: other
        for name in trees
        if (other := bpy.data.node_groups.get((name, None))) is not None
        and other not in trees.values()
    }
    own = {tree.name: tree for tree in trees.values()}
    try:
        for name, tree in trees.items():
            tree.rename(name, mode="ALWAYS")
        yield
    finally:
        for name, tree in own.items():
            tree.name = name
        for name, other in others.items():
            other.rename(name, mode="ALWAYS")


def write_assets(file: Path, trees: dict[str, bpy.types.NodeTree]) -> None:
    """Write groups into a file of an asset library; the open file stays as it is.

    Args:
        file: The .blend, which is replaced.
        trees: By the names that the assets have.

    Raises:
        OSError: It cannot be written.
    """
    from weft._replacing import replacing

    with named(trees), replacing(file) as temporary:
        bpy.data.libraries.write(str(temporary), set(trees.values()), fake_user=True, compress=True)
        if not temporary.is_file():  # Blender reports some failures to nobody
            message = f"'{file}' could not be written"
            raise OSError(message)


def write_catalogs(folder: Path, categories: Iterable[str]) -> str:
    """Add categories to the catalogs of a library; return the text of all of them.

    Raises:
        OSError: The file cannot be read or written.
    """
    from weft._replacing import replacing

    file = folder / FILE
    # Bytes that are not UTF-8, and the ends of lines, stay what they are.
    before = file.read_bytes().decode("utf-8", "surrogateescape") if file.is_file() else ""
    text = with_catalogs(before, map(catalog_path, categories))
    if text != before:
        with replacing(file) as temporary:
            temporary.write_bytes(text.encode("utf-8", "surrogateescape"))
    return text
