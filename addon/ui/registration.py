# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of everything that Blender is told about, and how they are put in and taken out.

A topic is a module that may hold, each in the order of registration:

- CLASSES: classes for bpy.utils.register_class.
- POINTERS: (owner type, property name, PropertyGroup): one pointer property each.
- MENUS: (menu type, draw function), appended to the menu.
- HANDLERS: (name of a list of bpy.app.handlers, function).
- SETUPS: (begin, end): functions without arguments for what no table holds.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import bpy

from ..blender.session import end_session, require_session, start_session

if TYPE_CHECKING:
    from contextlib import ExitStack
    from types import ModuleType

TOPICS = ("preferences", "engine", "fit", "slang_nodes", "asset_libraries", "commands")
"""Names of the topics' modules, in the order of registration."""


def topics() -> list[ModuleType]:
    """Return the topics' modules."""
    return [import_module(f".{name}", __package__) for name in TOPICS]


def register() -> None:
    """Put everything in; on failure what was put in before is taken out again."""
    undo = start_session().undo
    undo.callback(end_session)
    try:
        for topic in topics():
            register_topic(topic, undo)
    except BaseException:
        undo.close()
        raise


def unregister() -> None:
    """Take everything out, the last one first. Running jobs are ended before."""
    session = require_session()
    session.close_device()
    session.undo.close()


def register_topic(topic: ModuleType, undo: ExitStack) -> None:
    """Put one topic's tables in and note how each entry is taken out."""
    for cls in table(topic, "CLASSES"):
        bpy.utils.register_class(cls)
        undo.callback(bpy.utils.unregister_class, cls)
    for owner, name, group in table(topic, "POINTERS"):
        setattr(owner, name, bpy.props.PointerProperty(type=group))
        undo.callback(delattr, owner, name)
    for menu, draw in table(topic, "MENUS"):
        menu.append(draw)
        undo.callback(menu.remove, draw)
    for name, function in table(topic, "HANDLERS"):
        handlers = getattr(bpy.app.handlers, name)
        handlers.append(function)
        undo.callback(remove_handler, name, function)
    for begin, end in table(topic, "SETUPS"):
        begin()
        undo.callback(end)


def table(topic: ModuleType, name: str) -> tuple[Any, ...]:
    """Return a topic's table, empty if it has none of that name."""
    return getattr(topic, name, ())


def remove_handler(name: str, function: object) -> None:
    """Take a handler out; opening a file has done so already if it is not persistent."""
    handlers = getattr(bpy.app.handlers, name)
    if function in handlers:
        handlers.remove(function)
