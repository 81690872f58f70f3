# SPDX-License-Identifier: Apache-2.0
"""What is missing or replaced stays in the panel; so does the verdict of the fit."""

from __future__ import annotations

import bpy
import pytest

from blender.fit_scene import TRUTH, image_of, plate, principled, set_inputs, start
from blender.panel import draw_panel

__all__ = ["plate"]


def lose_the_sky():
    """Light the scene by an image whose file is not there."""
    world = bpy.data.worlds.new("Sky")
    bpy.context.scene.world = world
    if world.node_tree is None:
        world.use_nodes = True
    node = world.node_tree.nodes.new("ShaderNodeTexEnvironment")
    node.image = bpy.data.images.new("studio.hdr", 4, 2)
    node.image.source, node.image.filepath = "FILE", "//not/there.hdr"
    background = world.node_tree.nodes["Background"]
    world.node_tree.links.new(node.outputs["Color"], background.inputs["Color"])
    return node


def test_a_missing_image_is_shown_before_and_after_a_fit(plate):
    node = lose_the_sky()
    state = start(plate)
    state.max_iterations = 2
    assert "Check Scene" in draw_panel().texts("operator")

    bpy.ops.weft.check_scene()
    before = draw_panel()
    bpy.ops.weft.fit()
    after = draw_panel()

    for shown in (before, after):
        assert "missing or replaced" in shown.text()
        assert "Image 'studio.hdr'" in shown.text()
    assert bpy.ops.weft.show_problem(where="Image 'studio.hdr'") == {"FINISHED"}
    assert bpy.context.scene.world.node_tree.nodes.active == node


def test_a_scene_without_problems_says_so(plate):
    start(plate)
    bpy.ops.weft.check_scene()

    assert "Nothing of the scene is missing" in draw_panel().text()


def test_the_place_of_a_problem_is_selected(plate):
    group = bpy.data.node_groups.new("Grain", "ShaderNodeTree")
    group.interface.new_socket("Out", in_out="OUTPUT", socket_type="NodeSocketFloat")
    end, script = group.nodes.new("NodeGroupOutput"), group.nodes.new("ShaderNodeScript")
    tree = bpy.data.materials["Glaze"].node_tree
    outer = tree.nodes.new("ShaderNodeGroup")
    outer.node_tree = group
    bpy.context.view_layer.objects.active = bpy.data.objects["Key"]

    where = f"Material 'Glaze' > group '{outer.name}' > node '{script.name}'"
    assert bpy.ops.weft.show_problem(where=where) == {"FINISHED"}

    assert bpy.context.view_layer.objects.active == bpy.data.objects["Plate"]
    assert group.nodes.active == script
    assert not end.select
    assert bpy.ops.weft.show_problem(where="Object 'Camera'") == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == bpy.data.objects["Camera"]
    assert bpy.ops.weft.show_problem(where="Object 'Nobody'") == {"CANCELLED"}


def test_many_problems_are_folded(plate):
    from addon.core.problems import Problem
    from addon.ui.fit.problems import keep_problems

    state = start(plate)
    found = [Problem(f"Object 'Cube{k}'", "it is hollow") for k in range(7)]
    keep_problems(bpy.context.scene, [*found, Problem("Image 'sky'", "it is missing")])

    folded = draw_panel()
    assert sum("it is hollow" in text for text in folded.texts("label")) == 4
    assert next(t for t in folded.texts("label") if "it is" in t).startswith("Image 'sky'")
    state.shows_all_problems = True
    assert sum("it is hollow" in text for text in draw_panel().texts("label")) == 7


@pytest.mark.parametrize("is_right", [True, False])
def test_the_verdict_is_one_line_with_a_color(plate, is_right):
    from addon.ui.fit.judgment import COLORS

    state = start(plate)
    set_inputs(principled(bpy.data.materials["Glaze"]), TRUTH)
    if not is_right:  # another picture than the scene can make
        flipped = plate[::-1].copy()
        flipped[:, ::3] *= 3
        state.targets[0].image = image_of(flipped, "wrong")
    assert bpy.ops.weft.fit() == {"FINISHED"}

    level = state.verdict_level
    assert level in (("explained", "doubtful") if is_right else ("wrong",))
    assert state.targets[0].verdict_level == level
    shown = draw_panel()
    assert ("label", "", COLORS[level]) in shown.drawn
    assert state.verdict[:1].upper() + state.verdict[1:20] in shown.text()
    assert shown.texts("entry")[0] == f"{state.targets[0].image.name}  (Camera)"
