# SPDX-License-Identifier: Apache-2.0
"""Twelve node templates on twelve things, drawn by Cycles, by EEVEE and by Weft side by side.

Run from the repository's root where the modules bpy and weft are; without a display that EEVEE can
use, its picture is left out:

    python packaging/demo/templates.py OUT [--eevee] [--save]

Writes OUT/templates.jpg and prints how far the pictures are apart, linear, of Cycles' mean.
`--eevee` draws by EEVEE, too; `--save` writes OUT/templates.blend, which needs no extension.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="weft-templates-")

import bpy  # noqa: E402
import numpy as np  # noqa: E402
from mathutils import Vector  # noqa: E402

WIDTH, HEIGHT = 400, 320
SAMPLES = {"CYCLES": 128, "WEFT": 128, "EEVEE": 64}
COLUMNS = 4
APART, RISE = 2.5, 1.35
GREY = (0.3, 0.3, 0.31)
Color = tuple[float, float, float]


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


@dataclass(frozen=True)
class Thing:
    """What one of them is made of.

    Attributes:
        shape: Adds it.
        template: That colors it.
        values: Of the template's inputs.
        height: How far the template's height raises the surface.
        raised_by: The output that is the height.
        on_object: The pattern is seen at places of the object; if not, at its UVs.
        palette: Bias, amplitude and phase of a cosine palette that colors an output.
        colored: That output.
        roughness: Of the surface.
        metallic: The same.
    """

    shape: Callable[[], None]
    template: str
    values: Mapping[str, float]
    height: float = 0.0
    raised_by: str = "Height"
    on_object: bool = False
    palette: tuple[Color, Color, Color] | None = None
    colored: str = ""
    roughness: float = 0.5
    metallic: float = 0.0


SAND = ((0.5, 0.4, 0.3), (0.25, 0.22, 0.18), (0.0, 0.08, 0.15))
CLAY = ((0.28, 0.23, 0.19), (0.24, 0.2, 0.16), (0.5, 0.5, 0.5))
ENAMEL = ((0.35, 0.4, 0.45), (0.3, 0.3, 0.35), (0.0, 0.15, 0.3))
STONE = ((0.55, 0.5, 0.48), (0.35, 0.33, 0.3), (0.1, 0.12, 0.16))

THINGS = {
    "bricks": Thing(block, "pattern/bricks", {"scale": 5}, height=0.05, on_object=True),
    "planks": Thing(board, "pattern/planks", {"scale": 3}, height=0.03, on_object=True),
    "scales": Thing(ball, "pattern/fish_scales", {"scale": 18}, height=0.08, roughness=0.3),
    "film": Thing(ring, "color/thin_film_color", {"thickness": 300}, roughness=0.3, metallic=1.0),
    "knit": Thing(ball, "pattern/knit", {"scale": 16}, height=0.06, roughness=0.9),
    "weave": Thing(ring, "pattern/weave", {"scale": 20}, height=0.02, roughness=0.8),
    "learned": Thing(block, "learned/learned_texture", {}, on_object=True, roughness=0.15),
    "tiles": Thing(board, "pattern/roof_tiles", {"scale": 2.5}, height=0.1, on_object=True),
    "ripples": Thing(
        ball,
        "noise/phasor_noise",
        {"scale": 10},
        height=0.05,
        raised_by="Wave",
        palette=SAND,
        colored="Wave",
    ),
    "cracks": Thing(
        ball, "pattern/cracks", {"scale": 6}, height=0.1, palette=CLAY, colored="Height"
    ),
    "hexagons": Thing(
        ring, "pattern/hexagons", {"scale": 16}, height=0.05, palette=ENAMEL, colored="Random"
    ),
    "marble": Thing(block, "noise/domain_warp", {"scale": 2}, on_object=True, palette=STONE),
}


def output_of(node: bpy.types.Node, name: str) -> bpy.types.NodeSocket:
    """Return an output, the first one if there is none of that name."""
    return next((own for own in node.outputs if own.name == name), node.outputs[0])


def make_material(name: str) -> bpy.types.Material:
    """Return the material of a thing."""
    import weft_blender

    thing = THINGS[name]
    made = new_material(name)
    tree = made.node_tree
    shader = tree.nodes["Principled BSDF"]
    shader.inputs["Roughness"].default_value = thing.roughness
    shader.inputs["Metallic"].default_value = thing.metallic
    node = weft_blender.add_node(tree, f"template:{thing.template}", **thing.values)
    link_place(tree, node, on_object=thing.on_object)
    color = output_of(node, "Color")
    if thing.palette is not None:
        bias, amplitude, phase = thing.palette
        color = weft_blender.add_node(
            tree,
            "template:color/cosine_palette",
            factor=output_of(node, thing.colored),
            bias=bias,
            amplitude=amplitude,
            phase=phase,
            frequency=(0.5, 0.5, 0.5),
        ).outputs[0]
    tree.links.new(color, shader.inputs["Base Color"])
    if thing.height:
        bump = tree.nodes.new("ShaderNodeBump")
        bump.inputs["Distance"].default_value = thing.height
        tree.links.new(output_of(node, thing.raised_by), bump.inputs["Height"])
        tree.links.new(bump.outputs["Normal"], shader.inputs["Normal"])
    return made


def new_material(name: str) -> bpy.types.Material:
    """Return a material of one Principled BSDF."""
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    return made


def link_place(tree: bpy.types.NodeTree, node: bpy.types.Node, *, on_object: bool) -> None:
    """Link the place at which a pattern is seen: of a block and a board its front."""
    if "Cosine" in node.inputs:
        geometry = tree.nodes.new("ShaderNodeNewGeometry")
        cosine = tree.nodes.new("ShaderNodeVectorMath")
        cosine.operation = "DOT_PRODUCT"
        tree.links.new(geometry.outputs["Normal"], cosine.inputs[0])
        tree.links.new(geometry.outputs["Incoming"], cosine.inputs[1])
        tree.links.new(cosine.outputs["Value"], node.inputs["Cosine"])
        return
    coordinate = tree.nodes.new("ShaderNodeTexCoord").outputs["Object" if on_object else "UV"]
    name = next(key for key in ("Coordinate", "Vector", "Position") if key in node.inputs)
    if on_object and name != "Position":
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
    for number, (name, entry) in enumerate(THINGS.items()):
        row, column = divmod(number, COLUMNS)
        entry.shape()
        thing = bpy.context.object
        thing.name = name
        thing.location = (APART * (column - 1.5), 1.1 * APART * (row - 1), 1.0 + RISE * row)
        thing.data.materials.append(make_material(name))
    floor = new_material("Floor")
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
        light = bpy.data.lights.new("Light", "AREA")
        light.energy, light.size = power, size
        aim(bpy.data.objects.new("Light", light), place, (0, 0, 1))
    scene.world = bpy.data.worlds.new("World")
    if scene.world.node_tree is None:
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.35, 0.38, 0.42, 1)
    camera = bpy.data.cameras.new("Camera")
    camera.lens = 58
    scene.camera = bpy.data.objects.new("Camera", camera)
    aim(scene.camera, (0, -17.5, 7.0), (0, 0, 1.85))


def aim(shown: bpy.types.Object, place: Color, target: Color) -> None:
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
    image.write(given.out / "templates.jpg", np.clip(joined, 0, 1), encoding="linear")


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
        brightness = picture.mean() / level - 1
        pixels = np.abs(picture - reference).mean() / level
        print(
            f"demo: {engine} beside Cycles, of its mean: brightness {brightness:+.4f}, pixels "
            f"{pixels:.4f}, worst block of {side} x {side} {np.abs(blocks).max() / level:.4f}"
        )


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender's own clean-up can hang
