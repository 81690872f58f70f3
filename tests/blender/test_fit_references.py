# SPDX-License-Identifier: Apache-2.0
"""Every unlinked socket is one parameter, from the panel to the kernel and back."""

from __future__ import annotations

import math
import random

import bpy
import numpy as np
import pytest

from blender.named_graphs import GraphMaker, leaves_of

NAMES = ("Material", "Material.001", 'Lack "rot"', "light:Key", "Wood@2/x", "~", "environment")
GRAPHS = 20


def plates(materials):
    """One plate a material, and a camera."""
    for number, material in enumerate(materials):
        bpy.ops.mesh.primitive_plane_add(size=1, location=(number, 0, 0))
        bpy.context.object.data.materials.append(material)
    bpy.ops.object.camera_add(location=(0, 0, 5))
    bpy.context.scene.camera = bpy.context.object
    scene = bpy.context.scene
    scene.render.resolution_x = scene.render.resolution_y = 4


def plan():
    """The plan of a fit of what the panel's list has."""
    from addon.blender.fit_scene import plan_fit
    from addon.blender.fit_targets import Picture
    from addon.blender.session import require_session
    from addon.core.steps import Stepper
    from addon.ui.fit.gathering import gather_parameters

    from weft.fit import FitSettings

    picture = Picture(bpy.context.scene.camera, np.full((4, 4, 3), 0.5, np.float32))
    steps = Stepper(
        plan_fit(
            bpy.context.evaluated_depsgraph_get(),
            require_session().exporter(),
            [picture],
            gather_parameters(bpy.context.scene.weft_fit),
            FitSettings(),
        )
    )
    assert steps.advance(math.inf)
    return steps.value[0]


def kernel(scene):
    """The floats of the kernel by the names of parameters."""
    from weft.render.upload import material_table

    table = material_table(scene.materials())
    return {
        name: table.values[ref.first : ref.first + ref.size] for name, ref in table.ranges.items()
    }


def numbers_of(socket):
    value = socket.default_value
    return np.atleast_1d(np.array(value[:3] if hasattr(value, "__len__") else value, np.float32))


def add_all(material):
    from addon.ui.fit.choosing import add_entry

    leaves = leaves_of(material)
    for leaf in leaves:
        add_entry(bpy.context.scene.weft_fit, material, leaf.path, leaf.socket, "NUMBER")
    return leaves


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_every_unlinked_socket_is_one_parameter_of_the_kernel(extension, seed):
    from addon.blender.fit_sockets import SocketRef

    maker = GraphMaker(seed)
    materials = [maker.material(NAMES[(seed + k) % len(NAMES)]) for k in range(2)]
    plates(materials)
    leaves = [leaf for material in materials for leaf in add_all(material)]

    made = plan()

    found = {
        name: SocketRef.of_binding(binding).find_socket() for name, binding in made.numbers.items()
    }
    assert len(found) == len(leaves)
    assert {socket.as_pointer() for socket in found.values()} == {
        leaf.socket.as_pointer() for leaf in leaves
    }
    labels = [binding.label for binding in made.numbers.values()]
    assert len(set(labels)) == len(labels)
    before = kernel(made.scene)
    for name, socket in found.items():
        np.testing.assert_allclose(before[name], numbers_of(socket), rtol=1e-6)


@pytest.mark.parametrize("seed", range(0, GRAPHS, 5))
def test_a_value_lands_in_its_socket_and_nowhere_else(extension, seed):
    from addon.blender.fit_sockets import SocketRef

    material = GraphMaker(seed).material(NAMES[seed % len(NAMES)])
    plates([material])
    add_all(material)
    made = plan()
    before = kernel(made.scene)

    chosen = random.Random(seed).sample(sorted(made.numbers.items()), 8)
    for name, binding in chosen:
        ref = SocketRef.of_binding(binding)
        old = ref.find_socket().default_value
        old = tuple(old) if hasattr(old, "__len__") else old
        assert ref.write([0.123] * binding.size)
        after = kernel(plan().scene)
        ref.write_exactly(old)

        changed = {key for key in before if not np.array_equal(before[key], after.get(key))}
        assert changed == {name}


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_the_text_of_a_socket_finds_it_again(extension, seed):
    from addon.blender.graphs import read_graph
    from addon.core.graph.addresses import find_binding
    from addon.core.graph.compile import compile_material

    material = GraphMaker(seed).material(NAMES[seed % len(NAMES)])
    other = GraphMaker(seed + 1).material(NAMES[(seed + 1) % len(NAMES)])
    compiled = [
        compile_material(read_graph(m.node_tree), {}, m.name_full) for m in (material, other)
    ]

    bindings = [binding for entry in compiled for binding in entry.bindings]
    assert len(bindings) > 10
    assert [find_binding(compiled, binding.label) for binding in bindings] == bindings


def test_a_number_of_a_group_that_materials_share_is_one_number(extension):
    import weft

    group = bpy.data.node_groups.new("Numbers", "ShaderNodeTree")
    group.interface.new_socket("Value", in_out="OUTPUT", socket_type="NodeSocketFloat")
    held, end = group.nodes.new("ShaderNodeValue"), group.nodes.new("NodeGroupOutput")
    group.links.new(held.outputs[0], end.inputs[0])
    held.outputs[0].default_value = 0.3
    materials = []
    for name, key in (("Clay", "Roughness"), ("Clay.001", "Metallic")):
        material = bpy.data.materials.new(name)
        if material.node_tree is None:
            material.use_nodes = True
        node = material.node_tree.nodes.new("ShaderNodeGroup")
        node.node_tree = group
        closure = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
        material.node_tree.links.new(node.outputs[0], closure.inputs[key])
        materials.append(material)
    plates(materials)
    fit = bpy.context.scene.weft_fit
    from addon.ui.fit.choosing import add_entry

    add_entry(fit, materials[0], ["Group", "Value"], held.outputs[0], "NUMBER")
    made = plan()

    assert [(e.name, list(e.tied)) for e in made.parameters] == [
        ("Clay.Group.Value.Value", ['"Clay.001".Group.Value.Value'])
    ]
    add_entry(fit, materials[1], ["Group", "Value"], held.outputs[0], "NUMBER")
    with pytest.raises(weft.ArgumentError, match="are one number of the group 'Numbers'"):
        plan()


def test_the_materials_are_compiled_once_but_for_what_has_no_effect_now(extension, monkeypatch):
    from addon.blender import materials as store
    from addon.ui.fit.choosing import add_entry

    made = [bpy.data.materials.new(name) for name in ("Clay", "Tin", "Wood")]
    for material in made:
        if material.node_tree is None:
            material.use_nodes = True
    plates(made)
    names = []

    def noted(graph, images, name, **options):
        names.append(name)
        return compile_material(graph, images, name, **options)

    compile_material = store.compile_material
    monkeypatch.setattr(store, "compile_material", noted)
    fit = bpy.context.scene.weft_fit

    def add(material, key):
        closure = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
        add_entry(fit, material, [closure.name], closure.inputs[key], "NUMBER")

    add(made[0], "Base Color")
    plan()
    assert names == ["Clay", "Tin", "Wood"]

    names.clear()
    add(made[1], "Coat Weight")
    values = kernel(plan().scene)
    assert names == ["Clay", "Tin", "Wood", "Tin"]
    assert values["Tin.Principled BSDF.Coat Weight"] == [0.0]
