# SPDX-License-Identifier: Apache-2.0
"""Save as Template: a function of the user's goes to a library of theirs, and into the menus."""

from __future__ import annotations

import importlib
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

import weft_blender
from blender.asset_files import append, assets_of, pixels_of
from blender.panel import Layout
from blender.test_slang_following import WAVE, follow, text_block
from blender.test_slang_panel import editor, run

STRIPES = """import weft.node;
/// Stripes along a line.
float stripes([Label("Place")] float2 p, [Range(1, 50)] float count = 5)
{
    return step(0.5, frac(p.x * count));
}
"""


@pytest.fixture(autouse=True)
def enabled(extension):
    return extension


@pytest.fixture(autouse=True)
def folder(tmp_path, enabled):
    """The user's library, not there yet, in a folder whose name is hard."""
    found = tmp_path / "größe und leerzeichen" / "mine"
    bpy.context.window_manager.weft_session.templates_folder = str(found)
    return found


@pytest.fixture
def tree():
    made = bpy.data.materials.new("m")
    if made.node_tree is None:
        made.use_nodes = True
    made.node_tree.nodes.clear()
    return made.node_tree


def listed():
    return [(entry.name, entry.path) for entry in bpy.context.preferences.filepaths.asset_libraries]


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def contents():
    """Return everything in the open file that a template could leave behind."""
    kinds = ("node_groups", "texts", "images", "libraries", "materials", "meshes", "objects")
    return {kind: sorted(own.name for own in getattr(bpy.data, kind)) for kind in kinds}


def menu_buttons(tree):
    """Return what Add > Slang offers: texts of buttons with their properties."""
    menus = importlib.import_module("addon.ui.slang_nodes.menus")
    layout = Layout()
    with editor(tree) as context:
        menus.NODE_MT_weft_slang.draw(SimpleNamespace(layout=layout), context)
    return layout


def test_a_node_becomes_a_template(tree, folder):
    node = weft_blender.add_node(tree, text_block(STRIPES, "stripes.slang"), count=9)
    before = contents()

    assert run(tree, "save_as_template", node, name="Old Stripes", category="Mine") == {"FINISHED"}

    assert contents() == before
    assert files_in(folder) == [
        "blender_assets.cats.txt",
        "mine/old_stripes.blend",
        "mine/old_stripes.slang",
    ]
    assert weft_blender.node_source(node).source == "text:stripes.slang"
    assert ("Weft, My Templates", str(folder)) in listed()
    menus = importlib.import_module("addon.ui.slang_nodes.menus")
    (entry,) = menus.saved()
    assert (str(entry.key), entry.function) == ("library:mine/old_stripes", "stripes")
    assert (entry.label, entry.category) == ("Old Stripes", "Mine")


def test_the_asset_is_a_slang_node_with_a_picture(tree, folder):
    node = weft_blender.add_node(tree, text_block(STRIPES, "stripes.slang"))
    run(tree, "save_as_template", node, name="Old Stripes", category="Mine")
    bpy.ops.wm.read_factory_settings(use_empty=True)

    found = {own.name: own for own in assets_of(folder / "mine" / "old_stripes.blend")}

    assert sorted(found) == ["Old Stripes", "Old Stripes (Compositor)", "Old Stripes (Geometry)"]
    group = found["Old Stripes"]
    assert group.asset_data.description == "Stripes along a line"
    catalogs = (folder / "blender_assets.cats.txt").read_text(encoding="utf-8")
    assert f"{group.asset_data.catalog_id}:Weft/Mine:" in catalogs
    picture = pixels_of(group.preview)[..., :3]
    assert picture.shape == (128, 128, 3)
    across = np.diff(picture.mean(axis=(0, 2)) > picture.mean())
    assert 8 <= across.sum() <= 10  # five stripes
    assert bpy.data.texts[:] == []


def test_a_saved_function_follows_its_file(tree, folder):
    following = importlib.import_module("addon.ui.slang_nodes.following")
    bpy.ops.weft.save_as_template(source=text_block(STRIPES).name, name="Old Stripes")
    append(folder / "my_nodes" / "old_stripes.blend", "Old Stripes")
    group = bpy.data.node_groups["Old Stripes"]
    node = importlib.import_module("addon.blender.slang_nodes.nodes").place_node(
        tree, group, (0, 0)
    )
    follow(following)
    assert weft_blender.refresh() == 0
    added = weft_blender.add_node(tree, "library:my_nodes/old_stripes")
    assert added.node_tree == node.node_tree

    changed = STRIPES.replace("float count = 5", "float count = 5, float width = 0.5")
    bpy.ops.weft.save_as_template(source=text_block(changed).name, name="Old Stripes", replace=True)
    follow(following, until=lambda: "Width" in node.inputs)

    assert weft_blender.node_source(node).source == "library:my_nodes/old_stripes"


def test_add_slang_lists_it_by_category(tree):
    bpy.ops.weft.save_as_template(
        source=text_block(STRIPES).name, name="Old Stripes", category="Pattern"
    )

    shown = menu_buttons(tree).texts()

    assert shown.index("Pattern") < shown.index("Old Stripes") < shown.index("Planks")
    assert shown.count("Pattern") == 1


def test_an_expression_becomes_a_template(tree, folder):
    expressions = importlib.import_module("addon.core.slang_nodes.expressions")
    text = text_block(expressions.expression_source("a * sin(b) + p.x"), "expression.slang")
    node = weft_blender.add_node(tree, text)

    assert run(tree, "save_as_template", node, name="Sum", category="Mine") == {"FINISHED"}

    added = weft_blender.add_node(tree, "library:mine/sum")
    assert (added.node_tree.name, len(added.inputs)) == ("Sum", 3)


def test_a_function_of_a_file_becomes_a_template(folder, tmp_path, tree):
    file = tmp_path / "stripes.slang"
    file.write_text(WAVE + STRIPES.replace("import weft.node;", ""))

    done = bpy.ops.weft.save_as_template(source=str(file), function="stripes", category="Mine")

    assert done == {"FINISHED"}
    added = weft_blender.add_node(tree, "library:mine/stripes", "stripes")
    assert added.node_tree.name == "Stripes"
    text = (folder / "mine" / "stripes.slang").read_text(encoding="utf-8")
    assert text.count("[Node(") == 1
    assert file.read_text() == WAVE + STRIPES.replace("import weft.node;", "")


def test_values_that_are_part_of_the_tree_stay(tree):
    rounds = """float sum(float x, int rounds = 3)
    { float all = 0; for (int i = 0; i < rounds; i++) { all += x * i; } return all; }"""
    node = weft_blender.add_node(tree, text_block(rounds), build={"rounds": 5})

    run(tree, "save_as_template", node, name="Sum", category="Mine")

    folder = bpy.context.window_manager.weft_session.templates_folder
    append(f"{folder}/mine/sum.blend", "Sum")
    group = next(own for own in bpy.data.node_groups if "library:" in own.get("weft_slang", ""))
    added = importlib.import_module("addon.blender.slang_nodes.nodes").place_node(
        tree, group, (0, 0)
    )
    assert weft_blender.node_source(added).build == {"rounds": "5"}


def test_a_name_that_is_there_is_refused_unless_it_is_to_be_replaced(folder):
    source = text_block(STRIPES).name
    bpy.ops.weft.save_as_template(source=source, name="Old Stripes", category="Mine")
    before = {name: (folder / name).read_bytes() for name in files_in(folder)}

    with pytest.raises(
        RuntimeError, match=r"a template 'old  stripes' in 'Mine' already, .*\.slang"
    ):
        bpy.ops.weft.save_as_template(source=source, name="old  stripes", category="Mine")
    assert {name: (folder / name).read_bytes() for name in files_in(folder)} == before

    text_block(STRIPES.replace("0.5", "0.25"))
    done = bpy.ops.weft.save_as_template(
        source=source, name="Old Stripes", category="Mine", replace=True
    )
    assert done == {"FINISHED"}
    assert "0.25" in (folder / "mine" / "old_stripes.slang").read_text(encoding="utf-8")
    assert files_in(folder) == sorted(before)


def test_what_cannot_be_drawn_is_saved_without_a_picture(folder, capfd):
    source = text_block("float twice(int x) { return 2 * x; }").name

    assert bpy.ops.weft.save_as_template(source=source, category="Mine") == {"FINISHED"}

    assert "is saved without a picture: gallery: 'twice'" in capfd.readouterr().out
    (group, *_) = assets_of(folder / "mine" / "twice.blend")
    assert group.preview is None or tuple(group.preview.image_size) == (0, 0)


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("float f(float x) { return y; }", "F", "undefined identifier"),
        ("float f(float x) { return x; }", 'a"b', "name must be one line"),
        (
            "float f(float x) { return x; } float g(float x) { return x; }",
            "F",
            "save_as_template: name the function; .* several: f, g",
        ),
        ("struct S { float a; };", "F", "no function that can be a node"),
        ("float f(float x) { while (x > 1) { x = x * x - 1; } return x; }", "F", "loop"),
    ],
)
def test_what_cannot_be_a_template_says_why(folder, content, name, message):
    source = text_block(content).name
    before = contents(), listed()

    with pytest.raises(RuntimeError, match=message):
        bpy.ops.weft.save_as_template(source=source, name=name)

    assert (contents(), listed()) == before
    assert not folder.exists()


def test_without_a_node_it_says_what_to_do(tree):
    assert "select a Slang node, or give a source" in run(tree, "save_as_template")


def test_a_folder_that_cannot_be_written_is_named(folder):
    folder.parent.mkdir()
    folder.write_text("no folder")
    before = contents()

    with pytest.raises(RuntimeError, match=r"'.*mine/my_nodes' cannot be written"):
        bpy.ops.weft.save_as_template(source=text_block(STRIPES).name)

    assert contents()["node_groups"] == before["node_groups"]
    assert folder.read_text() == "no folder"


def test_a_template_stays_whole_if_its_asset_cannot_be_written(folder, monkeypatch):
    source = text_block(STRIPES).name
    bpy.ops.weft.save_as_template(source=source, name="Old Stripes", category="Mine")
    before = {name: (folder / name).read_bytes() for name in files_in(folder)}
    saving = importlib.import_module("addon.blender.slang_nodes.saving")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(saving, "write_assets", fail)
    text_block(STRIPES.replace("0.5", "0.25"))
    groups = contents()["node_groups"]
    for name, replaces in (("Old Stripes", True), ("New Stripes", False)):
        with pytest.raises(RuntimeError, match="cannot be written: disk full"):
            bpy.ops.weft.save_as_template(
                source=source, name=name, category="Mine", replace=replaces
            )

    assert {name: (folder / name).read_bytes() for name in files_in(folder)} == before
    assert contents()["node_groups"] == groups


def test_groups_of_that_name_keep_theirs(folder):
    """The assets are called as they should be, whatever the open file has."""
    names = ["Old Stripes", "Old Stripes (Geometry)"]
    own = [bpy.data.node_groups.new(name, "GeometryNodeTree") for name in names]
    for group in own:
        group.use_fake_user = True

    bpy.ops.weft.save_as_template(source=text_block(STRIPES).name, name=names[0], category="Mine")

    assert [group.name for group in own] == names
    assert len(bpy.data.node_groups) == 2
    with bpy.data.libraries.load(str(folder / "mine" / "old_stripes.blend")) as (offered, _):
        written = set(offered.node_groups)
    assert written == {*names, "Old Stripes (Compositor)"}


def test_the_panel_has_the_button(tree):
    node = weft_blender.add_node(tree, text_block(STRIPES))
    panels = importlib.import_module("addon.ui.slang_nodes.panels")
    layout = Layout()
    with editor(tree, node) as context:
        panels.NODE_PT_weft_slang.draw(SimpleNamespace(layout=layout), context)

    assert "Save as Template" in layout.texts("operator")


def test_the_library_goes_from_the_list_with_the_extension(enabled, folder):
    before = listed()
    bpy.ops.weft.save_as_template(source=text_block(STRIPES).name)
    assert len(listed()) == len(before) + 1

    enabled.unregister()
    try:
        assert listed() == before
        assert len(files_in(folder)) == 3
    finally:
        enabled.register()


def test_the_default_folder_outlives_the_extension(enabled):
    bpy.context.window_manager.weft_session.templates_folder = ""
    own = importlib.import_module("addon.blender.slang_nodes.own_templates")

    found = own.own_folder()

    assert found.parts[-3:] == ("datafiles", "weft", "templates")
    assert not found.exists()


def test_catalogs_that_are_no_utf8_stay_as_they_are(folder):
    folder.mkdir(parents=True)
    file = folder / "blender_assets.cats.txt"
    mine = b"VERSION 1\r\n\r\n0f5d6b4e-3c0e-4c11-9a8e-1f7d0d0c2a55:Gr\xf6\xdfe:Gr\xf6\xdfe\r\n"
    file.write_bytes(mine)

    source = text_block(STRIPES).name
    done = bpy.ops.weft.save_as_template(source=source, name="Old Stripes", category="Mine")

    assert done == {"FINISHED"}
    assert file.read_bytes().startswith(mine)
    assert b"Weft/Mine" in file.read_bytes()[len(mine) :]
