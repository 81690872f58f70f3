# SPDX-License-Identifier: Apache-2.0
"""The world's light as an unknown: found, shown as an image in the world, taken back."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from blender.fit_scene import TRUTH, image_of, plate, principled, set_inputs
from blender.operators import Event, Unbound
from blender.panel import Layout, draw_panel

__all__ = ["plate"]

COLOR = (0.8, 0.5, 0.3)


@pytest.fixture
def outdoors(plate):
    """A photo of the plate under a colored sky alone; and the scene under a gray one."""
    from addon.api import render

    bpy.data.objects.remove(bpy.data.objects["Key"])
    set_inputs(principled(bpy.data.materials["Glaze"]), TRUTH)
    world = bpy.data.worlds.new("Sky")
    if world.node_tree is None:
        world.use_nodes = True
    bpy.context.scene.world = world
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (*COLOR, 1)
    photo = render(samples=256)["color"]
    background.inputs["Color"].default_value = (0.1, 0.1, 0.1, 1)
    return photo


def panel_with(photo, draws=8):
    state = bpy.context.scene.weft_fit
    entry = state.targets.add()
    entry.image, entry.camera, entry.source = image_of(photo), bpy.context.scene.camera, "PHOTO"
    assert bpy.ops.weft.add_environment() == {"FINISHED"}
    state.parameters[0].environment_size = "16x8"
    state.bounces, state.texture_iterations, state.max_iterations = 2, draws, draws
    return state


def shown_image(world):
    (output,) = [n for n in world.node_tree.nodes if n.bl_idname == "ShaderNodeOutputWorld"]
    background = output.inputs["Surface"].links[0].from_node
    assert background.bl_idname == "ShaderNodeBackground"
    links = background.inputs["Color"].links
    return links[0].from_node.image if links else None


def test_the_world_gets_an_ordinary_image_that_explains_the_photo(outdoors):
    from addon.api import export_scene, fit, render

    target = [{"camera": "Camera", "source": outdoors, "filter": "box"}]
    found = fit(targets=target, parameters=["environment@16x8"], bounces=2, texture_iterations=40)

    assert found.environment.shape == (8, 16, 3)
    image = shown_image(bpy.context.scene.world)
    assert tuple(image.size) == (16, 8)
    assert image.packed_file is not None
    assert export_scene().environment.image[..., :3] == pytest.approx(found.environment, rel=1e-3)
    picture = render(samples=256)["color"]
    assert np.abs(picture - outdoors).mean() < 0.05 * outdoors.mean()
    assert "environment" not in found.undetermined  # the plate's color is known


def test_base_colors_trade_off_and_the_panel_says_so(outdoors):
    state = panel_with(outdoors)
    assert "trade off" in draw_panel().text()
    bpy.ops.weft.add_material(material="Glaze")
    state.parameter = 0
    state.targets[0].only = bpy.data.objects["Plate"]  # the sky beside it would tell its own light

    assert bpy.ops.weft.fit() == {"FINISHED"}

    entry = state.parameters[0]
    assert entry.found == "16 x 8"
    assert "trade off" in entry.note
    assert "the base colors trade off: no material" in draw_panel().text()
    assert tuple(shown_image(bpy.context.scene.world).size) == (16, 8)


@pytest.mark.parametrize("kind", ["nodes", "none", "plain"])
def test_escape_takes_the_image_away_again(outdoors, kind):
    from addon.ui.fit.fitting import WEFT_OT_fit

    scene = bpy.context.scene
    if kind != "nodes":
        scene.world = None
    if kind == "plain":
        scene.world = bpy.data.worlds.new("Plain")
        if bpy.app.version < (5, 0):
            scene.world.use_nodes = False
    panel_with(outdoors, draws=400)
    worlds, images = set(bpy.data.worlds.keys()), set(bpy.data.images.keys())
    nodes = {} if kind != "nodes" else scene.world.node_tree
    before = [(n.name, tuple(n.location)) for n in nodes.nodes] if kind == "nodes" else []
    links = [link.from_node.name for link in nodes.links] if kind == "nodes" else []
    old = scene.world
    operator = Unbound(WEFT_OT_fit)
    assert operator.begin(bpy.context)
    session = bpy.context.window_manager.weft_session
    while "Fitted Environment" not in bpy.data.images:
        assert not session.fit.run.job.wait(0.02), session.fit.run.job.error
        session.fit.show()
    assert tuple(shown_image(scene.world).size) == (16, 8)

    assert operator.modal(bpy.context, Event("ESC", "PRESS")) == {"CANCELLED"}

    assert scene.world == old
    assert set(bpy.data.worlds.keys()) == worlds
    assert set(bpy.data.images.keys()) == images
    if kind == "nodes":
        assert [(n.name, tuple(n.location)) for n in nodes.nodes] == before
        assert [link.from_node.name for link in nodes.links] == links


@pytest.mark.parametrize("kind", ["none", "plain"])
def test_a_scene_without_nodes_of_a_world_gets_one_and_an_old_one_stays_in_the_file(outdoors, kind):
    scene = bpy.context.scene
    scene.world = plain = None
    if kind == "plain":
        scene.world = plain = bpy.data.worlds.new("Plain")
        if bpy.app.version < (5, 0):
            plain.use_nodes = False
    panel_with(outdoors, draws=2)

    assert bpy.ops.weft.fit() == {"FINISHED"}

    # From Blender 5 on every world has nodes.
    is_kept = kind == "plain" and bpy.app.version >= (5, 0)
    assert scene.world.name == ("Plain" if is_kept else "Fitted Environment")
    assert shown_image(scene.world).packed_file is not None
    assert plain is None or plain.use_fake_user != is_kept


def test_the_world_button_is_in_the_properties_of_worlds_and_counts_once(plate):
    from addon.ui.fit.lighting import WEFT_PT_fit_world

    state = panel_with(plate)
    bpy.ops.weft.add_environment()
    assert len(state.parameters) == 1
    panel = type("Panel", (), {"layout": Layout()})()

    WEFT_PT_fit_world.draw(panel, bpy.context)

    assert "Unknown Environment" in panel.layout.texts("operator")
    assert "Size" in panel.layout.texts("prop")


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (["environment", "environment@64x32"], "asked for twice"),
        (["environment", "light:Sky"], "its strength included"),
        (["environment@4x2"], "must be integers from 8 x 4"),
        (["environment@big"], "a resolution is written as"),
        ([{"name": "environment", "color": 1}], "takes resolution, smoothness"),
    ],
)
def test_what_cannot_be_asked_for_is_said(outdoors, parameters, words):
    from addon.api import fit

    target = [{"camera": "Camera", "source": outdoors}]
    with pytest.raises(ValueError, match=words):
        fit(targets=target, parameters=parameters)


def test_a_world_of_a_library_is_not_changed(outdoors, tmp_path):
    from addon.api import fit

    library = tmp_path / "library.blend"
    bpy.data.libraries.write(str(library), {bpy.data.worlds["Sky"]})
    bpy.data.worlds.remove(bpy.data.worlds["Sky"])
    with bpy.data.libraries.load(str(library), link=True) as (_source, wanted):
        wanted.worlds = ["Sky"]
    bpy.context.scene.world = bpy.data.worlds["Sky"]

    with pytest.raises(ValueError, match="make it local first"):
        fit(
            targets=[{"camera": "Camera", "source": outdoors}],
            parameters=["environment@16x8"],
            bounces=1,
            texture_iterations=2,
        )
