# SPDX-License-Identifier: GPL-3.0-or-later
"""What drives the output Displacement, as the normal that all nodes of the surface see.

As Cycles does where a material's displacement method is Bump: the displacement along the normal is
the height of a bump of strength 1 and distance 1, and its normal replaces that of the mesh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene import Attribute, Bump
from weft.scene.materials import parts_of

from .values import SURFACES, Carried, call, is_number

if TYPE_CHECKING:
    from weft.scene.materials import Surface
    from weft.scene.values import Value

    from .compile import Compiler, Scope
    from .model import Node

METHODS = ("BUMP", "DISPLACEMENT", "BOTH")


def compile_relief(compiler: Compiler, scope: Scope, end: Node, method: str) -> None:
    """Set the normal that the nodes of a material see.

    Args:
        compiler: Of the material; nothing of its surface is compiled yet.
        scope: Of its graph.
        end: The output node.
        method: One of METHODS.
    """
    socket = end.find_input("Displacement")
    if socket is None or socket.link is None:
        return
    carried = compiler.input(scope, end, socket)
    if is_number(carried.content) or carried.content is None:
        return
    assert not isinstance(carried.content, SURFACES)
    if method != "BUMP":
        compiler.problem(scope, end, "displacement of the mesh is not supported", "a bump")
    height = call("reliefHeight", 1, displacement=carried.content, normal=Attribute.NORMAL)
    compiler.normal = Bump(height, 1.0, 1.0, is_surface=True)
    _forget_normals(compiler)


def _forget_normals(compiler: Compiler) -> None:
    """Have nodes compiled again that have seen the normal of the mesh."""
    compiler.known = {k: v for k, v in compiler.known.items() if not _has_seen(v)}
    compiler.arrived = {k: v for k, v in compiler.arrived.items() if not _has_seen(v)}
    compiler.parts = {k: v for k, v in compiler.parts.items() if not _reads_normal(v)}


def _has_seen(entry: Carried | None) -> bool:
    return entry is not None and _reads_normal(entry.content)


def _reads_normal(value: Value | Surface | None) -> bool:
    """Return whether a value depends on the normal of the mesh."""
    seen: set[int] = set()
    stack: list[Value | Surface | None] = [value]
    while stack:
        entry = stack.pop()
        if entry is Attribute.NORMAL or (isinstance(entry, Bump) and entry.normal is None):
            return True
        if entry is None or id(entry) in seen:
            continue
        seen.add(id(entry))
        stack.extend(parts_of(entry))
    return False
