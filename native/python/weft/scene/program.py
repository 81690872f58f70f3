# SPDX-License-Identifier: Apache-2.0
"""From materials to Slang: one program a shape of material, one module for all of a scene.

Materials that differ in numbers and images only share a program; numbers and images' places are
its parameters.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from weft.scene.closures import CLOSURES, Input
from weft.scene.materials import Add, Closure, Mix, as_mapping, calls_below, closures_of
from weft.scene.media import is_boundary, print_medium
from weft.scene.normals import (
    print_coat_normal,
    print_function,
    print_normal,
    print_turned_frame,
)
from weft.scene.slot import Slot
from weft.scene.texture import Texture
from weft.scene.transparency import may_pass, shadow_of
from weft.scene.trust import Code
from weft.scene.values import (
    Attribute,
    Bump,
    ColorAttribute,
    Constant,
    NormalMap,
    SlangCall,
    UVSet,
    UVTangent,
    size_of,
)
from weft.scene.walks import count_walks, print_walks

if TYPE_CHECKING:
    from weft.scene.materials import Material, Surface
    from weft.scene.values import Value


@dataclass
class Program:
    """Slang text of a material's shape, and its parameters."""

    text: str
    bsdf: str
    slots: list[Slot]
    sources: list[str]
    shines: bool
    scatters: bool
    functions: list[str] = field(default_factory=list)
    has_tangents: bool = False
    has_bumps: bool = False
    reads_ray: bool = False
    transparency: str = ""
    modules: list[str] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)
    medium: str = ""
    is_boundary: bool = False
    walks: int = 0  # closures below which light wanders

    @property
    def wanders(self) -> bool:
        """Light may go below the surface."""
        return self.walks > 0

    @property
    def key(self) -> tuple[str, str, str, bool]:
        """What programs that are the same have in common."""
        return self.text, self.transparency, self.medium, self.is_boundary

    @property
    def passes(self) -> bool:
        """Light may pass straight."""
        return self.transparency != ""


DEEP = 16
"""Calls in a row from which on a chain is printed from its far end."""

FREE = Input(0.0)
"""What is known of a value that is no input of a closure: its default bounds are 0 and 1."""

BLACK = "float3(0.f)"
TYPES = {1: "float", 2: "float2", 3: "float3", 4: "float4"}


@dataclass
class Printer:
    """Prints one material."""

    slots: list[Slot] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    words: int = 0
    places: dict[str, int] = field(default_factory=dict)
    has_tangent: bool = False
    has_tangents: bool = False
    has_bumps: bool = False
    reads_ray: bool = False
    is_fixed: bool = False
    is_passing: bool = False
    is_medium: bool = False
    is_walk: bool = False
    modules: list[str] = field(default_factory=list)
    origins: dict[str, str] = field(default_factory=dict)  # files of sources that a flag trusts
    scope: int = 0  # number of the function whose lines are printed
    scopes: int = 0  # last number that one has got
    known: dict[tuple[int, int], str] = field(default_factory=dict)  # calls by scope and identity
    is_raised: bool = False  # the frame is that of a normal that sharp closures need
    depth: int = 0  # of the calls that are being printed

    @property
    def no_diff(self) -> str:
        """What goes before a call without derivative; not allowed where nothing has one."""
        return "" if self.is_fixed else "no_diff "

    def add_slot(self, slot: Slot) -> int:
        slot = replace(
            slot, is_passing=self.is_passing, is_medium=self.is_medium, is_walk=self.is_walk
        )
        if slot.name in self.places:
            self.share(slot)
            return self.places[slot.name]
        first = self.places[slot.name] = self.words
        self.slots.append(slot)
        self.words += slot.size
        return first

    def share(self, slot: Slot) -> None:
        """Let a slot serve one more input."""
        (at,) = (k for k, entry in enumerate(self.slots) if entry.name == slot.name)
        entry = self.slots[at]
        self.slots[at] = replace(
            entry,
            is_separable=entry.is_separable and slot.is_separable,
            is_fixed=entry.is_fixed and slot.is_fixed,
            is_passing=entry.is_passing or slot.is_passing,
            is_medium=entry.is_medium or slot.is_medium,
            is_walk=entry.is_walk or slot.is_walk,
            scale="log" if "log" in (entry.scale, slot.scale) else "linear",
            fit_low=entry.fit_low if slot.fit_low is None else slot.fit_low,
        )

    def local(self, size: int, expression: str) -> str:
        name = f"v{len(self.lines)}"
        self.lines.append(f"const {TYPES[size]} {name} = {expression};")
        return name

    def constant(
        self,
        name: str,
        value: float | Sequence[float],
        entry: Input,
        separable: bool,
    ) -> str:
        numbers = tuple(float(x) for x in value) if isinstance(value, Sequence) else (float(value),)
        at = self.add_slot(
            Slot(
                name,
                len(numbers),
                numbers,
                bounds=(entry.low, entry.high),
                is_separable=separable,
                is_fixed=self.is_fixed,
                scale=entry.scale,
                fit_low=entry.fit_low,
            )
        )
        loads = ", ".join(f"parameter(m, {at + k})" for k in range(len(numbers)))
        return loads if len(numbers) == 1 else f"{TYPES[len(numbers)]}({loads})"

    def value(
        self,
        name: str,
        value: Value,
        entry: Input = FREE,
        separable: bool = False,
    ) -> str:
        if isinstance(value, Attribute):
            self.reads_ray |= value.is_of_ray
            return value.value
        if isinstance(value, UVSet):
            return f"{self.no_diff}loadUv(m.scene.geometry, s, {value.index})"
        if isinstance(value, UVTangent):
            self.has_tangents = True
            return f"{self.no_diff}uvTangent(m.scene.geometry, s, {value.index})"
        if isinstance(value, ColorAttribute):
            return f"{self.no_diff}loadColor(m.scene.geometry, s, {value.index})"
        if isinstance(value, Texture):
            return self.texture(name, value)
        if isinstance(value, SlangCall):
            return self.call(name, value)
        if isinstance(value, (NormalMap, Bump)):
            return print_normal(self, name, value)
        if isinstance(value, Constant):
            own = replace(entry, low=value.low, high=value.high)
            return self.constant(value.name, value.value, own, separable)
        return self.constant(name, value, entry, separable)

    def texture(self, name: str, texture: Texture) -> str:
        at = self.add_slot(Slot(f"{name}.texture", 1, (0.0,), texture, is_fixed=self.is_fixed))
        uv = self.value(f"{name}.uv", Attribute.UV if texture.uv is None else texture.uv)
        arguments = f"m.scene.textures, textureNumber(m, {at}), {uv}"
        lookup = f"sampleTexture{texture.channels}({arguments})"
        if texture.filter == "mipmap":
            width = self.footprint(name, texture.uv)
            lookup = f"sampleMipmap{texture.channels}({arguments}, {width})"
        return self.local(texture.channels, lookup)

    def footprint(self, name: str, uv: Value | None) -> str:
        """Return the width of the ray where a texture is looked up."""
        if uv is None or uv is Attribute.UV or isinstance(uv, UVSet):
            number = uv.index if isinstance(uv, UVSet) else 0
            return f"{self.no_diff}footprintOnUv(m.scene.geometry, s, {number})"
        place = print_function(self, 2, lambda: self.value(f"{name}.uv", uv))
        beside = f"beside{len(self.lines)}"
        self.lines.append(
            f"const Beside {beside} = {self.no_diff}besidePoint(m.scene.geometry, s, 0.f);"
        )
        places = ", ".join(
            f"{self.no_diff}{place}(m, {point})"
            for point in ("s", f"{beside}.atX", f"{beside}.atY")
        )
        return f"{self.no_diff}footprintOnMap(s, {beside}, {places})"

    def call(self, name: str, call: SlangCall) -> str:
        key = (self.scope, id(call))
        if key not in self.known:
            if self.depth >= DEEP:
                self.print_upstream(name, call)
            self.depth += 1
            self.known[key] = self.new_call(name, call)
            self.depth -= 1
        return self.known[key]

    def print_upstream(self, name: str, call: SlangCall) -> None:
        """Print what a call needs from its far end, so that long chains do not nest."""
        seen: set[int] = set()
        stack = [(*entry, False) for entry in calls_below(name, call)]
        while stack:
            path, entry, is_done = stack.pop()
            key = (self.scope, id(entry))
            if key in self.known:
                continue
            if is_done:
                self.known[key] = self.new_call(path, entry)
            elif id(entry) not in seen:
                seen.add(id(entry))
                stack.append((path, entry, True))
                stack += [(*below, False) for below in calls_below(path, entry)]

    def new_call(self, name: str, call: SlangCall) -> str:
        arguments = ", ".join(
            self.value(f"{name}.{key}", entry) for key, entry in call.arguments.items()
        )
        if call.origin:
            self.origins[Code.of(call).text] = call.origin
        if call.module:
            if call.module not in self.modules:
                self.modules.append(call.module)
            expression = f"{call.function}({arguments})"
        else:
            if call.source not in self.sources:
                self.sources.append(call.source)
            expression = f"{namespace_of(call.source)}::{call.function}({arguments})"
        return self.local(
            call.size, expression if call.is_differentiable else f"{self.no_diff}{expression}"
        )

    def surface(self, prefix: str, surface: Surface) -> tuple[str, str, str]:
        """Return type, value and emission of a surface as Slang text."""
        if isinstance(surface, Closure):
            return self.closure(prefix, surface)
        first = self.surface(f"{prefix}first.", surface.first)
        second = self.surface(f"{prefix}second.", surface.second)
        if isinstance(surface, Add):
            kind = f"AddBSDF<{first[0]}, {second[0]}>"
            return (
                kind,
                f"{kind}.prepare({first[1]}, {second[1]})",
                BLACK if first[2] == second[2] == BLACK else f"({first[2]} + {second[2]})",
            )
        assert isinstance(surface, Mix)
        emission = (
            BLACK
            if first[2] == second[2] == BLACK
            else f"lerp({first[2]}, {second[2]}, float3({{factor}}))"
        )
        factor = self.local(1, self.value(f"{prefix}factor", surface.factor))
        kind = f"MixBSDF<{first[0]}, {second[0]}>"
        return (
            kind,
            f"{kind}.prepare({first[1]}, {second[1]}, {factor})",
            emission.format(factor=factor),
        )

    def closure(self, prefix: str, closure: Closure) -> tuple[str, str, str]:
        spec = CLOSURES[closure.kind]
        values = {
            "wi": "wi",
            "features": " | ".join(features_of(closure)),
            "structure": f"inputs{len(self.lines)}",
        }
        if spec.structure:
            self.lines.append(
                f"{spec.structure} {values['structure']} = {spec.structure}.standard();"
            )
        turned = self.turn(prefix, closure, values)
        if not turned and self.is_raised and spec.structure:
            values["features"] += " | kRaised"
            values["normals"] = "no_diff ShadingNormals.raised(surface.frame.toLocal(s.normal))"
        tangent = self.tangent(prefix, closure, turned)
        for name, value in as_mapping(closure).items():
            if spec.structure and name not in closure.inputs and name not in spec.always:
                continue
            entry = spec.inputs[name]
            wanted = 3 if isinstance(entry.default, tuple) else 1
            separable = wanted == 3 and entry.is_separable
            self.is_passing, self.is_walk = entry.is_passing, entry.is_walk
            text = self.value(f"{prefix}{name}", value, entry, separable)
            self.is_passing = self.is_walk = False
            values[name] = self.local(wanted, convert(text, size_of(value), wanted))
            if spec.structure:
                self.lines.append(f"{values['structure']}.{camel_case(name)} = {values[name]};")
        values["walks"] = print_walks(self, closure, values["structure"])
        if tangent and spec.structure:
            self.lines.append(f"{values['structure']}.anisotropicRotation += {tangent};")
        elif tangent:
            values["rotation"] = f"({values['rotation']} + {tangent})"
        kind = spec.bsdf.format(**values)
        values["bsdf"] = f"bsdf{len(self.lines)}"
        construct = spec.construct
        if "normals" in values and spec.structure:
            construct = construct.replace(
                "prepare({structure},", "prepareTurned({structure}, {normals},"
            )
        self.lines.append(f"const {kind} {values['bsdf']} = {construct.format(**values)};")
        emission = spec.emission.format(**values) if shines(closure) else BLACK
        if turned:
            has_own = any(name in closure.inputs for name in spec.normals)
            kind = f"TurnedBSDF<{kind}, {spec.sides if has_own else 'kOwnSides'}>"
            return kind, f"{kind}.prepare({values['bsdf']}, {turned})", emission
        return kind, values["bsdf"], emission

    def tangent(self, prefix: str, closure: Closure, turned: str) -> str:
        """Print the rotation of a closure's tangent; "" if that is the x axis of the frame."""
        if not any(name in closure.inputs for name in ("anisotropic", "anisotropy")):
            return ""
        if "tangent" not in closure.inputs:
            self.has_tangent = True
            return ""
        given = closure.inputs["tangent"]
        name = print_function(self, 3, lambda: self.value(f"{prefix}tangent", given))
        local = f"surface.frame.toLocal({name}(m, s))"
        return self.local(
            1, f"no_diff tangentTurn({f'{turned}.toLocal({local})' if turned else local})"
        )

    def turn(self, prefix: str, closure: Closure, values: dict[str, str]) -> str:
        """Print the frame of a closure with normals of its own; "" if it has none."""
        spec = CLOSURES[closure.kind]
        has_own = any(name in closure.inputs for name in spec.normals)
        # Where sharp closures beside it raise the normal, a diffuse one turns back.
        if not has_own and (not self.is_raised or spec.is_raised or not spec.normals):
            return ""
        frame = print_turned_frame(self, prefix, closure, spec.is_raised)
        values["wi"] = self.local(3, f"no_diff {frame}.toLocal(wi)")
        values["normals"] = f"{frame}.normals"
        coat = print_coat_normal(self, prefix, closure, frame) if spec.structure else None
        if coat is not None:
            values["features"] += " | kCoatNormal"
            self.lines.append(f"{values['structure']}.coatNormal = {coat};")
        return frame


def features_of(closure: Closure) -> list[str]:
    """Return the flags of the BSDF's features that the given inputs need."""
    flags = CLOSURES[closure.kind].features
    own = [
        flag
        for flag, names in flags.items()
        if flag and any(name in closure.inputs for name in names)
    ]
    options = CLOSURES[closure.kind].options
    chosen = [
        flag
        for name, values in options.items()
        for flag in values[closure.options.get(name, next(iter(values)))]
    ]
    return [*flags.get("", ()), *chosen, *own]


def shines(closure: Closure) -> bool:
    """Return whether a closure may emit light."""
    spec = CLOSURES[closure.kind]
    return bool(spec.emission) and (not spec.structure or "emission_strength" in closure.inputs)


def needs_raised_normal(surface: Surface) -> bool:
    """Return whether sharp lobes see the smooth normal; closures with normals raise their own."""
    closures = list(closures_of(surface))
    has_own = any(name in entry.inputs for entry in closures for name in ("normal", "coat_normal"))
    return not has_own and any(CLOSURES[e.kind].is_raised for e in closures)


def camel_case(name: str) -> str:
    """Return a name as Slang writes it."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def convert(text: str, got: int, wanted: int) -> str:
    """Return a value with another number of components; grey is the mean of the channels."""
    if got == wanted:
        return text
    if wanted == 3:
        return f"float3({text})" if got == 1 else f"({text}).xyz"
    return f"dot(({text}).xyz, float3(1.f / 3.f))"


def namespace_of(source: str) -> str:
    """Return the namespace that keeps a user's functions apart from those of other sources."""
    return f"user_{hashlib.sha256(source.encode()).hexdigest()[:12]}"


def print_program(material: Material) -> Program:
    """Print the program of a material."""
    printer = Printer(is_raised=needs_raised_normal(material.surface))
    bsdf, value, emission = printer.surface("", material.surface)
    normal = "reflectingNormal(s)" if printer.is_raised else "s.normal"
    # A tangent costs loads; only long highlights have use for one.
    frame = (
        f"Frame.along({normal}, s.tangent)" if printer.has_tangent else f"Frame.around({normal})"
    )
    see_through = may_pass(material.surface)
    transparency = (
        print_function(printer, 3, lambda: shadow_of(printer, material)) if see_through else ""
    )
    medium = print_medium(printer, material)
    body = "\n    ".join(
        [
            f"Surface<{bsdf}> surface;",
            f"surface.frame = {frame};",
            "const float3 wi = surface.frame.toLocal(s.wi);",
            *printer.lines,
            f"surface.bsdf = {value};",
            "if (weft_has_limits)",
            "    surface.bsdf.dull(s.dulled);",
            f"surface.emission = {emission};",
            "return surface;",
        ]
    )
    return Program(
        body,
        bsdf,
        printer.slots,
        printer.sources,
        emission != BLACK,
        bsdf != "NullBSDF",
        printer.functions,
        printer.has_tangents,
        printer.has_bumps,
        printer.reads_ray,
        transparency,
        printer.modules,
        printer.origins,
        medium,
        is_boundary(material),
        count_walks(material.surface),
    )


__all__ = ["Program", "Slot", "print_program"]
