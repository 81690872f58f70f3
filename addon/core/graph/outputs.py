# SPDX-License-Identifier: GPL-3.0-or-later
"""Which output node of a graph counts."""

from __future__ import annotations

from weft import ArgumentError

from .model import Graph, Node

_KINDS = {
    "material": ("ShaderNodeOutputMaterial",),
    "world": ("ShaderNodeOutputWorld",),
    "light": ("ShaderNodeOutputLight",),
}


def output_kinds(target: str) -> tuple[str, ...]:
    """Return the types of node that end the graph of a target.

    Raises:
        ArgumentError: `target` is not ``material``, ``world`` or ``light``.
    """
    if target not in _KINDS:
        raise ArgumentError(
            f"compile_material: target must be one of {', '.join(_KINDS)}, got {target!r}"
        )
    return _KINDS[target]


def choose_output(graph: Graph, kinds: tuple[str, ...]) -> Node | None:
    """Return the output node that Cycles would take: its own before common ones, active first."""
    candidates = [node for node in graph.nodes.values() if node.kind in kinds]
    for target in ("CYCLES", "ALL"):
        fitting = [n for n in candidates if n.properties.get("target", "ALL") == target]
        active = [n for n in fitting if n.properties.get("is_active_output")]
        if fitting:
            return (active or fitting)[0]
    return None
