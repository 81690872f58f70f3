# SPDX-License-Identifier: GPL-3.0-or-later
"""A template of a person's, written into their library: a source and an asset of the same name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from weft import ArgumentError
from weft._replacing import replacing

from ...core.slang_nodes.templates import template_key
from ...core.steps import last_value
from .assets import About, asset_name, mark_asset, write_assets, write_catalogs
from .build import new_group
from .users import remove_group

if TYPE_CHECKING:
    from ...core.slang_nodes.templates import Template


def require_free(folder: Path, title: str, category: str) -> None:
    """Say that a template is there already.

    Raises:
        ArgumentError: It is, or the name is none.
    """
    name = template_key(title, category).name
    for ending in (".slang", ".blend"):
        file = folder / f"{name}{ending}"
        if file.exists():
            message = (
                f"save_as_template: there is a template '{title}' in '{category}' already, {file}; "
                "take another name, or replace=True"
            )
            raise ArgumentError(message)


def save_template(template: Template, folder: Path, *, replaces: bool = False) -> Path:
    """Write a template into a library; what was there is as before if that fails.

    Args:
        template: The function.
        folder: The library, made if it is not there.
        replaces: A template of that name is replaced; else it is an error.

    Returns:
        The source.

    Raises:
        ArgumentError: There is one of that name, or the folder cannot be written.
    """
    if not replaces:
        require_free(folder, template.title, template.category)
    file = folder / f"{template.key.name}.slang"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        catalogs = write_catalogs(folder, [template.category])
        with restored(file):
            with replacing(file) as temporary:
                temporary.write_text(template.text, encoding="utf-8")
            write_groups(template, file, catalogs)
    except (OSError, RuntimeError) as error:
        message = f"save_as_template: '{file.parent}' cannot be written: {error}"
        raise ArgumentError(message) from error
    return file


@contextmanager
def restored(file: Path) -> Iterator[None]:
    """Put a file back, or remove it, if the block fails."""
    before = file.read_bytes() if file.is_file() else None
    try:
        yield
    except BaseException:
        if before is None:
            file.unlink(missing_ok=True)
        else:
            with replacing(file) as temporary:
                temporary.write_bytes(before)
        raise


def write_groups(template: Template, file: Path, catalogs: str) -> None:
    """Write the asset of each tree; the open file has them only meanwhile.

    Args:
        template: The function.
        file: Its source, which is there.
        catalogs: Text of the library's.
    """
    trees: dict[str, bpy.types.NodeTree] = {}
    made = []
    try:
        for tree, prepared in template.prepared.items():
            group = last_value(new_group(replace(prepared, files=(str(file),))))
            made.append(group)
            trees[asset_name(template.title, tree, trees)] = group
            interface = prepared.interface
            about = About(template.title, template.category, interface.tooltip, ("slang",))
            mark_asset(group, about, catalogs, template.picture)
        write_assets(file.with_suffix(".blend"), trees)
    finally:
        for group in made:
            remove_group(group)
