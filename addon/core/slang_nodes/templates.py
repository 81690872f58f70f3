# SPDX-License-Identifier: GPL-3.0-or-later
"""From a function of a person's to all that a template is; without Blender, in any thread."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import weft

from .choosing import choose
from .interface import has
from .preparing import prepare, read_source
from .saving import file_name, is_title, marked_source, previewed_source
from .sources import Source, SourceKey

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from .preparing import Prepared, Request

TREES = ("ShaderNodeTree", "GeometryNodeTree", "CompositorNodeTree")
PICTURE = 128
"""Pixels along a side."""


@dataclass(frozen=True, eq=False)
class Template:
    """A function that is to be saved.

    Args:
        key: Of its source, once it is saved.
        title: What people read.
        category: Of the menu.
        text: Of its file.
        prepared: Its nodes, by Blender's type of the tree: those in which it lowers.
        picture: As ``weft.gallery`` draws it; ``None``: it has none.
        without: Why it has none, "" if it has one.
    """

    key: SourceKey
    title: str
    category: str
    text: str
    prepared: dict[str, Prepared]
    picture: NDArray[np.float32] | None
    without: str = ""


def template_key(title: str, category: str) -> SourceKey:
    """Return the name of a template's source.

    Raises:
        ArgumentError: A name or a category is none that files, menus and Slang take.
    """
    for what, text in (("name", title), ("category", category)):
        if not is_title(text):
            message = (
                f"save_as_template: {what} must be one line with a letter or a digit and without "
                f"quotes, colons and backslashes, got {text!r}"
            )
            raise weft.ArgumentError(message)
    return SourceKey("library", f"{file_name(category)}/{file_name(title)}")


def make_template(
    request: Request, title: str, category: str, device: Callable[[], weft.Device]
) -> Template:
    """Compile a function as a template and draw it; nothing is written.

    Args:
        request: Of the node that is saved, or of one that might be.
        title: What people shall read.
        category: Of the menu.
        device: That draws; called where there is something to draw.

    Raises:
        ArgumentError: The function is not there, lowers in no tree, or needs other files.
        CompileError: The source does not compile.
    """
    key = template_key(title, category)
    info = read_source(request.source)
    function = choose(request.source, info, request.function, request.known).function
    _require_one_file(request.source, info.files)
    try:
        text = _text_of(request.source)
        text = marked_source(text, function.name, function.location.line, category, title)
    except (OSError, ValueError) as error:
        message = f"save_as_template: '{request.source.title}' cannot be a template: {error}"
        raise weft.ArgumentError(message) from error
    source = Source(key, None, text)
    info = read_source(source)
    prepared: dict[str, Prepared] = {}
    refusals: list[weft.ArgumentError] = []
    for tree in TREES:
        form = request.form if tree == request.tree else "AUTOMATIC"  # OSL is for materials
        asked = replace(request, source=source, tree=tree, form=form)
        try:
            prepared[tree] = prepare(asked, info)
        except weft.ArgumentError as refusal:
            refusals.append(refusal)
    if not prepared:
        raise refusals[0]
    found = Template(key, title, category, text, prepared, None)
    if any(entry.interface.images for entry in prepared.values()):
        return replace(found, without=f"'{title}' looks images up, and a template has none to draw")
    try:
        drawn = _drawn_source(text, choose(source, info, request.function, request.known).function)
        return replace(found, picture=_draw(found, drawn, function.name, device()))
    except (weft.Error, OSError, ImportError) as error:
        return replace(found, without=str(error))


def _text_of(source: Source) -> str:
    # A mark of the byte order is one at the beginning alone, and lines come before it.
    if source.text is not None:
        return source.text.removeprefix("\ufeff")
    assert source.path is not None
    return source.path.read_text(encoding="utf-8-sig")


def _require_one_file(source: Source, files: tuple[str, ...]) -> None:
    """Say which file a template could not take along.

    Raises:
        ArgumentError: The source imports files that do not come with Weft.
    """
    own = None if source.path is None else source.path.resolve()
    others = [Path(file) for file in files if Path(file).resolve() != own]
    if others:
        message = (
            f"save_as_template: '{source.title}' imports '{others[0].name}', and a template is one "
            "file: put what it takes from there into it"
        )
        raise weft.ArgumentError(message)


def _drawn_source(text: str, function: weft.FunctionInfo) -> str:
    """Return a source that can be drawn: what says nothing of that is drawn over what it takes.

    Expressions and functions of numbers say nothing as a rule; those of a place that comes first
    are drawn over it by the gallery itself.
    """
    types = [parameter.type.name for parameter in function.parameters]
    if has(function, "Preview") or types[:1] in (["float2"], ["float3"]):
        return text
    kind = "Plane" if {"float2", "float3"} & set(types) else "Graph"
    if kind == "Graph" and "float" not in types:
        return text
    return previewed_source(text, function.name, function.location.line, kind)


def _draw(template: Template, text: str, function: str, device: weft.Device) -> NDArray[np.float32]:
    from weft.gallery import draw

    with tempfile.TemporaryDirectory(prefix="weft-template-") as folder:
        file = Path(folder) / f"{Path(template.key.name).name}.slang"
        file.write_text(text, encoding="utf-8")
        try:
            return draw(file, function, PICTURE, device)
        except weft.Error as error:
            text = str(error).replace(f"{folder}/", "").replace(f"{folder}\\", "")
            raise type(error)(text) from error
