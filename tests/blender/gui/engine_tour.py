# SPDX-License-Identifier: Apache-2.0
"""What the engine computes, as an artist meets it: assets, an evaluated modifier, a baked node.

An asset is added from the menu, a slider of Slang Evaluate moves, the scene plays, a node is baked;
a second Blender, without Weft, opens what was saved. The pictures are to be looked at.
"""

from __future__ import annotations

import json
import os
import time

import bpy
import numpy as np
from steps import (
    OUT,
    Steps,
    area_of,
    keys,
    move_over,
    open_in_a_second_blender,
    take_picture,
    timed,
    type_text,
    within,
)

FILE = str(OUT / "engine.blend")
HILLS = """import weft.node;

/// Hills of a loop without a bound, which go on in time.
void hills(inout float3 position, out float steepness, [Range(0, 2)] float height = 0.5f,
           float time = 0)
{
    float sum = 0, size = 1;
    while (size > 0.01f)
    {
        sum += size * sin(position.x / size + time) * cos(position.y / size);
        size *= 0.6f;
    }
    steepness = abs(sum);
    position.z += height * sum;
}
"""
SHELLS = """import weft.node;

/// Bits of a number's place, which no tree of shaders has.
[Node("Pattern")]
float3 shells([Source("UV")] float2 uv, [Range(1, 40)] float scale = 12)
{
    const uint2 cell = uint2(uv * scale);
    const uint bits = asuint(float(cell.x * 7 + cell.y * 13)) ^ (cell.x << 5);
    return float3(bits & 255, (bits >> 8) & 255, (bits >> 16) & 255) / 255.f;
}
"""
WEFT_CATALOG = "ea6e9af4-3c38-5cba-8f05-db599339589e"
FACTS: dict[str, object] = {}


def heights() -> np.ndarray:
    """Return how high the plane's points are, as Blender shows them."""
    thing = bpy.data.objects["Hills"].evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = np.empty(3 * len(thing.data.vertices), np.float32)
    thing.data.vertices.foreach_get("co", places)
    return places[2::3]


def tour():
    """Yield after each step the seconds until the next one."""
    bpy.context.preferences.view.show_splash = False
    bpy.ops.extensions.package_install_files(
        filepath=os.environ["WEFT_ARCHIVE"], repo="user_default", enable_on_install=True
    )
    yield 2.0
    FACTS["libraries"] = [entry.name for entry in bpy.context.preferences.filepaths.asset_libraries]
    yield from show_assets()
    yield from evaluate()
    yield from add_asset()
    yield from play()
    yield from bake()
    yield from save()
    yield from open_without()


def show_assets():
    """Have the browser of assets show the library."""
    area = area_of("VIEW_3D")
    area.ui_type = "ASSETS"
    yield 1.0
    area.spaces.active.params.asset_library_reference = "ALL"
    yield 2.0
    area.spaces.active.params.catalog_id = WEFT_CATALOG
    yield 6.0
    take_picture("1_assets")
    area.ui_type = "VIEW_3D"
    yield 1.0


def evaluate():
    """Add the modifier to a plane, and move its slider."""
    text = bpy.data.texts.new("hills.slang")
    text.write(HILLS)
    bpy.data.objects.remove(bpy.data.objects["Cube"])
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=200, y_subdivisions=200, size=8)
    plane = bpy.context.object
    plane.name = "Hills"
    start = time.monotonic()
    bpy.ops.weft.add_evaluation(source="hills.slang")
    FACTS["seconds of the call that adds"] = round(time.monotonic() - start, 3)
    yield from timed(FACTS, "until there are hills", lambda: np.ptp(heights()) > 0.5)
    properties = area_of("PROPERTIES")
    properties.spaces.active.context = "MODIFIER"
    yield 1.0
    take_picture("2_evaluated")
    modifier = plane.modifiers[-1]
    height = next(
        item
        for item in modifier.node_group.interface.items_tree
        if item.item_type == "SOCKET" and item.in_out == "INPUT" and item.name == "Height"
    )
    FACTS["height before"] = float(np.ptp(heights()))
    pauses = []
    for step in range(20):  # as a slider that is dragged
        begin = time.monotonic()
        set_value(modifier, height, 0.5 + 0.05 * step)
        plane.update_tag()
        bpy.context.view_layer.update()
        pauses.append(time.monotonic() - begin)
        yield 0.02
    FACTS["seconds of a move of the slider"] = round(float(np.median(pauses)), 4)
    yield 1.0
    FACTS["height after"] = float(np.ptp(heights()))
    take_picture("3_slider")


def set_value(modifier, item, value: float) -> None:
    """Give a modifier's input a value, in each of the ways that Blenders have."""
    try:
        modifier[item.identifier] = value
    except (TypeError, KeyError):
        getattr(modifier.properties.inputs, item.identifier).value = value


def add_asset():
    """Add a node of the asset library to a tree, from the menu's search."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=64, radius=0.6, depth=3, location=(0, 0, 3))
    pillar = bpy.context.object
    pillar.name = "Pillar"
    with within("VIEW_3D"):
        bpy.ops.screen.area_split(direction="VERTICAL", factor=0.5)
    yield 0.5
    areas = (area for area in bpy.context.screen.areas if area.type == "VIEW_3D")
    min(areas, key=lambda area: area.x).ui_type = "GeometryNodeTree"
    yield 1.0
    tree = bpy.data.node_groups.new("Pillar", "GeometryNodeTree")
    tree.is_modifier = True
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    pillar.modifiers.new("Pillar", "NODES").node_group = tree
    yield 1.0
    move_over("NODE_EDITOR", 250, 350)
    yield 0.5
    yield from keys("shift+a", seconds=1.5)
    take_picture("4_add_menu")
    yield from type_text("twist")
    yield 2.0
    take_picture("5_search")
    yield from keys("Return", seconds=1.5)

    def added():
        return next((node for node in tree.nodes if node.type == "GROUP"), None)

    yield from timed(FACTS, "of the asset's node", lambda: added() is not None)
    yield from keys("Return", seconds=1.0)  # where it is dragged to
    node = added()
    FACTS["name of the asset's group"] = node.node_tree.name
    FACTS["asset is a Slang node"] = "weft_slang" in node.node_tree
    FACTS["asset has"] = [socket.name for socket in node.inputs]
    with within("NODE_EDITOR"):
        bpy.ops.node.view_all()
    yield 1.0
    take_picture("6_asset_node")


def play():
    """Play the hills, and count what is drawn."""
    modifier = bpy.data.objects["Hills"].modifiers[-1]
    FACTS["modifier says"] = modifier.name
    shown: list[tuple[int, float]] = []

    def note(scene, _depsgraph=None):
        shown.append((scene.frame_current, float(heights()[77])))

    bpy.app.handlers.frame_change_post.append(note)
    start = time.monotonic()
    with within("VIEW_3D"):
        bpy.ops.screen.animation_play()
    yield 5.0
    with within("VIEW_3D"):
        bpy.ops.screen.animation_cancel(restore_frame=False)
    seconds = time.monotonic() - start
    bpy.app.handlers.frame_change_post.remove(note)
    FACTS["frames a second"] = round(len(shown) / seconds, 1)
    FACTS["heights while playing"] = len({height for _, height in shown})
    FACTS["frames while playing"] = len({frame for frame, _ in shown})
    yield 1.0
    take_picture("7_played")


def bake():
    """Bake a node that nothing else can compute."""
    bpy.ops.mesh.primitive_monkey_add(location=(3, -2, 2))
    thing = bpy.context.object
    material = bpy.data.materials.new("Shells")
    if material.node_tree is None:
        material.use_nodes = True
    thing.data.materials.append(material)
    area_of("NODE_EDITOR").ui_type = "ShaderNodeTree"
    yield 1.0
    text = bpy.data.texts.new("shells.slang")
    text.write(SHELLS)
    import weft_blender

    tree = material.node_tree
    node = weft_blender.add_node(tree, text, form="BAKED")
    shader = next(node for node in tree.nodes if node.type == "BSDF_PRINCIPLED")
    tree.links.new(node.outputs[0], shader.inputs["Base Color"])
    node.location = (shader.location.x - 300, shader.location.y)
    tree.nodes.active = node

    def size() -> int:
        """Return the texels along a side of the image that the group looks up."""
        images = [own.image for own in node.node_tree.nodes if getattr(own, "image", None)]
        return min((image.size[0] for image in images), default=0)

    yield from timed(FACTS, "of the coarse image", lambda: size() >= 256)
    yield from timed(FACTS, "of the full image", lambda: size() >= 1024)
    area_of("NODE_EDITOR").spaces.active.show_region_ui = True
    with within("NODE_EDITOR"):
        bpy.ops.node.view_all()
    yield 2.0
    take_picture("8_baked")
    before = pixels_of(node)
    node.inputs["Scale"].default_value = 20
    yield from timed(
        FACTS, "from a value to another image", lambda: not np.array_equal(before, pixels_of(node))
    )
    yield 2.0
    with within("VIEW_3D"):
        bpy.context.space_data.shading.type = "MATERIAL"
    yield 5.0
    take_picture("9_in_the_viewport")


def pixels_of(node) -> np.ndarray:
    """Return a row of the image that a baked group looks up."""
    image = next(own.image for own in node.node_tree.nodes if getattr(own, "image", None))
    found = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(found)
    return found[:: max(len(found) // 4096, 1)].copy()


def save():
    """Save, with a picture."""
    scene = bpy.context.scene
    scene.frame_set(10)
    FACTS["heights at frame 10"] = [round(float(value), 6) for value in heights()[:400:40]]
    bpy.ops.wm.save_as_mainfile(filepath=FILE)
    yield 1.0


def open_without():
    """Open the file in a second Blender, which has no extensions."""
    FACTS["second Blender ended with"] = yield from open_in_a_second_blender(
        FILE, "engine_second.py"
    )
    FACTS["second"] = json.loads((OUT / "second.json").read_text())


steps = Steps(tour())
steps.facts = FACTS
steps.start()
