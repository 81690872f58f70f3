# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/guide/blender_scripting.md, run in Blender, in the order of the page."""

from __future__ import annotations

import contextlib
import doctest
import io
from pathlib import Path

import bpy
import pytest

from docs.page import read_blocks

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "blender_scripting.md"
WORDS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture
def room(extension, tmp_path, monkeypatch):
    """The scene that the page speaks of, in an empty folder."""
    bpy.ops.wm.read_factory_settings(use_empty=False)
    bpy.data.lights["Light"].use_soft_falloff = False
    bpy.ops.mesh.primitive_plane_add(size=12, location=(0, 0, -1))
    floor = bpy.data.materials.new("Floor")
    if floor.node_tree is None:
        floor.use_nodes = True
    bpy.context.object.data.materials.append(floor)
    scene = bpy.context.scene
    scene.render.resolution_x, scene.render.resolution_y = 48, 32
    scene.render.resolution_percentage = 100
    monkeypatch.chdir(tmp_path)


def test_every_example_prints_what_the_page_shows(room):
    blocks = [b for b in read_blocks(PAGE.read_text()) if b.language in ("python", "output")]
    assert sum(block.language == "python" for block in blocks) > 6
    namespace, printed = {"__name__": "__main__"}, ""
    for block in blocks:
        if block.language == "output":
            assert doctest.OutputChecker().check_output(block.text, printed, WORDS), (
                block.line,
                printed,
            )
            continue
        code = compile("\n" * (block.line - 1) + block.text, str(PAGE), "exec")
        with contextlib.redirect_stdout(io.StringIO()) as stream:
            exec(code, namespace)
        printed = stream.getvalue()


def test_every_operator_of_the_page_is_there_and_every_public_one_is_on_it(room):
    text = PAGE.read_text()
    public = {
        name
        for name in dir(bpy.ops.weft)
        if "INTERNAL" not in getattr(getattr(bpy.types, f"WEFT_OT_{name}"), "bl_options", ())
    }

    for name in public - {"add_parameter", "clear_cache"}:  # which ask for a place or a window
        assert f"{name}(" in text, name
