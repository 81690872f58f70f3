# SPDX-License-Identifier: Apache-2.0
"""Closures below which light wanders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.materials import Closure

if TYPE_CHECKING:
    from weft.scene.materials import Surface
    from weft.scene.program import Printer


def wanders(closure: Closure) -> bool:
    """Return whether light goes below a closure."""
    return closure.kind == "subsurface" or "subsurface_weight" in closure.inputs


def count_walks(surface: Surface) -> int:
    """Return below how many closures of a surface light wanders."""
    if isinstance(surface, Closure):
        return int(wanders(surface))
    return count_walks(surface.first) + count_walks(surface.second)


def print_walks(printer: Printer, closure: Closure, structure: str) -> str:
    """Return the Slang text of whether light goes below a closure, 0 or 1.

    Args:
        printer: Of the material.
        closure: Whose inputs have been printed.
        structure: Variable that gathers them.
    """
    if closure.options.get("subsurface_after_diffuse") != "diffuse" or not wanders(closure):
        return "1.f"
    printer.reads_ray = True
    if closure.kind == "principled":
        printer.lines.append(f"{structure}.subsurfaceWeight *= no_diff walksFrom(s);")
    return "no_diff walksFrom(s)"
