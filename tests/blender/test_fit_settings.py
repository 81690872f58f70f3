# SPDX-License-Identifier: Apache-2.0
"""The panel's settings begin as those of scripts; the engine's command line is Blender's, too."""

from __future__ import annotations

import bpy
import pytest


def test_the_defaults_of_the_panel_are_those_of_scripts(extension):
    from addon.blender.fit_targets import Picture
    from addon.core.fitting.request import texture_request
    from addon.ui.fit.gathering import gather_settings, request_of

    from weft.defaults import BOUNCES, TEXTURE_SIZE, TRANSPARENT_BOUNCES
    from weft.fit import EnvironmentParameter, FitSettings

    state = bpy.context.scene.weft_fit
    material = bpy.data.materials.new("Clay")
    entry = state.parameters.add()
    entry.kind, entry.material, entry.path, entry.socket = "TEXTURE", material, "Node", "Color"

    assert gather_settings(state) == FitSettings()
    assert state.size == Picture.size
    size = (EnvironmentParameter.width, EnvironmentParameter.height)
    assert tuple(map(int, entry.environment_size.split("x"))) == size
    engine = bpy.context.scene.weft_render
    assert (engine.bounces, engine.transparent_bounces) == (BOUNCES, TRANSPARENT_BOUNCES)
    assert (entry.width, entry.height) == (TEXTURE_SIZE, TEXTURE_SIZE)
    assert request_of(entry).parameter.bounds == texture_request("Clay").parameter.bounds


def test_blenders_command_is_the_engines(extension, tmp_path, capsys):
    from addon.ui.commands import run_command

    assert bpy.context.window_manager.weft_session.command is not None
    assert run_command(["fit-blend", "--help"]) == 0
    assert "--parameter" in capsys.readouterr().out
    missing = ["fit-blend", str(tmp_path / "no.blend"), "--target", "Camera=a.png"]
    wanted = ["--parameter", "A.B", "--out", str(tmp_path / "out.blend")]
    assert run_command([*missing, *wanted]) == 1
    assert "no.blend" in capsys.readouterr().err


@pytest.fixture
def former_file(extension, tmp_path):
    """A file whose scene Studio keeps its settings under the names of the release before."""
    from addon.blender.versions import stored_properties

    bpy.context.scene.name = "Studio"
    state = bpy.context.scene.weft_fit
    state.samples = 7
    stored = stored_properties(state)
    stored["max_draws"], stored["texture_draws"] = 11, 13
    path = str(tmp_path / "former.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return path


def settings_of(state):
    return (state.samples, state.max_iterations, state.texture_iterations)


def test_settings_of_files_of_the_release_before_are_taken_over_once(former_file):
    from addon.ui.fit.gathering import gather_settings

    bpy.ops.wm.open_mainfile(filepath=former_file)
    state = bpy.context.scene.weft_fit
    assert settings_of(state) == (7, 11, 13)
    assert gather_settings(state).texture_iterations == 13

    state.max_iterations = 17
    bpy.ops.wm.save_as_mainfile(filepath=former_file)
    bpy.ops.wm.open_mainfile(filepath=former_file)
    assert settings_of(bpy.context.scene.weft_fit) == (7, 17, 13)


def test_a_scene_of_the_release_before_that_is_appended_has_its_settings(former_file):
    with bpy.data.libraries.load(former_file, link=False) as (_source, wanted):
        wanted.scenes = ["Studio"]

    assert settings_of(bpy.data.scenes["Studio"].weft_fit) == (7, 11, 13)


def test_settings_are_taken_over_where_the_extension_is_enabled_later(former_file, extension):
    extension.unregister()
    bpy.ops.wm.open_mainfile(filepath=former_file)

    extension.register()

    assert settings_of(bpy.context.scene.weft_fit) == (7, 11, 13)


@pytest.mark.parametrize(
    ("old", "new"), [("max_draws", "max_iterations"), ("texture_draws", "texture_iterations")]
)
def test_scripts_may_use_the_names_of_the_release_before_and_are_warned(extension, old, new):
    state = bpy.context.scene.weft_fit

    with pytest.warns(DeprecationWarning, match=f"'{old}' is called '{new}'"):
        setattr(state, old, 5)
    assert getattr(state, new) == 5
    with pytest.warns(DeprecationWarning, match=new):
        assert getattr(state, old) == 5
