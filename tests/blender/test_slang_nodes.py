# SPDX-License-Identifier: Apache-2.0
"""Slang nodes: added, edited, shared, animated; links and values stay."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft
import weft_blender

WAVE = """import weft.node;
/// Waves along a line. And more.
[Node("Pattern")] [Label("Nice Wave")]
float wave([Label("Place")] float3 p, [Range(0, 20)] float frequency = 5, float shift = 0.25f)
{
    return sin(p.x * frequency + shift);
}
"""
SUM = """
float sum(float x, int rounds = 3)
{
    float all = 0;
    for (int i = 0; i < rounds; i++) { all += x * i; }
    return all;
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


def text_block(content, name="wave.slang"):
    text = bpy.data.texts.get(name) or bpy.data.texts.new(name)
    text.clear()
    text.write(content)
    return text


@pytest.fixture
def material():
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made


def value_node(tree, value=0.5):
    node = tree.nodes.new("ShaderNodeValue")
    node.outputs[0].default_value = value
    return node


def links_of(node):
    """Return what is linked to a node, by the names of sockets."""
    return {
        link.to_socket.name: link.from_node.name
        for link in node.id_data.links
        if link.to_node == node
    } | {
        f"{link.from_socket.name} ->": link.to_node.name
        for link in node.id_data.links
        if link.from_node == node
    }


def slang_groups():
    return [tree for tree in bpy.data.node_groups if not tree.name.startswith(".")]


def test_a_function_is_a_node(material):
    text = text_block(WAVE)

    node = weft_blender.add_node(material, text, location=(10, 20), frequency=7, p=(1, 2, 3))

    assert node.bl_idname == "ShaderNodeGroup"
    assert node.node_tree.name == "Nice Wave"
    assert [(s.name, s.bl_idname) for s in node.inputs] == [
        ("Place", "NodeSocketVector"),
        ("Frequency", "NodeSocketFloat"),
        ("Shift", "NodeSocketFloat"),
    ]
    assert [s.name for s in node.outputs] == ["Result"]
    assert node.inputs["Frequency"].default_value == 7
    assert node.inputs["Shift"].default_value == 0.25
    assert tuple(node.inputs["Place"].default_value) == (1, 2, 3)
    assert tuple(node.location) == (10, 20)
    item = next(i for i in node.node_tree.interface.items_tree if i.name == "Frequency")
    assert (item.min_value, item.max_value) == (0, 20)
    found = weft_blender.node_source(node)
    assert (found.source, found.function, found.error) == ("text:wave.slang", "wave", "")


def test_equal_nodes_share_their_group(material):
    text = text_block(WAVE)

    nodes = [weft_blender.add_node(material, text) for _ in range(3)]

    assert len({node.node_tree.name for node in nodes}) == 1
    assert len(slang_groups()) == 1


def test_edits_keep_links_and_values(material):
    text = text_block(WAVE)
    node = weft_blender.add_node(material, text, frequency=7, shift=0.5)
    tree = material.node_tree
    source, end = value_node(tree), tree.nodes.new("ShaderNodeMath")
    tree.links.new(source.outputs[0], node.inputs["Place"])
    tree.links.new(node.outputs["Result"], end.inputs[0])
    before = links_of(node)

    # A new parameter before, one renamed, another order, another type.
    text_block(
        """import weft.node;
float wave([WasNamed("shift")] int moved, float extra = 0.125f, [Label("Place")] float3 p = 0,
           float frequency = 5)
{
    return sin(p.x * frequency + moved) * extra;
}
"""
    )
    assert weft_blender.refresh(text) == 1

    assert links_of(node) == before
    assert [s.name for s in node.inputs] == ["Moved", "Extra", "Place", "Frequency"]
    assert node.inputs["Frequency"].default_value == 7
    assert node.inputs["Extra"].default_value == 0.125
    assert node.inputs["Moved"].default_value == pytest.approx(
        0.5 if node.inputs["Moved"].type == "VALUE" else 0
    )
    assert weft_blender.refresh(text) == 0


def test_a_source_that_fails_leaves_the_node_and_marks_it(material):
    text = text_block(WAVE)
    node = weft_blender.add_node(material, text, frequency=7)
    nodes = len(node.node_tree.nodes)
    color = node.use_custom_color, tuple(node.color)

    text_block(WAVE.replace("sin(", "sinn("))
    with pytest.raises(weft.CompileError, match="sinn"):
        weft_blender.refresh(text)

    assert "sinn" in weft_blender.node_source(node).error
    assert len(node.node_tree.nodes) == nodes
    assert node.inputs["Frequency"].default_value == 7
    assert node.use_custom_color

    text_block(WAVE)
    weft_blender.refresh(text)

    assert weft_blender.node_source(node).error == ""
    assert (node.use_custom_color, tuple(node.color)) == color


def test_integers_that_bound_loops_are_no_sockets(material):
    text = text_block(SUM)
    one = weft_blender.add_node(material, text)
    other = weft_blender.add_node(material, text, build={"rounds": 5})
    source = value_node(material.node_tree)
    material.node_tree.links.new(source.outputs[0], one.inputs["X"])

    assert [s.name for s in one.inputs] == ["X"]
    assert one.node_tree != other.node_tree
    assert weft_blender.node_source(one).build == {"rounds": "3"}

    weft_blender.set_source(one, build={"rounds": 5})

    assert links_of(one) == {"X": source.name}
    assert one.node_tree == other.node_tree
    assert len(slang_groups()) == 1

    weft_blender.set_source(one, build={"rounds": 6})

    assert links_of(one) == {"X": source.name}
    assert weft_blender.node_source(other).build == {"rounds": "5"}
    with pytest.raises(weft.ArgumentError, match="build="):
        weft_blender.add_node(material, text, rounds=4)


def animate(node, name, kind):
    """Have an input of a node be twice the number of the frame."""
    socket = node.inputs[name]
    if kind == "driver":
        socket.driver_add("default_value").driver.expression = "frame * 2"
        return
    for frame in (1, 101):
        socket.default_value = 2 * frame
        socket.keyframe_insert("default_value", frame=frame)
    data = node.id_data.animation_data
    for curve in data.action.layers[0].strips[0].channelbags[0].fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def animated(material, node, name, frame):
    """Return what an input of a node is at a frame."""
    bpy.context.scene.frame_set(frame)
    seen = material.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return seen.node_tree.nodes[node.name].inputs[name].default_value


@pytest.mark.parametrize("kind", ["keys", "driver"])
def test_animation_follows_its_socket(material, kind):
    mesh = bpy.data.meshes.new("m")
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("o", mesh))
    text = text_block(WAVE)
    node = weft_blender.add_node(material, text)
    animate(node, "Shift", kind)
    assert animated(material, node, "Shift", 10) == pytest.approx(20)

    text_block(WAVE.replace("float frequency", "float a = 1, float b = 1, float frequency"))
    weft_blender.refresh(text)

    assert animated(material, node, "Shift", 20) == pytest.approx(40)
    assert animated(material, node, "A", 20) == animated(material, node, "B", 20) == 1

    # The socket goes: what drove it drives nothing, and drives it again when it is back.
    text_block(WAVE.replace(", float shift = 0.25f", "").replace(" + shift", ""))
    weft_blender.refresh(text)
    assert animated(material, node, "Frequency", 30) == 5
    text_block(WAVE)
    weft_blender.refresh(text)
    assert animated(material, node, "Shift", 40) == pytest.approx(80)
    assert animated(material, node, "Frequency", 40) == 5


def test_panels_units_and_hidden_values(material):
    text = text_block(
        """import weft.node;
struct Cell { float3 place; float id; };
Cell f([ClosedPanel("Advanced")] [Subtype("Factor")] [Range(0, 1)] float a = 0.5f,
       [Hidden] float b, [Color] float3 c = float3(1, 0.5, 0), Cell cell)
{
    Cell result = { c * a, b + cell.id };
    return result;
}
""".replace("= 0.5f,", ",").replace(" = float3(1, 0.5, 0)", "")
    )

    node = weft_blender.add_node(material, text)

    items = {item.name: item for item in node.node_tree.interface.items_tree}
    assert items["A"].parent.name == "Advanced"
    assert items["Advanced"].default_closed
    assert items["A"].subtype == "FACTOR"
    assert items["B"].hide_value
    assert items["C"].bl_socket_idname == "NodeSocketColor"
    assert items["Cell"].item_type == "PANEL"
    assert [i.name for i in items["Cell"].interface_items] == ["Place", "ID"]
    assert [s.name for s in node.outputs] == ["Place", "ID"]


def test_defaults_that_are_no_literals(material):
    text = text_block("""import weft.node;
float f(float3 a = float3(1, 0.5, 0), [Color] float3 b = float3(0.25),
        [Default("3, 4, 5")] float3 c = 0)
{
    return dot(a, b) + c.x;
}
""")

    node = weft_blender.add_node(material, text)

    assert tuple(node.inputs["A"].default_value) == (1, 0.5, 0)
    assert tuple(node.inputs["B"].default_value) == (0.25, 0.25, 0.25, 1)
    assert tuple(node.inputs["C"].default_value) == (3, 4, 5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: weft_blender.add_node(m, "nowhere.slang"), "no text block and no file"),
        (lambda m: weft_blender.add_node(None, "wave.slang"), "tree must be"),
        (lambda m: weft_blender.add_node(m, "wave.slang", "waves"), "no function 'waves'; it has"),
        (lambda m: weft_blender.add_node(m, "wave.slang", speed=1), "no input 'speed'; there are"),
        (lambda m: weft_blender.add_node(m, "wave.slang", p="x"), "'p' is Vector"),
        (lambda m: weft_blender.add_node(m, "wave.slang", form="GPU"), "form must be one of"),
        (lambda m: weft_blender.node_source(value_node(m.node_tree)), "not made from a Slang"),
    ],
)
def test_bad_input_changes_nothing(material, call, message):
    text_block(WAVE)
    with pytest.raises(weft.ArgumentError, match=message):
        call(material)
    assert [n for n in material.node_tree.nodes if n.bl_idname == "ShaderNodeGroup"] == []


def test_a_group_is_not_used_inside_itself(material):
    node = weft_blender.add_node(material, text_block(WAVE))

    with pytest.raises(weft.ArgumentError, match="inside itself"):
        weft_blender.add_node(node.node_tree, "wave.slang")


def test_geometry_and_compositor_trees_have_them_too():
    text_block(WAVE)
    for kind in ("GeometryNodeTree", "CompositorNodeTree"):
        tree = bpy.data.node_groups.new("t", kind)
        node = weft_blender.add_node(tree, "wave.slang", frequency=2)
        assert node.node_tree.bl_idname == kind
        assert node.inputs["Frequency"].default_value == 2


def test_a_modifier_keeps_its_inputs(material):
    from addon.blender.slang_nodes.values import modifier_value, set_modifier_value

    text = text_block(WAVE)
    tree = bpy.data.node_groups.new("t", "GeometryNodeTree")
    group = weft_blender.add_node(tree, text).node_tree
    mesh = bpy.data.meshes.new("m")
    thing = bpy.data.objects.new("o", mesh)
    bpy.context.scene.collection.objects.link(thing)
    modifier = thing.modifiers.new("m", "NODES")
    modifier.node_group = group
    identifier = next(i.identifier for i in group.interface.items_tree if i.name == "Shift")
    set_modifier_value(modifier, identifier, 0.5)

    text_block(
        WAVE.replace("float shift = 0.25f", "float extra = 0, float3 shift = 0").replace(
            "+ shift", "+ shift.x"
        )
    )
    weft_blender.refresh(text)

    assert modifier_value(modifier, identifier) == pytest.approx((0.5, 0.5, 0.5))


def test_python_values_of_a_shared_source(material, tmp_path):
    path = tmp_path / "wave.slang"
    path.write_text(WAVE)
    node = weft_blender.add_node(material, path)
    assert weft_blender.node_source(node).source.startswith("file:")

    path.write_text(WAVE.replace("shift = 0.25f", "shift = 0.25f, float gain = 2"))
    assert weft_blender.refresh() == 1
    assert node.inputs["Gain"].default_value == 2

    path.unlink()
    with pytest.raises(weft.ArgumentError, match="gone"):
        weft_blender.refresh()
    assert "Relocate" in weft_blender.node_source(node).error


def test_a_template_is_a_node(material):
    node = weft_blender.add_node(material, "template:texture/fractal_noise", form="OSL")

    assert node.node_tree.name == "Fractal Noise"
    assert {n.bl_idname for n in node.node_tree.nodes} >= {"ShaderNodeScript"}
    assert "Octaves" in [s.name for s in node.inputs]


def test_lower_takes_text_blocks():
    text_block(WAVE)

    lowered = weft_blender.lower("wave.slang", "wave", tree="geometry")

    assert lowered.tree["tree"] == "GeometryNodeTree"
    assert tuple(lowered.tree["blender"]) == bpy.app.version[:2]
    assert np.isclose(
        lowered.evaluate({"p": np.array([[1, 0, 0]], "f4"), "frequency": [2], "shift": [0]})[
            "Result"
        ],
        np.sin(2),
    ).all()
