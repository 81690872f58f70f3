# SPDX-License-Identifier: Apache-2.0
"""Menus, the panel and the operators of Slang nodes; a context stands for the editor's."""

from __future__ import annotations

import contextlib
import importlib
import json
from types import SimpleNamespace

import bpy
import pytest

import weft
import weft_blender
from blender.panel import Layout
from blender.test_slang_following import follow
from blender.test_slang_nodes import SUM, WAVE, text_block

BOTH = WAVE + SUM.replace("float sum", '[Node("Pattern")] float sum')


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture
def tree():
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made.node_tree


@contextlib.contextmanager
def editor(tree, node=None):
    """Yield the context of a node editor that shows a tree, with an active node."""
    if node is not None:
        tree.nodes.active = node
    window = bpy.context.window_manager.windows[0]
    area = window.screen.areas[0]
    area.ui_type = tree.bl_idname
    area.spaces.active.pin = True
    area.spaces.active.node_tree = tree
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=window, area=area, region=region):
        yield bpy.context


def run(tree, name, node=None, /, **properties):
    """Run an operator in an editor; return what it gives, or the error that it reports."""
    with editor(tree, node):
        try:
            return getattr(bpy.ops.weft, name)(**properties)
        except RuntimeError as error:
            return str(error)


def drawn(cls, tree, node=None):
    layout = Layout()
    with editor(tree, node) as context:
        cls.draw(SimpleNamespace(layout=layout), context)
    return layout.drawn


def texts(entries):
    return [text for _, text, _ in entries]


def test_the_menu_lists_texts_and_what_weft_brings(tree):
    text_block(BOTH)
    text_block("float plain(float x) { return x; }\n", "plain.slang")

    found = texts(drawn(bpy.types.NODE_MT_weft_slang, tree))

    assert found[:3] == ["New Slang Node", "Slang Expression", "From File..."]
    assert {"Nice Wave", "Sum", "plain.slang", "Fractal Noise", "Texture"} <= set(found)


def test_a_node_is_added_and_active(tree):
    text_block(WAVE)

    assert run(tree, "add_slang_node", source="text:wave.slang") == {"FINISHED"}

    (node,) = tree.nodes
    assert tree.nodes.active == node


def test_of_several_functions_one_is_asked_for(tree, monkeypatch):
    text_block(BOTH)
    adding = importlib.import_module("addon.ui.slang_nodes.adding")
    asked = []
    monkeypatch.setattr(adding, "ask_for_function", lambda *given: asked.append(given[1:]))

    assert run(tree, "add_slang_node", source="text:wave.slang") == {"FINISHED"}

    assert len(tree.nodes) == 0
    assert asked == [("text:wave.slang", ["wave", "sum"], False)]


@pytest.mark.parametrize(
    ("name", "properties", "function"),
    [
        ("new_slang_node", {}, "rings"),
        ("add_slang_expression", {"expression": "a * sin(b) + p.x"}, "expression"),
    ],
)
def test_new_code_is_a_text_and_a_node(tree, name, properties, function):
    assert run(tree, name, **properties) == {"FINISHED"}

    (node,) = tree.nodes
    found = weft_blender.node_source(node)
    assert found.function == function
    assert bpy.data.texts[found.source.removeprefix("text:")].current_line_index == 0


def test_an_expression_that_is_wrong_leaves_nothing(tree):
    assert "does not compile" in run(tree, "add_slang_expression", expression="a * (")

    assert len(tree.nodes) == len(bpy.data.texts) == 0


def test_a_file_is_a_node(tree, tmp_path):
    path = tmp_path / "wave.slang"
    path.write_text(WAVE)

    assert run(tree, "open_slang_file", filepath=str(path)) == {"FINISHED"}

    assert weft_blender.node_source(tree.nodes[0]).source.startswith("file:")


def test_the_panel_says_what_the_node_is(tree):
    node = weft_blender.add_node(tree, text_block(SUM))
    panel = bpy.types.NODE_PT_weft_slang

    with editor(tree, tree.nodes.new("ShaderNodeMath")) as context:
        assert not panel.poll(context)
    with editor(tree, node) as context:
        assert panel.poll(context)
    found = texts(drawn(panel, tree, node))

    assert {"wave.slang", "sum", "Rounds", "3", "Runs As: Automatic (Nodes)"} <= set(found)


@pytest.mark.parametrize("rounds", [3, 40])
def test_the_panel_says_how_large_and_how_slow_the_nodes_are(tree, rounds):
    node = weft_blender.add_node(tree, text_block(SUM), build={"rounds": rounds})
    lowered = weft.lower(
        None, "sum", text=SUM, build={"rounds": rounds}, blender=bpy.app.version[:2]
    )

    found = texts(drawn(bpy.types.NODE_PT_weft_slang, tree, node))

    assert lowered.cost > 0
    assert f"{lowered.nodes} nodes, about {lowered.cost:.3g} ns a shade" in found


def test_nodes_of_before_there_were_estimates_show_none(tree):
    node = weft_blender.add_node(tree, text_block(SUM))
    record = json.loads(node.node_tree["weft_slang"])
    nodes = record["nodes"]
    del record["cost"], record["cost_unit"]
    node.node_tree["weft_slang"] = json.dumps(record)

    assert f"{nodes} nodes" in texts(drawn(bpy.types.NODE_PT_weft_slang, tree, node))


def test_values_forms_and_functions_change_the_node(tree):
    node = weft_blender.add_node(tree, text_block(BOTH), "sum")

    def change(name, /, **properties):
        return run(tree, name, node, **properties)

    assert change("change_slang_value", name="rounds", text="5") == {"FINISHED"}
    assert weft_blender.node_source(node).build == {"rounds": "5"}
    assert "five" in change("change_slang_value", name="rounds", text="five")
    assert weft_blender.node_source(node).build == {"rounds": "5"}

    assert change("choose_slang_form", form="OSL") == {"FINISHED"}
    assert "ShaderNodeScript" in {entry.bl_idname for entry in node.node_tree.nodes}
    found = " ".join(texts(drawn(bpy.types.NODE_PT_weft_slang, tree, node)))
    assert "Switch Open Shading Language on" in found
    assert change("choose_slang_form", form="NODES") == {"FINISHED"}

    assert change("change_slang_function", function="wave") == {"FINISHED"}
    assert [socket.name for socket in node.inputs] == ["Place", "Frequency", "Shift"]


def test_the_error_is_shown_at_its_line(tree, enabled):
    following = importlib.import_module("addon.ui.slang_nodes.following")
    text = text_block(WAVE)
    node = weft_blender.add_node(tree, text)
    follow(following)
    text_block(WAVE.replace("sin(", "sinn("))
    follow(following, until=lambda: weft_blender.node_source(node).error)

    found = " ".join(texts(drawn(bpy.types.NODE_PT_weft_slang, tree, node)))
    result = run(tree, "show_slang_source", node)

    assert "wave.slang:" in found
    assert "error 3" not in found  # Slang's number of it
    assert "sinn" in found
    assert "Show Error" in found
    assert result == {"FINISHED"}
    line = 1 + next(k for k, entry in enumerate(text.lines) if "sinn" in entry.body)
    assert text.current_line_index + 1 == line
    assert text.current_line.body[text.current_character :].startswith("sinn")


def test_a_moved_file_is_relocated(tree, tmp_path):
    path = tmp_path / "wave.slang"
    path.write_text(WAVE)
    nodes = [weft_blender.add_node(tree, path, shift=k) for k in range(2)]
    moved = path.rename(tmp_path / "moved.slang")
    run(tree, "refresh_slang_nodes")
    assert "gone" in weft_blender.node_source(nodes[0]).error

    result = run(tree, "relocate_slang_source", nodes[0], filepath=str(moved))

    assert result == {"FINISHED"}
    for k, node in enumerate(nodes):
        assert weft_blender.node_source(node).error == ""
        assert weft_blender.node_source(node).source.endswith("moved.slang")
        assert node.inputs["Shift"].default_value == k


def test_unpacking_leaves_an_ordinary_group(tree):
    one, other = (weft_blender.add_node(tree, text_block(WAVE)) for _ in range(2))

    assert run(tree, "unpack_slang_node", one) == {"FINISHED"}

    assert one.node_tree != other.node_tree
    assert "weft_slang" not in one.node_tree
    assert len(one.node_tree.nodes) == len(other.node_tree.nodes)
    assert weft_blender.node_source(other).error == ""
