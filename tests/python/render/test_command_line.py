# SPDX-License-Identifier: Apache-2.0
"""The command `weft render`."""

import json
import subprocess
import sys

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad, top_camera
from weft.cli import main
from weft.render import PathSettings
from weft.scene import Environment, Scene

pytest.importorskip("OpenImageIO")


def simple_scene():
    return Scene(
        [placed(quad(4), lambert())],
        cameras=[top_camera(8, name="top"), top_camera(4, name="small")],
        environment=Environment(np.ones(3)),
    )


@pytest.fixture
def stored(tmp_path):
    simple_scene().save(tmp_path / "scene.weft")
    return str(tmp_path / "scene.weft")


def test_render_writes_the_picture_and_its_layers(device, stored, tmp_path, capsys):
    out = tmp_path / "a.exr"
    options = ["--spp", "4", "--bounces", "2", "--seed", "3", "--aov", "depth", "--json", "--quiet"]

    code = main(["render", stored, "-o", str(out), *options])

    report = json.loads(capsys.readouterr().out)
    assert code == 0
    assert report["scene_hash"] == simple_scene().hash()
    assert (report["width"], report["height"], report["samples"]) == (8, 8, 4)
    stored_picture = weft.image.read(out, encoding="linear")
    expected = weft.Renderer(device, simple_scene()).render(
        settings=PathSettings(samples=4, bounces=2, seed=3)
    )
    assert np.allclose(stored_picture[..., :3], expected, atol=1e-6)
    assert stored_picture.shape[2] == 4


def test_a_camera_is_chosen_by_name_and_progress_goes_to_the_error_stream(stored, tmp_path, capsys):
    out = tmp_path / "a.png"

    code = main(["render", stored, "-o", str(out), "--camera", "small", "--spp", "1"])

    printed = capsys.readouterr()
    assert code == 0
    assert weft.image.read(out, encoding="srgb").shape == (4, 4, 3)
    assert "100 %" in printed.err
    assert "4 x 4" in printed.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["render", "absent.weft", "-o", "a.exr"], "there is no file 'absent.weft'"),
        (["render", "{scene}", "-o", "a.exr", "--camera", "side"], "no camera 'side'"),
        (["render", "{scene}", "-o", "a.exr", "--spp", "0"], "samples must be at least 1"),
        (["render", "{scene}", "-o", "a.exr", "--aov", "mist", "--quiet"], "no AOV 'mist'"),
    ],
)
def test_failures_are_told_in_one_line_with_exit_code_1(stored, capsys, arguments, words):
    code = main([argument.format(scene=stored) for argument in arguments])

    error = capsys.readouterr().err
    assert code == 1
    assert words in error
    assert error.count("\n") == 1


def test_a_failure_is_json_too(capsys):
    assert main(["render", "absent.weft", "-o", "a.exr", "--json"]) == 1

    assert json.loads(capsys.readouterr().out)["error"] == "ArgumentNotFoundError"


def test_wrong_arguments_exit_with_2():
    with pytest.raises(SystemExit) as caught:
        main(["render"])

    assert caught.value.code == 2


def test_python_m_weft_is_the_command():
    result = subprocess.run(
        [sys.executable, "-m", "weft", "render", "--help"],
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert result.returncode == 0
    assert "--bounces" in result.stdout
