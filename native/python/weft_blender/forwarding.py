# SPDX-License-Identifier: Apache-2.0
"""Where the enabled extension is."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from weft import ArgumentError

if TYPE_CHECKING:
    from types import ModuleType

SESSION = "weft_session"
"""Attribute of bpy.types.WindowManager that the extension sets while it is enabled."""

ID = "weft"


def require_bpy(function: str) -> Any:  # noqa: ANN401  (a module without types)
    """Return the module bpy.

    Raises:
        ArgumentError: This Python is none of Blender's and has no such module.
    """
    try:
        import bpy
    except ImportError as error:
        raise ArgumentError(
            f"weft_blender.{function}: this Python has no module bpy ({error}); run it inside "
            "Blender, or install the package bpy"
        ) from error
    return bpy


def find_package() -> str | None:
    """Return the name of the enabled extension's package; None if there is none."""
    bpy = require_bpy("find_package")
    session = getattr(bpy.types.WindowManager, SESSION, None)
    if session is None:
        return None
    name: str = type(session).__module__
    return name.removesuffix(".blender.session")


def installed_packages() -> list[str]:
    """Return the names of the installed extension's packages, one a repository that has it."""
    require_bpy("installed_packages")
    import addon_utils

    names = (module.__name__ for module in addon_utils.modules(refresh=True))
    return sorted(name for name in names if name.rpartition(".")[2] == ID)


def require_api(function: str) -> ModuleType:
    """Return the module of the enabled extension that holds its functions for scripts.

    Raises:
        ArgumentError: It is not enabled; the text says how that is done.
    """
    require_bpy(function)
    package = find_package()
    if package is not None:
        return import_module(f"{package}.api")
    installed = installed_packages()
    if installed:
        remedy = f'bpy.ops.preferences.addon_enable(module="{installed[0]}")'
        raise ArgumentError(
            f"weft_blender.{function}: the extension is installed but not enabled; call {remedy}, "
            "or switch it on in Preferences > Add-ons"
        )
    raise ArgumentError(
        f"weft_blender.{function}: the Weft extension is not installed; drag its zip into Blender, "
        "or call bpy.ops.extensions.package_install_files(filepath=..., repo='user_default', "
        "enable_on_install=True)"
    )
