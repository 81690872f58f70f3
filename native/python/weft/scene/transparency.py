# SPDX-License-Identifier: Apache-2.0
"""What part of the light passes a surface straight, as Slang."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.closures import CLOSURES
from weft.scene.materials import Add, Closure
from weft.scene.values import plain, size_of

if TYPE_CHECKING:
    from weft.scene.materials import Material, Surface
    from weft.scene.program import Printer


def may_pass(surface: Surface) -> bool:
    """Return whether light may pass a surface straight."""
    if isinstance(surface, Closure):
        alpha = plain(surface.inputs.get("alpha", 1.0))
        is_whole = isinstance(alpha, (int, float)) and alpha >= 1
        return surface.kind == "transparent" or (surface.kind == "principled" and not is_whole)
    return may_pass(surface.first) or may_pass(surface.second)


def transparency_of(printer: Printer, prefix: str, surface: Surface) -> str:
    """Print what part of the light passes a surface straight, once the surface is printed."""
    from weft.scene.program import convert

    if not may_pass(surface):
        return "float3(0.f)"
    if isinstance(surface, Closure):
        if surface.kind == "transparent":
            color = surface.inputs.get("color", CLOSURES["transparent"].inputs["color"].default)
            text = printer.value(f"{prefix}color", color)
            return printer.local(3, convert(text, size_of(color), 3))
        alpha = surface.inputs["alpha"]
        text = convert(printer.value(f"{prefix}alpha", alpha), size_of(alpha), 1)
        return printer.local(3, f"float3(1.f - saturate({text}))")
    first = transparency_of(printer, f"{prefix}first.", surface.first)
    second = transparency_of(printer, f"{prefix}second.", surface.second)
    if isinstance(surface, Add):
        return f"({first} + {second})"
    factor = convert(printer.value(f"{prefix}factor", surface.factor), size_of(surface.factor), 1)
    return f"lerp({first}, {second}, float3(saturate({factor})))"


def shadow_of(printer: Printer, material: Material) -> str:
    """Print what part of the light towards a surface arrives behind it."""
    if not material.transparent_shadows:
        return "float3(0.f)"
    return transparency_of(printer, "", material.surface)
