# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that Blender keeps in the user's preferences, and their panel."""

import bpy

from ... import __package__ as EXTENSION
from ...blender.session import find_session, require_session
from ...core.devices import DeviceSettings
from ..text import draw_text


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

    def draw(self, context: bpy.types.Context) -> None:
        """Draw the devices."""
        session = require_session()
        draw_devices(self.layout.box(), self, session)


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
        button = column.operator("weft.choose_device", text=label, icon=icon, emboss=False)
        button.device = key
    if session.choices == []:
        draw_text(layout, "This machine has no device that Weft can use.", icon="ERROR")
    layout.operator("weft.test_device", icon="PLAY")
    if session.problem:
        draw_text(layout, session.problem, icon="ERROR")
    elif session.test_report:
        draw_text(layout, session.test_report, icon="CHECKMARK")


def find_settings() -> WEFT_AP_preferences | None:
    """Return the preferences; None where the extension runs without being enabled, as in tests."""
    entry = bpy.context.preferences.addons.get(EXTENSION)
    return None if entry is None else entry.preferences


def use_settings() -> None:
    """Hand what the preferences say to the session."""
    settings = find_settings()
    if settings is not None:
        require_session().change_settings(DeviceSettings(settings.device))


def forget_settings() -> None:
    """Close the device that the settings chose."""
    session = find_session()
    if session is not None:
        session.close_device()
