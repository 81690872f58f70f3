# SPDX-License-Identifier: Apache-2.0
"""The command `weft fit` and its jobs."""

import json
import re
import signal

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad
from weft import cli_fit, image
from weft.cli import main
from weft.fit import Exposure
from weft.fit.job import load_job
from weft.fit.job_file import TABLES, find_line
from weft.render import PathSettings, save_picture
from weft.scene import Camera, Closure, Environment, Material, Mesh, Scene, Texture

pytest.importorskip("OpenImageIO")

SIZE = 16
TRUTH = (0.8, 0.3, 0.1)
JOB = """
scene = "scene.weft"

[settings]
bounces = 1
max_iterations = 6
tolerance = 0.02

[[targets]]
image = "pictures/photo.png"
camera = "top"

[[parameters]]
name = "plate.color"
start = [0.2, 0.2, 0.2]

[report]
samples = 4
"""


def scene_with(color):
    place = np.column_stack([np.eye(3), [0, 0, 3]])
    camera = Camera(SIZE, SIZE, "orthographic", scale=1.5, name="top", transform=place)
    mesh = quad()
    return Scene(
        [placed(mesh, lambert(color, "plate"), name="plate")],
        cameras=[camera],
        environment=Environment(np.ones(3)),
    )


@pytest.fixture(scope="module")
def photo(device):
    renderer = weft.Renderer(device, scene_with(TRUTH))
    return renderer.render(settings=PathSettings(samples=64, bounces=1))


@pytest.fixture
def folder(tmp_path, photo):
    (tmp_path / "pictures").mkdir()
    save_picture(tmp_path / "pictures" / "photo.png", photo)
    scene_with((0.5, 0.5, 0.5)).save(tmp_path / "scene.weft")
    return tmp_path


def run(folder, text, *options):
    (folder / "job.toml").write_text(text, encoding="utf-8")
    return main(["fit", str(folder / "job.toml"), "--out", str(folder / "out"), *options])


def test_targets_of_a_job_have_lights_of_their_own(folder):
    image.write(folder / "night.exr", np.full((2, 4, 3), 0.25, np.float32), encoding="linear")
    own = """camera = "top"
name = "night"
lights = [{kind = "point", space = "camera", position = [0, 0, -1], power = 4.0, name = "flash"}]
world = {image = "night.exr", strength = 2.0, name = "dusk"}
"""
    (folder / "job.toml").write_text(JOB.replace('camera = "top"\n', own), encoding="utf-8")

    target = load_job(folder / "job.toml").targets[0]

    assert target.lights[0].name == "flash"
    np.testing.assert_allclose(target.lights[0].position, [0, 0, 2])
    assert target.world.name == "dusk"
    assert target.world.strength == 2.0
    assert target.world.image.shape == (2, 4, 3)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ("lights = 3", "'lights' must be a list of names and of tables with 'kind', got 3"),
        ('lights = [{kind = "moon"}]', "needs kind, one of point, spot, sun, area, got 'moon'"),
        ('lights = [{kind = "sun", power = 3}]', "a light of kind 'sun' has no key 'power'"),
        ('lights = [{kind = "sun"}]', "a light of kind 'sun' cannot be made"),
        ('lights = [{kind = "sun", space = "sun"}]', "space must be 'world' or 'camera'"),
        ("world = true", "'world' must be false, the name of an image file"),
        ("world = {strength = 2}", "world needs image"),
        ('world = {image = "x.exr", color = 1}', "world has no key 'color'"),
    ],
)
def test_wrong_lights_of_a_job_are_refused(folder, own, words):
    text = JOB.replace('camera = "top"\n', f'camera = "top"\n{own}\n')
    (folder / "job.toml").write_text(text, encoding="utf-8")

    with pytest.raises(weft.ArgumentError, match=re.escape(words)):
        load_job(folder / "job.toml")


def test_a_job_is_fitted_and_reported(folder, capsys):
    code = run(folder, JOB)

    printed = capsys.readouterr()
    report = json.loads((folder / "out" / "report.json").read_text())
    assert code == 0
    assert np.allclose(report["parameters"]["plate.color"]["value"], TRUTH, atol=0.03)
    assert report["parameters"]["plate.color"]["start"] == pytest.approx([0.2] * 3)
    assert re.search(r"plate\.color  0\.\d+ ± 0\.\d+, ", printed.out)
    assert printed.out.rstrip().endswith("report.json")
    assert re.search(r"\[#*\.*\] iteration 1  loss", printed.err)
    assert re.search(r"\[#+\.*\] iteration 2  loss .*s left", printed.err)
    assert (folder / "out" / "target_photo.png").exists()


def test_json_is_one_object_on_the_output(folder, capsys):
    code = run(folder, JOB, "--json", "--quiet", "--seed", "7", "--time-limit", "0")

    printed = capsys.readouterr()
    result = json.loads(printed.out)
    stored = json.loads((folder / "out" / "report.json").read_text())
    assert code == 0
    assert printed.err == ""
    assert (result["reason"], result["draws"]) == ("time", 1)
    assert result["parameters"] == stored["parameters"]
    assert (stored["settings"]["seed"], stored["settings"]["time_limit"]) == (7, 0)
    assert result["report"] == str(folder / "out" / "report.json")


def test_names_of_the_release_before_are_read_and_warn(folder):
    (folder / "job.toml").write_text(JOB.replace("max_iterations", "max_draws"))
    with pytest.warns(DeprecationWarning, match="max_iterations"):
        job = load_job(folder / "job.toml")
    assert job.settings.max_iterations == 6

    (folder / "job.toml").write_text(JOB.replace("[settings]", "[settings]\nmax_draws = 3"))
    with pytest.raises(weft.ArgumentError, match=r"job\.toml:5: 'max_draws' is what"):
        load_job(folder / "job.toml")


def test_a_texture_gets_the_resolution_of_the_job(folder, capsys):
    text = re.sub(r"\[\[parameters\]\].*?\n\n", "", JOB, flags=re.DOTALL) + (
        '[[textures]]\nname = "plate.color"\nresolution = [6, 4]\nstart = 0.4\nwrap = "extend"\n'
    )
    text = text.replace("max_iterations = 6", "texture_iterations = 24")

    code = run(folder, text, "--quiet")

    report = json.loads((folder / "out" / "report.json").read_text())
    texture = report["textures"]["plate.color"]
    assert code == 0
    assert (texture["width"], texture["height"], texture["channels"]) == (6, 4, 3)
    found = weft.image.read(folder / "out" / texture["file"], encoding="linear")
    assert np.allclose(found.mean((0, 1)), TRUTH, atol=0.06)


def interrupting(presses):
    def report_progress(fit):
        def draw(progress):
            for _ in range(presses):
                signal.raise_signal(signal.SIGINT)

        return draw

    return report_progress


def test_an_interrupt_keeps_the_best_so_far(folder, monkeypatch, capsys):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(cli_fit, "report_progress", interrupting(1))

    code = run(folder, JOB)

    report = json.loads((folder / "out" / "report.json").read_text())
    assert code == 130
    assert (report["reason"], report["draws"]) == ("cancelled", 1)
    assert "cancelled after 1 iterations" in capsys.readouterr().out
    assert signal.getsignal(signal.SIGINT) is before


def test_a_fit_goes_on_from_its_checkpoint(folder, monkeypatch, capsys):
    monkeypatch.setattr(cli_fit, "report_progress", interrupting(1))
    checkpoint = ("--checkpoint", str(folder / "kept" / "fit.npz"))
    assert run(folder, JOB, *checkpoint) == 130
    monkeypatch.setattr(cli_fit, "report_progress", interrupting(0))

    code = run(folder, JOB, *checkpoint)
    draws = json.loads((folder / "out" / "report.json").read_text())["draws"]
    again = run(folder, JOB, *checkpoint)

    report = json.loads((folder / "out" / "report.json").read_text())
    assert code == again == 0
    assert draws == report["draws"] > 1
    assert len(report["history"]) == draws
    capsys.readouterr()
    assert run(folder, JOB, *checkpoint, "--seed", "5") == 1
    assert "belongs to another fit" in capsys.readouterr().err


def test_a_second_interrupt_ends_the_command(folder, monkeypatch, capsys):
    monkeypatch.setattr(cli_fit, "report_progress", interrupting(2))

    assert run(folder, JOB) == 130

    assert "interrupted" in capsys.readouterr().err
    assert not (folder / "out" / "report.json").exists()


def test_paths_of_a_job_are_relative_to_it(folder, monkeypatch):
    (folder / "elsewhere").mkdir()
    monkeypatch.chdir(folder / "elsewhere")
    (folder / "job.toml").write_text(JOB)

    job = load_job("../job.toml")

    assert job.targets[0].name == "photo"
    assert job.report_samples == 4
    assert job.parameters[0].start == (0.2, 0.2, 0.2)


def test_a_job_may_have_priors(folder):
    text = JOB.replace("start = [0.2, 0.2, 0.2]", "prior = [[0.7, 0.3, 0.1], 0.2]")
    (folder / "job.toml").write_text(text)

    assert load_job(folder / "job.toml").parameters[0].prior == ([0.7, 0.3, 0.1], 0.2)

    (folder / "job.toml").write_text(text.replace(", 0.2]", "]"))
    with pytest.raises(weft.ArgumentError, match=r"job.toml:15: 'prior' must be \[mean, stand"):
        load_job(folder / "job.toml")


def test_a_job_may_leave_exposures_open(folder):
    (folder / "job.toml").write_text(JOB + '[[exposures]]\ntarget = "photo"\nstart = 2.0\n')
    assert load_job(folder / "job.toml").parameters[1] == Exposure("photo", start=2.0)

    (folder / "job.toml").write_text(JOB + "[[exposures]]\nbounds = [2.0, 1.0]\n")
    with pytest.raises(weft.ArgumentError, match=r"job.toml:19: Exposure: bounds must be"):
        load_job(folder / "job.toml")


def test_a_picture_is_resized_where_the_job_says_so(folder):
    save_picture(folder / "pictures" / "photo.png", np.full((48, 48, 3), 0.25, np.float32))
    (folder / "job.toml").write_text(JOB.replace('"top"', '"top"\nresize = true'))

    (target,) = load_job(folder / "job.toml").targets

    assert target.image.shape == (16, 16, 3)
    assert np.allclose(target.image, 0.25, atol=0.01)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("bounces = 1", "bounce = 1", "job.toml:5: there is no key 'bounce' in [settings]; it has"),
        ("bounces = 1", 'bounces = "1"', "job.toml:5: 'bounces' must be an integer, got '1'"),
        ("bounces = 1", "bounces = true", "job.toml:5: 'bounces' must be an integer, got True"),
        ("bounces = 1", "bounces = 0", "job.toml:4: FitSettings: bounces must be"),
        ("bounces = 1", "bounces = = 1", "job.toml:5:11: invalid TOML: Invalid value"),
        ("start = [0.2, 0.2, 0.2]", "bounds = [1]", "job.toml:15: 'bounds' must be two numbers"),
        ("start = [0.2, 0.2, 0.2]", "begin = 1", "job.toml:15: there is no key 'begin' in [[par"),
        ('name = "plate.color"\n', "", "job.toml:13: the key 'name' is missing in [[parameters]]"),
        ("[report]", "[reports]", "job.toml:17: there is no key 'reports'; a job has scene, set"),
        ("[report]", "[[report]]", "job.toml:17: 'report' must be a table, written [report]"),
        ("[[targets]]", "[targets]", "job.toml:9: 'targets' must be a table, written [[targets]]"),
        ('scene = "scene.weft"', "", "job.toml: the key 'scene' is missing"),
        ('scene = "scene.weft"', "scene = 3", "job.toml:2: 'scene' must be a string, got 3"),
        ("scene.weft", "absent.weft", "there is no file"),
        ("photo.png", "absent.png", "there is no file"),
        ('"top"', '"side"', "no camera 'side'"),
        ('"plate.color"', '"plate.colour"', "no parameter 'plate.colour'"),
        ('"top"', '"top"\nmask_from = "cup"', "the scene has no object 'cup'"),
    ],
)
def test_a_wrong_job_is_told_with_its_line(folder, capsys, old, new, words):
    assert old in JOB

    code = run(folder, JOB.replace(old, new), "--quiet")

    error = capsys.readouterr().err
    assert code == 1
    assert words in error
    assert error.count("\n") == 1
    assert "InternalError" not in error


TEXTURE = '[[textures]]\nname = "plate.color"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TEXTURE, "give resolution = [width, height]"),
        (TEXTURE + "resolution = [0, 4]", "at least 1 x 1"),
        (TEXTURE + "resolution = [4, 4]\nstart = [1.0, 0.5]", "start must be 3 numbers"),
        (TEXTURE.replace("color", "hue"), "no input 'plate.hue'; there are plate.color"),
        (TEXTURE + 'resolution = [4, 4]\nwrap = "fold"', "wrap must be one of"),
    ],
)
def test_a_wrong_texture_is_told(folder, text, words):
    (folder / "job.toml").write_text(JOB + text)

    with pytest.raises(weft.ArgumentError, match=re.escape(words)):
        load_job(folder / "job.toml")


def test_a_texture_needs_coordinates_on_its_objects(folder):
    bare = Mesh(np.eye(3), [[0, 1, 2]], name="bare")
    scene = scene_with((0.5, 0.5, 0.5))
    scene.objects.append(placed(bare, scene.materials()[0], name="shard"))
    scene.save(folder / "scene.weft")
    (folder / "job.toml").write_text(JOB + TEXTURE + "resolution = [4, 4]")

    with pytest.raises(weft.ArgumentError, match="'shard' has material 'plate' and no UV set"):
        load_job(folder / "job.toml")


def test_a_texture_of_the_scene_is_resampled(folder):
    ramp = np.broadcast_to(np.linspace(0, 1, 8)[None, :, None], (8, 8, 3))
    scene_with(Texture(ramp, wrap="mirror")).save(folder / "scene.weft")
    (folder / "job.toml").write_text(JOB + TEXTURE + "resolution = [4, 4]")

    value = load_job(folder / "job.toml").scene.materials()[0].surface.inputs["color"]

    assert (value.wrap, value.pixels.shape) == ("mirror", (4, 4, 3))
    assert np.allclose(value.pixels[0, :, 0], (np.arange(4) * 2 + 0.5) / 7, atol=1e-6)


def test_a_job_without_anything_to_find_is_refused(folder):
    (folder / "job.toml").write_text(JOB.split("[[parameters]]")[0])

    with pytest.raises(weft.ArgumentError, match="neither"):
        load_job(folder / "job.toml")


def test_files_that_are_no_job_are_refused(folder):
    (folder / "job.toml").write_bytes(b"scene = '\xff\xfe'")
    with pytest.raises(weft.ArgumentError, match="no text in UTF-8"):
        load_job(folder / "job.toml")
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load_job(folder / "absent.toml")


def test_the_folder_is_tried_before_the_work(folder, capsys):
    (folder / "out").write_text("")

    assert run(folder, JOB) == 1

    assert "cannot be made" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [(["--device", "cuda:one"], "TYPE or TYPE:NUMBER"), (["--device", "abacus"], "abacus")],
)
def test_a_device_that_is_not_there_is_told(folder, capsys, options, words):
    assert run(folder, JOB, *options) == 1

    assert words in capsys.readouterr().err


def test_wrong_arguments_exit_with_2():
    with pytest.raises(SystemExit) as caught:
        main(["fit", "job.toml"])

    assert caught.value.code == 2


def test_lines_are_those_of_the_right_table():
    text = 'a = 1\n[[t]] # first\nname = "[u]"\n\n[[t]]\n"name" = 2\n[u]\nname = 3\n'

    assert find_line(text, "t", 0, "name") == 3
    assert find_line(text, "t", 1, "name") == 6
    assert find_line(text, "u", 0, "name") == 8
    assert find_line(text, "t", 1, None) == 5
    assert find_line(text, "", 0, "a") == 1
    assert find_line(text, "t", 1, "absent") == 5
    assert find_line(text, "v", 0, "name") is None


def test_every_key_of_a_job_is_of_a_known_kind():
    from weft.fit.job_file import ANYTHING

    unknown = [
        f"{name}.{key}"
        for name, table in TABLES.items()
        for key, kind in table.keys.items()
        if kind is ANYTHING
    ]

    assert unknown == []


def test_an_input_driven_by_a_function_keeps_it(folder):
    from weft.scene import SlangCall

    scene = scene_with((0.5, 0.5, 0.5))
    call = SlangCall("one", "[Differentiable] float3 one() { return float3(1.f); }", size=3)
    scene.objects[0].materials = [Material("plate", Closure("diffuse", color=call))]
    scene.save(folder / "scene.weft")
    (folder / "job.toml").write_text(JOB + TEXTURE + "resolution = [4, 4]")

    with pytest.raises(weft.ArgumentError, match="driven by a SlangCall"):
        load_job(folder / "job.toml")
