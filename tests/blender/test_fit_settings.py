# SPDX-License-Identifier: Apache-2.0
"""The panel's settings begin as those of scripts; the engine's command line is Blender's, too."""

from __future__ import annotations

import bpy


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
