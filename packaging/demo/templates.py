# SPDX-License-Identifier: Apache-2.0
"""Twelve node templates on twelve things, drawn by Cycles, by EEVEE and by Weft side by side.

Run from the repository's root where the modules bpy and weft are; without a display that EEVEE can
use, its picture is left out:

    python packaging/demo/templates.py OUT [--eevee] [--save]

Writes OUT/templates.png and prints how far the pictures are apart, linear, of Cycles' mean.
`--eevee` draws by EEVEE, too; `--save` writes OUT/templates.blend, which needs no extension.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="weft-templates-")

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from mathutils import Vector  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH, HEIGHT = 400, 320
SAMPLES = {"CYCLES": 64, "WEFT": 64, "EEVEE": 64}
COLUMNS = 4
APART, RISE = 2.5, 1.35
GREY = (0.3, 0.3, 0.31)
Shape = "Callable[[], None]"


def ball() -> None:
    """Add a sphere with UVs."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=96, ring_count=48)
    bpy.ops.object.shade_smooth()


def block() -> None:
    """Add a block with soft edges."""
    bpy.ops.mesh.primitive_cube_add(size=1.55, rotation=(0, 0, 0.6))
    bevel = bpy.context.object.modifiers.new("Bevel", "BEVEL")
    bevel.width, bevel.segments = 0.06, 3
    bpy.ops.object.shade_smooth()


def ring() -> None:
    """Add a torus that leans back."""
    bpy.ops.mesh.primitive_torus_add(
        major_radius=0.72, minor_radius=0.32, major_segments=96, minor_segments=48
    )
    bpy.context.object.rotation_euler = (0.9, 0, 0.3)
    bpy.ops.object.shade_smooth()


def board() -> None:
    """Add a slab that leans back."""
    bpy.ops.mesh.primitive_cube_add(size=1)
    board = bpy.context.object
    board.dimensions = (1.9, 0.16, 1.9)
    board.rotation_euler = (-0.35, 0, 0.15)
    bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)


THINGS: dict[str, tuple[Any, str, dict[str, Any], dict[str, Any]]] = {
    "bricks": (block, "pattern/bricks", {"scale": 5.0}, {"height": 0.05, "space": "Object"}),
    "planks": (board, "pattern/planks", {"scale": 3.0}, {"height": 0.03, "space": "Object"}),
    "fish_scales": (ball, "pattern/fish_scales", {"scale": 18.0}, {"height": 0.08, "Roughness": 0.3}),
    "thin_film": (ring, "color/thin_film_color", {"thickness": 300.0}, {"Metallic": 1.0, "Roughness": 0.3}),
    "knit": (ball, "pattern/knit", {"scale": 16.0}, {"height": 0.06, "Roughness": 0.9}),
    "weave": (ring, "pattern/weave", {"scale": 20.0}, {"height": 0.02, "Roughness": 0.8}),
    "learned": (block, "learned/learned_texture", {"scale": 1.0}, {"space": "Object", "Roughness": 0.15}),
    "roof_tiles": (board, "pattern/roof_tiles", {"scale": 2.5}, {"height": 0.1, "space": "Object"}),
    "ripples": (ball, "noise/phasor_noise", {"scale": 10.0}, {"height": 0.05, "palette": "wave"}),
    "cracks": (ball, "pattern/cracks", {"scale": 6.0}, {"height": 0.1, "palette": "height"}),
    "hexagons": (ring, "pattern/hexagons", {"scale": 16.0}, {"height": 0.05, "palette": "random"}),
    "marble": (block, "noise/domain_warp", {"scale": 2.0}, {"palette": "", "space": "Object"}),
}
"""By name: what it is made of, its template, values of that, and what is beside it: how far its
height raises it, the coordinate, which output a palette colors, inputs of the Principled BSDF."""

PALETTES = {
    "ripples": ((0.5, 0.4, 0.3), (0.25, 0.22, 0.18), (0.0, 0.08, 0.15)),
    "cracks": ((0.28, 0.23, 0.19), (0.24, 0.2, 0.16), (0.5, 0.5, 0.5)),
    "hexagons": ((0.35, 0.4, 0.45), (0.3, 0.3, 0.35), (0.0, 0.15, 0.3)),
    "marble": ((0.55, 0.5, 0.48), (0.35, 0.33, 0.3), (0.1, 0.12, 0.16)),
}
"""Of the cosine palette: bias, amplitude, phase."""


def output_of(node: bpy.types.Node, name: str) -> bpy.types.NodeSocket:
    """Return an output by the name of its field, else the first one."""
    wanted = name.replace("_", " ").title()
    return next((own for own in node.outputs if own.name == wanted), node.outputs[0])


def make_material(name: str) -> bpy.types.Material:
    """Return the material of a thing."""
    import weft_blender

    _, template, values, beside = THINGS[name]
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    tree = made.node_tree
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = 0.5
    for key, value in beside.items():
        if key in shader.inputs:
            shader.inputs[key].default_value = value
    node = weft_blender.add_node(tree, f"template:{template}", **values)
    place_of(tree, node, beside.get("space", "UV"))
    color = output_of(node, "color")
    if "palette" in beside:
        bias, amplitude, phase = PALETTES[name]
        color = weft_blender.add_node(
            tree,
            "template:color/cosine_palette",
            factor=output_of(node, beside["palette"]),
            bias=bias,
            amplitude=amplitude,
            phase=phase,
            frequency=(0.5, 0.5, 0.5),
        ).outputs[0]
    tree.links.new(color, shader.inputs["Base Color"])
    if "height" in beside:
        bump = tree.nodes.new("ShaderNodeBump")
        bump.inputs["Distance"].default_value = beside["height"]
        tree.links.new(output_of(node, "wave" if name == "ripples" else "height"), bump.inputs["Height"])
        tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    return made


def place_of(tree: bpy.types.NodeTree, node: bpy.types.Node, space: str) -> None:
    """Link the place at which a pattern is seen: of a block and a board its front."""
    if "Cosine" in node.inputs:
        geometry = tree.nodes.new("ShaderNodeNewGeometry")
        cosine = tree.nodes.new("ShaderNodeVectorMath")
        cosine.operation = "DOT_PRODUCT"
        tree.links.new(geometry.outputs["Normal"], cosine.inputs[0])
        tree.links.new(geometry.outputs["Incoming"], cosine.inputs[1])
        tree.links.new(cosine.outputs["Value"], node.inputs["Cosine"])
        return
    coordinate = tree.nodes.new("ShaderNodeTexCoord").outputs[space]
    name = next(key for key in ("Coordinate", "Vector", "Position") if key in node.inputs)
    if space == "Object" and name != "Position":
        tree.links.new(front_of(tree, coordinate), node.inputs[name])
    else:
        tree.links.new(coordinate, node.inputs[name])


def front_of(tree: bpy.types.NodeTree, place: bpy.types.NodeSocket) -> bpy.types.NodeSocket:
    """Return places on the sides of a block: along it, and up."""
    apart = tree.nodes.new("ShaderNodeSeparateXYZ")
    along = tree.nodes.new("ShaderNodeMath")
    joined = tree.nodes.new("ShaderNodeCombineXYZ")
    tree.links.new(place, apart.inputs[0])
    tree.links.new(apart.outputs["X"], along.inputs[0])
    tree.links.new(apart.outputs["Y"], along.inputs[1])
    tree.links.new(along.outputs[0], joined.inputs["X"])
    tree.links.new(apart.outputs["Z"], joined.inputs["Y"])
    return joined.outputs[0]


def build() -> None:
    """Build the things in rows, a floor, light and a camera."""
    scene = bpy.context.scene
    rows = len(THINGS) // COLUMNS
    for number, (name, (shape, *_)) in enumerate(THINGS.items()):
        row, column = divmod(number, COLUMNS)
        shape()
        thing = bpy.context.object
        thing.name = name
        thing.location = (APART * (column - 1.5), 1.1 * APART * (row - 1), 1.0 + RISE * row)
        thing.data.materials.append(make_material(name))
    floor = bpy.data.materials.new("Floor")
    if floor.node_tree is None:
        floor.use_nodes = True
    floor.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*GREY, 1)
    for row in range(rows + 1):
        # Steps, and a wall behind them.
        height, depth = (RISE * row, 1.1 * APART) if row < rows else (12, 1.0)
        place = 1.1 * APART * (row - 1) + (0 if row < rows else (1 - 1.1 * APART) / 2)
        bpy.ops.mesh.primitive_cube_add(size=1, location=(0, place, height / 2 - 1))
        bpy.context.object.dimensions = (60, depth, height + 2)
        bpy.context.object.data.materials.append(floor)
    bpy.ops.mesh.primitive_plane_add(size=60, location=(0, 0, -0.01))
    bpy.context.object.data.materials.append(floor)
    for place, power, size in (((-6, -7, 9), 1500, 4.0), ((7, -4, 6), 500, 3.0)):
        lamp = bpy.data.lights.new("Lamp", "AREA")
        lamp.energy, lamp.size = power, size
        aim(bpy.data.objects.new("Lamp", lamp), place, (0, 0, 1))
    scene.world = bpy.data.worlds.new("World")
    if scene.world.node_tree is None:
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.35, 0.38, 0.42, 1)
    camera = bpy.data.cameras.new("Camera")
    camera.lens = 58
    scene.camera = bpy.data.objects.new("Camera", camera)
    aim(scene.camera, (0, -17.5, 7.0), (0, 0, 2.0))


def aim(shown: bpy.types.Object, place: Any, target: Any) -> None:
    """Put an object somewhere and let its -z look at a place."""
    shown.location = place
    direction = Vector(target) - Vector(place)
    shown.rotation_euler = direction.to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(shown)


def set_rendering() -> None:
    """Set what all engines share, and Cycles to what a path tracer without tricks computes."""
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.view_settings.view_transform = "Standard"
    cycles = scene.cycles
    cycles.samples, cycles.max_bounces = SAMPLES["CYCLES"], 4
    cycles.use_denoising = cycles.use_adaptive_sampling = False
    cycles.caustics_reflective = False  # the metal's would be fireflies
    cycles.sample_clamp_indirect = cycles.blur_glossy = cycles.light_sampling_threshold = 0
    scene.weft_render.samples, scene.weft_render.bounces = SAMPLES["WEFT"], 4
    if hasattr(scene, "eevee"):
        scene.eevee.taa_render_samples = SAMPLES["EEVEE"]


def draw(engine: str, folder: Path) -> np.ndarray | None:
    """Return the picture of an engine, linear, the top row first; ``None``: it cannot draw."""
    from weft import image

    scene = bpy.context.scene
    names = {"EEVEE": "BLENDER_EEVEE" if bpy.app.version >= (5, 0) else "BLENDER_EEVEE_NEXT"}
    scene.render.engine = names.get(engine, engine)
    scene.render.filepath = str(folder / f"{engine.lower()}.exr")
    try:
        bpy.ops.render.render(write_still=True)
    except RuntimeError as error:
        print(f"demo: {engine} cannot draw here: {error}")
        return None
    return image.read(scene.render.filepath, encoding="linear")[..., :3]


def main() -> None:
    """Build, draw, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--eevee", action="store_true", help="draw by EEVEE, too")
    parser.add_argument("--save", action="store_true", help="write templates.blend")
    parser.add_argument("--samples", type=int, help="paths a pixel of Cycles and Weft")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.samples:
        SAMPLES.update(CYCLES=given.samples, WEFT=given.samples)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    import addon

    addon.register()
    from weft import image

    build()
    set_rendering()
    if given.save:
        bpy.ops.wm.save_as_mainfile(filepath=str(given.out / "templates.blend"), compress=True)
    engines = ["CYCLES", *(["EEVEE"] if given.eevee else []), "WEFT"]
    if not given.eevee:
        print("demo: EEVEE is left out: it needs a GPU or a display; --eevee asks for it")
    with tempfile.TemporaryDirectory() as folder:
        found = {engine: draw(engine, Path(folder)) for engine in engines}
    pictures = {engine: picture for engine, picture in found.items() if picture is not None}
    compare(pictures)
    joined = np.concatenate(list(pictures.values()), axis=1)
    image.write(given.out / "templates.png", np.clip(joined, 0, 1), encoding="linear")


def compare(pictures: dict[str, np.ndarray]) -> None:
    """Print how far pictures are from that of Cycles."""
    reference = pictures["CYCLES"]
    level = reference.mean()
    side = 16
    for engine, picture in pictures.items():
        if engine == "CYCLES":
            continue
        rows, columns = (extent // side for extent in picture.shape[:2])
        blocks = (picture - reference)[: rows * side, : columns * side]
        blocks = blocks.reshape(rows, side, columns, side, 3).mean(axis=(1, 3, 4))
        print(
            f"demo: {engine} beside Cycles, of its mean: brightness "
            f"{picture.mean() / level - 1:+.4f}, pixels {np.abs(picture - reference).mean() / level:.4f}, "
            f"worst block of {side} x {side} {np.abs(blocks).max() / level:.4f}"
        )


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender's own clean-up can hang
