# SPDX-License-Identifier: GPL-3.0-or-later
"""Asset libraries that are listed while the extension is on: its own, and the user's templates.

They are listed in background mode, too: scripts find there what people find.
"""

from __future__ import annotations

from pathlib import Path

from ..blender.asset_libraries import add_library, remove_library, unnoticed
from ..blender.session import require_session
from ..blender.slang_nodes.own_templates import own_folder
from ..core.slang_nodes.catalogs import FILE
from .preferences.settings import find_settings

PACKAGE = Path(__file__).resolve().parents[1]
NAMES = {"brought": "Weft", "own": "Weft, My Templates"}


def brought_folder() -> Path:
    """Return where the extension has its library; a checkout has none."""
    return PACKAGE / "assets"


def wanted() -> dict[str, str]:
    """Return the folders that are to be listed, by what they are."""
    settings = find_settings()
    if settings is not None and not settings.lists_libraries:
        return {}
    folders = {"brought": brought_folder(), "own": own_folder()}
    return {kind: str(folder) for kind, folder in folders.items() if (folder / FILE).is_file()}


def list_libraries() -> None:
    """List what is there, and take out what is not wanted any more."""
    session, settings = require_session(), find_settings()
    folders = wanted()
    for kind, name in NAMES.items():
        known = session.libraries.get(kind, "")
        if settings is not None:
            known = known or getattr(settings, f"{kind}_library")
        if kind in folders:
            session.libraries[kind] = add_library(name, folders[kind], known)
        else:
            remove_library(known)
            session.libraries[kind] = ""
    note()


def note() -> None:
    """Let the preferences know which entries are the extension's."""
    settings = find_settings()
    if settings is None:
        return
    with unnoticed():
        for kind, folder in require_session().libraries.items():
            setattr(settings, f"{kind}_library", folder)


def take_out_libraries() -> None:
    """Take out what was listed, and nothing else."""
    session = require_session()
    for kind, folder in session.libraries.items():
        remove_library(folder)
        session.libraries[kind] = ""
    note()


SETUPS = ((list_libraries, take_out_libraries),)
