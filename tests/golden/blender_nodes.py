# SPDX-License-Identifier: Apache-2.0
"""Write ``blender_nodes.json``: each shader node's properties and sockets as Blender makes it.

With it tests build graphs without Blender. Run it with a Python that has bpy 5.0.1, from the
repository's root:

    python tests/golden/blender_nodes.py
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from pathlib import Path
from typing import Any

import bpy

sys.path.insert(0, str(Path(__file__).parents[2]))

from addon.blender.graphs import read_graph

OUTPUT = Path(__file__).with_suffix(".json")


def shader_node_kinds() -> list[str]:
    """Return the types of node that a material may have."""
    kinds = (name for name in dir(bpy.types) if name.startswith("ShaderNode"))
    return [*kinds, "NodeReroute"]


def describe(kind: str) -> dict[str, Any] | None:
    """Return a fresh node, or ``None`` if there is no such type."""
    tree = bpy.data.node_groups.new("tree", "ShaderNodeTree")
    try:
        label = tree.nodes.new(kind).bl_label
    except RuntimeError:
        return None
    (found,) = read_graph(tree).nodes.values()
    bpy.data.node_groups.remove(tree)
    if not found.inputs and not found.outputs:
        return None
    entry = {
        "label": label,
        "properties": dict(found.properties),
        "inputs": [strip(dataclasses.asdict(socket)) for socket in found.inputs],
        "outputs": [strip(dataclasses.asdict(socket)) for socket in found.outputs],
    }
    return {key: value for key, value in entry.items() if value}


def strip(socket: dict[str, Any]) -> dict[str, Any]:
    """Return what differs from the defaults of a socket."""
    defaults = {"value": None, "link": None, "low": 0.0, "high": 1.0}
    defaults |= {"is_enabled": True, "hides_value": False}
    return {k: v for k, v in socket.items() if k not in defaults or defaults[k] != v}


def rounded(value: Any) -> Any:
    """Return data without the noise of single precision."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, (list, tuple)):
        return [rounded(entry) for entry in value]
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    return value


def main() -> None:
    """Describe all nodes."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    found = {kind: describe(kind) for kind in shader_node_kinds()}
    lines = (
        f"{json.dumps(kind)}: {json.dumps(rounded(entry))}"
        for kind, entry in sorted(found.items())
        if entry is not None
    )
    OUTPUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"{OUTPUT.name}: {len(OUTPUT.read_text())} bytes")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
