# SPDX-License-Identifier: GPL-3.0-or-later
"""What the table says about a type of node.

Most nodes are functions: ``function_node("Gamma", {"Color": Call("colorGamma", ("Color", "Gamma"),
3)})`` is all of one, next to the function in shaders/weft/nodes. A node whose function depends on
its properties gives ``choose=``; one that is more than functions gives ``compile`` itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft import ArgumentError
from weft.scene.materials import Surface
from weft.scene.values import Value

from .values import call

if TYPE_CHECKING:
    from .context import NodeContext


@dataclass(frozen=True)
class NodeSpec:
    """How a type of node is compiled.

    Args:
        label: Blender's name of it.
        compile: Takes the node and the identifier of one of its outputs, and returns what the
            output carries: a value with the components of the socket's kind, a surface, or
            ``None`` for a shader that does nothing.
        note: How it differs from Cycles, for the table of supported nodes; "" if it does not.
        bounds: Sensible ranges of inputs by identifier, where those of the socket will not do.
    """

    label: str
    compile: Callable[[NodeContext, str], Value | Surface | None]
    note: str = ""
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class Call:
    """A Slang function of shaders/weft/nodes that computes one output.

    Args:
        function: Its name.
        inputs: Identifiers of the inputs, in the order of its parameters.
        size: Components of the result: those of the output, 1 or 3.
        clamps: The result is clamped to [0, 1].
        is_differentiable: It is ``[Differentiable]``.
    """

    function: str
    inputs: tuple[str, ...]
    size: int = 1
    clamps: bool = False
    is_differentiable: bool = True


Calls = Mapping[str, Call]
"""The function of each output, by its identifier."""


def function_node(
    label: str,
    calls: Calls | None = None,
    *,
    choose: Callable[[Mapping[str, Any]], Calls] | None = None,
    note: str = "",
    bounds: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> NodeSpec:
    """Return a node whose outputs are functions of its inputs.

    Args:
        label: Blender's name of it.
        calls: The functions, if they are always the same.
        choose: Returns the functions for a node's properties.
        note: As in `NodeSpec`.
        bounds: As in `NodeSpec`.
    """
    if (calls is None) == (choose is None):
        raise ArgumentError(f"function_node '{label}': either calls or choose must be given")

    def compile_output(context: NodeContext, output: str) -> Value | Surface | None:
        chosen = calls if choose is None else choose(context.properties)
        if chosen is None or output not in chosen:
            return context.unsupported(f"its output '{output}' with these settings")
        return context.call(chosen[output])

    return NodeSpec(label, compile_output, note, bounds)


def clamp_unit(value: Value, size: int) -> Value:
    """Return a value clamped to [0, 1]."""
    return call("clampUnit" if size == 1 else "clampUnitVector", size, x=value)
