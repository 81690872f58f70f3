# SPDX-License-Identifier: Apache-2.0
"""What of a material can be picked: inputs with an effect, images that drive others, in groups."""

from __future__ import annotations

import bpy
import pytest

from blender.fit_scene import fit, image_of, plate, principled, target

__all__ = ["plate"]


def glaze():
    return bpy.data.materials["Glaze"]


def add_node(kind, **inputs):
    tree = glaze().node_tree
    node = tree.nodes.new(kind)
    for name, socket in inputs.items():
        tree.links.new(node.outputs[name], socket)
    return node


def image(name, width, height):
    return bpy.data.images.new(name, width, height, float_buffer=True)


@pytest.fixture
def textured(plate):
    """Base color from an image, roughness and metallic from channels of another."""
    inputs = principled(glaze())
    add_node("ShaderNodeTexImage", Color=inputs["Base Color"]).image = image("wood", 32, 16)
    split = add_node("ShaderNodeSeparateColor", Green=inputs["Roughness"], Blue=inputs["Metallic"])
    node = add_node("ShaderNodeTexImage", Color=split.inputs["Color"])
    node.image, node.name = image("orm", 8, 4), "Packed"
    return plate


def entries():
    found = bpy.context.scene.weft_fit.parameters
    return [(e.nodes()[-1], e.socket, e.kind, e.width, e.height) for e in found]


@pytest.mark.parametrize("operator", ["add_material", "add_maps"])
def test_linked_images_are_taken_at_their_own_size(textured, operator):
    assert getattr(bpy.ops.weft, operator)(material="Glaze") == {"FINISHED"}

    assert entries() == [
        ("Image Texture", "", "TEXTURE", 32, 16),
        ("Packed", "", "TEXTURE", 8, 4),
    ]


def test_a_set_of_maps_makes_new_ones_as_large_as_the_others(plate):
    inputs = principled(glaze())
    add_node("ShaderNodeTexImage", Color=inputs["Base Color"]).image = image("wood", 32, 16)

    bpy.ops.weft.add_maps(material="Glaze")

    assert entries() == [
        ("Image Texture", "", "TEXTURE", 32, 16),
        ("Principled BSDF", "Metallic", "TEXTURE", 32, 16),
        ("Principled BSDF", "Roughness", "TEXTURE", 32, 16),
    ]


def test_inputs_without_effect_are_not_offered(plate):
    from addon.blender.fit_choices import choices_of

    add_node("ShaderNodeMath").name = "Loose"
    found = {choice.title for choice in choices_of(glaze()).entries}

    assert {"Base Color (Principled BSDF)", "Coat Weight (Principled BSDF)"} <= found
    assert "Coat Roughness (Principled BSDF)" not in found
    assert not any("Add" in title or "Loose" in title for title in found)
    principled(glaze())["Coat Weight"].default_value = 0.5
    found = {choice.title for choice in choices_of(glaze()).entries}
    assert "Coat Roughness (Principled BSDF)" in found


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("ShaderNodeVolumeAbsorption", {"Color", "Density"}),
        ("ShaderNodeVolumeScatter", {"Color", "Density", "Anisotropy"}),
        (
            "ShaderNodeVolumePrincipled",
            {"Color", "Density", "Anisotropy", "Absorption Color", "Emission Strength"},
        ),
    ],
)
def test_inputs_of_a_medium_are_offered_if_they_have_an_effect(plate, kind, names):
    from addon.blender.fit_choices import choices_of

    tree = glaze().node_tree
    end = next(node for node in tree.nodes if node.type == "OUTPUT_MATERIAL")
    medium = add_node(kind, Volume=end.inputs["Volume"])

    def offered():
        titles = {choice.title for choice in choices_of(glaze()).entries}
        return {t.partition(" (")[0] for t in titles if medium.bl_label in t or medium.name in t}

    assert names <= offered()
    medium.inputs["Density"].default_value = 0.0
    assert "Density" in offered()
    assert not offered() & {"Color", "Anisotropy", "Absorption Color"}


def test_inputs_of_groups_and_equal_names_are_told_apart(plate):
    from addon.blender.fit_choices import choices_of

    group = bpy.data.node_groups.new("Grain", "ShaderNodeTree")
    group.interface.new_socket("Out", in_out="OUTPUT", socket_type="NodeSocketFloat")
    end = group.nodes.new("NodeGroupOutput")
    inner = group.nodes.new("ShaderNodeMath")
    group.links.new(inner.outputs[0], end.inputs[0])
    outer = add_node("ShaderNodeMath", Value=principled(glaze())["Roughness"])
    outer.operation = "MULTIPLY"
    node = add_node("ShaderNodeGroup")
    node.node_tree = group
    glaze().node_tree.links.new(node.outputs[0], outer.inputs[0])
    inner.inputs[0].default_value, inner.inputs[1].default_value = 0.3, 0.2
    choices = {c.title: c for c in choices_of(glaze()).entries if c.role < 0}

    chosen = [choices[t] for t in ("Value 1 (Add)", "Value 2 (Add)", "Value 2 (Multiply)")]
    for choice in chosen:
        bpy.ops.weft.add_input(
            material="Glaze", node="\n".join(choice.address.path), socket=choice.address.socket
        )

    from addon.blender.graphs import read_graph
    from addon.core.graph.addresses import find_binding
    from addon.core.graph.compile import compile_material

    compiled = compile_material(read_graph(glaze().node_tree), {}, "Glaze")
    parameters = bpy.context.scene.weft_fit.parameters
    found = [find_binding(compiled, entry.binding_address()) for entry in parameters]
    assert [entry.label for entry in found] == [
        "Glaze.Group.Math.inputs[0]",
        "Glaze.Group.Math.inputs[1]",
        "Glaze.Math.inputs[1]",
    ]
    assert [find_binding(compiled, entry.label) for entry in found] == found


def test_the_panel_fits_one_of_two_free_sockets_of_equal_names(plate):
    outer = add_node("ShaderNodeMath", Value=principled(glaze())["Roughness"])
    outer.inputs[0].default_value, outer.inputs[1].default_value = 0.5, 0.1
    state = bpy.context.scene.weft_fit
    entry = state.targets.add()
    entry.image, entry.camera, entry.source = image_of(plate), bpy.context.scene.camera, "PHOTO"
    bpy.ops.weft.add_input(material="Glaze", node="Math", socket="Value_001")
    state.max_iterations, state.bounces = 2, 2

    assert bpy.ops.weft.fit() == {"FINISHED"}

    assert state.parameters[0].found
    assert outer.inputs[0].default_value == 0.5


def test_what_drives_an_important_input_is_asked_for(textured):
    inputs = principled(glaze())
    noise = add_node("ShaderNodeTexNoise", Fac=inputs["Roughness"])
    assert noise.outputs["Fac"].is_linked
    from addon.blender.fit_choices import choices_of

    assert choices_of(glaze()).blocked == ["Roughness (Principled BSDF)"]
    bpy.ops.weft.add_material(material="Glaze")
    assert [entry[0] for entry in entries()] == ["Image Texture", "Packed"]


def test_scripts_take_a_linked_image_and_are_told_of_it(textured):
    with pytest.raises(
        ValueError, match=r"fit: 'Glaze.Base Color' is linked to node 'Image Text"
    ) as e:
        fit(textured, ["Glaze.Base Color"])

    assert "'texture:Glaze.Image Texture'" in str(e.value)

    found = fit(textured, ["texture:Glaze.Base Color"], texture_iterations=2, apply=False)

    assert [p.shape for p in found.textures.values()] == [(16, 32, 3)]


def test_a_parameter_is_no_user_of_its_material(plate):
    before = glaze().users
    bpy.ops.weft.add_material(material="Glaze")
    entry = bpy.context.scene.weft_fit.parameters[0]

    assert glaze().users == before
    glaze().name = "Renamed"
    assert entry.label() == "Base Color (Principled BSDF) of Renamed"
    bpy.data.materials.remove(bpy.data.materials["Renamed"])
    bpy.data.materials.new("Renamed")
    assert entry.material is None
    assert "deleted material" in entry.label()


def test_a_value_node_is_fitted_by_its_output(plate):
    node = add_node("ShaderNodeValue", Value=principled(glaze())["Roughness"])
    node.outputs[0].default_value = 0.6
    from addon.ui.fit.choosing import add_socket, can_fit

    assert can_fit(node.outputs[0])
    add_socket(bpy.context.scene.weft_fit, node.outputs[0])
    (entry,) = bpy.context.scene.weft_fit.parameters
    from addon.ui.fit.properties import socket_ref_of

    assert entry.title() == "Value (Value)"
    assert socket_ref_of(entry).find_socket() == node.outputs[0]
    assert entry.binding_address().is_output


def test_a_node_that_leads_nowhere_is_named(plate):
    from addon.blender.fitting import SceneFit
    from addon.blender.scripting import _picture
    from addon.ui.fit.choosing import add_socket
    from addon.ui.fit.gathering import gather_parameters

    from weft.fit import FitSettings

    node = add_node("ShaderNodeMath")
    add_socket(bpy.context.scene.weft_fit, node.inputs[0])
    requests = gather_parameters(bpy.context.scene.weft_fit)
    with pytest.raises(ValueError, match=r"'Value 1 \(Add\) of Glaze' has no effect"):
        SceneFit(bpy.context, [_picture(target(plate)[0])], requests, FitSettings())
