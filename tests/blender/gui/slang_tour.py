# SPDX-License-Identifier: Apache-2.0
"""Slang nodes as an artist meets them: add, break, mend, undo, save, open without Weft."""

from __future__ import annotations

import os
import time

import bpy
from steps import OUT, Steps, area_of, mouse, take_picture, wait_for, within

MODULE = "bl_ext.user_default.weft"
FILE = str(OUT / "scene.blend")
FACTS: dict[str, object] = {}


def slang_node():
    """Return the node that was added last."""
    tree = bpy.data.materials["Material"].node_tree
    return next(node for node in tree.nodes if node.bl_idname == "ShaderNodeGroup")


def timed(name: str, condition):
    """Yield until a condition holds; note the seconds."""
    start = time.monotonic()
    yield from wait_for(condition, 90)
    FACTS[f"seconds {name}"] = time.monotonic() - start


def tour():
    """Yield after each step the seconds until the next one."""
    bpy.context.preferences.view.show_splash = False
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["WEFT_ARCHIVE"], repo="user_default", enable_on_install=True
    )
    yield 1.0
    editor = area_of("VIEW_3D")
    editor.type = "NODE_EDITOR"
    editor.ui_type = "ShaderNodeTree"
    area_of("PROPERTIES").type = "TEXT_EDITOR"  # the timeline's area shows one line
    editor.spaces.active.show_region_ui = True
    yield 2.0
    yield from add()
    yield from edit()
    yield from open_without()


def add():
    """Add a node with its text, and show the menu."""
    with within("NODE_EDITOR"):
        bpy.ops.weft.new_slang_node("INVOKE_DEFAULT")
    tree = bpy.data.materials["Material"].node_tree
    yield from timed(
        "of the first node",
        lambda: any(node.bl_idname == "ShaderNodeGroup" for node in tree.nodes),
    )
    node = slang_node()
    shader = tree.nodes["Principled BSDF"]
    tree.links.new(node.outputs[0], shader.inputs["Base Color"])
    node.location = (shader.location.x - 300, shader.location.y)
    tree.nodes.active = node
    FACTS["sockets"] = [socket.name for socket in node.inputs]
    text = area_of("TEXT_EDITOR").spaces.active
    text.text = bpy.data.texts["rings.slang"]
    text.show_line_numbers = True
    yield 1.0  # a node has its size once it is drawn
    for entry in tree.nodes:
        entry.select = entry in (node, shader)
    with within("NODE_EDITOR"):
        bpy.ops.node.view_selected()
    yield 2.0
    take_picture("1_node")
    editor = area_of("NODE_EDITOR")
    mouse("mousemove", editor.x + 300, 1000 - editor.y - 300)
    with within("NODE_EDITOR"):
        bpy.ops.wm.call_menu(name="NODE_MT_weft_slang")
    yield 2.0
    take_picture("2_menu")
    mouse("key", "Escape")
    yield 1.0


def edit():
    """Break the text, mend it with one more parameter, and take that back."""
    text = bpy.data.texts["rings.slang"]
    good = text.as_string()
    bpy.ops.ed.undo_push(message="Node")
    text.clear()
    text.write(good.replace("sin(", "sinn("))
    yield from timed("until the error shows", lambda: "weft_colors" in slang_node())
    yield 1.0
    with within("NODE_EDITOR"):
        bpy.ops.weft.show_slang_source()
    yield 1.0
    take_picture("3_error")
    FACTS["line of the error"] = text.current_line_index + 1
    FACTS["links with the error"] = len(slang_node().outputs[0].links)
    text.clear()
    text.write(good.replace("float softness", "float3 tint = float3(1, 0.5, 0), float softness"))
    yield from timed("until the new socket", lambda: "Tint" in slang_node().inputs)
    FACTS["links after"] = len(slang_node().outputs[0].links)
    FACTS["is marked"] = "weft_colors" in slang_node()
    yield 1.0
    take_picture("4_mended")
    with within("NODE_EDITOR"):
        bpy.ops.ed.undo()
    yield 3.0
    FACTS["text after undo is the first"] = bpy.data.texts["rings.slang"].as_string() == good
    take_picture("5_undone")


def open_without():
    """Save, and open the file in a Blender without the extension."""
    bpy.ops.wm.save_as_mainfile(filepath=FILE)
    bpy.ops.preferences.addon_disable(module=MODULE)
    bpy.ops.wm.open_mainfile(filepath=FILE)
    yield 3.0
    FACTS["nodes without the extension"] = len(slang_node().node_tree.nodes)
    FACTS["links without the extension"] = len(slang_node().outputs[0].links)
    take_picture("6_without_the_extension")


steps = Steps(tour())
steps.facts = FACTS
steps.start()
