# SPDX-License-Identifier: GPL-3.0-or-later
"""`blender --command weft ...`: the command line of the engine that the extension brings."""

from __future__ import annotations

import bpy

from ..blender.session import require_session

NAME = "weft"


def run_command(arguments: list[str]) -> int:
    """Do what ``weft`` does with these arguments, and return its exit code."""
    # The engine is loaded here, not when the extension is enabled.
    from weft.cli import main

    try:
        return main(arguments)
    except SystemExit as end:  # of --help, and of wrong arguments
        return int(end.code or 0)


def add_command() -> None:
    """Make the command known to Blender."""
    require_session().command = bpy.utils.register_cli_command(NAME, run_command)


def remove_command() -> None:
    """Undo add_command()."""
    session = require_session()
    command, session.command = session.command, None
    if command is not None:
        bpy.utils.unregister_cli_command(command)


SETUPS = ((add_command, remove_command),)
