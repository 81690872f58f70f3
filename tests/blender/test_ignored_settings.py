# SPDX-License-Identifier: Apache-2.0
"""Settings that Weft does not have are named, one line each."""

from __future__ import annotations

import bpy
import pytest
from addon.blender.export import SceneExporter
from addon.blender.ignored import LIGHT, MATERIAL, OBJECT, SCENE, SHAPE, VIEW_LAYER

from blender.beside_cycles import add_camera, add_material, add_plane, add_sun


def owners():
    """Add a scene, and return what has settings."""
    plane = add_plane()
    plane.data.materials.append(add_material("floor", (0.5, 0.5, 0.5)))
    add_camera()
    sun = add_sun()
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    return {
        SCENE: scene,
        VIEW_LAYER: bpy.context.view_layer,
        OBJECT: plane,
        SHAPE: plane,
        LIGHT: sun.data,
        MATERIAL: plane.data.materials[0],
    }


def messages():
    problems = SceneExporter().export(bpy.context.evaluated_depsgraph_get()).problems
    return [problem.message for problem in problems]


TABLES = (SCENE, VIEW_LAYER, OBJECT, SHAPE, LIGHT, MATERIAL)
CASES = [(table, entry) for table in TABLES for entry in table]


def test_settings_as_blender_has_them_are_not_named():
    owners()

    assert messages() == []


@pytest.mark.parametrize(("table", "entry"), CASES, ids=lambda part: getattr(part, "path", ""))
def test_a_setting_that_is_ignored_is_named(table, entry):
    owner = owners()[table]
    *way, name = entry.path.split(".")
    for step in way:
        owner = getattr(owner, step)
    other = not entry.neutral if isinstance(entry.neutral, bool) else 0.5
    setattr(owner, name, other)
    bpy.context.view_layer.update()

    assert messages() == [entry.message]
