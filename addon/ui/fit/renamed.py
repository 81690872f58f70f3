# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of a fit under the names of the release before, in scripts and in .blend files.

Both go with the release after this one.
"""

from __future__ import annotations

import warnings

import bpy

from ...blender.versions import stored_properties

RENAMED = {"max_draws": "max_iterations", "texture_draws": "texture_iterations"}
"""Names of today by those of the release before."""


def former_name(old: str) -> object:
    """Return the property with which scripts reach a setting by its old name; it warns.

    Args:
        old: One of RENAMED.
    """
    new = RENAMED[old]

    def warn() -> None:
        warnings.warn(
            f"weft_fit: '{old}' is called '{new}' now; use that name, the old one goes in a later "
            "release",
            DeprecationWarning,
            stacklevel=3,
        )

    def read(self: bpy.types.PropertyGroup) -> int:
        warn()
        return int(getattr(self, new))

    def write(self: bpy.types.PropertyGroup, value: int) -> None:
        warn()
        setattr(self, new, value)

    return bpy.props.IntProperty(
        name=f"{old} (retired)",
        description=f"The old name of {new}",
        options={"HIDDEN"},
        get=read,
        set=write,
    )


@bpy.app.handlers.persistent
def take_over_former_names(*_arguments: object) -> None:
    """Have settings that scenes keep under old names under today's, once."""
    # While Blender starts, extensions are registered without data.
    for scene in getattr(bpy.data, "scenes", ()):
        stored = stored_properties(scene.weft_fit)
        for old, new in RENAMED.items():
            if old in stored:
                setattr(scene.weft_fit, new, stored[old])
                del stored[old]
