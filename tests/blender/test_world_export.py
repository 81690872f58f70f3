# SPDX-License-Identifier: Apache-2.0
"""Worlds light the scene as in Cycles."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from addon.blender.export import SceneExporter

from blender.beside_cycles import (
    add_camera,
    add_plane,
    add_world,
    by_cycles,
    by_weft,
    difference,
)


def add_scene():
    add_plane(size=4)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.6, location=(0, 0, 0.6))
    bpy.ops.object.shade_smooth()
    add_camera(origin=(0.5, -5, 1.2))


def sky_image(width=64):
    """Return an image that is different in all directions, with a bright patch."""
    v, u = np.mgrid[0 : width // 2, 0:width] / width
    rgb = np.stack([0.2 + u, 0.3 + v, 0.8 - 0.5 * u], axis=-1)
    rgb[width // 3 : width // 3 + 4, 10:16] += 6
    image = bpy.data.images.new("sky", width, width // 2, float_buffer=True)
    image.pixels.foreach_set(np.dstack([rgb, np.ones_like(u)]).astype(np.float32).ravel())
    image.pack()
    return image


def background(tree):
    return next(node for node in tree.nodes if node.type == "BACKGROUND")


def add_image_world(rotation=(0, 0, 0), location=(0, 0, 0), kind="POINT", strength=1.0):
    tree = add_world(strength=strength)
    node = tree.nodes.new("ShaderNodeTexEnvironment")
    node.image = sky_image()
    mapping = tree.nodes.new("ShaderNodeMapping")
    mapping.vector_type = kind
    mapping.inputs["Rotation"].default_value = rotation
    if "Location" in mapping.inputs and kind in ("POINT", "TEXTURE"):
        mapping.inputs["Location"].default_value = location
    coordinates = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(coordinates.outputs["Generated"], mapping.inputs["Vector"])
    tree.links.new(mapping.outputs["Vector"], node.inputs["Vector"])
    tree.links.new(node.outputs["Color"], background(tree).inputs["Color"])
    return tree


def plain_color():
    add_world((0.3, 0.5, 0.9), 1.5)


def image():
    add_image_world(strength=0.7)


def turned_image():
    add_image_world(rotation=(0.3, -0.2, 1.9))


def turned_texture():
    add_image_world(rotation=(0.3, -0.2, 1.9), kind="TEXTURE")


def moved_image():
    add_image_world(rotation=(0.0, 0.2, 1.0), location=(0.1, 0.3, 0.2))


def two_backgrounds():
    tree = add_image_world()
    second, added = tree.nodes.new("ShaderNodeBackground"), tree.nodes.new("ShaderNodeAddShader")
    second.inputs["Color"].default_value = (0.1, 0.4, 0.2, 1)
    output = next(node for node in tree.nodes if node.type == "OUTPUT_WORLD")
    tree.links.new(background(tree).outputs[0], added.inputs[0])
    tree.links.new(second.outputs[0], added.inputs[1])
    tree.links.new(added.outputs[0], output.inputs["Surface"])


def gradient():
    tree = add_world()
    coordinates = tree.nodes.new("ShaderNodeTexCoord")
    tree.links.new(coordinates.outputs["Generated"], background(tree).inputs["Color"])
    up = tree.nodes.new("ShaderNodeVectorMath")
    up.operation = "MULTIPLY_ADD"
    up.inputs[1].default_value = up.inputs[2].default_value = (0.5, 0.5, 0.5)
    tree.links.new(coordinates.outputs["Generated"], up.inputs[0])
    tree.links.new(up.outputs[0], background(tree).inputs["Color"])


WORLDS = (plain_color, image, turned_image, turned_texture, moved_image, two_backgrounds, gradient)


@pytest.mark.parametrize("build", WORLDS, ids=lambda build: build.__name__)
def test_world_lights_the_scene_as_in_cycles(device, tmp_path, build):
    add_scene()
    build()

    picture, exported = by_weft(device, 128)

    assert exported.problems == []
    apart = difference(picture, by_cycles(tmp_path, 128))
    assert apart.mean < 0.006
    assert apart.block < 0.02
    assert apart.pixel < 0.04


def export(exporter=None):
    return (exporter or SceneExporter()).export(bpy.context.evaluated_depsgraph_get())


def test_an_unchanged_world_stays_the_same_environment():
    tree = add_image_world()
    exporter = SceneExporter()
    first = export(exporter).scene.environment

    assert export(exporter).scene.environment is first
    background(tree).inputs["Strength"].default_value = 3.0
    assert export(exporter).scene.environment.strength == 3.0


def test_dark_and_missing_worlds_give_no_light():
    assert export().scene.environment is None
    add_world((0, 0, 0))
    assert export().scene.environment is None


def test_a_missing_image_is_named(device):
    tree = add_image_world()
    node = next(entry for entry in tree.nodes if entry.type == "TEX_ENVIRONMENT")
    image = bpy.data.images.new("gone", 4, 4)
    image.source, image.filepath = "FILE", "/nowhere/gone.hdr"
    node.image = image

    exported = export(SceneExporter(lambda: device))

    assert any("'/nowhere/gone.hdr' cannot be read" in str(entry) for entry in exported.problems)


def add_sky(**settings):
    """Add a world of a Sky Texture."""
    tree = add_world(strength=0.1)
    node = tree.nodes.new("ShaderNodeTexSky")
    for name, value in settings.items():
        setattr(node, name, value)
    tree.links.new(node.outputs["Color"], background(tree).inputs["Color"])
    return node


SCATTERED = "NISHITA" if bpy.app.version < (5, 0, 0) else "SINGLE_SCATTERING"
SKIES = {
    "morning": {"sky_type": SCATTERED, "sun_elevation": 0.2, "sun_rotation": 0.5},
    "noon": {"sky_type": SCATTERED, "sun_elevation": 1.2, "sun_rotation": -2.0, "sun_size": 0.1},
    "without sun": {"sky_type": SCATTERED, "sun_disc": False, "sun_elevation": 0.5},
    "thick air": {
        "sky_type": SCATTERED,
        "sun_elevation": 0.6,
        "altitude": 2000.0,
        "air_density": 2.0,
        "ozone_density": 3.0,
        "sun_intensity": 0.5,
    },
    "setting": {
        "sky_type": SCATTERED,
        "sun_elevation": 0.01,
        "sun_size": 0.08,
        "sun_rotation": 2.5,
    },
    "Hosek": {"sky_type": "HOSEK_WILKIE", "sun_direction": (0.3, -0.4, 0.6), "turbidity": 3.4},
    "Hosek, dusk": {
        "sky_type": "HOSEK_WILKIE",
        "sun_direction": (-0.7, 0.2, -0.1),
        "turbidity": 7.0,
        "ground_albedo": 0.9,
    },
    "Preetham": {"sky_type": "PREETHAM", "sun_direction": (0.3, -0.4, 0.6), "turbidity": 3.0},
    "Preetham, hazy": {"sky_type": "PREETHAM", "sun_direction": (-0.7, 0.2, 0.2), "turbidity": 8.0},
}
if bpy.app.version >= (5, 0, 0):
    MANY = "MULTIPLE_SCATTERING"
    SKIES |= {
        "many": {"sky_type": MANY, "sun_elevation": 0.6, "sun_rotation": 0.5},
        "many, morning": {
            "sky_type": MANY,
            "sun_elevation": 0.05,
            "sun_size": 0.05,
            "sun_rotation": 2.5,
        },
        "many, thick air": {
            "sky_type": MANY,
            "sun_elevation": 0.9,
            "altitude": 5000.0,
            "air_density": 2.0,
            "aerosol_density": 4.0,
            "ozone_density": 3.0,
        },
    }


SEEN = ("without sun", "thick air", "Hosek", "Hosek, dusk", "many", "many, thick air")


@pytest.mark.parametrize("sky", [name for name in SEEN if name in SKIES])
def test_a_sky_looks_as_in_cycles(device, tmp_path, sky):
    camera = add_camera((0, 0, 0), (1, 0, 0)).data
    camera.type = "PANO"
    camera.panorama_type = "EQUIRECTANGULAR"
    render = bpy.context.scene.render
    # The middle rows of blocks hold the horizon.
    render.resolution_x, render.resolution_y = 96, 48
    node = add_sky(**SKIES[sky])
    if hasattr(node, "sun_disc"):
        node.sun_disc = False

    picture, exported = by_weft(device, 16)

    assert [problem.message for problem in exported.problems] == []
    apart = difference(picture, by_cycles(tmp_path, 32))
    assert apart.mean < 0.002
    assert apart.block < 0.01


LIT = ("morning", "noon", "thick air", "setting", "Hosek", "Preetham, hazy", "many, morning")


@pytest.mark.parametrize("sky", [name for name in LIT if name in SKIES])
def test_a_sky_lights_the_scene_as_in_cycles(device, tmp_path, sky):
    add_scene()
    add_sky(**SKIES[sky])

    picture, exported = by_weft(device, 128)

    assert [problem.message for problem in exported.problems] == []
    settings = SKIES[sky]
    has_sun = settings["sky_type"] not in ("PREETHAM", "HOSEK_WILKIE")
    assert len(exported.scene.lights) == (has_sun and settings.get("sun_disc", True))
    reference = by_cycles(tmp_path, 128)
    apart = difference(picture, reference)
    assert apart.mean < 0.008
    assert apart.block < 0.025


def test_what_a_sky_cannot_do_is_named(device):
    add_scene()
    node = add_sky()
    exporter = SceneExporter(lambda: device)
    node.sky_type, node.sun_elevation, node.sun_rotation = SCATTERED, 0.1, 0.0
    bpy.context.scene.camera.location.z = 0.1
    bpy.context.scene.camera.rotation_euler = (1.6, 0, 0)
    assert "cameras do not see the sun of a sky" in [p.message for p in export(exporter).problems]
