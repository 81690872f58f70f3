# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the templates are that a person saved."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..session import find_session


def own_folder() -> Path:
    """Return the folder; it need not be there.

    The preferences may name one. The default lies beside the user's data and not in the folder of
    the extension, which Blender removes together with it.
    """
    session = find_session()
    chosen = "" if session is None else session.templates_folder
    if chosen:
        return Path(bpy.path.abspath(chosen))
    return Path(bpy.utils.user_resource("DATAFILES")) / "weft" / "templates"
