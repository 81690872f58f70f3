# SPDX-License-Identifier: Apache-2.0
"""The file of slang_tour.py in a Blender without Weft: what is there, and a render."""

from __future__ import annotations

import json
import sys
import time

import bpy
from steps import OUT, Steps, area_of, take_picture, within

FACTS: dict[str, object] = {}


def groups():
    """Return the group nodes of the material, by name."""
    nodes = bpy.data.materials["Material"].node_tree.nodes
    return {node.name: node for node in nodes if node.bl_idname == "ShaderNodeGroup"}


def look():
    """Yield after each step the seconds until the next one."""
    FACTS["has the extension"] = hasattr(bpy.types, "WEFT_FH_slang") or "weft" in sys.modules
    FACTS["groups"] = {
        name: {
            "inside": len(node.node_tree.nodes),
            "inputs": [socket.name for socket in node.inputs],
            "links": len(node.outputs[0].links),
            "width": node.width,
        }
        for name, node in groups().items()
    }
    FACTS["texts"] = sorted(text.name for text in bpy.data.texts)
    yield 2.0
    area = area_of("NODE_EDITOR")
    with within("NODE_EDITOR"):
        bpy.ops.node.view_all()
    area.tag_redraw()
    yield 2.0
    take_picture("14_second_blender")
    start = time.monotonic()
    bpy.context.scene.render.filepath = str(OUT / "second.exr")
    bpy.ops.render.render(write_still=True)
    FACTS["seconds of the render"] = time.monotonic() - start
    (OUT / "second.json").write_text(json.dumps(FACTS, indent=1))
    with within("NODE_EDITOR"):
        bpy.ops.render.view_show("INVOKE_DEFAULT")
    yield 3.0
    take_picture("15_second_render")


Steps(look(), "second_facts.json").start()
