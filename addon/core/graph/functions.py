# SPDX-License-Identifier: GPL-3.0-or-later
"""A group that was made from a Slang function, as one function again.

The nodes of such a group are one Slang function of what arrives at the group: its numbers are
part of the text and no parameters of the material, and it is differentiated as a whole.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from types import MappingProxyType, NoneType

import numpy as np

from weft.scene import SlangCall, Texture
from weft.scene.values import Value, size_of

from .values import MODULE, SURFACES, Carried

TYPES = MappingProxyType({1: "float", 2: "float2", 3: "float3", 4: "float4"})


@dataclass(eq=False)
class Folding:
    """Makes functions of what leaves a group, at one place where the group is used.

    Args:
        arrived: What arrives at the group, by id.
        leaves: What stands for a value that functions cannot compute, by its id, with the value
            itself; the outputs of a group share them.
    """

    arrived: dict[int, Value] = field(default_factory=dict)
    leaves: dict[int, tuple[Value, Value]] = field(default_factory=dict)

    def take(self, carried: Carried | None) -> None:
        """Note what arrives at the group."""
        if carried is not None and not isinstance(carried.content, (*SURFACES, NoneType)):
            self.arrived[id(carried.content)] = carried.content

    def fold_carried(self, carried: Carried) -> Carried:
        """Return fold() of what an output carries."""
        if isinstance(carried.content, (*SURFACES, NoneType)):
            return carried
        return Carried(carried.kind, self.fold(carried.content))

    def fold(self, value: Value) -> Value:
        """Return a call of a function that computes a value from leaves.

        Args:
            value: Of an output of the group.

        Returns:
            The value itself where nothing is computed.
        """
        if not self._is_inner(value):
            return self._leaf(value)
        assert isinstance(value, SlangCall)
        order = self._order(value)
        names: dict[int, str] = {}
        arguments: dict[str, Value] = {}
        lines: list[str] = []
        for call in order:
            texts = [self._argument(entry, names, arguments) for entry in call.arguments.values()]
            names[id(call)] = f"v{len(lines)}"
            differs = "" if call.is_differentiable else "no_diff "
            text = f"{differs}{call.function}({', '.join(texts)})"
            lines.append(f"    {TYPES[call.size]} {names[id(call)]} = {text};\n")
        parameters = ", ".join(f"{TYPES[size_of(v)]} {name}" for name, v in arguments.items())
        body = f"({parameters})\n{{\n{''.join(lines)}    return {names[id(value)]};\n}}\n"
        name = f"group{hashlib.sha256(body.encode()).hexdigest()[:12]}"
        source = f"import {MODULE};\n[Differentiable]\n{TYPES[value.size]} {name}{body}"
        return SlangCall(name, source, arguments, value.size)

    def _is_inner(self, value: Value) -> bool:
        """Return whether a value is computed in the group, by a function of nodes."""
        is_call = isinstance(value, SlangCall) and value.module == MODULE
        return is_call and id(value) not in self.arrived

    def _leaf(self, value: Value) -> Value:
        """Return what stands for a value outside of functions: images are looked up there."""
        if id(value) in self.arrived:
            return value
        if id(value) not in self.leaves:
            made = value
            if isinstance(value, Texture) and value.uv is not None:
                made = replace(value, uv=self.fold(value.uv))
            elif isinstance(value, SlangCall):
                own = {key: self.fold(entry) for key, entry in value.arguments.items()}
                made = replace(value, arguments=own)
            self.leaves[id(value)] = (value, made)
        return self.leaves[id(value)][1]

    def _order(self, value: SlangCall) -> list[SlangCall]:
        """Return the calls that a value is made of, arguments first."""
        order: list[SlangCall] = []
        seen: set[int] = set()
        stack: list[tuple[SlangCall, bool]] = [(value, False)]
        while stack:
            call, is_done = stack.pop()
            if is_done:
                order.append(call)
            elif id(call) not in seen:
                seen.add(id(call))
                stack.append((call, True))
                stack += [
                    (entry, False)
                    for entry in call.arguments.values()
                    if isinstance(entry, SlangCall) and self._is_inner(entry)
                ]
        return order

    def _argument(self, value: Value, names: dict[int, str], arguments: dict[str, Value]) -> str:
        """Return what a call in the function is given."""
        if id(value) in names:
            return names[id(value)]
        if isinstance(value, (int, float, tuple)) and id(value) not in self.arrived:
            return literal(value)
        leaf = self._leaf(value)
        known = next((name for name, own in arguments.items() if own is leaf), None)
        if known is None:
            known = f"x{len(arguments)}"
            arguments[known] = leaf
        return known


def literal(value: float | tuple[float, ...]) -> str:
    """Return a number or a vector as Slang spells it.

    >>> literal(2), literal((0.5, 1e-8, -1))
    ('2.0f', 'float3(0.5f, 1e-08f, -1.0f)')
    """
    if isinstance(value, tuple):
        return f"float{len(value)}({', '.join(map(literal, value))})"
    return f"{np.float32(value)!s}f"


__all__ = ["Folding", "literal"]
