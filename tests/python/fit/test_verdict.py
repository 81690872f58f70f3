# SPDX-License-Identifier: Apache-2.0
"""Whether a scene explains its pictures, as a fit says it at its end."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from support import verdict_cases as cases
from weft import image
from weft.fit import Target
from weft.render import save_picture

SETUP = cases.Setup(width=40)


@pytest.fixture(scope="module")
def photos(device):
    return cases.photos_of(device, SETUP, 128)


def test_a_scene_that_explains_its_picture_is_called_so(device, photos, tmp_path):
    result = cases.fit_of(device, SETUP, cases.targets_of(photos), max_iterations=12).run()

    verdict = result.verdict
    assert verdict.level == "explained"
    assert verdict.is_good
    assert verdict.views[0].name == "photo 1"
    assert verdict.views[0].camera == "camera 1"
    assert 0.5 < verdict.ratio < 2
    result.save_report(tmp_path, samples=1)
    assert json.loads((tmp_path / "report.json").read_text())["verdict"]["level"] == "explained"


def test_a_picture_three_stops_off_is_not_explained(device, photos):
    targets = cases.targets_of([photo / 8 for photo in photos])

    verdict = cases.fit_of(device, SETUP, targets, max_iterations=12, starts=1).run().verdict

    assert verdict.level == "wrong"
    assert verdict.ratio > 5
    assert "times the noise" in verdict.sentence


def test_a_lamp_that_stands_elsewhere_is_noticed(device):
    moved = cases.photos_of(device, replace(SETUP, light=(2.2, -0.75, 3.6)), 128)

    fit = cases.fit_of(device, SETUP, cases.targets_of(moved), max_iterations=12, starts=1)

    assert fit.run().verdict.level in ("doubtful", "wrong")


def test_a_fit_that_was_cancelled_has_an_open_verdict(device, photos):
    fit = cases.fit_of(device, SETUP, cases.targets_of(photos))
    fit.step()

    verdict = fit.result("cancelled").verdict

    assert verdict.level == "open"
    assert not verdict.is_good
    assert verdict.as_dict()["ratio"] is None


def test_a_look_leaves_the_fit_as_it_is(device, photos):
    fit = cases.fit_of(device, SETUP, cases.targets_of(photos))
    other = cases.fit_of(device, SETUP, cases.targets_of(photos))
    for one in (fit, other):
        one.step()
    fit.result("iterations")

    steps = [one.step().values["ball.base_color"] for one in (fit, other)]

    assert np.array_equal(*steps)


def test_few_wrong_pixels_of_a_robust_target_move_nothing_and_are_named(device, photos):
    rng = np.random.default_rng(0)
    photo = photos[0]
    wrong = rng.random(photo.shape[:2]) < 0.05
    spoilt = np.where(wrong[..., None], rng.random(photo.shape) * 3, photo).astype(np.float32)
    errors = []
    for robust in (False, True):
        targets = [replace(target, robust=robust) for target in cases.targets_of([spoilt])]
        result = cases.fit_of(device, SETUP, targets, max_iterations=24, starts=1).run()
        assert result.verdict.causes[0] == "outliers"
        assert result.verdict.level != "explained"
        errors.append(
            max(
                float(np.abs(result.values[f"ball.{name}"] - SETUP.material[name]).max())
                for name in cases.NAMES
            )
        )

    assert errors[1] < 0.02
    assert errors[1] < errors[0] / 3
    assert "% of the pixels of 'photo 1' are far off" in result.verdict.sentence


def test_swapped_pictures_are_named(device):
    setup = replace(SETUP, views=2)
    targets = cases.targets_of(cases.photos_of(device, setup, 128)[::-1])

    verdict = cases.fit_of(device, setup, targets, max_iterations=10, starts=1).run().verdict

    assert verdict.level == "wrong"
    assert verdict.causes[0] == "swapped"
    assert "are the pictures 'photo 1' and 'photo 2' swapped?" in verdict.sentence
    assert verdict.views[0].cause == "it fits the camera of 'photo 2' better"


@pytest.mark.full
def test_one_bad_picture_of_three_is_named(device):
    setup = replace(SETUP, views=3)
    photos = cases.photos_of(device, setup, 128)
    photos[1] = photos[2]
    targets = [replace(target, robust=True) for target in cases.targets_of(photos)]

    verdict = cases.fit_of(device, setup, targets, max_iterations=16, starts=1).run().verdict

    assert verdict.causes[0] == "picture"
    assert "mostly in 'photo 2'" in verdict.sentence
    assert [view.level == "wrong" for view in verdict.views] == [False, True, False]


def test_misfit_makes_errors_larger(device):
    moved = cases.photos_of(device, replace(SETUP, light=(2.2, -0.75, 3.6)), 128)
    fit = cases.fit_of(device, SETUP, cases.targets_of(moved), max_iterations=12, starts=1)

    result = fit.run()

    ratios = [
        result.errors[name] / result.history[-1].errors[name] for name in result.history[-1].errors
    ]
    assert max(map(np.max, ratios)) == pytest.approx(result.verdict.inflation)
    assert result.verdict.inflation > 1.3


def test_photos_are_robust_unless_told_otherwise(photos, tmp_path):
    for ending, robust, grain in ((".png", True, 1), (".jpg", True, 8), (".exr", False, 1)):
        path = tmp_path / f"photo{ending}"
        if ending == ".exr":
            image.write(path, photos[0], encoding="linear")
        else:
            save_picture(path, photos[0], exposure=-1.0)

        target = Target.from_file(path)

        assert (target.robust, target.grain) == (robust, grain)
        assert not Target.from_file(path, robust=False).robust


def test_steps_of_a_file_are_known(photos, tmp_path):
    save_picture(tmp_path / "photo.png", photos[0], exposure=-1.0)

    target = Target.from_file(tmp_path / "photo.png", exposure=-1.0)

    shown = target.mask > 0
    off = (target.image - photos[0])[shown]
    assert target.rounding is not None
    assert np.sqrt(np.mean(np.square(off / target.rounding[shown]))) == pytest.approx(1, abs=0.1)
