# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that Blender keeps in the user's preferences, and their panel."""

import os
from pathlib import Path

import bpy

from ... import __package__ as EXTENSION
from ...blender.session import require_session
from ...core.devices import DeviceSettings
from ...core.log import log_to_console, stop_log
from ..text import draw_text

LEVELS = (
    ("DEBUG", "Debug", "Everything, for a report about a fault"),
    ("INFO", "Info", "What the extension does, one line a step"),
    ("WARNING", "Warnings", "What may be wrong"),
    ("ERROR", "Errors", "What is wrong"),
)


def libraries_changed(self: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    """List other libraries."""
    from ..asset_libraries import list_libraries

    use_settings()
    list_libraries()


def settings_changed(self: bpy.types.AddonPreferences, context: bpy.types.Context) -> None:
    """Hand the settings to the session."""
    use_settings()


class WEFT_AP_preferences(bpy.types.AddonPreferences):
    """What people choose for all their files."""

    bl_idname = EXTENSION

    device: bpy.props.StringProperty(
        name="Device",
        description="The device that renders and fits, as 'vulkan:0' or 'cuda:1'; "
        "empty: the best one",
        update=settings_changed,
    )
    cache_megabytes: bpy.props.IntProperty(
        name="Cache Limit",
        description="Room for compiled kernels, in megabytes; what was used longest ago goes",
        min=16,
        soft_max=16384,
        max=1 << 20,
        default=1024,
        update=settings_changed,
    )
    memory_megabytes: bpy.props.IntProperty(
        name="Memory Limit",
        description="Device memory that renders and fits may take, in megabytes; "
        "0: all that there is",
        min=0,
        soft_max=65536,
        max=1 << 20,
        default=0,
        update=settings_changed,
    )
    log_level: bpy.props.EnumProperty(
        name="Log Level",
        description="Least important message that goes to the console",
        items=LEVELS,
        default="WARNING",
        update=settings_changed,
    )

    lists_libraries: bpy.props.BoolProperty(
        name="Asset Libraries",
        description="List the functions that Weft brings, and your templates, in asset browsers "
        "and Add menus while Weft is enabled",
        default=True,
        update=libraries_changed,
    )
    templates_folder: bpy.props.StringProperty(
        name="My Templates",
        description="Folder of the functions that you save as templates; empty: a folder beside "
        "Blender's user data",
        subtype="DIR_PATH",
        update=libraries_changed,
    )
    # Folders of the entries that Weft has put into Blender's list; see blender/asset_libraries.
    brought_library: bpy.props.StringProperty(options={"HIDDEN"})
    own_library: bpy.props.StringProperty(options={"HIDDEN"})

    def draw(self, context: bpy.types.Context) -> None:
        """Draw devices, cache, libraries and log level."""
        session = require_session()
        draw_devices(self.layout.box(), self, session)
        self.layout.prop(self, "memory_megabytes")
        draw_cache(self.layout.box(), self, session)
        self.layout.prop(self, "lists_libraries")
        self.layout.prop(self, "templates_folder")
        self.layout.prop(self, "log_level")


def draw_devices(
    layout: bpy.types.UILayout, settings: WEFT_AP_preferences, session: object
) -> None:
    """Draw the list of devices and the self-test."""
    row = layout.row()
    row.label(text="Device")
    row.operator("weft.find_devices", icon="FILE_REFRESH")
    column = layout.column(align=True)
    names = [("", "Best one available")]
    names += [(choice.key, choice.label) for choice in session.choices or ()]
    if settings.device not in [key for key, _ in names]:
        names.append((settings.device, settings.device))
    for key, label in names:
        icon = "RADIOBUT_ON" if key == settings.device else "RADIOBUT_OFF"
        row = column.row()
        row.alignment = "LEFT"
        button = row.operator("weft.choose_device", text=label, icon=icon, emboss=False)
        button.device = key
    if session.choices == []:
        draw_text(layout, "This machine has no device that Weft can use.", icon="ERROR")
    layout.operator("weft.test_device", icon="PLAY")
    if session.problem:
        draw_text(layout, session.problem, icon="ERROR")
    elif session.test_report:
        draw_text(layout, session.test_report, icon="CHECKMARK")


def draw_cache(layout: bpy.types.UILayout, settings: WEFT_AP_preferences, session: object) -> None:
    """Draw how much room compiled kernels take and may take."""
    size = session.cache_bytes
    row = layout.row()
    row.label(text="Compiled kernels" if size is None else f"Compiled kernels: {size / 1e6:.1f} MB")
    row.operator("weft.measure_cache", icon="FILE_REFRESH")
    row.operator("weft.clear_cache", icon="TRASH")
    layout.prop(settings, "cache_megabytes")


def cache_folder() -> Path | None:
    """Return where compiled kernels are kept: $WEFT_CACHE_DIR, else a folder of the extension.

    Removing the extension removes that folder. None: WEFT_CACHE_DIR turns the cache off.
    """
    if "WEFT_CACHE_DIR" in os.environ:
        named = os.environ["WEFT_CACHE_DIR"]
        return Path(named) if named else None
    try:
        return Path(bpy.utils.extension_path_user(EXTENSION, path="cache", create=True))
    except ValueError:  # enabled as something else than an extension
        return Path(bpy.utils.user_resource("DATAFILES", path="weft", create=True))


def find_settings() -> WEFT_AP_preferences | None:
    """Return the preferences; None where the extension runs without being enabled, as in tests."""
    entry = bpy.context.preferences.addons.get(EXTENSION)
    return None if entry is None else entry.preferences


def use_settings() -> None:
    """Hand what the preferences say to the session."""
    settings = find_settings()
    if settings is None:
        log_to_console("WARNING")
        require_session().change_settings(DeviceSettings(cache_folder=cache_folder()))
        return
    log_to_console(settings.log_level)
    require_session().templates_folder = settings.templates_folder
    require_session().change_settings(
        DeviceSettings(
            settings.device,
            cache_folder(),
            settings.cache_megabytes,
            # The engine takes no less.
            max(settings.memory_megabytes, 64) if settings.memory_megabytes else 0,
        )
    )


def forget_settings() -> None:
    """Stop writing to the console."""
    stop_log()
