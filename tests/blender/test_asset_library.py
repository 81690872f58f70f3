# SPDX-License-Identifier: Apache-2.0
"""The asset library of the node templates: what it holds, and what its groups are in a file."""

from __future__ import annotations

import importlib

import bpy
import numpy as np
import pytest

import weft
import weft_blender
from blender import lowered_values as blender
from blender.asset_files import append, assets_of, build_library, builder, pixels_of
from blender.test_slang_following import follow
from blender.test_slang_panel import editor
from support import template_cases as templates
from weft.gallery import draw

FILE = "weft.blend"


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The library of four templates, in a folder whose name is hard."""
    addon = importlib.import_module("addon")
    addon.register()
    try:
        return build_library(tmp_path_factory.mktemp("größe und leerzeichen"))
    finally:
        addon.unregister()


@pytest.fixture
def file(folder):
    return folder / FILE


@pytest.fixture
def following():
    return importlib.import_module("addon.ui.slang_nodes.following")


def material():
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made


def slang_groups():
    return [tree for tree in bpy.data.node_groups if "weft_slang" in tree]


def place(tree, group):
    nodes = importlib.import_module("addon.blender.slang_nodes.nodes")
    return nodes.place_node(tree, group, (0, 0))


def test_each_template_is_an_asset_for_its_trees(file):
    found = {tree.name: tree for tree in assets_of(file)}

    assert {name: tree.bl_idname.removesuffix("NodeTree") for name, tree in found.items()} == {
        "Fractal Brownian Motion": "Shader",
        "Fractal Brownian Motion (Compositor)": "Compositor",
        "Fractal Brownian Motion (Geometry)": "Geometry",
        "Hexagons": "Shader",
        "Hexagons (Compositor)": "Compositor",
        "Hexagons (Geometry)": "Geometry",
        "OkLab Mix": "Shader",
        "OkLab Mix (Compositor)": "Compositor",
        "OkLab Mix (Geometry)": "Geometry",
        "Revolve Distance": "Shader",
        "Revolve Distance (Geometry)": "Geometry",
        "Twist": "Geometry",
    }
    assert not [tree for tree in found.values() if tree.library]


def test_assets_say_what_they_are(file, folder):
    catalogs = (folder / "blender_assets.cats.txt").read_text(encoding="utf-8")
    known = importlib.import_module("addon.core.slang_nodes.catalogs").catalogs_of(catalogs)

    for tree in assets_of(file):
        data = tree.asset_data
        assert data.catalog_id in known.values()
        assert data.author == "The Weft project"
        assert data.license == "Apache-2.0"
        assert "Source: " in data.description
        assert "slang" in [tag.name for tag in data.tags]
    categories = ("Color", "Deform", "Distance", "Noise", "Pattern")
    assert sorted(known) == ["Weft", *(f"Weft/{category}" for category in categories)]


def test_assets_show_the_picture_of_the_gallery(file, device):
    expected = draw(
        builder().templates_folder() / "pattern/hexagons.slang", size=128, device=device
    )

    tree = next(tree for tree in assets_of(file) if tree.name == "Hexagons (Geometry)")

    pixels = pixels_of(tree.preview)
    assert np.abs(pixels[..., :3] - expected).mean() < 0.01
    assert pixels[..., 3].min() == 1
    assert tuple(tree.preview.icon_size) == (32, 32)


def test_pictures_are_drawn_once(tmp_path, monkeypatch):
    program = builder()
    files = [program.templates_folder() / "color/oklab_mix.slang"]
    drawn = []
    monkeypatch.setattr(program, "draw", lambda *a, **k: drawn.append(a) or draw(*a, **k))

    for key in ("a", "a", "b"):
        program.build(files, tmp_path / "library", tmp_path / "pictures", key)

    assert len(drawn) == 2
    assert len(list((tmp_path / "pictures").iterdir())) == 1


def test_an_appended_group_is_a_slang_node(file, following):
    owner = material()
    append(file, "Hexagons")
    node = place(owner.node_tree, bpy.data.node_groups["Hexagons"])

    follow(following)

    source = weft_blender.node_source(node)
    assert (source.source, source.function) == ("template:pattern/hexagons", "hexagons")
    assert source.error == ""
    assert weft_blender.refresh() == 0
    assert bpy.data.texts[:] == []
    weft_blender.set_source(node, form="OSL")
    assert "ShaderNodeScript" in {inner.bl_idname for inner in node.node_tree.nodes}


def test_a_group_of_add_slang_and_an_asset_are_one(file):
    owner = material()
    node = weft_blender.add_node(owner, "template:pattern/hexagons")
    node.inputs["Scale"].default_value = 3
    value = owner.node_tree.nodes.new("ShaderNodeValue")
    owner.node_tree.links.new(value.outputs[0], node.inputs["Bevel"])
    name = node.node_tree.name

    with bpy.data.libraries.load(str(file)) as (_, wanted):
        wanted.node_groups = ["Hexagons"]

    # Blender makes a node of what it appended: that is what stays.
    assert wanted.node_groups[0] == node.node_tree
    assert [tree.name for tree in slang_groups()] == [name]
    assert node.inputs["Scale"].default_value == 3
    assert node.inputs["Bevel"].links[0].from_node == value
    added = weft_blender.add_node(owner, "template:pattern/hexagons")
    assert added.node_tree == node.node_tree


def test_a_group_that_is_open_stays(file):
    """Blender is about to make a node in it."""
    node = weft_blender.add_node(material(), "template:pattern/hexagons")

    with editor(node.node_tree):
        (group,) = (tree for tree in append(file, "Hexagons") if "weft_slang" in tree)

    assert sorted(tree.name for tree in slang_groups()) == sorted([node.node_tree.name, group.name])
    assert importlib.import_module("addon.blender.slang_nodes.joining").join_equal_groups() == 1


def test_folders_that_the_builder_names_are_there():
    program = builder()

    files = program.template_files(program.templates_folder())

    assert set(program.KINDS) <= {file.parent.name for file in files}


def test_a_tree_in_which_a_template_does_not_lower_is_left_out(tmp_path, monkeypatch, capsys):
    program = builder()
    file = program.templates_folder() / "distance/sdf_revolve.slang"
    prepare = program.prepare

    def refuse(request, info):
        if request.tree == "ShaderNodeTree":
            raise weft.ArgumentError("no")
        return prepare(request, info)

    monkeypatch.setattr(program, "prepare", refuse)
    program.build([file], tmp_path / "library", tmp_path / "pictures", "key")

    assert [tree.name for tree in assets_of(tmp_path / "library" / FILE)] == ["Revolve Distance"]
    assert "sdf_revolve: no ShaderNodeTree: no" in capsys.readouterr().out


def test_an_asset_of_another_tree_has_its_functions_name(file):
    append(file, "Twist")
    append(file, "Hexagons (Geometry)")

    assert sorted(tree.name for tree in slang_groups()) == ["Hexagons", "Twist"]

    append(file, "Hexagons (Geometry)")
    append(file, "Hexagons")
    assert sorted(tree.bl_idname for tree in slang_groups() if tree.name.startswith("Hex")) == [
        "GeometryNodeTree",
        "ShaderNodeTree",
    ]


def test_an_asset_that_is_added_again_is_what_the_library_has(file):
    tree = bpy.data.node_groups.new("outer", "GeometryNodeTree")
    append(file, "Revolve Distance (Geometry)")
    node = place(tree, slang_groups()[0])
    assert weft_blender.node_source(node).build == {"axis": "TurnAxis.Z"}

    weft_blender.set_source(node, build={"axis": "TurnAxis.X"})
    append(file, "Revolve Distance (Geometry)")

    assert weft_blender.node_source(node).build == {"axis": "TurnAxis.X"}
    other = next(own for own in slang_groups() if own != node.node_tree)
    assert weft_blender.node_source(place(tree, other)).build == {"axis": "TurnAxis.Z"}
    assert len(slang_groups()) == 2


def test_an_unpacked_asset_is_not_what_comes_next(file):
    append(file, "Hexagons")
    node = place(material().node_tree, slang_groups()[0])
    nodes = importlib.import_module("addon.blender.slang_nodes.nodes")

    nodes.unpack_node(node)
    append(file, "Hexagons")

    assert "weft_slang" not in node.node_tree
    assert [tree for tree in slang_groups() if tree != node.node_tree] != []


def test_an_asset_computes_without_the_extension(file, enabled):
    path = builder().templates_folder() / "pattern/hexagons.slang"
    function = templates.lowered(path, "hexagons", blender=bpy.app.version[:2], tree="geometry")
    parameters = {p.name: p for p in templates.node_functions(path)[0].parameters}
    case = templates.case_of(path)
    values = templates.drawn(function.parameters, parameters, case.draws, blender.POINTS, 3)
    results = function.evaluate(values)
    enabled.unregister()
    try:
        append(file, "Hexagons (Geometry)")
        group = next(t for t in slang_groups() if t.bl_idname == "GeometryNodeTree")
        found = blender.in_geometry_nodes(function, group, values)
    finally:
        enabled.register()

    for socket in function.outputs:
        wrong = np.abs(found[socket.name] - blender.values_of(socket, results)) > 1e-4
        assert wrong.reshape(blender.POINTS, -1).any(axis=1).mean() <= max(case.edges, 0.02)


def test_a_linked_asset_is_left_alone(file, following):
    with bpy.data.libraries.load(str(file), link=True) as (_, wanted):
        wanted.node_groups = ["Hexagons"]
    node = place(material().node_tree, wanted.node_groups[0])

    follow(following)

    assert weft_blender.node_source(node).error == ""
    with pytest.raises(weft.ArgumentError, match="make it local"):
        weft_blender.refresh()


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="libraries are packed from 5.0 on")
def test_a_packed_asset_is_known_and_becomes_editable(file, following):
    with bpy.data.libraries.load(str(file), link=True, pack=True) as (_, wanted):
        wanted.node_groups = ["Hexagons"]
    group = wanted.node_groups[0]
    node = place(material().node_tree, group)

    follow(following)

    assert group.is_linked_packed
    assert weft_blender.node_source(node).source == "template:pattern/hexagons"
    assert weft_blender.node_source(node).error == ""
    node.node_tree.make_local()
    assert weft_blender.refresh() == 0
    weft_blender.set_source(node, form="OSL")
    assert weft_blender.node_source(node).form == "OSL"


def test_labels_that_are_there_twice_stop_the_build(tmp_path, monkeypatch):
    program = builder()
    file = program.templates_folder() / "color/oklab_mix.slang"

    with pytest.raises(ValueError, match="'OkLab Mix' is another template's"):
        program.build([file, file], tmp_path / "library", tmp_path / "pictures", "key")

    assert not (tmp_path / "library" / FILE).exists()


def test_a_group_that_is_taken_again_stays_as_people_left_it(file):
    append(file, "Revolve Distance")
    group = slang_groups()[0]
    group.name, group.use_fake_user = "Mine (Geometry)", True

    assert append(file, "Revolve Distance") == []

    assert (group.name, group.use_fake_user) == ("Mine (Geometry)", True)


@pytest.mark.parametrize("is_asset", [True, False])
def test_an_asset_goes_with_its_last_node_unless_it_is_one_of_this_file(file, is_asset):
    joining = importlib.import_module("addon.blender.slang_nodes.joining")
    (group,) = (tree for tree in append(file, "Hexagons") if "weft_slang" in tree)
    group.use_fake_user = True
    if is_asset:
        group.asset_mark()

    joining.settle_asset(group)

    assert group.use_fake_user == is_asset
