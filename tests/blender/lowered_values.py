# SPDX-License-Identifier: Apache-2.0
"""What node groups compute: in geometry trees at points, in Cycles a pixel a point."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

import bpy
import numpy as np
from addon.core.slang_nodes.bundles import item_labels
from mathutils import Matrix

from support import lowering_corpus as corpus

POINTS = 96


def inputs_of(lowered, seed=0):
    """Return values of all parameters."""
    return {
        variable.name: corpus.drawn(variable, 100 * seed + number, POINTS)
        for number, variable in enumerate(lowered.parameters)
    }


def values_of(socket, values):
    """Return what goes through a socket of the group: (N,), (N, 3) of a vector, (N, 4, 4)."""
    if socket.type == "NodeSocketMatrix":
        elements = [values[f"{socket.name}[{k // 4}][{k % 4}]"] for k in range(16)]
        return np.stack(elements, axis=1).reshape(-1, 4, 4).astype(np.float32)
    if socket.name in values:
        array = np.asarray(values[socket.name])
        if socket.type in ("NodeSocketVector", "NodeSocketColor"):
            padded = np.zeros((len(array), 3), np.float32)
            padded[:, : array.shape[1]] = array[:, :3]
            return padded
        return array
    name, _, component = socket.name.rpartition(".")
    return np.asarray(values[name])[:, "xyzw".index(component)]


@dataclass(frozen=True)
class PlainSocket:
    """A socket that is no bundle, called as its parameter with the path of what it holds of it."""

    name: str
    type: str


@dataclass(frozen=True)
class PlainFunction:
    """What helpers here read of a lowered function."""

    inputs: tuple[PlainSocket, ...]
    outputs: tuple[PlainSocket, ...]


def plain_sockets(sockets, prefix=""):
    """Return what bundles hold in their place."""
    found = []
    for socket in sockets:
        name = prefix + socket.name
        if socket.items:
            found += plain_sockets(socket.items, f"{name}.")
        else:
            found.append(PlainSocket(name, socket.type))
    return found


def unbundled(lowered, group):
    """Return a group around another that takes bundles apart and together, and its sockets."""
    plain = PlainFunction(
        tuple(plain_sockets(lowered.inputs)), tuple(plain_sockets(lowered.outputs))
    )
    tree = bpy.data.node_groups.new(f"plain {group.name}", group.bl_idname)
    for direction, sockets in (("INPUT", plain.inputs), ("OUTPUT", plain.outputs)):
        for socket in sockets:
            tree.interface.new_socket(socket.name, in_out=direction, socket_type=socket.type)
    entry, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    kind = group.bl_idname.replace("NodeTree", "NodeGroup")
    node = tree.nodes.new(kind)
    node.node_tree = group
    given = iter(entry.outputs)
    for socket, own in zip(lowered.inputs, node.inputs, strict=True):
        tree.links.new(_put_together(tree, socket, given), own)
    taken = iter(end.inputs)
    for socket, own in zip(lowered.outputs, node.outputs, strict=True):
        _take_apart(tree, socket, own, taken)
    return plain, tree


def bundle_items(node, socket):
    """Give a node the items of a bundle."""
    labels = item_labels(item.name for item in socket.items)
    for label, item in zip(labels, socket.items, strict=True):
        node.bundle_items.new(_ITEM_TYPES[item.type], label)


def _put_together(tree, socket, given):
    if not socket.items:
        return next(given)
    node = tree.nodes.new("NodeCombineBundle")
    bundle_items(node, socket)
    for item, own in zip(socket.items, node.inputs, strict=False):
        tree.links.new(_put_together(tree, item, given), own)
    return node.outputs[0]


def _take_apart(tree, socket, output, taken):
    if not socket.items:
        tree.links.new(output, next(taken))
        return
    node = tree.nodes.new("NodeSeparateBundle")
    bundle_items(node, socket)
    tree.links.new(output, node.inputs[0])
    for item, own in zip(socket.items, node.outputs, strict=False):
        _take_apart(tree, item, own, taken)


_ITEM_TYPES = {
    "NodeSocketFloat": "FLOAT",
    "NodeSocketInt": "INT",
    "NodeSocketBool": "BOOLEAN",
    "NodeSocketVector": "VECTOR",
    "NodeSocketColor": "RGBA",
    "NodeSocketMatrix": "MATRIX",
    "NodeSocketBundle": "BUNDLE",
}


def points_with(attributes):
    """Return a mesh of points with attributes."""
    count = len(next(iter(attributes.values()))) if attributes else POINTS
    mesh = bpy.data.meshes.new("points")
    mesh.from_pydata(np.zeros((count, 3)).tolist(), [], [])
    for name, values in attributes.items():
        put_attribute(mesh, name, values, "POINT")
    return mesh


def put_attribute(mesh, name, values, domain):
    """Store an attribute of the type that the array has."""
    if values.ndim == 3:  # Blender stores matrices by column
        kind, field, values = "FLOAT4X4", "value", values.transpose(0, 2, 1)
    elif values.ndim == 2:
        kind, field = "FLOAT_VECTOR", "vector"
    else:
        kinds = {"f": "FLOAT", "i": "INT", "u": "INT", "b": "BOOLEAN"}
        kind, field = kinds[values.dtype.kind], "value"
    attribute = mesh.attributes.new(name, kind, domain)
    attribute.data.foreach_set(field, np.ascontiguousarray(values).ravel())


DATA_TYPES = {
    "NodeSocketFloat": "FLOAT",
    "NodeSocketInt": "INT",
    "NodeSocketBool": "BOOLEAN",
    "NodeSocketVector": "FLOAT_VECTOR",
    "NodeSocketColor": "FLOAT_VECTOR",
    "NodeSocketMatrix": "FLOAT4X4",
}


def show_case(menu, socket, value):
    """Let a menu of a group's node show the case with a value."""
    from addon.blender.lowered_groups import case_labels

    labels = case_labels(socket.cases)
    menu.default_value = labels[list(socket.cases.values()).index(int(value))]


def points_object(lowered, group, values):
    """Return an object of points whose modifier stores what a group gives as attributes."""
    arrays = {
        f"in{k}": values_of(socket, values)
        for k, socket in enumerate(lowered.inputs)
        if socket.type != "NodeSocketImage"
    }
    mesh = points_with(arrays)
    tree = bpy.data.node_groups.new("test", "GeometryNodeTree")
    for direction in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=direction, socket_type="NodeSocketGeometry")
    entry, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    node = tree.nodes.new("GeometryNodeGroup")
    node.node_tree = group
    for number, socket in enumerate(lowered.inputs):
        if socket.type == "NodeSocketImage":
            node.inputs[number].default_value = values[socket.name]
            continue
        if socket.type == "NodeSocketMenu":
            show_case(node.inputs[number], socket, values[socket.name][0])
            continue
        attribute = tree.nodes.new("GeometryNodeInputNamedAttribute")
        attribute.data_type = DATA_TYPES[socket.type]
        attribute.inputs["Name"].default_value = f"in{number}"
        output = next(found for found in attribute.outputs if found.enabled)
        tree.links.new(output, node.inputs[number])
    geometry = entry.outputs[0]
    for number, socket in enumerate(lowered.outputs):
        store = tree.nodes.new("GeometryNodeStoreNamedAttribute")
        store.data_type = DATA_TYPES[socket.type]
        store.inputs["Name"].default_value = f"out{number}"
        tree.links.new(geometry, store.inputs["Geometry"])
        value = next(found for found in store.inputs if found.name == "Value" and found.enabled)
        tree.links.new(node.outputs[number], value)
        geometry = store.outputs[0]
    tree.links.new(geometry, end.inputs[0])
    found = bpy.data.objects.new("points", mesh)
    bpy.context.scene.collection.objects.link(found)
    found.modifiers.new("nodes", "NODES").node_group = tree
    return found


@contextlib.contextmanager
def evaluated_points(lowered, group, values):
    """Give what evaluates a group at points once more."""
    found = points_object(lowered, group, values)

    def evaluate():
        found.update_tag()
        bpy.context.view_layer.update()
        return found.evaluated_get(bpy.context.evaluated_depsgraph_get()).data

    try:
        evaluate()
        yield evaluate
    finally:
        bpy.data.objects.remove(found)


def in_geometry_nodes(lowered, group, values):
    """Return what a group gives at points, by the names of its outputs."""
    found = points_object(lowered, group, values)
    evaluated = found.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    results = {}
    for number, socket in enumerate(lowered.outputs):
        results[socket.name] = read_attribute(evaluated.attributes[f"out{number}"])
    bpy.data.objects.remove(found)
    return results


def read_attribute(attribute):
    """Return the values of an attribute."""
    count = len(attribute.data)
    if attribute.data_type == "FLOAT4X4":
        array = np.empty((count, 4, 4), np.float32)
        attribute.data.foreach_get("value", array.ravel())
        return array.transpose(0, 2, 1)
    if attribute.data_type == "FLOAT_VECTOR":
        array = np.empty((count, 3), np.float32)
        attribute.data.foreach_get("vector", array.ravel())
        return array
    kinds = {"FLOAT": np.float32, "INT": np.int32, "BOOLEAN": bool}
    array = np.empty(count, kinds[attribute.data_type])
    attribute.data.foreach_get("value", array)
    return array


def squares(arrays):
    """Return a row of squares with attributes of their faces."""
    count = len(next(iter(arrays.values())))
    corners = np.array([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)])
    points = (np.arange(count)[:, None, None] * [1, 0, 0] + [0.5, 0, 0] + corners).reshape(-1, 3)
    mesh = bpy.data.meshes.new("squares")
    mesh.from_pydata(points.tolist(), [], np.arange(4 * count).reshape(-1, 4).tolist())
    for name, values in arrays.items():
        if values.ndim == 1:
            values = values.astype(np.float32)
        put_attribute(mesh, name, values, "FACE")
    mesh.materials.append(None)
    return mesh


def attribute_output(tree, name, socket):
    """Return an output that carries an attribute to a socket of the group."""
    node = tree.nodes.new("ShaderNodeAttribute")
    node.attribute_name = name
    is_vector = socket.type in ("NodeSocketVector", "NodeSocketColor")
    return node.outputs["Vector" if is_vector else "Fac"]


def emission_of(name, node_of, sockets, output):
    """Return a material that shines in an output of the node that `node_of` makes in a tree."""
    material = bpy.data.materials.new(name)
    if material.node_tree is None:  # to set it is deprecated where it always is
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    node = node_of(tree)
    for number, socket in enumerate(sockets):
        if socket.type == "NodeSocketMenu":
            continue  # `node_of` has shown a case
        tree.links.new(attribute_output(tree, f"in{number}", socket), node.inputs[number])
    emission = tree.nodes.new("ShaderNodeEmission")
    end = tree.nodes.new("ShaderNodeOutputMaterial")
    tree.links.new(node.outputs[output], emission.inputs["Color"])
    tree.links.new(emission.outputs[0], end.inputs["Surface"])
    return material


def with_sign(material):
    """Multiply what a material shines in by the attribute "sign"."""
    tree = material.node_tree
    color = next(node for node in tree.nodes if node.type == "EMISSION").inputs["Color"]
    sign, product = tree.nodes.new("ShaderNodeAttribute"), tree.nodes.new("ShaderNodeVectorMath")
    sign.attribute_name, product.operation = "sign", "MULTIPLY"
    tree.links.new(color.links[0].from_socket, product.inputs[0])
    tree.links.new(sign.outputs["Fac"], product.inputs[1])
    tree.links.new(product.outputs[0], color)


def add_row(place, material, arrays):
    """Add a row of squares with attributes."""
    made = bpy.data.objects.new("row", squares(arrays))
    made.matrix_world = Matrix.Translation((0, place, 0))
    made.material_slots[0].link = "OBJECT"
    made.material_slots[0].material = material
    bpy.context.scene.collection.objects.link(made)


def add_rows(rows, *, signs=()):
    """Add rows of squares for outputs of nodes, and a camera that sees a pixel a square.

    Args:
        rows: Of each: a name, what makes the node in a tree, sockets of its inputs, values of the
            parameters, and the number of the output.
        signs: Add all rows with each of these factors.

    Returns:
        The number of rows that are seen.
    """
    for number, (name, node_of, sockets, values, output) in enumerate(rows):
        arrays = {f"in{k}": values_of(socket, values) for k, socket in enumerate(sockets)}
        material = emission_of(name, node_of, sockets, output)
        if signs:
            with_sign(material)
        for place, sign in enumerate(signs or (1,)):
            given = arrays | {"sign": np.full(POINTS, sign, np.float32)}
            add_row(place * len(rows) + number, material, given)
    count = len(rows) * max(1, len(signs))
    look_down(count)
    return count


def look_down(count):
    """Add a camera that sees rows, a pixel a square."""
    scene = bpy.context.scene
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    scene.collection.objects.link(camera)
    scene.camera = camera
    camera.data.type, camera.data.sensor_fit = "ORTHO", "HORIZONTAL"
    camera.data.ortho_scale = POINTS
    camera.matrix_world = Matrix.Translation((POINTS / 2, count / 2 - 0.5, 10))


def picture(rows, path):
    """Render rows with the scene's engine, a sample a pixel; return (rows, POINTS, 3)."""
    render = bpy.context.scene.render
    render.filepath = path
    render.resolution_x, render.resolution_y, render.resolution_percentage = POINTS, rows, 100
    render.image_settings.file_format = "OPEN_EXR"
    render.image_settings.color_depth = "32"
    render.filter_size = 0.01
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(path)
    image.colorspace_settings.name = "Non-Color"
    pixels = np.empty(rows * POINTS * 4, np.float32)
    image.pixels.foreach_get(pixels)
    return pixels.reshape(rows, POINTS, 4)[..., :3]


def in_cycles(rows, path, *, osl=False):
    """Return what outputs of nodes give in Cycles, (rows, POINTS, 3).

    Args:
        rows: As of `add_rows`.
        path: Of the picture.
        osl: Shade with OSL.
    """
    count = add_rows(rows)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.samples, scene.cycles.max_bounces = 1, 0
    scene.cycles.use_denoising = scene.cycles.use_adaptive_sampling = False
    scene.cycles.pixel_filter_type = "BOX"
    scene.cycles.shading_system = osl
    return picture(count, path)


def in_eevee(rows, path):
    """Return what outputs of nodes give in EEVEE, (rows, POINTS, 3), in halves.

    Nothing shines in negative numbers there: they are rendered with the other sign.

    Args:
        rows: As of `add_rows`.
        path: Of the picture.
    """
    count = add_rows(rows, signs=(1, -1))
    scene = bpy.context.scene
    scene.render.engine = "BLENDER_EEVEE" if bpy.app.version >= (5, 0) else "BLENDER_EEVEE_NEXT"
    scene.eevee.taa_render_samples = 1
    found = picture(count, path)
    return found[: len(rows)] - found[len(rows) :]
