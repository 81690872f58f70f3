# SPDX-License-Identifier: GPL-3.0-or-later
"""Weft for Blender: fits the materials of the open scene to pictures of it, and renders.

Blender calls register() and unregister(), which do what the tables of ui/registration.py list.
`core` knows nothing of Blender, `blender` reads and writes its data, `ui` is what people see.
"""

from __future__ import annotations


def register() -> None:
    """Make types, panels and handlers known to Blender; the engine stays unloaded."""
    from .ui import registration

    registration.register()


def unregister() -> None:
    """Undo register(): nothing of the extension stays behind."""
    from .ui import registration

    registration.unregister()
