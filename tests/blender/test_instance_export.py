# SPDX-License-Identifier: Apache-2.0
"""Objects and their instances stand where Cycles shows them, and look alike."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.export import SceneExporter
from mathutils import Matrix

from blender.beside_cycles import (
    add_camera,
    add_diffuse,
    add_material,
    add_object,
    add_plane,
    add_sun,
    add_world,
    by_cycles,
    by_weft,
    difference,
)


def monkey(**place):
    bpy.ops.mesh.primitive_monkey_add(size=1, **place)
    return bpy.context.object


def set_smooth(entry, is_smooth=True):
    mesh = entry.data
    mesh.polygons.foreach_set("use_smooth", np.full(len(mesh.polygons), is_smooth))
    mesh.update()


def modifiers():
    entry = monkey(location=(-1, 0, 0.6))
    entry.data.materials.append(add_material("ape", (0.8, 0.3, 0.2)))
    set_smooth(entry)
    entry.data.transform(Matrix.Translation((0.8, 0, 0)))
    for name, kind in (("mirror", "MIRROR"), ("smooth", "SUBSURF"), ("array", "ARRAY")):
        made = entry.modifiers.new(name, kind)
        if kind == "SUBSURF":
            made.levels = made.render_levels = 1


def several_materials():
    entry = monkey(location=(0, 0, 0.6))
    for number, color in enumerate([(0.9, 0.1, 0.1), (0.1, 0.9, 0.1), (0.1, 0.1, 0.9)]):
        entry.data.materials.append(add_material(f"m{number}", color))
    numbers = np.arange(len(entry.data.polygons), dtype=np.int32) % 4
    entry.data.polygons.foreach_set("material_index", numbers)
    entry.material_slots[1].link = "OBJECT"
    entry.material_slots[1].material = add_material("own", (0.9, 0.9, 0.1))


def empty_slot():
    entry = monkey(location=(0, 0, 0.6))
    entry.data.materials.append(None)


def custom_normals():
    bpy.ops.mesh.primitive_uv_sphere_add(
        radius=0.8, location=(0, 0, 0.8), segments=12, ring_count=6
    )
    entry = bpy.context.object
    set_smooth(entry)
    rng = np.random.default_rng(1)
    normals = np.array([vertex.normal for vertex in entry.data.vertices])
    normals += rng.normal(0, 0.2, normals.shape)
    entry.data.normals_split_custom_set_from_vertices(normals.tolist())


def all_edges_sharp():
    sharp_edges(step=1)


def sharp_edges(step=3):
    bpy.ops.mesh.primitive_cylinder_add(radius=0.8, depth=1, location=(0, 0, 0.5), vertices=12)
    entry = bpy.context.object
    set_smooth(entry)
    edges = entry.data.edges
    edges.foreach_set("use_edge_sharp", np.arange(len(edges)) % step == 0)
    entry.data.update()
    entry.data.materials.append(add_diffuse("matt", (0.8, 0.7, 0.6)))


def concave_polygons():
    mesh = bpy.data.meshes.new("star")
    angles = np.linspace(0, 2 * np.pi, 14, endpoint=False)
    radii = np.where(np.arange(14) % 2, 0.5, 1.4)
    star = [(r * np.cos(a), r * np.sin(a), 0.4) for a, r in zip(angles, radii, strict=True)]
    dart = [(1.5, -1, 0.2), (2.4, -1, 0.2), (1.8, -0.7, 0.2), (1.5, 0, 0.2)]
    mesh.from_pydata([*star, *dart], [], [range(14), (17, 14, 15, 16)])
    add_object("star", mesh)


def mirrored():
    entry = monkey(location=(0, 0, 0.6))
    set_smooth(entry)
    entry.scale = (-1.2, 0.8, 1)
    entry.data.materials.append(add_material("ape", (0.8, 0.3, 0.2)))


def other_kinds():
    bpy.ops.object.text_add(location=(-1.5, 0, 0.3), rotation=(1.2, 0, 0))
    bpy.context.object.data.extrude = 0.1
    bpy.ops.curve.primitive_bezier_circle_add(radius=0.6, location=(1.3, 0, 0.5))
    bpy.context.object.data.bevel_depth = 0.15
    bpy.ops.surface.primitive_nurbs_surface_sphere_add(radius=0.4, location=(0, -1, 0.4))
    bpy.ops.object.metaball_add(type="BALL", radius=0.8, location=(0.2, 1, 0.7))
    data = bpy.context.object.data
    # Viewport and render cut metaballs alike.
    data.resolution = data.render_resolution = 0.2


def collections():
    parts = bpy.data.collections.new("parts")
    for number, name in enumerate(["first", "second", "hidden"]):
        entry = monkey(location=(0.9 * number, 0, 0))
        bpy.context.scene.collection.objects.unlink(entry)
        entry.name = name
        parts.objects.link(entry)
        entry.hide_render = name == "hidden"
    inner = bpy.data.collections.new("inner")
    holder = bpy.data.objects.new("inner", None)
    holder.instance_type, holder.instance_collection = "COLLECTION", parts
    inner.objects.link(holder)
    secret = bpy.data.collections.new("secret")
    secret.hide_render = True
    secret.objects.link(bpy.data.objects.new("secret", parts.objects[0].data))
    inner.children.link(secret)
    for number, angle in enumerate([0.0, 0.7]):
        matrix = Matrix.Translation((-1, 1.2 * number - 0.5, 0.6)) @ Matrix.Rotation(angle, 4, "Z")
        empty = add_object(f"empty {number}", None, matrix)
        empty.instance_type = "COLLECTION"
        empty.instance_collection = inner


def geometry_nodes():
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=3, size=3)
    entry = bpy.context.object
    entry.location.z = 0.4
    tree = bpy.data.node_groups.new("scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    make = tree.nodes.new
    start, end = make("NodeGroupInput"), make("NodeGroupOutput")
    cube, scatter = make("GeometryNodeMeshUVSphere"), make("GeometryNodeInstanceOnPoints")
    painted, scale = make("GeometryNodeSetMaterial"), make("FunctionNodeRandomValue")
    cube.inputs["Radius"].default_value = 0.3
    low, high = (s for s in scale.inputs if s.type == "VALUE" and s.name in ("Min", "Max"))
    low.default_value, high.default_value = 0.4, 1.2
    painted.inputs["Material"].default_value = add_material("paint", (0.2, 0.7, 0.3))
    for source, output, target, field in (
        (start, "Geometry", scatter, "Points"),
        (cube, "Mesh", painted, "Geometry"),
        (painted, "Geometry", scatter, "Instance"),
        (scatter, "Instances", end, "Geometry"),
    ):
        tree.links.new(source.outputs[output], target.inputs[field])
    number = next(socket for socket in scale.outputs if socket.type == "VALUE")
    tree.links.new(number, scatter.inputs["Scale"])
    entry.modifiers.new("scatter", "NODES").node_group = tree


def hidden():
    shown = monkey(location=(-0.8, 0, 0.6))
    other = monkey(location=(0.8, 0, 0.6))
    other.hide_render = True
    third = monkey(location=(0, 1, 0.6))
    bpy.context.scene.collection.objects.unlink(third)
    away = bpy.data.collections.new("away")
    away.hide_render = True
    away.objects.link(third)
    bpy.context.scene.collection.children.link(away)
    assert not shown.hide_render


def on_faces():
    child = monkey(scale=(0.2, 0.2, 0.2))
    bpy.ops.mesh.primitive_cube_add(size=1.5, location=(0, 0, 0.9))
    parent = bpy.context.object
    child.parent = parent
    parent.instance_type = "FACES"
    parent.show_instancer_for_render = parent.show_instancer_for_viewport = False


def hidden_on_faces():
    on_faces()
    bpy.context.object.children[0].hide_render = True


def without_faces():
    monkey(location=(0, 0, 0.6))
    mesh = bpy.data.meshes.new("points")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    add_object("points", mesh)
    add_object("nothing", bpy.data.meshes.new("nothing"))


SCENES = (
    modifiers,
    several_materials,
    empty_slot,
    custom_normals,
    sharp_edges,
    all_edges_sharp,
    concave_polygons,
    mirrored,
    other_kinds,
    collections,
    geometry_nodes,
    hidden,
    on_faces,
    hidden_on_faces,
    without_faces,
)


def add_room():
    add_plane()
    add_world((0.5, 0.6, 0.8))
    add_sun()
    add_camera(origin=(0.5, -4.5, 3))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("build", SCENES, ids=lambda build: build.__name__)
def test_scene_looks_as_in_cycles(device, tmp_path, build):
    add_room()
    build()

    picture, exported = by_weft(device)

    assert exported.problems == []
    apart = difference(picture, by_cycles(tmp_path))
    assert apart.mean < 0.005
    assert apart.block < 0.02
    assert apart.pixel < 0.06


def export(exporter=None):
    return (exporter or SceneExporter()).export(bpy.context.evaluated_depsgraph_get())


@pytest.mark.parametrize("build", [collections, geometry_nodes, on_faces])
def test_instances_share_their_mesh(build):
    build()

    scene = export().scene

    assert len(scene.objects) > 3
    assert len(scene.meshes()) < len(scene.objects) / 2


def test_triangles_are_blenders_own():
    import bmesh

    mesh = bpy.data.meshes.new("mixed")
    made = bmesh.new()
    bmesh.ops.create_monkey(made)
    bmesh.ops.create_cone(made, cap_ends=True, segments=7, radius1=1, radius2=0.5, depth=1)
    rng = np.random.default_rng(0)
    for vertex in made.verts:
        vertex.co += type(vertex.co)(rng.normal(0, 0.2, 3))
    made.to_mesh(mesh)
    add_object("mixed", mesh)
    mesh.calc_loop_triangles()
    expected = np.array([triangle.vertices[:] for triangle in mesh.loop_triangles])

    triangles = export().scene.objects[0].mesh.triangles

    assert (triangles == expected).all()


def test_flattened_objects_are_named_and_left_out():
    monkey().scale = (1, 0, 1)

    exported = export()

    assert exported.scene.objects == []
    assert "it has no extent" in str(exported.problems[0])


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("is_holdout", "holdouts are not supported"),
        ("is_shadow_catcher", "shadow catchers are not supported"),
    ],
)
def test_special_objects_are_named(attribute, message):
    setattr(monkey(), attribute, True)

    assert message in str(export().problems[0])


def test_an_object_is_hidden_from_rays():
    entry = monkey()
    entry.visible_camera = entry.visible_shadow = False

    exported = export()

    assert exported.problems == []
    assert list(exported.scene.objects[0].hidden_from) == ["camera", "shadow"]


def test_objects_hidden_in_the_viewport_alone_are_named():
    monkey().hide_viewport = True

    exported = export()

    assert exported.scene.objects == []
    assert "hidden in the viewport but not in renders" in str(exported.problems[0])


def test_modifiers_of_other_levels_are_named():
    made = monkey().modifiers.new("smooth", "SUBSURF")
    made.levels, made.render_levels = 1, 2

    problem = export().problems[0]

    assert str(problem).startswith("Object 'Suzanne' > modifier 'smooth': it does something else")


def test_renamed_and_deleted_objects_leave_the_export():
    exporter = SceneExporter()
    first, second = monkey(), monkey()
    mesh = export(exporter).scene.objects[0].mesh

    first.name = "renamed"
    bpy.data.objects.remove(second)
    scene = export(exporter).scene

    assert [entry.name for entry in scene.objects] == ["renamed"]
    assert scene.objects[0].mesh is mesh


def test_two_scenes_are_exported_apart():
    monkey()
    other = bpy.data.scenes.new("other")
    cube = bpy.data.objects.new("cube", bpy.data.meshes.new("cube"))
    cube.data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    other.collection.objects.link(cube)
    exporter = SceneExporter()

    first = export(exporter).scene
    with bpy.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        second = export(exporter).scene

    assert [entry.name for entry in first.objects] == ["Suzanne"]
    assert [entry.name for entry in second.objects] == ["cube"]


def test_objects_of_a_linked_library_are_exported(tmp_path):
    entry = monkey()
    entry.data.materials.append(add_material("Wood", (0.5, 0.3, 0.1)))
    library = str(tmp_path / "library.blend")
    bpy.data.libraries.write(library, {entry})
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(library, link=True) as (source, target):
        target.objects = source.objects
    bpy.context.scene.collection.objects.link(target.objects[0])
    local = monkey(location=(2, 0, 0))
    local.data.materials.append(add_material("Wood", (0.1, 0.1, 0.9)))

    exported = export()

    assert len(exported.scene.objects) == 2
    assert sorted(exported.materials) == ["Wood", "Wood [library.blend]"]
    names = {material.name for material in exported.scene.materials()}
    assert len(names) == 2
