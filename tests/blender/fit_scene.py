# SPDX-License-Identifier: Apache-2.0
"""A scene whose material is to be found, and a picture of it as it should be."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

SIZE = 32
TRUTH = {"Base Color": (0.7, 0.3, 0.1), "Roughness": 0.3}


@pytest.fixture
def plate(extension):
    """A plate under an area light, its material grey; and a photo of it as it should be."""
    from addon.api import render

    bpy.ops.mesh.primitive_plane_add(size=2)
    plate = bpy.context.object
    plate.name = "Plate"
    material = bpy.data.materials.new("Glaze")
    if material.node_tree is None:
        material.use_nodes = True
    plate.data.materials.append(material)
    bpy.ops.object.light_add(type="AREA", location=(0.2, 0.8, 1.6), rotation=(-0.4, 0.1, 0))
    bpy.context.object.name = "Key"
    bpy.context.object.data.energy = 40
    bpy.ops.object.camera_add(location=(0, -2.5, 2.5), rotation=(np.pi / 4, 0, 0))
    scene = bpy.context.scene
    scene.camera = bpy.context.object
    scene.render.resolution_x = scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    inputs = principled(material)
    set_inputs(inputs, TRUTH)
    photo = render(samples=256)["color"]
    set_inputs(inputs, {"Base Color": (0.4, 0.4, 0.4), "Roughness": 0.6})
    return photo


def principled(material):
    return material.node_tree.nodes["Principled BSDF"].inputs


def set_inputs(inputs, values):
    for name, value in values.items():
        inputs[name].default_value = (*value, 1.0) if isinstance(value, tuple) else value


def target(photo):
    return [{"camera": "Camera", "source": photo, "filter": "box"}]


def fit(photo, parameters=("Glaze.Base Color", "Glaze.Roughness"), **options):
    from addon.api import fit as run

    options = {"bounces": 2, "tolerance": 0.01, **options}
    return run(targets=target(photo), parameters=parameters, **options)


def image_of(photo, name="photo"):
    image = bpy.data.images.new(name, SIZE, SIZE, float_buffer=True)
    rgba = np.dstack([photo, np.ones((SIZE, SIZE), np.float32)])[::-1]
    image.pixels.foreach_set(np.ascontiguousarray(rgba, np.float32).ravel())
    image.pack()
    return image


def start(photo):
    """Fill the panel's lists, as its buttons do."""
    state = bpy.context.scene.weft_fit
    entry = state.targets.add()
    entry.image, entry.camera, entry.source = image_of(photo), bpy.context.scene.camera, "PHOTO"
    bpy.ops.weft.add_material(material="Glaze")
    state.bounces, state.tolerance = 2, 0.01
    return state
