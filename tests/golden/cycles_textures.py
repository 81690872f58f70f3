# SPDX-License-Identifier: Apache-2.0
"""Ask Cycles for outputs of ``support.texture_cases``; writes ``cycles_textures.npz``.

Run it with a Python that has bpy 4.5 or later (``pip install bpy``), from the repository's root:

    python tests/golden/cycles_textures.py

Each face of a grid is one point: attributes of the faces drive the inputs, shader AOVs bring back
the numbers, unclamped and in 32 bits.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import bpy
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from support import texture_cases
from support.exr_layers import read_layers

OUTPUT = Path(__file__).with_name("cycles_textures.npz")
BATCH = 12


def add_grid(points: dict[str, np.ndarray], side: int) -> bpy.types.Object:
    """Add a grid of quads from (0, 0) to (side, side) with the points as attributes of faces."""
    row = np.arange(side + 1)
    y, x = np.meshgrid(row, row, indexing="ij")
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)])
    first = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    faces = np.column_stack([first, first + 1, first + side + 2, first + side + 1])
    mesh = bpy.data.meshes.new("grid")
    mesh.from_pydata(vertices.tolist(), [], faces.tolist())
    for name, values in points.items():
        kind = "FLOAT_VECTOR" if values.ndim == 2 else "FLOAT"
        attribute = mesh.attributes.new(name, kind, "FACE")
        field = "vector" if values.ndim == 2 else "value"
        attribute.data.foreach_set(field, values.ravel())
    added = bpy.data.objects.new("grid", mesh)
    bpy.context.scene.collection.objects.link(added)
    return added


def prepare_scene(side: int) -> bpy.types.Scene:
    """Return an empty scene whose pixels look straight at faces."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("camera")
    camera.type, camera.ortho_scale = "ORTHO", side
    seat = bpy.data.objects.new("camera", camera)
    seat.location = (side / 2, side / 2, 5)
    scene.collection.objects.link(seat)
    scene.camera = seat
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.use_adaptive_sampling = 1, False
    scene.cycles.use_denoising = False
    scene.cycles.pixel_filter_type, scene.cycles.filter_width = "BOX", 0.01
    scene.render.resolution_x = scene.render.resolution_y = side
    scene.render.resolution_percentage = 100
    settings = scene.render.image_settings
    if hasattr(settings, "media_type"):
        settings.media_type = "MULTI_LAYER_IMAGE"
    settings.file_format, settings.color_depth = "OPEN_EXR_MULTILAYER", "32"
    settings.exr_codec = "NONE"
    if hasattr(settings, "use_exr_interleave"):
        settings.use_exr_interleave = True  # one part, as read_layers() takes it
    return scene


def set_ramp(node: bpy.types.Node, properties: dict[str, Any]) -> None:
    """Give a Color Ramp its stops."""
    ramp = node.color_ramp
    for name in ("interpolation", "color_mode", "hue_interpolation"):
        setattr(ramp, name, properties[name])
    stops = properties["stops"]
    while len(ramp.elements) > 1:
        ramp.elements.remove(ramp.elements[-1])
    ramp.elements[0].position = 0
    for position, *_ in stops[1:]:
        ramp.elements.new(position)
    for element, (position, *color) in zip(ramp.elements, stops, strict=True):
        element.position, element.color = position, color


def add_node(tree: bpy.types.NodeTree, case: texture_cases.Case) -> bpy.types.Node:
    """Add the node of a case with its inputs."""
    node = tree.nodes.new(case.node)
    if case.node == "ShaderNodeValToRGB":
        set_ramp(node, case.properties)
    else:
        for name, value in case.properties.items():
            setattr(node, name, value)
    for identifier, value in case.inputs.items():
        socket = next(s for s in node.inputs if s.identifier == identifier)
        if isinstance(value, str):
            attribute = tree.nodes.new("ShaderNodeAttribute")
            attribute.attribute_name = value
            is_vector = texture_cases.points()[value].ndim == 2
            tree.links.new(attribute.outputs["Vector" if is_vector else "Fac"], socket)
        else:
            socket.default_value = value
    return node


def render(scene: bpy.types.Scene) -> dict[str, np.ndarray]:
    """Return the layers of a picture by name, the lower row first."""
    with tempfile.TemporaryDirectory() as folder:
        scene.render.filepath = f"{folder}/layers.exr"
        bpy.ops.render.render(write_still=True)
        layers = read_layers(scene.render.filepath)
    return {name: pixels[::-1].reshape(-1, pixels.shape[-1]) for name, pixels in layers.items()}


def measure(
    scene: bpy.types.Scene, grid: bpy.types.Object, names: list[str]
) -> dict[str, np.ndarray]:
    """Return the outputs of some cases, by ``"<case>.<output>"``."""
    material = bpy.data.materials.new("nodes")
    material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    grid.data.materials.clear()
    grid.data.materials.append(material)
    layer = scene.view_layers[0]
    while layer.aovs:
        layer.aovs.remove(layer.aovs[0])
    wanted = {}
    surface = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(surface.outputs[0], end.inputs["Surface"])
    for name in names:
        case = texture_cases.CASES[name]
        node = add_node(tree, case)
        for output in case.outputs:
            aov = layer.aovs.add()
            aov.name, aov.type = f"aov{len(wanted):03}", "COLOR"
            sink = tree.nodes.new("ShaderNodeOutputAOV")
            sink.aov_name = aov.name
            source = next(s for s in node.outputs if s.identifier == output)
            tree.links.new(source, sink.inputs["Color"])
            wanted[aov.name] = f"{name}.{output}"
    layers = render(scene)
    return {title: layers[name].astype(np.float32) for name, title in wanted.items()}


def is_versioned(name: str) -> bool:
    """Return whether versions of Blender compute a case differently."""
    return texture_cases.CASES[name].node == "ShaderNodeTexVoronoi"


def main() -> None:
    """Ask for all cases, or for those that are named."""
    scene = prepare_scene(texture_cases.SIDE)
    grid = add_grid(texture_cases.points(), texture_cases.SIDE)
    results: dict[str, np.ndarray] = {}
    names = sys.argv[1:] or list(texture_cases.CASES)
    is_old = bpy.app.version < (5, 0, 0)
    names = [n for n in names if texture_cases.CASES[n].is_old == is_old or not is_versioned(n)]
    if sys.argv[1:] and OUTPUT.exists():
        with np.load(OUTPUT) as saved:
            results = {name: saved[name] for name in saved.files}
    for first in range(0, len(names), BATCH):
        results.update(measure(scene, grid, names[first : first + BATCH]))
    np.savez_compressed(OUTPUT, **results)
    print(f"{OUTPUT.name}: {len(results)} outputs, {OUTPUT.stat().st_size} bytes")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
