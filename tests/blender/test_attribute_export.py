# SPDX-License-Identifier: Apache-2.0
"""What materials read of a mesh arrives as in Cycles: coordinates, UV maps, attributes."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.export import SceneExporter

from blender.beside_cycles import add_camera, add_world, by_cycles, by_weft, difference


def new_tree(name="m"):
    """Return a tree whose emission is to be driven, and the socket that drives it."""
    material = bpy.data.materials.new(name)
    if material.node_tree is None:
        material.use_nodes = True
    tree = material.node_tree
    tree.nodes.clear()
    output, emission = (
        tree.nodes.new(f"ShaderNode{kind}") for kind in ("OutputMaterial", "Emission")
    )
    # Values below zero would be lost.
    moved = tree.nodes.new("ShaderNodeVectorMath")
    moved.operation = "MULTIPLY_ADD"
    moved.inputs[1].default_value, moved.inputs[2].default_value = (0.2,) * 3, (0.5,) * 3
    tree.links.new(moved.outputs[0], emission.inputs["Color"])
    tree.links.new(emission.outputs[0], output.inputs["Surface"])
    return material, tree, moved.inputs[0]


def coordinates(output):
    def build():
        material, tree, target = new_tree()
        node = tree.nodes.new("ShaderNodeTexCoord")
        tree.links.new(node.outputs[output], target)
        return material

    build.__name__ = output
    return build


def attribute(name):
    def build():
        material, tree, target = new_tree()
        node = tree.nodes.new("ShaderNodeAttribute")
        node.attribute_name = name
        tree.links.new(node.outputs["Color"], target)
        return material

    build.__name__ = f"attribute {name}"
    return build


def object_info(output):
    def build():
        material, tree, target = new_tree()
        node = tree.nodes.new("ShaderNodeObjectInfo")
        tree.links.new(node.outputs[output], target)
        return material

    build.__name__ = f"object info {output}"
    return build


def alpha():
    material, tree, target = new_tree()
    node = tree.nodes.new("ShaderNodeAttribute")
    node.attribute_name = "paint"
    tree.links.new(node.outputs["Alpha"], target)
    return material


def flat_normal():
    bpy.context.object.data.shade_smooth()
    bpy.context.object.data.polygons.foreach_set(
        "use_smooth", np.arange(len(bpy.context.object.data.polygons)) % 2 == 0
    )
    return coordinates("Normal")()


def space_of_another_object():
    material, tree, target = new_tree()
    node = tree.nodes.new("ShaderNodeTexCoord")
    node.object = bpy.data.objects.new("other", None)
    bpy.context.scene.collection.objects.link(node.object)
    node.object.location, node.object.rotation_euler = (0.3, 0.2, 0.1), (0.4, 0.5, 0.6)
    tree.links.new(node.outputs["Object"], target)
    return material


def output_of(kind, output, **properties):
    """Return what shows an output of a node."""

    def build():
        material, tree, target = new_tree()
        node = tree.nodes.new(f"ShaderNode{kind}")
        for name, value in properties.items():
            setattr(node, name, value)
        tree.links.new(node.outputs[output], target)
        return material

    build.__name__ = " ".join([kind, output, *map(str, properties.values())])
    return build


def transformed(kind, source, target, value="Normal"):
    """Return what shows a vector in another space."""

    def build():
        material, tree, place = new_tree()
        node = tree.nodes.new("ShaderNodeVectorTransform")
        node.vector_type, node.convert_from, node.convert_to = kind, source, target
        vector = tree.nodes.new("ShaderNodeNewGeometry")
        tree.links.new(vector.outputs[value], node.inputs[0])
        tree.links.new(node.outputs[0], place)
        return material

    build.__name__ = f"{kind} from {source} to {target}"
    return build


def second_uv_map():
    material, tree, target = new_tree()
    node = tree.nodes.new("ShaderNodeUVMap")
    node.uv_map = "second"
    tree.links.new(node.outputs["UV"], target)
    return material


def add_attributes(mesh):
    """Give a mesh attributes of several types and places."""
    rng = np.random.default_rng(0)
    for name, kind, domain in (
        ("float", "FLOAT", "POINT"),
        ("vector", "FLOAT_VECTOR", "CORNER"),
        ("paint", "FLOAT_COLOR", "POINT"),
        ("bytes", "BYTE_COLOR", "CORNER"),
        ("face", "FLOAT", "FACE"),
        ("integer", "INT", "POINT"),
    ):
        data = mesh.attributes.new(name, kind, domain).data
        field = {"FLOAT": "value", "INT": "value", "FLOAT_VECTOR": "vector"}.get(kind, "color")
        width = {"value": 1, "vector": 3, "color": 4}[field]
        values = rng.random(len(data) * width)
        data.foreach_set(field, (values * 4).astype(np.int32) if kind == "INT" else values)
    layer = mesh.uv_layers.new(name="second")
    layer.uv.foreach_set("vector", rng.random(2 * len(mesh.loops)))


def add_shape():
    bpy.ops.mesh.primitive_monkey_add(size=3, rotation=(0.2, 0.1, 0.4), location=(0.2, 0, 0.5))
    entry = bpy.context.object
    add_attributes(entry.data)
    entry.color, entry.pass_index = (0.2, 0.9, 0.4, 0.5), 3
    entry["own"], entry["pair"], entry.data["of mesh"] = [0.7, 0.1, 0.5, 0.25], [1, 2], 0.8
    bpy.context.scene["of scene"] = [0.1, 0.9, 0.3]
    bpy.context.view_layer["of layer"] = 2
    if bpy.context.scene.world:
        bpy.context.scene.world["of world"] = 0.6
        bpy.context.scene.world.update_tag()
    return entry


CASES = (
    *(coordinates(name) for name in ("Generated", "Object", "UV", "Normal")),
    *(attribute(name) for name in ("float", "vector", "paint", "bytes", "face", "integer")),
    *(object_info(name) for name in ("Location", "Color", "Object Index", "Random")),
    attribute("missing"),
    alpha,
    flat_normal,
    second_uv_map,
    coordinates("Camera"),
    coordinates("Window"),
    *(output_of("CameraData", name) for name in ("View Vector", "View Z Depth", "View Distance")),
    *(output_of("Tangent", "Tangent", direction_type="RADIAL", axis=axis) for axis in "XYZ"),
    output_of("NewGeometry", "Tangent"),
    output_of("NewGeometry", "Parametric"),
    output_of("NewGeometry", "Pointiness"),
    output_of("NewGeometry", "Random Per Island"),
    *(
        output_of("Attribute", output, attribute_type=kind, attribute_name=name)
        for kind, name, output in (
            ("OBJECT", "own", "Color"),
            ("OBJECT", "own", "Alpha"),
            ("OBJECT", "own", "Fac"),
            ("OBJECT", "pair", "Vector"),
            ("OBJECT", "of mesh", "Color"),
            ("OBJECT", "location", "Vector"),
            ("OBJECT", "pass_index", "Fac"),
            ("OBJECT", "missing", "Alpha"),
            ("INSTANCER", "own", "Color"),
            ("VIEW_LAYER", "of scene", "Color"),
            ("VIEW_LAYER", "of layer", "Color"),
            ("VIEW_LAYER", "of world", "Color"),
            ("VIEW_LAYER", "frame_current", "Fac"),
        )
    ),
    transformed("VECTOR", "WORLD", "OBJECT"),
    transformed("NORMAL", "WORLD", "OBJECT"),
    transformed("NORMAL", "OBJECT", "CAMERA"),
    transformed("POINT", "WORLD", "OBJECT", "Position"),
    transformed("POINT", "OBJECT", "CAMERA", "Position"),
    transformed("VECTOR", "CAMERA", "WORLD"),
    transformed("POINT", "CAMERA", "OBJECT", "Position"),
    space_of_another_object,
)


@pytest.mark.parametrize("build", CASES, ids=lambda build: build.__name__)
def test_material_reads_what_cycles_reads(device, tmp_path, build):
    add_camera(target=(0, 0, 0.3))
    add_world()
    add_shape().data.materials.append(build())

    picture, exported = by_weft(device, 64)

    assert exported.problems == []
    apart = difference(picture, by_cycles(tmp_path, 64))
    assert apart.mean < 0.01
    assert apart.block < 0.03


def test_coordinates_of_an_orthographic_camera_are_those_of_cycles(device, tmp_path):
    camera = add_camera(target=(0, 0, 0.3)).data
    camera.type, camera.ortho_scale, camera.shift_x = "ORTHO", 5.0, 0.1
    add_world()
    add_shape().data.materials.append(coordinates("Window")())

    picture, exported = by_weft(device, 64)

    assert exported.problems == []
    assert difference(picture, by_cycles(tmp_path, 64)).block < 0.03


def test_the_camera_is_unknown_where_there_is_none_or_more_than_one():
    add_shape().data.materials.append(coordinates("Camera")())
    depsgraph = bpy.context.evaluated_depsgraph_get()
    problems = [str(problem) for problem in SceneExporter().export(depsgraph).problems]

    assert any(
        "the space of the camera where there is none or more than one" in p for p in problems
    )


def test_generated_coordinates_do_not_follow_deforming_modifiers():
    entry = add_shape()
    entry.data.materials.append(coordinates("Generated")())
    plain = SceneExporter().export(bpy.context.evaluated_depsgraph_get()).scene.objects[0].mesh
    bend = entry.modifiers.new("bend", "SIMPLE_DEFORM")
    bend.deform_method, bend.angle = "BEND", 1.0

    bent = SceneExporter().export(bpy.context.evaluated_depsgraph_get()).scene.objects[0].mesh

    assert np.abs(bent.positions - plain.positions).max() > 0.1
    (coordinates_before,), (coordinates_after,) = plain.colors.values(), bent.colors.values()
    assert coordinates_after == pytest.approx(coordinates_before, abs=1e-6)
    assert coordinates_before.min() == pytest.approx(0, abs=1e-5)
    assert coordinates_before.max() == pytest.approx(1, abs=1e-5)


def test_materials_of_one_mesh_share_numbers_of_attributes():
    entry = add_shape()
    entry.data.materials.append(attribute("vector")())
    entry.data.materials.append(attribute("paint")())
    entry.data.polygons.foreach_set(
        "material_index", np.arange(len(entry.data.polygons), dtype=np.int32) % 2
    )

    exported = SceneExporter().export(bpy.context.evaluated_depsgraph_get())

    requests = [entry.attributes[0] for entry in exported.materials.values()]
    assert [request.index for request in requests] == [0, 1]
    assert list(exported.scene.objects[0].mesh.colors) == ["color vector", "color paint"]


def test_meshes_bring_what_their_own_materials_read():
    plain = add_shape()
    plain.data.materials.append(new_tree("nothing")[0])
    rich = add_shape()
    rich.data.materials.append(attribute("vector")())

    scene = SceneExporter().export(bpy.context.evaluated_depsgraph_get()).scene

    assert [len(entry.mesh.colors) for entry in scene.objects] == [0, 1]


@pytest.mark.parametrize("output", ["Generated", "UV", "map"])
def test_instances_know_where_they_stand_on_what_makes_them(device, tmp_path, output):
    add_camera(target=(0, 0, 0.3))
    add_world()
    if output == "map":
        material = output_of("UVMap", "UV", from_instancer=True)()
    else:
        material = output_of("TexCoord", output, from_instancer=True)()
    bpy.ops.mesh.primitive_cube_add(size=0.8)
    child = bpy.context.object
    child.data.materials.append(material)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=3, y_subdivisions=3, size=3)
    parent = bpy.context.object
    parent.instance_type = "FACES"
    parent.show_instancer_for_render = parent.show_instancer_for_viewport = False
    child.parent = parent

    picture, exported = by_weft(device, 64)

    assert exported.problems == []
    apart = difference(picture, by_cycles(tmp_path, 64))
    assert apart.mean < 0.01
    assert apart.block < 0.03


def collection_instances(entry):
    """Show an object by two empties that have a color each."""
    bpy.context.scene.collection.objects.unlink(entry)
    parts = bpy.data.collections.new("parts")
    parts.objects.link(entry)
    for number, tint in enumerate([(0.9, 0.2, 0.1), (0.1, 0.3, 0.8)]):
        empty = bpy.data.objects.new(f"empty {number}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", parts
        empty.location, empty.scale = (2 * number - 1, 0, 0), (0.5, 0.5, 0.5)
        empty["tint"] = tint
        bpy.context.scene.collection.objects.link(empty)


def scattered_instances(entry):
    """Show an object on the corners of a plane, by geometry nodes that give each a color."""
    entry.hide_render = True
    bpy.ops.mesh.primitive_plane_add(size=2.2)
    tree = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    for side in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    make = tree.nodes.new
    start, end = make("NodeGroupInput"), make("NodeGroupOutput")
    source, scatter = make("GeometryNodeObjectInfo"), make("GeometryNodeInstanceOnPoints")
    store, place = make("GeometryNodeStoreNamedAttribute"), make("GeometryNodeInputPosition")
    source.inputs["Object"].default_value = entry
    source.inputs["As Instance"].default_value = True
    scatter.inputs["Scale"].default_value = (0.4, 0.4, 0.4)
    store.data_type, store.domain = "FLOAT_VECTOR", "INSTANCE"
    store.inputs["Name"].default_value = "tint"
    for one, output, other, socket in (
        (start, "Geometry", scatter, "Points"),
        (source, "Geometry", scatter, "Instance"),
        (scatter, "Instances", store, "Geometry"),
        (place, "Position", store, "Value"),
        (store, "Geometry", end, "Geometry"),
    ):
        tree.links.new(one.outputs[output], other.inputs[socket])
    bpy.context.object.modifiers.new("scatter", "NODES").node_group = tree


@pytest.mark.parametrize("place", [collection_instances, scattered_instances])
def test_attributes_of_instancers_are_those_of_cycles(device, tmp_path, place):
    add_camera(target=(0, 0, 0.3))
    add_world()
    entry = add_shape()
    entry["tint"] = (0.5, 0.5, 0.0)
    build = output_of("Attribute", "Color", attribute_type="INSTANCER", attribute_name="tint")
    entry.data.materials.append(build())
    place(entry)

    picture, exported = by_weft(device, 64)

    assert exported.problems == []
    apart = difference(picture, by_cycles(tmp_path, 64))
    assert apart.mean < 0.01
    assert apart.block < 0.03
