# SPDX-License-Identifier: Apache-2.0
"""Faces in faces, which Cycles shows black, are named; what touches is not."""

from __future__ import annotations

import bpy
from addon.blender.export import SceneExporter

from blender.beside_cycles import add_camera, add_plane, add_sun, by_cycles


def problems(exporter=None):
    exported = (exporter or SceneExporter()).export(bpy.context.evaluated_depsgraph_get())
    return [(entry.where, entry.used_instead) for entry in exported.problems]


def test_a_floor_in_a_floor_is_named_and_black_in_cycles(tmp_path):
    add_camera((0, -0.1, 5), (0, 0, 0))
    add_sun((0.3, 0.2, -1))
    add_plane(4)
    exporter = SceneExporter()
    bright = by_cycles(tmp_path, 4).mean()
    before = problems(exporter)
    second = add_plane(3)
    together = problems(exporter)
    dark = by_cycles(tmp_path, 4).mean()
    second.location.z = 0.01
    bpy.context.view_layer.update()

    assert before == []
    assert together == [("Object 'Plane'", "lit faces"), ("Object 'Plane.001'", "lit faces")]
    assert dark < 0.8 * bright
    assert problems(exporter) == []


def test_a_box_on_a_floor_is_not_named():
    add_camera((0, -0.1, 5), (0, 0, 0))
    add_plane(4)
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.5))

    assert problems() == []
