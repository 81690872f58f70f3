# SPDX-License-Identifier: Apache-2.0
"""Evaluate the nodes of ``tests/support/node_cases.py`` with Cycles; writes ``cycles_nodes.npz``.

Run it with a Python that has bpy 5.0.1 and weft, from the repository's root:

    python tests/golden/cycles_nodes.py [topic ...]

Each case is a row of squares, one a pixel, that shine in the node's colour; attributes of the
squares are the inputs, and their slope is the angle to the viewer.
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
sys.path.insert(0, str(Path(__file__).parents[2]))

import cycles_lights as lights
from addon.blender.graphs import read_graph
from mathutils import Matrix

from support import node_cases as cases

OUTPUT = Path(__file__).with_name("cycles_nodes.npz")


def squares() -> bpy.types.Mesh:
    """Return a row of squares with the inputs as attributes."""
    angles, is_inside = cases.slopes()
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)])
    points, faces = [], []
    for row in range(cases.ROWS):
        heights = -np.tan(angles[row]) * corners[:, 1]
        points += [(x + row + 0.5, y, z) for (x, y), z in zip(corners, heights, strict=True)]
        around = [4 * row + k for k in range(4)]
        faces.append(around[::-1] if is_inside[row] else around)
    mesh = bpy.data.meshes.new("squares")
    mesh.from_pydata(points, [], faces)
    for number, name in enumerate(cases.VECTORS):
        attribute = mesh.attributes.new(name, "FLOAT_VECTOR", "FACE")
        attribute.data.foreach_set("vector", cases.inputs()[:, number].ravel())
    mesh.materials.append(None)
    return mesh


def source_socket(tree: bpy.types.NodeTree, text: str) -> bpy.types.NodeSocket:
    """Return the output that carries a source."""
    node = tree.nodes.new("ShaderNodeAttribute")
    node.attribute_name = text.split()[-1][0]
    if text.startswith("color"):
        return node.outputs["Color"]
    if text.startswith("vector"):
        return node.outputs["Vector"]
    split = tree.nodes.new("ShaderNodeSeparateXYZ")
    tree.links.new(node.outputs["Vector"], split.inputs[0])
    number = split.outputs[text[-1].upper()]
    if not text.startswith("kelvin"):
        return number
    times = tree.nodes.new("ShaderNodeMath")
    times.operation, times.inputs[1].default_value = "MULTIPLY", 6000
    tree.links.new(number, times.inputs[0])
    return times.outputs[0]


def by_identifier(sockets: Any, identifier: str) -> bpy.types.NodeSocket:
    """Return a socket; names need not be unique."""
    return next(socket for socket in sockets if socket.identifier == identifier)


def set_properties(node: bpy.types.Node, properties: dict[str, Any]) -> None:
    """Set the properties of a node, and the points of its curves."""
    if "direction" in properties:
        node.outputs["Normal"].default_value = properties["direction"]
        return
    if "curves" not in properties:
        for name, value in properties.items():
            setattr(node, name, value)
        return
    node.mapping.extend = properties["extend"]
    for curve, points in zip(node.mapping.curves, properties["curves"], strict=True):
        curve.points[0].location, curve.points[-1].location = points[0], points[-1]
        for point in points[1:-1]:
            curve.points.new(*point)
    node.mapping.update()


def sampled(chosen: list[cases.Case]) -> dict[str, np.ndarray]:
    """Return the curves of cases as addon/blender/graphs.py reads them: low, high, samples."""
    found = {}
    for case in chosen:
        material = bpy.data.materials[case.name]
        graph = read_graph(material.node_tree)
        (node,) = (node for node in graph.nodes.values() if node.kind == case.kind)
        if "mapping" in node.properties:
            mapping = node.properties["mapping"]
            rows = [[mapping["low"], mapping["high"], *row] for row in mapping["samples"]]
            found[f"curves {case.name}"] = np.array(rows, np.float32)
    return found


def new_material(case: cases.Case) -> bpy.types.Material:
    """Return a material that shines in the colour of a case."""
    material, emission = lights.new_material(case.name, "ShaderNodeEmission")
    tree = material.node_tree
    node = tree.nodes.new(case.kind)
    set_properties(node, case.properties)
    for identifier, source in case.inputs.items():
        socket = by_identifier(node.inputs, identifier)
        if isinstance(source, str):
            tree.links.new(source_socket(tree, source), socket)
        else:
            socket.default_value = source
    tree.links.new(by_identifier(node.outputs, case.output), emission.inputs["Color"])
    return material


def set_up(count: int) -> None:
    """Look straight down at `count` rows, a pixel a square."""
    lights.set_up_render()
    scene = bpy.context.scene
    camera = scene.camera.data
    camera.type, camera.sensor_fit, camera.ortho_scale = "ORTHO", "HORIZONTAL", cases.ROWS
    camera.clip_end = 1000
    scene.camera.matrix_world = Matrix.Translation((cases.ROWS / 2, count / 2 - 0.5, 100))
    scene.render.resolution_x, scene.render.resolution_y = cases.ROWS, count
    scene.cycles.samples, scene.cycles.max_bounces = 1, 0


def render(name: str, chosen: list[cases.Case], folder: str) -> np.ndarray:
    """Return what each case gives for each row of inputs, shape (cases, ROWS, 3)."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    mesh = squares()
    for number, case in enumerate(chosen):
        made = lights.add_object(case.name, mesh, Matrix.Translation((0, number, 0)))
        made.material_slots[0].link = "OBJECT"
        made.material_slots[0].material = new_material(case)
    return picture(len(chosen), str(Path(folder) / f"{name}.exr"))


def picture(count: int, path: str) -> np.ndarray:
    """Render `count` rows of squares to a file, and return them, shape (count, ROWS, 3)."""
    set_up(count)
    bpy.context.scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    values = np.empty(count * cases.ROWS * 4, np.float32)
    image.pixels.foreach_get(values)
    return values.reshape(count, cases.ROWS, 4)[..., :3]


def main() -> None:
    """Render the topics that were asked for, and keep the others."""
    topics = cases.topics()
    arrays = dict(np.load(OUTPUT)) if OUTPUT.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        for topic in sys.argv[1:] or topics:
            arrays[topic] = render(topic, topics[topic], folder)
            arrays |= sampled(topics[topic])
            print(topic, arrays[topic].shape, np.isfinite(arrays[topic]).mean(), flush=True)
    np.savez_compressed(OUTPUT, **arrays)
    print(OUTPUT.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
