# SPDX-License-Identifier: Apache-2.0
"""Whether a scene explains its pictures, as a fit says it at its end."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from support import verdict_cases as cases

SETUP = cases.Setup(width=40)


@pytest.fixture(scope="module")
def photos(device):
    return cases.photos_of(device, SETUP, 128)


def test_a_scene_that_explains_its_picture_is_called_so(device, photos, tmp_path):
    result = cases.fit_of(device, SETUP, cases.targets_of(photos), max_draws=12).run()

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

    verdict = cases.fit_of(device, SETUP, targets, max_draws=12, starts=1).run().verdict

    assert verdict.level == "wrong"
    assert verdict.ratio > 5
    assert "times the noise" in verdict.sentence


def test_a_lamp_that_stands_elsewhere_is_noticed(device):
    moved = cases.photos_of(device, replace(SETUP, lamp=(2.2, -0.75, 3.6)), 128)

    fit = cases.fit_of(device, SETUP, cases.targets_of(moved), max_draws=12, starts=1)

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
    fit.result("draws")

    steps = [one.step().values["ball.base_color"] for one in (fit, other)]

    assert np.array_equal(*steps)
