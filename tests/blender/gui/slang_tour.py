# SPDX-License-Identifier: Apache-2.0
"""Slang nodes as an artist meets them: add, drop, break, mend, undo, save, open without Weft.

What people type goes through the window's events. tests/full/test_blender_gui.py says what the
facts are to be; the pictures are to be looked at.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import bpy
import numpy as np
from steps import (
    OUT,
    Steps,
    area_of,
    keys,
    mouse,
    move_over,
    open_in_a_second_blender,
    take_picture,
    timed,
    type_text,
    within,
)

FILE = str(OUT / "scene.blend")
BRICKS = """import weft.node;

/// Bricks in rows, each of its own tone.
[Node("Pattern")]
float bricks(
    [Label("Coordinate")] float2 p,
    float bricksAcrossOneUnit = 6,
    [Range(0, 1)] float heightVariation = 0.25f,
    [Color] float3 mortar = float3(0.2f, 0.2f, 0.2f),
    [Panel("Weathering")] float age = 0)
{
    float2 cell = floor(p * bricksAcrossOneUnit);
    float tone = frac(sin(cell.x * 12.9898f + cell.y * 78.233f) * 437.5f);
    return lerp(mortar.x, 1.f, tone * heightVariation) / (1 + age);
}
"""
NEW = "float3 tint = 1, "  # Blender undoes 32 steps, and each letter is one
FACTS: dict[str, object] = {}


def tree():
    """Return the tree of the cube's material; undo makes other objects of everything."""
    return bpy.data.materials["Material"].node_tree


def node(name: str = "Rings"):
    """Return a node by its name."""
    return tree().nodes.get(name)


def rings() -> bpy.types.Text:
    """Return the text of the first node."""
    return bpy.data.texts["rings.slang"]


def tour():
    """Yield after each step the seconds until the next one."""
    bpy.context.preferences.view.show_splash = False
    start = time.monotonic()
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["WEFT_ARCHIVE"], repo="user_default", enable_on_install=True
    )
    FACTS["seconds to install"] = round(time.monotonic() - start, 3)
    yield 1.0
    yield from arrange()
    yield from add()
    yield from drop()
    yield from make_mistake()
    yield from mend()
    yield from add_parameter()
    yield from undo_and_redo()
    yield from undo_with_a_pause()
    yield from save()
    yield from open_without()


def arrange():
    """Show a node editor beside a text editor."""
    with within("VIEW_3D"):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.58)
    yield 0.5
    wide, narrow = sorted(
        (area for area in bpy.context.screen.areas if area.type == "VIEW_3D"),
        key=lambda area: area.x,
    )
    wide.ui_type = "ShaderNodeTree"
    narrow.type = "TEXT_EDITOR"
    wide.spaces.active.show_region_ui = True
    narrow.spaces.active.show_line_numbers = True
    yield 2.0


def add():
    """Add a node from the menu, by the keyboard."""
    move_over("NODE_EDITOR", 250, 450)
    yield 0.5
    yield from keys("shift+a", seconds=2.0)
    take_picture("1_add_menu")
    yield from keys("Escape", seconds=0.5)
    with within("NODE_EDITOR"):
        bpy.ops.wm.call_menu(name="NODE_MT_weft_slang")
    yield 2.0
    take_picture("2_slang_menu")
    yield from keys("Escape", seconds=0.5)
    yield from keys("shift+a", seconds=1.0)
    yield from type_text("new slang")
    yield 1.0
    take_picture("3_search")
    mouse("key", "Return")
    yield from timed(FACTS, "of the first node", lambda: node() is not None)
    made, shader = node(), tree().nodes["Principled BSDF"]
    FACTS["sockets"] = [socket.name for socket in made.inputs]
    FACTS["width of the first node"] = made.width
    tree().links.new(made.outputs[0], shader.inputs["Base Color"])
    made.location = (shader.location.x - 300, shader.location.y)
    place = tree().nodes.new("ShaderNodeTexCoord")
    place.location = (shader.location.x - 520, shader.location.y)
    tree().links.new(place.outputs["UV"], made.inputs["Coordinate"])
    area_of("TEXT_EDITOR").spaces.active.text = rings()
    yield 1.0
    yield from look_at("Rings", "Principled BSDF")
    take_picture("4_first_node")


def look_at(*names: str):
    """Have the editor show nodes."""
    for entry in tree().nodes:
        entry.select = entry.name in names
    tree().nodes.active = node(names[0])
    with within("NODE_EDITOR"):
        bpy.ops.node.view_selected()
    yield 1.5


def drop():
    """Drop a file into the editor: its handler's operator, invoked as Blender does it."""
    path = OUT / "bricks.slang"
    path.write_text(BRICKS)
    handler = bpy.types.WEFT_FH_slang
    with within("NODE_EDITOR"):
        FACTS["takes the file"] = handler.poll_drop(bpy.context)
        group, name = handler.bl_import_operator.split(".")
        getattr(getattr(bpy.ops, group), name)("INVOKE_DEFAULT", filepath=str(path))
    yield from timed(FACTS, "of the dropped file", lambda: node("Bricks") is not None)
    made = node("Bricks")
    FACTS["width of the dropped node"] = made.width
    FACTS["sockets of the dropped node"] = [socket.name for socket in made.inputs]
    made.location = (node().location.x, node().location.y - 300)
    place = tree().nodes["Texture Coordinate"]
    tree().links.new(place.outputs["UV"], made.inputs["Coordinate"])
    tree().links.new(made.outputs[0], tree().nodes["Principled BSDF"].inputs["Roughness"])
    yield 0.5
    yield from look_at("Bricks", "Rings", "Principled BSDF")
    take_picture("5_dropped")
    path.write_text(BRICKS.replace("heightVariation", "variationOfTheHeights"))
    wanted = "Variation Of the Heights"
    yield from timed(
        FACTS,
        "from the saved file to the socket",
        lambda: any(s.name.lower() == wanted.lower() for s in node("Bricks").inputs),
    )
    FACTS["width after the edit"] = node("Bricks").width
    path.write_text(BRICKS)
    yield from timed(
        FACTS,
        "from the file put back to the socket",
        lambda: "Height Variation" in node("Bricks").inputs,
    )
    tree().nodes.active = node()
    yield 0.5


def put_cursor(before: str) -> None:
    """Put the cursor before a word, where a click would."""
    text = rings()
    for number, line in enumerate(text.lines):
        if before in line.body:
            text.cursor_set(number, character=line.body.index(before))
            return
    raise AssertionError(before)


def shows_line(line: int) -> bool:
    """Return whether the text editor shows a line, which begins at 0."""
    area = area_of("TEXT_EDITOR")
    region = next(region for region in area.regions if region.type == "WINDOW")
    _, y = area.spaces.active.region_location_from_cursor(line, 0)
    return 0 <= y < region.height


def make_mistake():
    """Type a wrong letter; have the error shown."""
    bpy.ops.ed.undo_push(message="Tour")
    put_cursor("in(6.28")
    move_over("TEXT_EDITOR", 300, 400)
    yield 0.5
    yield from type_text("x")
    yield from timed(FACTS, "from the wrong letter to the mark", lambda: "weft_colors" in node())
    yield 1.0
    take_picture("6_error")
    FACTS["links with the error"] = len(node().outputs[0].links)
    space = area_of("TEXT_EDITOR").spaces.active
    wrong = rings().current_line_index
    begin = rings().as_string()
    rings().cursor_set(0)
    FACTS["line of the error"] = wrong + 1
    start = time.monotonic()
    with within("NODE_EDITOR"):
        bpy.ops.weft.show_slang_source()
    FACTS["seconds to show the error"] = round(time.monotonic() - start, 3)
    yield 1.0
    FACTS["line of the cursor"] = rings().current_line_index + 1
    FACTS["shows the line"] = shows_line(wrong)
    FACTS["text is as it was"] = rings().as_string() == begin
    take_picture("7_show_error")
    yield from show_in_long_text(space, wrong)


def show_in_long_text(space, wrong: int):
    """Show an error far down in a text whose lines are wrapped."""
    good = rings().as_string()
    comment = "// " + "A sentence that is longer than the editor is wide. " * 4 + "\n"
    rings().from_string(comment * 60 + good)
    space.show_word_wrap = True
    space.top = 0
    line = wrong + 60
    yield from timed(
        FACTS,
        "until the error has its new line",
        lambda: f":{line + 1}" in node().node_tree["weft_slang"],
    )
    yield 0.5
    with within("NODE_EDITOR"):
        bpy.ops.weft.show_slang_source()
    yield 1.0
    FACTS["line of the cursor far down"] = rings().current_line_index - 60 + 1
    FACTS["shows the line far down"] = shows_line(line)
    take_picture("8_show_error_far_down")
    rings().from_string(good)
    space.show_word_wrap = False
    space.top = 0
    yield 1.0
    bpy.ops.ed.undo_push(message="Tour")


def mend():
    """Take the letter away."""
    put_cursor("in(6.28")
    move_over("TEXT_EDITOR", 300, 400)
    yield 0.5
    mouse("key", "BackSpace")
    yield from timed(
        FACTS, "from the mended letter to the node", lambda: "weft_colors" not in node()
    )
    FACTS["links after mending"] = len(node().outputs[0].links)
    FACTS["color after mending"] = node().use_custom_color
    yield 1.0
    take_picture("9_mended")


def add_parameter():
    """Type one more parameter."""
    put_cursor("[Range(0, 1)] float softness")
    move_over("TEXT_EDITOR", 300, 400)
    yield 0.5
    start = time.monotonic()
    yield from type_text(NEW)
    FACTS["seconds of typing"] = round(time.monotonic() - start, 3)
    yield from timed(
        FACTS, "from the last letter to the new socket", lambda: "Tint" in node().inputs
    )
    FACTS["links with the new socket"] = len(node().outputs[0].links)
    FACTS["sockets with the new one"] = [socket.name for socket in node().inputs]
    yield 1.0
    FACTS["is marked"] = "weft_colors" in node()
    take_picture("10_new_socket")


def state(text: str) -> tuple[bool, bool]:
    """Return whether the source is a text, and whether the node has the new parameter."""
    return rings().as_string() == text, "Tint" in node().inputs


def press_until(key: str, name: str, wanted, most: int = 60):
    """Press a key until something holds; note how often, and the seconds."""
    start, count = time.monotonic(), 0
    while not wanted() and count < most:
        yield from keys(key, seconds=0.3)
        count += 1
    FACTS[f"presses to {name}"] = count
    FACTS[f"seconds to {name}"] = round(time.monotonic() - start, 3)
    yield 1.5  # a source that is compiled now has its node


def undo_and_redo():
    """Take the parameter back, and have it again."""
    text = rings().as_string()
    without = text.replace(NEW, "")
    move_over("TEXT_EDITOR", 300, 400)
    yield 0.5
    for key, name, wanted in (("ctrl+z", "undo", without), ("ctrl+shift+z", "redo", text)):
        yield from press_until(key, name, lambda wanted=wanted: rings().as_string() == wanted)
        FACTS[f"text and socket after {name}"] = state(wanted)
        FACTS[f"is marked after {name}"] = "weft_colors" in node()
        FACTS[f"links after {name}"] = len(node().outputs[0].links)
        take_picture("11_undone" if name == "undo" else "12_redone")


def undo_with_a_pause():
    """Take one letter of two back, look at what the node does, and have it again."""
    put_cursor("f * frequency")
    yield 0.5
    yield from type_text("12")
    yield 2.0
    text = rings().as_string()
    yield from keys("ctrl+z", seconds=0.3)
    if rings().as_string() == text:  # that was the step of the node
        yield from keys("ctrl+z", seconds=0.3)
    FACTS["one letter is undone"] = text.replace("12f * fr", "1f * fr") == rings().as_string()
    yield 2.0
    yield from press_until(
        "ctrl+shift+z", "redo after a pause", lambda: rings().as_string() == text, 5
    )
    FACTS["text after the pause"] = rings().as_string() == text
    for _ in range(2):
        put_cursor("f * frequency")
        mouse("key", "BackSpace")
        yield 0.3
    yield 1.5


def save():
    """Render, and save."""
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_denoising = 4, False
    scene.render.resolution_x, scene.render.resolution_y = 160, 90
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.filepath = str(OUT / "first.exr")
    start = time.monotonic()
    bpy.ops.render.render(write_still=True)
    FACTS["seconds of the render"] = round(time.monotonic() - start, 3)
    yield 0.5
    start = time.monotonic()
    bpy.ops.wm.save_as_mainfile(filepath=FILE)
    FACTS["seconds to save"] = round(time.monotonic() - start, 3)
    yield 0.5
    take_picture("13_saved")


def open_without():
    """Open the file in a second Blender, which has no extensions."""
    start = time.monotonic()
    ended = yield from open_in_a_second_blender(FILE, "slang_second.py")
    FACTS["seconds of the second Blender"] = round(time.monotonic() - start, 3)
    FACTS["second Blender ended with"] = ended
    FACTS["second"] = json.loads((OUT / "second.json").read_text())
    first, other = (pixels(OUT / f"{name}.exr") for name in ("first", "second"))
    FACTS["spread of the colors"] = float(first.reshape(-1, 4)[:, :3].std())
    FACTS["difference of the renders"] = float(np.abs(first - other).max())


def pixels(path: Path) -> np.ndarray:
    """Return a picture's numbers."""
    image = bpy.data.images.load(str(path))
    found = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(found)
    return found


steps = Steps(tour())
steps.facts = FACTS
steps.start()
