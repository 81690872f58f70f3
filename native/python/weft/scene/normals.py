# SPDX-License-Identifier: Apache-2.0
"""Normal maps and bumps as Slang: functions without derivative that return world-space normals."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from weft.scene.closures import Input
from weft.scene.values import NORMAL_SPACES, Bump, NormalMap, size_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft.scene.materials import Closure
    from weft.scene.program import Printer
    from weft.scene.values import Value

ANY = Input(0.0, -1e6, 1e6)
"""Bounds of numbers that no fit moves."""


def print_function(printer: Printer, size: int, body: Callable[[], str]) -> str:
    """Print a function of the point without derivative.

    Args:
        printer: Of the material.
        size: Components of the result.
        body: Prints lines, and returns the expression of the result.

    Returns:
        Its name: equal functions of several materials are one.
    """
    from weft.scene.program import TYPES

    lines, printer.lines = printer.lines, []
    was_fixed, printer.is_fixed = printer.is_fixed, True
    outer, printer.scope = printer.scope, printer.scopes + 1
    printer.scopes += 1
    printer.lines.append(f"return {body()};")
    text, printer.lines = "\n    ".join(printer.lines), lines
    printer.is_fixed, printer.scope = was_fixed, outer
    name = f"value_{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    function = f"{TYPES[size]} {name}(MaterialContext m, ShadingPoint s)\n{{\n    {text}\n}}"
    if function not in printer.functions:
        printer.functions.append(function)
    return name


def print_normal(printer: Printer, name: str, value: NormalMap | Bump) -> str:
    """Return the call of a function that computes a normal."""
    body = (
        (lambda: _bump(printer, name, value))
        if isinstance(value, Bump)
        else (lambda: _normal_map(printer, name, value))
    )
    return f"{printer.no_diff}{print_function(printer, 3, body)}(m, s)"


def _number(printer: Printer, name: str, value: Value, wanted: int = 1) -> str:
    from weft.scene.program import convert

    return printer.local(wanted, convert(printer.value(name, value, ANY), size_of(value), wanted))


def _normal_map(printer: Printer, name: str, value: NormalMap) -> str:
    color = _number(printer, f"{name}.color", value.color, 3)
    strength = _number(printer, f"{name}.strength", value.strength)
    geometry = "m.scene.geometry"
    if value.space == "tangent":
        printer.has_tangents = True
        return f"tangentNormal({geometry}, s, {color}, {strength}, {value.uv_set})"
    space = NORMAL_SPACES.index(value.space)
    return f"plainNormal({geometry}, s, {color}, {strength}, {space})"


def _bump(printer: Printer, name: str, value: Bump) -> str:
    height = print_function(printer, 1, lambda: _number(printer, f"{name}.height", value.height))
    strength = _number(printer, f"{name}.strength", value.strength)
    distance = _number(printer, f"{name}.distance", value.distance)
    normal = "s.normal"
    if value.normal is not None:
        normal = printer.local(3, printer.value(f"{name}.normal", value.normal))
    step = _step(printer, name, value)
    beside = f"beside{len(printer.lines)}"
    printer.lines.append(f"const Beside {beside} = besidePoint(m.scene.geometry, s, {step});")
    heights = ", ".join(f"{height}(m, {p})" for p in ("s", f"{beside}.atX", f"{beside}.atY"))
    return f"bumpNormal(s, {normal}, {beside}, float3({heights}), {strength}, {distance})"


def _step(printer: Printer, name: str, value: Bump) -> str:
    """Print the step in metres."""
    if value.step is not None:
        return printer.constant(f"{name}.step", value.step, ANY, separable=False)
    printer.has_bumps = True
    width = printer.constant(f"{name}.filter_width", value.filter_width, ANY, separable=False)
    return f"{width} * s.pixel"


def print_turned_frame(printer: Printer, prefix: str, closure: Closure, raises: bool) -> str:
    """Print the frame of a closure that has normals of its own, and return its name."""
    normal = "s.normal"
    own = closure.inputs.get("normal")
    if own is not None:
        normal = printer.local(3, printer.value(f"{prefix}normal", own))
    surface = _surface_below(own)
    below = ""
    if surface is own and surface is not None:
        below = f", {normal}"
    elif surface is not None:
        below = f", {printer.local(3, printer.value(f'{prefix}normal.surface', surface))}"
    name = f"turned{len(printer.lines)}"
    printer.lines.append(
        f"const TurnedFrame {name} = no_diff turnedFrame(surface.frame, s, {normal}, wi, "
        f"{str(raises).lower()}{below});"
    )
    return name


def _surface_below(normal: Value | None) -> Bump | None:
    """Return the bump that replaces the normal of the mesh, of those that a normal starts from."""
    while isinstance(normal, Bump):
        if normal.is_surface:
            return normal
        normal = normal.normal
    return None


def print_coat_normal(printer: Printer, prefix: str, closure: Closure, frame: str) -> str | None:
    """Return the coat's normal in the closure's frame; ``None``: there is no coat.

    A coat lies smooth over bumps unless it has a normal of its own, as in Blender.
    """
    if "coat_weight" not in closure.inputs:
        return None
    if "coat_normal" not in closure.inputs:
        return f"{frame}.normals.smooth"
    normal = printer.local(3, printer.value(f"{prefix}coat_normal", closure.inputs["coat_normal"]))
    return f"no_diff turnedNormal({frame}, surface.frame, {normal})"
