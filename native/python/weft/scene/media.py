# SPDX-License-Identifier: Apache-2.0
"""What is inside of objects, as Slang."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.closures import CLOSURES
from weft.scene.materials import Add, Closure, as_mapping
from weft.scene.values import plain, size_of

if TYPE_CHECKING:
    from weft.scene.materials import Material, Surface
    from weft.scene.program import Printer

FIELDS = ("absorption", "scattering", "emission")


def print_medium(printer: Printer, material: Material) -> str:
    """Return the Slang function mediumOf() of a material; "" if nothing is inside of it."""
    if material.volume is None:
        return ""
    lines, printer.lines = printer.lines, []
    outer, printer.scope = printer.scope, printer.scopes + 1
    printer.scopes += 1
    printer.is_medium = True
    sums, weights = _coefficients(printer, "volume.", material.volume)
    printer.is_medium = False
    printer.lines += [f"medium.{name} = {sums[name]};" for name in FIELDS]
    printer.lines.append(f"medium.anisotropy = {weights};")
    body = "\n    ".join(["Medium medium;", *printer.lines, "return medium;"])
    printer.lines, printer.scope = lines, outer
    return f"[Differentiable]\nMedium mediumOf(no_diff MaterialContext m)\n{{\n    {body}\n}}"


def _coefficients(printer: Printer, prefix: str, volume: Surface) -> tuple[dict[str, str], str]:
    """Return what a volume adds to the fields of a medium, and its anisotropy."""
    if isinstance(volume, Closure):
        return _closure(printer, prefix, volume)
    first, turn = _coefficients(printer, f"{prefix}first.", volume.first)
    second, other = _coefficients(printer, f"{prefix}second.", volume.second)
    if not isinstance(volume, Add):
        given = printer.value(f"{prefix}factor", volume.factor)
        factor = printer.local(1, f"saturate({_converted(given, size_of(volume.factor), 1)})")
        first = {name: f"{text} * (1.f - {factor})" for name, text in first.items()}
        second = {name: f"{text} * {factor}" for name, text in second.items()}
    sums = {name: printer.local(3, f"{first[name]} + {second[name]}") for name in FIELDS}
    one, two = (f"dot({entry['scattering']}, float3(1.f))" for entry in (first, second))
    return sums, printer.local(1, f"meanAnisotropy({turn}, {one}, {other}, {two})")


def _closure(printer: Printer, prefix: str, closure: Closure) -> tuple[dict[str, str], str]:
    """Return what one closure adds."""
    nothing = dict.fromkeys(FIELDS, "float3(0.f)")
    if closure.kind not in {"medium", "emission"}:
        return nothing, "0.f"
    spec, values = CLOSURES[closure.kind], {}
    for name, value in as_mapping(closure).items():
        if name == "both_sides":
            continue
        entry = spec.inputs[name]
        wanted = 3 if isinstance(entry.default, tuple) else 1
        separable = wanted == 3 and entry.is_separable
        text = printer.value(f"{prefix}{name}", value, entry, separable)
        values[name] = printer.local(wanted, _converted(text, size_of(value), wanted))
    if closure.kind == "emission":
        light = printer.local(3, f"{values['color']} * {values['strength']}")
        return nothing | {"emission": light}, "0.f"
    return {name: f"atLeastZero3({values[name]})" for name in FIELDS}, values["anisotropy"]


def _converted(text: str, got: int, wanted: int) -> str:
    from weft.scene.program import convert

    return convert(text, got, wanted)


def is_boundary(material: Material) -> bool:
    """Return whether a surface is there for the volume behind it only."""
    surface = material.surface
    if material.volume is None or not isinstance(surface, Closure):
        return False
    color = plain(surface.inputs.get("color", 1.0))
    numbers = color if isinstance(color, (tuple, list)) else (color,)
    return surface.kind == "transparent" and all(number == 1 for number in numbers)
