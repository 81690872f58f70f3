# SPDX-License-Identifier: Apache-2.0
"""Meshes as Blender evaluates them arrive in weft.scene."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.export import SceneExporter


@pytest.fixture
def exporter():
    return SceneExporter()


def export(exporter):
    return exporter.export(bpy.context.evaluated_depsgraph_get())


def test_an_unchanged_scene_is_exported_as_the_same_meshes(exporter):
    bpy.ops.mesh.primitive_monkey_add()
    first = export(exporter).scene.objects[0]

    second = export(exporter).scene.objects[0]

    assert second.mesh is first.mesh


def test_a_moved_object_keeps_its_mesh(exporter):
    bpy.ops.mesh.primitive_monkey_add()
    first = export(exporter).scene.objects[0]

    bpy.context.object.location = (1, 2, 3)
    second = export(exporter).scene.objects[0]

    assert second.mesh is first.mesh
    assert second.transform[:, 3] == pytest.approx([1, 2, 3])


def test_an_edited_mesh_is_exported_anew(exporter):
    bpy.ops.mesh.primitive_monkey_add()
    first = export(exporter).scene.objects[0]

    bpy.context.object.data.vertices[0].co.x += 1
    bpy.context.object.data.update()
    second = export(exporter).scene.objects[0]

    assert second.mesh is not first.mesh
    assert np.abs(second.mesh.positions - first.mesh.positions).max() == pytest.approx(1)
