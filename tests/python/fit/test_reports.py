# SPDX-License-Identifier: Apache-2.0
"""Reports of fits, and scenes with what was found."""

import json
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad
from weft import image
from weft.fit import Exposure, Fit, FitSettings, Parameter, Target, TextureParameter
from weft.fit.comparison import choose_exposure, color_map, compare
from weft.fit.lettering import atlas_lettering
from weft.fit.loss_curve import (
    BLUE,
    FLOOR_LABEL,
    LOSS_LABEL,
    ORANGE,
    TOP,
    LossCurve,
    draw,
    figure_files,
    plot,
)
from weft.fit.report import file_name
from weft.render import PathSettings
from weft.scene import Camera, Environment, Scene, Texture

pytest.importorskip("OpenImageIO")

SIZE = 16


def scene_with(left, right):
    """Two diffuse plates side by side; `left` is a texture, `right` a colour."""
    camera = Camera(
        SIZE, SIZE, "orthographic", scale=4, name="top",
        transform=np.column_stack([np.eye(3), [0, 0, 3]]),
    )  # fmt: skip
    return Scene(
        [
            placed(quad(), lambert(left, "left"), move=(-1, 0, 0)),
            placed(quad(), lambert(right, "right"), move=(1, 0, 0)),
            placed(quad(), lambert((0.4, 0.4, 0.4), "other"), move=(1, 0, -1)),
        ],
        cameras=[camera],
        environment=Environment(np.ones(3)),
    )


def grey():
    return Texture(np.full((4, 4, 3), 0.5, np.float32), wrap="extend")


TRUTH = (0.8, 0.3, 0.1)


@pytest.fixture(scope="module")
def photo(device):
    pattern = np.linspace(0.2, 0.8, 48).reshape(4, 4, 3)
    scene = scene_with(Texture(pattern, wrap="extend"), TRUTH)
    return weft.Renderer(device, scene).render(settings=PathSettings(samples=256, bounces=1))


@pytest.fixture(scope="module")
def numbers(device, photo):
    parameter = Parameter("right.color", tied=["other.color"], start=[0.2, 0.2, 0.2])
    mask = np.ones((SIZE, SIZE))
    mask[:, : SIZE // 2] = 0
    target = Target(photo, camera="top", mask=mask, name="from above")
    settings = FitSettings(bounces=1, max_iterations=6, tolerance=0.02)
    return Fit(scene_with(grey(), (0.5,) * 3), [target], [parameter], settings, device=device).run()


def test_a_scene_with_the_result_has_its_values_and_ties(numbers):
    fitted = numbers.apply()

    colors = {entry.name: entry.surface.inputs["color"] for entry in fitted.materials()}
    assert np.allclose(colors["right"], TRUTH, atol=0.03)
    assert colors["other"] == colors["right"]
    assert isinstance(colors["left"], Texture)


def test_a_report_holds_numbers_pictures_and_the_scene(numbers, tmp_path):
    folder = tmp_path / "deep" / "report"

    report = numbers.save_report(folder, samples=16)

    stored = json.loads((folder / "report.json").read_text())
    assert stored == json.loads(json.dumps(report))
    entry = stored["parameters"]["right.color"]
    assert np.allclose(entry["value"], TRUTH, atol=0.03)
    assert (np.array(entry["error"]) < 0.05).all()
    assert entry["start"] == pytest.approx([0.2] * 3)
    assert entry["tied"] == ["other.color"]
    assert stored["reason"] == numbers.reason
    assert stored["draws"] == len(stored["history"]) == len(numbers.history)
    assert stored["settings"]["max_iterations"] == 6
    (target,) = stored["targets"]
    assert target["counted_pixels"] == SIZE * SIZE // 2
    assert target["relative_error_after"] < 0.1 < target["relative_error_before"]
    assert Scene.load(folder / stored["scene"]).hash() == numbers.apply().hash()
    files = {path.name for path in folder.iterdir()}
    assert files - {"loss.svg"} == {
        "report.json", "loss.png", "scene.weft", "target_from_above.png"
    }  # fmt: skip
    assert ("loss.svg" in files) == (stored["left_out"] == [])


def test_a_report_without_matplotlib_has_a_plain_curve_and_says_so(numbers, tmp_path, monkeypatch):
    for name in [*sys.modules]:
        if name.partition(".")[0] == "matplotlib":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    (tmp_path / "loss.svg").write_text("of an earlier report")

    report = numbers.save_report(tmp_path, samples=1)

    (line,) = report["left_out"]
    assert "loss.svg" in line
    assert "pip install 'weft[plot]'" in line
    assert not (tmp_path / "loss.svg").exists()
    assert image.read(tmp_path / report["loss_curve"], encoding="srgb").shape == (400, 640, 3)


def test_a_report_without_any_text_says_so(numbers, tmp_path, monkeypatch):
    monkeypatch.setattr("weft.fit.report.own_lettering", lambda: None)
    monkeypatch.setattr("weft.fit.comparison.own_lettering", lambda: None)

    report = numbers.save_report(tmp_path, samples=1)

    assert any("draws no text" in line for line in report["left_out"])
    (target,) = report["targets"]
    assert [caption.split(":")[0] for caption in target["captions"][:3]] == [
        "before", "after", "target"
    ]  # fmt: skip
    shown = image.read(tmp_path / target["picture"], encoding="srgb")
    assert shown.shape[0] * 4 + 3 * 4 == shown.shape[1]  # no strip above the square panels


def test_a_report_begins_where_an_earlier_fit_did(numbers, tmp_path):
    own = numbers.save_report(tmp_path / "own", samples=16)
    found = replace(numbers, start={"right.color": np.array([0.8, 0.3, 0.1])})

    report = found.save_report(tmp_path / "earlier", samples=16)

    assert report["parameters"]["right.color"]["start"] == pytest.approx([0.8, 0.3, 0.1])
    before = [entry["targets"][0]["relative_error_before"] for entry in (own, report)]
    assert before[1] < 0.2 * before[0]


def test_the_picture_of_a_target_has_four_panels(numbers, tmp_path):
    report = numbers.save_report(tmp_path, samples=16)

    shown = image.read(tmp_path / report["targets"][0]["picture"], encoding="srgb")

    width = (shown.shape[1] - 3 * 4) // 4
    height = width
    panels = [shown[-height:, k * (width + 4) :][:, :width] for k in range(4)]
    before, after, target, _ = (panel[:, 3 * width // 4 :].mean((0, 1)) for panel in panels)
    assert np.allclose(after, target, atol=0.03)
    assert before[0] < target[0] - 0.2
    left_out = panels[2][:, : width // 2 - 10]
    assert np.ptp(left_out) < 0.01


def test_a_report_of_textures_holds_them(device, photo, tmp_path):
    settings = FitSettings(bounces=1, texture_iterations=16)
    fit = Fit(
        scene_with(grey(), TRUTH),
        [Target(photo)],
        [TextureParameter("left.color", smoothness=0.01)],
        settings,
        device=device,
    )
    result = fit.run()

    report = result.save_report(tmp_path)

    stored = report["textures"]["left.color"]
    pixels = image.read(tmp_path / stored["file"], encoding="linear")
    assert np.allclose(pixels, result.textures["left.color"].pixels)
    loaded = Scene.load(tmp_path / "scene.weft").materials()[0].surface.inputs["color"]
    assert np.allclose(loaded.pixels, pixels)
    assert (
        report["targets"][0]["relative_error_after"]
        < 0.5 * (report["targets"][0]["relative_error_before"])
    )


def test_a_picture_of_unknown_exposure_is_compared_at_its_own(device, photo, tmp_path):
    fit = Fit(
        scene_with(grey(), (0.5,) * 3),
        [Target(photo * 1.5, name="bright"), Target(photo, name="plain")],
        [Parameter("right.color"), Exposure("bright", start=0.8)],
        FitSettings(bounces=1, max_iterations=8, tolerance=0.02),
        device=device,
    )
    result = fit.run()

    report = result.save_report(tmp_path)

    assert report["parameters"]["bright.exposure"]["value"] == pytest.approx([1.5], abs=0.05)
    assert report["parameters"]["bright.exposure"]["start"] == [0.8]
    bright, plain = report["targets"]
    assert bright["relative_error_after"] == pytest.approx(plain["relative_error_after"], abs=0.02)
    assert bright["relative_error_before"] > plain["relative_error_before"] + 0.2


def test_a_report_replaces_an_earlier_one(numbers, tmp_path):
    (tmp_path / "report.json").write_text("old")

    numbers.save_report(tmp_path, samples=1)

    assert json.loads((tmp_path / "report.json").read_text())["weft"] == "fit report"


def test_wrong_places_and_samples_are_refused(numbers, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(weft.ArgumentError, match="is a file; name a folder"):
        numbers.save_report(tmp_path / "file")
    with pytest.raises(weft.ArgumentError, match="samples must be at least 1"):
        numbers.save_report(tmp_path / "new", samples=0)
    assert not (tmp_path / "new").exists()


def test_one_exposure_serves_dark_and_bright_targets():
    def target(value):
        return Target(np.full((4, 4, 3), value, np.float32))

    assert choose_exposure(target(0.5)) == 0.0
    assert choose_exposure(target(0.05)) == 4.0
    assert choose_exposure(target(40.0)) == -5.5
    night = np.zeros((16, 16, 3), np.float32)
    night[3, 4] = 2.0
    assert choose_exposure(Target(night)) == 0.0


def test_differences_are_shown_on_the_scale_that_is_told():
    flat = np.full((4, 4, 3), 0.5, np.float32)
    after = flat.copy()
    after[0, 0, 2] += 0.2

    shown = compare(Target(flat), flat * 0.5, after)

    assert shown.difference_scale == pytest.approx(0.2, rel=0.1)
    assert shown.errors == pytest.approx((0.5, 0.2 / 0.5 / np.sqrt(48)))
    width = (shown.pixels.shape[1] - 12) // 4
    difference = shown.pixels[-width:, -width:]
    assert difference[10, 10].sum() > 2 > 0.6 > difference[-10, -10].sum()


def test_lightness_of_the_difference_colours_grows_evenly():
    colors = color_map(np.linspace(0, 1, 65)).astype(np.float64)
    to_lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lightness = np.cbrt(colors @ to_lms.T) @ [0.2104542553, 0.7936177850, -0.0040720468]

    assert np.allclose(np.diff(lightness), 0.8 / 64, atol=0.006)


def test_a_plain_loss_curve_falls_to_the_right_and_survives_odd_numbers():
    drawn = draw(LossCurve.from_losses([1e-1, 1e-2, 1e-3]))[TOP:]

    blue = drawn[..., 2] - drawn[..., 0] > 0.3
    rows = [np.argwhere(blue[:, column]).mean() for column in np.flatnonzero(blue.any(axis=0))]
    assert len(rows) > 200
    assert (np.diff(rows) > -2).all()
    assert rows[-1] - rows[0] > 150
    for losses in ODD_LOSSES:
        assert np.isfinite(draw(LossCurve.from_losses(losses))).all()


ODD_LOSSES = ([], [np.inf], [-1.0, 0.0], [1e-30, 1e30], [np.nan, 1.0])


def curve_with_phases():
    entries = [Entry(10.0**-k, k + 1.0, 2e-3, "scalars" if k < 2 else "textures") for k in range(4)]
    return LossCurve.from_history(entries)


class Entry(NamedTuple):
    loss: float
    seconds: float
    noise_floor: float
    phase: str


def test_a_history_says_its_noise_floor_and_phases():
    curve = curve_with_phases()

    assert curve.spans() == [("scalars", 1.0, 2.0), ("textures", 3.0, 4.0)]
    assert (curve.noise_floor == 2e-3).all()
    assert curve.seconds == 4.0
    assert curve.levels() == (-3, 1)
    unknown = LossCurve.from_history([Entry(1.0, 1.0, np.inf, "")])
    assert np.isnan(unknown.noise_floor).all()
    assert unknown.spans() == []


def test_a_plain_loss_curve_has_the_noise_floor():
    drawn = draw(curve_with_phases())[TOP:]

    orange = drawn[..., 0] - drawn[..., 2] > 0.3
    assert np.ptp(np.argwhere(orange.any(axis=1))) < 4
    assert orange.any(axis=0).sum() > 300


def test_a_plain_loss_curve_names_its_lines_in_their_colours():
    written = []

    def lettering(text, height):
        written.append(text)
        return np.ones((height, 8 * len(text)), np.float32)

    drawn = draw(curve_with_phases(), lettering=lettering)

    assert {LOSS_LABEL, FLOOR_LABEL} <= set(written)
    first, last = drawn[TOP // 2, 80], drawn[TOP // 2, -30]
    assert first == pytest.approx(BLUE)
    assert last == pytest.approx(ORANGE)
    written.clear()
    draw(LossCurve.from_losses([1.0, 0.1]), lettering=lettering)
    assert FLOOR_LABEL not in written


def test_a_figure_names_its_axes_phases_and_noise_floor():
    pytest.importorskip("matplotlib")

    figure = plot(curve_with_phases())

    (axes,) = figure.axes
    assert axes.get_xlabel() == "iteration"
    assert "residuals" in axes.get_ylabel()
    assert axes.get_yscale() == "log"
    assert [text.get_text() for text in axes.texts] == ["scalars", "textures"]
    assert [line.get_label() for line in axes.get_lines()] == ["loss", "noise floor"]
    assert axes.get_lines()[0].get_ydata().tolist() == [1.0, 0.1, 0.01, 0.001]


def test_a_figure_marks_losses_that_noise_made_negative():
    pytest.importorskip("matplotlib")

    (axes,) = plot(LossCurve.from_losses([1e-1, -1e-3, 1e-2])).axes

    (below,) = [line for line in axes.get_lines() if "noise" in line.get_label()]
    assert below.get_xdata().tolist() == [2.0]


def test_figures_are_files_and_survive_odd_numbers():
    pytest.importorskip("matplotlib")
    for losses in ODD_LOSSES:
        png, svg = figure_files(plot(LossCurve.from_losses(losses)))

        assert png.startswith(b"\x89PNG")
        assert ET.fromstring(svg).tag.endswith("svg")


def test_text_of_glyphs_is_as_wide_as_they_are():
    glyphs = {"n": np.ones((8, 5), np.float32), "i": np.ones((8, 2), np.float32)}

    letters = atlas_lettering(glyphs)

    assert letters("nin", 8).shape == (8, 12)
    assert letters("nin", 16).shape == (16, 24)
    assert letters("n?n", 8)[:, 5:10].max() < 1e-5


def test_names_of_files_differ_and_are_plain():
    taken = set()

    names = [file_name(name, taken) for name in ("a/b", "a b", "A_b", "../..", "")]

    assert names == ["a_b", "a_b_2", "A_b_3", "unnamed", "unnamed_2"]
