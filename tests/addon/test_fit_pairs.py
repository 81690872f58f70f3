# SPDX-License-Identifier: Apache-2.0
"""Photos beside the scene as a running fit has it: small pictures that do not touch the fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from addon.core.fitting.run import FitRun

from support.fit_plans import plan_of, request
from weft.fit import Fit
from weft.fit.pairs import LIVE_PIXELS, live_pairs, make_pair
from weft.render import PathSettings, Renderer

ASKED = {
    "numbers": ["Plate.Roughness", "Plate.Base Color"],
    "textures": ["texture:Plate.Base Color@4"],
    "both": ["texture:Plate.Base Color@4", "Plate.Roughness"],
    "environment": ["environment@8x4"],
}


def fit_of(device, names, size=12):
    plan = plan_of(request(*names, size=size), size=size)
    settings = replace(
        plan.settings, bounces=2, samples=2, max_iterations=6, texture_iterations=6, tolerance=1e-9
    )
    return Fit(plan.scene, plan.targets, plan.parameters, settings, device=device)


@pytest.mark.full
@pytest.mark.parametrize("kind", ASKED)
def test_a_fit_goes_on_as_if_nobody_had_looked(device, kind):
    ends = []
    for looks in (False, True):
        fit = fit_of(device, ASKED[kind])
        for number in range(5):
            fit.step()
            if looks:
                live_pairs(fit, number)
        values = dict(fit.stage.values()) | {
            name: entry.pixels for name, entry in fit.stage.textures().items()
        }
        ends.append(values)

    plain, looked = ends
    assert plain
    for name, value in plain.items():
        # Devices add gradients of texels in any order.
        assert looked[name] == pytest.approx(value, rel=1e-3, abs=1e-4), name


def test_a_pair_shows_the_scene_with_the_values_of_the_fit(device):
    fit = fit_of(device, ["Plate.Base Color"])
    for _ in range(3):
        fit.step()

    (pair,) = live_pairs(fit, 1).values()

    scene = fit.result("iterations").apply()
    target = fit.targets[0]
    settings = PathSettings(samples=512, bounces=2, filter=target.filter)
    picture = Renderer(device, scene).render(0, settings)
    assert pair.photo.shape == pair.render.shape == pair.difference.shape == (12, 12, 3)
    whole = make_pair(target, picture.astype(np.float32))
    error = np.sqrt(np.mean((picture - target.image) ** 2) / np.mean(target.image**2))
    assert whole.error == pytest.approx(error, rel=1e-5)
    assert pair.error is None
    assert np.abs(pair.render - whole.render).mean() < 0.05
    assert live_pairs(fit, 1)[target.name].render == pytest.approx(pair.render)
    assert not np.array_equal(live_pairs(fit, 2)[target.name].render, pair.render)


def test_large_pictures_are_thinned_out(device):
    fit = fit_of(device, ["Plate.Base Color"], size=128)
    fit.step()
    pixels = fit.stage.views[0].pixels.copy()

    (pair,) = live_pairs(fit, 1).values()

    height, width = pair.photo.shape[:2]
    assert height == width
    assert LIVE_PIXELS / 4 < height * width <= LIVE_PIXELS
    assert np.array_equal(fit.stage.views[0].pixels, pixels)


def test_a_run_brings_pairs_while_it_goes_on_and_at_its_end(device):
    plan = plan_of(request("Plate.Base Color"))
    plan.settings = replace(plan.settings, bounces=1, samples=1, max_iterations=4, tolerance=1e-9)
    seen = []
    run = FitRun(plan, lambda: device, lambda update: seen.append(run.pairs[0]))

    run.job.result()

    assert seen[0] == 1
    assert run.pairs[0] > seen[-1]
    assert set(run.pairs[1]) == {"target"}
