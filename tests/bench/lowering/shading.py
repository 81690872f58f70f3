# SPDX-License-Identifier: Apache-2.0
"""What shading with a node costs in Cycles, in processor time a shade."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import bpy

from blender import osl_rows

NodeOf = Callable[[bpy.types.NodeTree], bpy.types.Node]


def feed(tree: bpy.types.NodeTree, node: bpy.types.Node) -> None:
    """Link all inputs to what differs from pixel to pixel: nothing is folded."""
    place = tree.nodes.new("ShaderNodeNewGeometry").outputs["Position"]
    parts = tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(place, parts.inputs[0])
    for number, socket in enumerate(node.inputs):
        is_vector = socket.type in ("VECTOR", "RGBA")
        tree.links.new(place if is_vector else parts.outputs[number % 2], socket)


def shading_material(make: NodeOf | None) -> bpy.types.Material:
    """Return a material that shines in a node's first output, or in one color."""
    material = bpy.data.materials.new("measured")
    if material.node_tree is None:  # to set it is deprecated where it always is
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(emission.outputs[0], end.inputs["Surface"])
    if make is not None:
        node = make(tree)
        if node.bl_idname in ("ShaderNodeGroup", "ShaderNodeScript"):
            feed(tree, node)
        else:
            place = tree.nodes.new("ShaderNodeNewGeometry")
            tree.links.new(place.outputs["Position"], node.inputs[0])
        tree.links.new(node.outputs[0], emission.inputs["Color"])
    return material


def nanoseconds(
    cases: list[tuple[str, Callable[[], NodeOf], bool]], size: int, samples: int
) -> dict[str, float]:
    """Return the cost of each case a shade, of what more samples take: set-up is left out.

    Args:
        cases: What it is, what makes its node once the file is empty, whether it needs OSL.
        size: Pixels a side.
        samples: The larger number of the two that are compared.
    """
    few = samples // 8
    shades = size * size * (samples - few)
    found = {}
    with tempfile.TemporaryDirectory() as folder:

        def least(make: Callable[[], NodeOf] | None, osl: bool) -> float:
            times: dict[int, list[float]] = {few: [], samples: []}
            for _ in range(3):
                for count, taken in times.items():
                    bpy.ops.wm.read_factory_settings(use_empty=True)
                    taken.append(picture(make, osl=osl, size=size, samples=count, folder=folder))
            return min(times[samples]) - min(times[few])

        plain = {osl: least(None, osl) for osl in {osl for _, _, osl in cases}}
        for name, make, osl in cases:
            found[name] = 1e9 * (least(make, osl) - plain[osl]) / shades
    return found


def picture(
    make: Callable[[], NodeOf] | None, *, osl: bool, size: int, samples: int, folder: str
) -> float:
    """Return the processor time of a picture of what `make` makes in an empty file."""
    material = shading_material(None if make is None else make())
    mesh = bpy.data.meshes.new("plane")
    mesh.from_pydata([(-2, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)], [], [[0, 1, 2, 3]])
    mesh.materials.append(material)
    scene = bpy.context.scene
    scene.collection.objects.link(bpy.data.objects.new("plane", mesh))
    osl_rows.set_up(size, size)
    scene.camera.data.ortho_scale = 4
    scene.camera.location = (0, 0, 10)
    scene.cycles.shading_system = osl
    scene.cycles.samples = samples
    scene.cycles.filter_width = 1
    scene.render.filepath = str(Path(folder) / "picture.exr")
    start = time.process_time()
    bpy.ops.render.render(write_still=True)
    return time.process_time() - start
