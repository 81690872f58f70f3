# SPDX-License-Identifier: GPL-3.0-or-later
"""A group whose only node is a shader in OSL."""

from __future__ import annotations

import hashlib
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ..lowered_groups import COLUMN, name_items, replace_nodes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import bpy

_PARAMETER = re.compile(r"^    (output )?(float|int|vector|color) (\w+) = ", re.MULTILINE)
_SOCKETS = {
    "float": "NodeSocketFloat",
    "int": "NodeSocketInt",
    "vector": "NodeSocketVector",
    "color": "NodeSocketColor",
}


def fill_with_shader(
    group: bpy.types.NodeTree,
    text: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    menus: Mapping[str, Sequence[tuple[str, int]]],
) -> None:
    """Put a shader in the place of the nodes that a group has.

    Args:
        group: Its sockets are there already.
        text: Of the shader, as ``weft.lower(to="osl")`` writes it.
        inputs: Identifiers of the sockets that the shader's inputs are, in their order.
        outputs: The same.
        menus: Cases of those that are menus, by identifier; the shader takes their values.

    Raises:
        RuntimeError: Cycles does not compile it, or is not there.
    """
    code = bytecode(text)
    old = list(group.nodes)
    entry = group.nodes.new("NodeGroupInput")
    node = group.nodes.new("ShaderNodeScript")
    node.location = (COLUMN, 0)
    node.mode = "EXTERNAL"
    node.bytecode = code
    node.bytecode_hash = hashlib.md5(code.encode(), usedforsecurity=False).hexdigest()
    end = group.nodes.new("NodeGroupOutput")
    end.location = (2 * COLUMN, 0)
    head = text[text.index("\nshader ") if "\nshader " in text else 0 :]
    declared = _PARAMETER.findall(head[: head.index("{\n")])
    given = {socket.identifier: socket for socket in entry.outputs}
    taken = {socket.identifier: socket for socket in end.inputs}
    for identifier, (_, kind, name) in zip(
        inputs, [entry for entry in declared if not entry[0]], strict=True
    ):
        socket = node.inputs.new(type=_SOCKETS[kind], name=name, identifier=name)
        source = given[identifier]
        if identifier in menus:
            source = _value_of_menu(group, source, menus[identifier])
        group.links.new(source, socket)
    for identifier, (_, kind, name) in zip(
        outputs, [entry for entry in declared if entry[0]], strict=True
    ):
        socket = node.outputs.new(type=_SOCKETS[kind], name=name, identifier=name)
        group.links.new(socket, taken[identifier])
    replace_nodes(group, old)


def _value_of_menu(
    group: bpy.types.NodeTree, menu: bpy.types.NodeSocket, cases: Sequence[tuple[str, int]]
) -> bpy.types.NodeSocket:
    node = group.nodes.new("GeometryNodeMenuSwitch")
    node.data_type = "INT"
    name_items(node, [name for name, _ in cases])
    for socket, (_, value) in zip(node.inputs[1:], cases, strict=False):
        socket.default_value = value
    group.links.new(menu, node.inputs["Menu"])
    return node.outputs["Output"]


def bytecode(text: str) -> str:
    """Compile a shader.

    Raises:
        RuntimeError: Cycles does not take it, or is not there.
    """
    try:
        import _cycles  # part of Blender, there once Cycles is enabled
    except ImportError as error:
        message = "Slang node: OSL needs Cycles, which this Blender does not have"
        raise RuntimeError(message) from error
    with tempfile.TemporaryDirectory() as folder:
        source, compiled = Path(folder) / "shader.osl", Path(folder) / "shader.oso"
        source.write_text(text, encoding="utf-8")
        if not _cycles.osl_compile(str(source), str(compiled)):
            message = "Slang node: Cycles does not compile the shader in OSL; choose Nodes"
            raise RuntimeError(message)
        return compiled.read_text(encoding="utf-8")
