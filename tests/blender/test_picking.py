# SPDX-License-Identifier: Apache-2.0
"""The eyedropper finds the material of the face under a ray, and its inputs get into the list."""

from __future__ import annotations

import bpy
import pytest

from blender.operators import Event

DOWN = (0, 0, -1)


def material(name):
    made = bpy.data.materials.new(name)
    if made.node_tree is None:
        made.use_nodes = True
    return made


@pytest.fixture
def plates(extension):
    """A cube's top beside a plate of two materials, mirrored by a modifier."""
    vertices = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0), (2, 1, 0)]
    mesh = bpy.data.meshes.new("Plates")
    mesh.from_pydata(vertices, [], [(0, 1, 2, 3), (1, 4, 5, 2)])
    for name in ("Left", "Right"):
        mesh.materials.append(material(name))
    mesh.polygons[1].material_index = 1
    plates = bpy.data.objects.new("Plates", mesh)
    bpy.context.scene.collection.objects.link(plates)
    plates.modifiers.new("Mirror", "MIRROR").use_axis = (False, True, False)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0.5, 5, 0))
    bpy.context.object.name = "Bare"


@pytest.mark.parametrize(
    ("place", "entry", "name"),
    [
        ((0.5, 0.5, 3), "Plates", "Left"),
        ((1.5, 0.5, 3), "Plates", "Right"),
        ((1.5, -0.5, 3), "Plates", "Right"),  # of the modifier
        ((0.5, 5, 3), "Bare", None),
        ((9, 9, 3), None, None),
    ],
)
def test_a_ray_meets_the_material_of_a_face(plates, place, entry, name):
    from addon.blender.picking import material_on_ray

    found, material = material_on_ray(bpy.context.evaluated_depsgraph_get(), place, DOWN)

    assert found == (bpy.data.objects[entry] if entry else None)
    assert material == (bpy.data.materials[name] if name else None)


def test_the_chosen_input_gets_into_the_list(plates):
    chosen = {"material": "Right", "node": "Principled BSDF"}

    assert bpy.ops.weft.add_input(**chosen, socket="IOR") == {"FINISHED"}
    assert bpy.ops.weft.add_input(**chosen, socket="Base Color", kind="TEXTURE") == {"FINISHED"}

    entries = bpy.context.scene.weft_fit.parameters
    assert [(entry.address(), entry.kind) for entry in entries] == [
        ("Right.Principled BSDF.IOR", "NUMBER"),
        ("Right.Principled BSDF.Base Color", "TEXTURE"),
    ]
    with pytest.raises(RuntimeError, match="has no input 'Nothing' to find"):
        bpy.ops.weft.add_input(**chosen, socket="Nothing")


def test_the_click_ends_with_the_release_of_a_button_that_was_pressed(extension, monkeypatch):
    from addon.ui.fit import picking

    class Pick:
        """The operator without its window."""

        modal = picking.WEFT_OT_pick_material.modal
        report = leave = lambda *_: None
        _is_pressed = False

    pick = Pick()
    monkeypatch.setattr(picking, "ray_under_mouse", lambda *_: None)

    # The release of the button that started it may come first.
    for value in ("RELEASE", "PRESS"):
        assert pick.modal(bpy.context, Event("LEFTMOUSE", value)) == {"RUNNING_MODAL"}
    assert pick.modal(bpy.context, Event("LEFTMOUSE", "RELEASE")) == {"CANCELLED"}
