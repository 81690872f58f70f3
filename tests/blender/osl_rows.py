# SPDX-License-Identifier: Apache-2.0
"""Shaders in OSL, rendered by Cycles: a row of pixels a shader, a pixel an input."""

from __future__ import annotations

import functools
import hashlib
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

DECLARATION = re.compile(r"^    (output )?(float|int|vector|color|string) (\w+) = ", re.MULTILINE)
SOCKETS = {
    "float": "NodeSocketFloat",
    "int": "NodeSocketInt",
    "vector": "NodeSocketVector",
    "color": "NodeSocketColor",
    "string": "NodeSocketString",
}
HALVES = """shader halves(int x = 0, output vector Result = vector(0.0))
{
    Result = vector((float)(x & 65535), (float)((x >> 16) & 65535), 0.0);
}
"""


@dataclass
class Row:
    """A shader and its inputs: an array each, of shape (N,) or, of vectors, (N, 3)."""

    text: str
    inputs: list[np.ndarray]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a shader."""

    name: str
    kind: str
    is_output: bool


def parameters(text: str) -> list[Parameter]:
    """Return the parameters of a shader that make_osl wrote."""
    head = text[text.index("\nshader ") if "\nshader " in text else 0 :]
    head = head[: head.index("{\n")]
    return [Parameter(name, kind, bool(out)) for out, kind, name in DECLARATION.findall(head)]


@functools.cache
def bytecode(text: str) -> str:
    """Compile a shader; fails if Cycles does not take it."""
    import _cycles  # part of bpy, which must be there first

    with tempfile.TemporaryDirectory() as folder:
        source, compiled = Path(folder) / "shader.osl", Path(folder) / "shader.oso"
        source.write_text(text)
        assert _cycles.osl_compile(str(source), str(compiled)), text
        return compiled.read_text()


def script_node(tree: bpy.types.NodeTree, text: str, known: list[Parameter]) -> bpy.types.Node:
    """Return a node that runs a shader, with a socket a parameter."""
    node = tree.nodes.new("ShaderNodeScript")
    node.mode = "EXTERNAL"
    node.bytecode = bytecode(text)
    node.bytecode_hash = hashlib.md5(node.bytecode.encode()).hexdigest()
    for parameter in known:
        sockets = node.outputs if parameter.is_output else node.inputs
        sockets.new(type=SOCKETS[parameter.kind], name=parameter.name, identifier=parameter.name)
    return node


def material(row: Row, output: int) -> bpy.types.Material:
    """Return a material that shines in an output of a shader; integers in halves of 16 bits."""
    made = bpy.data.materials.new("row")
    if made.node_tree is None:  # to set it is deprecated where it always is
        made.use_nodes = True
    tree = made.node_tree
    tree.nodes.clear()
    known = parameters(row.text)
    node = script_node(tree, row.text, known)
    inputs = [parameter for parameter in known if not parameter.is_output]
    for number, parameter in enumerate(inputs):
        attribute = tree.nodes.new("ShaderNodeAttribute")
        attribute.attribute_name = f"input {number}"
        is_vector = parameter.kind in ("vector", "color")
        tree.links.new(
            attribute.outputs["Vector" if is_vector else "Fac"], node.inputs[parameter.name]
        )
    chosen = [parameter for parameter in known if parameter.is_output][output]
    source = node.outputs[chosen.name]
    if chosen.kind == "int":
        halves = script_node(
            tree, HALVES, [Parameter("x", "int", False), Parameter("Result", "vector", True)]
        )
        tree.links.new(source, halves.inputs["x"])
        source = halves.outputs["Result"]
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(source, emission.inputs["Color"])
    tree.links.new(emission.outputs["Emission"], end.inputs["Surface"])
    return made


def add_row(row: Row, output: int, place: int) -> None:
    """Add squares, one a pixel, whose attributes are the inputs."""
    count = len(row.inputs[0])
    corners = np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
    points = [(x + column, y, 0) for column in range(count) for x, y in corners]
    faces = [[4 * column + k for k in range(4)] for column in range(count)]
    mesh = bpy.data.meshes.new("squares")
    mesh.from_pydata(points, [], faces)
    for number, values in enumerate(row.inputs):
        is_vector = values.ndim == 2
        kind, key = ("FLOAT_VECTOR", "vector") if is_vector else ("FLOAT", "value")
        attribute = mesh.attributes.new(f"input {number}", kind, "FACE")
        attribute.data.foreach_set(key, values.astype(np.float32).ravel())
    mesh.materials.append(material(row, output))
    made = bpy.data.objects.new("row", mesh)
    made.matrix_world = Matrix.Translation((0, place, 0))
    bpy.context.scene.collection.objects.link(made)


def set_up(columns: int, rows: int) -> None:
    """Look straight down, a pixel a square, on Cycles with OSL."""
    scene = bpy.context.scene
    camera = bpy.data.cameras.new("camera")
    scene.camera = bpy.data.objects.new("camera", camera)
    scene.collection.objects.link(scene.camera)
    camera.type, camera.sensor_fit, camera.ortho_scale = "ORTHO", "HORIZONTAL", columns
    scene.camera.matrix_world = Matrix.Translation((columns / 2, rows / 2, 10))
    scene.render.engine = "CYCLES"
    scene.render.resolution_x, scene.render.resolution_y = columns, rows
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_depth = "32"
    scene.cycles.device, scene.cycles.shading_system = "CPU", True
    scene.cycles.samples, scene.cycles.max_bounces = 1, 0
    scene.cycles.use_adaptive_sampling = scene.cycles.use_denoising = False
    scene.cycles.pixel_filter_type = "BOX"
    scene.cycles.filter_width = 0.01


def render(rows: list[Row], folder: Path) -> list[list[np.ndarray]]:
    """Return each shader's outputs: float32, of vectors (N, 3), and int32."""
    places = [
        (row, output)
        for row in rows
        for output in range(sum(parameter.is_output for parameter in parameters(row.text)))
    ]
    columns = len(rows[0].inputs[0])
    for place, (row, output) in enumerate(places):
        add_row(row, output, place)
    lines_rendered = max(len(places), 4)  # Blender renders no fewer
    set_up(columns, lines_rendered)
    path = str(folder / "rows.exr")
    bpy.context.scene.render.filepath = path
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.empty(lines_rendered * columns * 4, np.float32)
    image.pixels.foreach_get(pixels)
    lines = iter(pixels.reshape(lines_rendered, columns, 4)[..., :3])
    found = []
    for row in rows:
        outputs = [parameter for parameter in parameters(row.text) if parameter.is_output]
        found.append([_values(next(lines), output.kind) for output in outputs])
    return found


def _values(line: np.ndarray, kind: str) -> np.ndarray:
    if kind == "int":
        halves = line[:, :2].astype(np.int64)
        return (halves[:, 0] + (halves[:, 1] << 16)).astype(np.uint32).view(np.int32)
    return line if kind in ("vector", "color") else line[:, 0]
