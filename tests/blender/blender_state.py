# SPDX-License-Identifier: Apache-2.0
"""Everything that an extension may leave behind in Blender, as plain data that can be compared."""

from __future__ import annotations

import logging

import bpy

OWNERS = (
    "Brush",
    "Camera",
    "Image",
    "Light",
    "Material",
    "Node",
    "NodeSocket",
    "NodeTree",
    "Object",
    "Scene",
    "ViewLayer",
    "WindowManager",
    "World",
)


def menu_functions(cls):
    """Return what was appended to a menu, panel or header."""
    draw = getattr(cls, "draw", None)
    return [f"{f.__module__}.{f.__qualname__}" for f in getattr(draw, "_draw_funcs", ())]


def blender_state():
    """Return types, properties, handlers, menus, engines, keymaps and libraries by name."""
    types = {name: getattr(bpy.types, name) for name in dir(bpy.types)}
    subclasses = [
        cls
        for base in ("Operator", "Panel", "PropertyGroup", "RenderEngine", "UIList", "Menu")
        for cls in getattr(bpy.types, base).__subclasses__()
        if getattr(cls, "is_registered", False)
    ]
    owners = {name: sorted(dir(types[name])) for name in OWNERS}
    properties = {name: sorted(types[name].bl_rna.properties.keys()) for name in OWNERS}
    handlers = {
        name: [f"{f.__module__}.{f.__qualname__}" for f in functions]
        for name in dir(bpy.app.handlers)
        if isinstance(functions := getattr(bpy.app.handlers, name), list)
    }
    # The first append() turns a menu's own draw function into a list of one, for good.
    menus = {
        name: functions
        for name, cls in types.items()
        if (functions := menu_functions(cls)) and not is_own(functions, name)
    }
    engines = {
        cls.__name__: sorted(cls.COMPAT_ENGINES)
        for cls in bpy.types.Panel.__subclasses__()
        if hasattr(cls, "COMPAT_ENGINES") and getattr(cls, "is_registered", False)
    }
    libraries = bpy.context.preferences.filepaths.asset_libraries
    configs = bpy.context.window_manager.keyconfigs
    keymaps = {
        f"{config.name}/{keymap.name}": [item.idname for item in keymap.keymap_items]
        for config in configs
        for keymap in config.keymaps
    }
    return {
        "types": sorted(types),
        "registered": sorted(f"{cls.__module__}.{cls.__name__}" for cls in subclasses),
        "attributes": owners,
        "properties": properties,
        "operators": sorted(f"{m}.{n}" for m in dir(bpy.ops) for n in dir(getattr(bpy.ops, m))),
        "handlers": handlers,
        "menus": menus,
        "engines": engines,
        "keymaps": keymaps,
        "asset libraries": [f"{entry.name} {entry.path}" for entry in libraries],
        "loggers": sorted(logging.getLogger("weft").handlers, key=repr),
    }


def is_own(functions, name):
    """Return whether a menu has nothing but the draw function of its own or a base class."""
    classes = {cls.__qualname__ for cls in getattr(bpy.types, name).__mro__}
    owner = functions[0].split(".")[-2]
    return len(functions) == 1 and functions[0].startswith("bl_ui.") and owner in classes


def differences(before, after):
    """Return what differs, by kind: (gone, new)."""
    found = {}
    for kind in before:
        if before[kind] != after[kind]:
            old, new = set(flat(before[kind])), set(flat(after[kind]))
            found[kind] = (sorted(old - new), sorted(new - old))
    return found


def flat(value, path=""):
    """Yield a nested value as lines of text."""
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from flat(entry, f"{path}{key}: ")
    elif isinstance(value, list):
        for entry in value:
            yield f"{path}{entry}"
    else:
        yield f"{path}{value}"
