# SPDX-License-Identifier: GPL-3.0-or-later
"""How a node becomes a closure of weft.scene."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from weft.scene import CLOSURES, Attribute, Closure
from weft.scene.values import Bump, NormalMap, Value

from ..spec import NodeSpec
from ..values import call
from .spaces import radial_tangent

if TYPE_CHECKING:
    from ..context import NodeContext


@dataclass(frozen=True)
class Gate:
    """An input that switches part of a closure off.

    Args:
        neutral: The value at which it is off.
        others: Identifiers of inputs that then have no effect.
    """

    neutral: float
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClosureNode:
    """A node that is one closure of weft.scene.

    Args:
        kind: Of ``weft.scene.CLOSURES``.
        inputs: Identifier of the socket -> name of the closure's input.
        gates: By identifier. Switched off and not fitted, their inputs are left out: the
            material's program is shorter.
        normals: Identifier of the socket -> name of the closure's normal.
        distributions: That the closure has where they are no option of it; others are named as a
            problem.
    """

    kind: str
    inputs: Mapping[str, str]
    gates: Mapping[str, Gate] = field(default_factory=lambda: MappingProxyType({}))
    normals: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({"Normal": "normal"})
    )
    distributions: tuple[str, ...] = ()

    def bounds(self) -> Mapping[str, tuple[float, float]]:
        """Return the sensible range of each socket."""
        specs = CLOSURES[self.kind].inputs
        return {key: (specs[name].low, specs[name].high) for key, name in self.inputs.items()}

    def compile(self, context: NodeContext, output: str) -> Closure:
        """Return the closure."""
        for key in filter(context.has, self.inputs):
            context.carried(key)  # parameters go by the first input that they drive
        left_out = self._left_out(context)
        values: dict[str, Value] = {
            name: context.input(key)
            for key, name in self.inputs.items()
            if context.has(key) and key not in left_out
        }
        values |= self._directions(context, left_out)
        self._report(context, left_out)
        options = self._options(context)
        if "subsurface_weight" in values or self.kind == "subsurface":
            options |= walk_options(context)
            if "normal" in values:
                message = "its normal does not act where subsurface scattering comes out"
                context.problem(message, "the mesh's normal there")
        return Closure(self.kind, **values, **options)

    def _directions(self, context: NodeContext, left_out: set[str]) -> dict[str, Value]:
        """Return the normals and the tangent."""
        values: dict[str, Value] = {}
        for key, name in self.normals.items():
            normal = (context.direction(key) or context.relief) if context.has(key) else None
            if normal is not None:
                values[name] = as_normal(normal, context.normal)
        if context.has("Tangent") and not left_out & {"Anisotropic", "Anisotropy"}:
            tangent = context.direction("Tangent")
            values["tangent"] = radial_tangent(context, "Z") if tangent is None else tangent
        return values

    def _options(self, context: NodeContext) -> dict[str, str]:
        """Return the choices of the closure that differ from its defaults."""
        known = CLOSURES[self.kind].options.get("distribution", {})
        value = str(context.properties.get("distribution", "")).lower()
        return {"distribution": value} if value in [*known][1:] else {}

    def _left_out(self, context: NodeContext) -> set[str]:
        """Return the inputs without effect."""
        left_out: set[str] = set()
        for key, gate in self.gates.items():
            if not context.has(key):
                continue
            is_off = context.number(key) == gate.neutral and not context.is_kept(key)
            if is_off:
                left_out.update(
                    entry
                    for entry in (key, *gate.others)
                    if entry == key or not (context.has(entry) and context.is_kept(entry))
                )
        return left_out

    def _report(self, context: NodeContext, left_out: set[str]) -> None:
        """Name what the closure does otherwise than Cycles."""
        distribution = str(context.properties.get("distribution", ""))
        options = CLOSURES[self.kind].options.get("distribution", {})
        known = self.distributions or tuple(name.upper() for name in options)
        is_mirror = context.has("Roughness") and context.number("Roughness") == 0
        if distribution and known and distribution not in known and not is_mirror:
            context.problem(f"the distribution {distribution} is not supported", known[0])
        if context.has("Thin Wall") and context.number("Thin Wall") != 0:
            context.problem("'Thin Wall' is not supported", "a solid")


def walk_options(context: NodeContext) -> dict[str, str]:
    """Return how light wanders below a surface, as the node and its version of Blender have it."""
    graph, properties = context.scope.graph, context.properties
    method = str(properties.get("subsurface_method", properties.get("falloff", "RANDOM_WALK")))
    methods = {
        "RANDOM_WALK": graph.random_walk,
        "RANDOM_WALK_LEGACY": "random_walk",
        "RANDOM_WALK_SKIN": "random_walk_skin",
    }
    if method not in methods and not _is_shallow(context):
        context.problem(f"the subsurface method {method} is not supported", "RANDOM_WALK")
    chosen = {"subsurface_method": methods.get(method, graph.random_walk)}
    if graph.walks_once:
        chosen["subsurface_after_diffuse"] = "diffuse"
    return chosen


def _is_shallow(context: NodeContext) -> bool:
    """Return whether light comes out where it goes in: then all methods are diffuse, in Cycles."""
    return any(
        context.has(key) and context.number(key) == 0 and not context.is_kept(key)
        for key in ("Subsurface Scale", "Scale")
    )


def as_normal(value: Value, fallback: Value = Attribute.NORMAL) -> Value:
    """Return a value as unit normal, `fallback` where it is zero; nodes for normals return such."""
    if isinstance(value, (NormalMap, Bump, Attribute)):
        return value
    return call("unitNormal", 3, x=value, fallback=fallback)


def closure_node(label: str, node: ClosureNode, note: str = "") -> NodeSpec:
    """Return the entry of a closure."""
    return NodeSpec(label, node.compile, note, node.bounds())
