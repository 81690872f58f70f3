# SPDX-License-Identifier: Apache-2.0
"""A fit's first draws on small pictures, and what is shown of textures meanwhile."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from addon.core.fitting.run import PREVIEW_INTERVAL, FitRun, PreviewClock

from support.fit_plans import plan_of, request
from weft.fit import Exposure, LightParameter, Parameter, TextureParameter
from weft.fit.coarse import COARSE_ITERATIONS, COARSE_PIXELS, coarse_targets, started_at
from weft.fit.preview import small_image

LARGE = 256


def small_targets(plan):
    return coarse_targets(plan.scene, plan.targets, plan.parameters)


def test_small_pictures_hold_means_and_their_cameras_follow():
    plan = plan_of(request("Plate.Roughness", size=LARGE), size=LARGE)
    image = np.zeros((LARGE, LARGE, 3), np.float32)
    image[:, : LARGE // 2] = 1
    mask = np.ones((LARGE, LARGE), np.float32)
    mask[: LARGE // 2] = 0
    wide = {"filter": "blackman_harris", "filter_width": 3.0}
    plan.targets = [replace(plan.targets[0], image=image, mask=mask, saturation=2.0, **wide)]

    (small,) = small_targets(plan)

    height, width = small.image.shape[:2]
    assert height * width <= COARSE_PIXELS * 1.03
    assert (small.camera.width, small.camera.height) == (width, height)
    assert small.image[-1].mean() == pytest.approx(0.5, abs=0.01)
    assert (small.mask.mean(axis=1) > 0.5).sum() == pytest.approx(height / 2, abs=1)
    assert (small.filter, small.filter_width) == ("box", 1.0)
    assert small.saturation is None
    assert plan.scene.cameras[0].width == LARGE
    assert plan.targets[0].image.shape == (LARGE, LARGE, 3)


def test_small_pictures_are_left_out_where_they_gain_nothing():
    assert small_targets(plan_of(request("Plate.Roughness"))) is None
    asked = request("texture:Plate.Base Color@8", size=LARGE)
    assert small_targets(plan_of(asked, size=LARGE)) is None
    plan = plan_of(request("Plate.Roughness", size=LARGE), size=LARGE)
    speck = np.zeros((LARGE, LARGE), np.float32)
    speck[7, 7] = 1
    plan.targets = [replace(plan.targets[0], mask=speck)]
    assert small_targets(plan) is None


def test_parameters_begin_where_the_small_pictures_lead():
    values = {
        "a.roughness": np.array([0.3]),
        "a.color": np.array([0.1, 0.2, 0.3]),
        "key.factor": np.array([2.0]),
        "front.exposure": np.array([100.0]),
    }
    given = [
        Parameter("a.roughness"),
        Parameter("a.color"),
        LightParameter("key"),
        Exposure("front"),
        Exposure(),
        TextureParameter("b.color"),
    ]

    found = started_at(given, values)

    assert found[0].start == 0.3
    assert found[1].start == (0.1, 0.2, 0.3)
    assert found[2].start == 2.0
    assert found[3].start == given[3].bounds[1]
    assert found[4:] == given[4:]


def test_a_fit_of_large_pictures_shows_values_of_small_ones_first(device):
    plan = plan_of(request("Plate.Roughness", "Plate.Base Color", size=LARGE), size=LARGE)
    plan.settings = replace(plan.settings, bounces=1, samples=1, max_iterations=3, tolerance=1e-9)
    seen = []

    run = FitRun(plan, lambda: device, seen.append)
    result = run.job.result()

    assert [update.iterations for update in seen] == list(range(1, COARSE_ITERATIONS + 4))
    start = plan.numbers["Plate.Principled BSDF.Base Color"].value
    name = "Plate.Principled BSDF.Base Color"
    first, last = seen[0].result.values[name], result.values[name]
    # Under white light of 1, a picture of 0.5: the first draw is nearer than the start.
    assert np.abs(np.subtract(first, last)).max() < np.abs(np.subtract(start, last)).max()
    assert run.result.history[0].iterations == 1
    began = run.result.start["Plate.Principled BSDF.Base Color"]
    assert np.allclose(began, start[:3], atol=0.01)
    assert all(a.seconds < b.seconds for a, b in itertools.pairwise(seen))


def test_previews_are_small_and_seldom():
    image = np.random.default_rng(1).random((512, 1024, 3), np.float32)

    small = small_image(image)

    assert small.shape == (128, 256, 3)
    assert small.mean() == pytest.approx(image.mean(), abs=1e-3)
    assert small_image(image[:8, :8]).shape == (8, 8, 3)

    clock = PreviewClock()
    assert clock.is_due()
    clock.took(0.0)
    assert not clock.is_due()
    first = clock.due
    clock.took(10 * PREVIEW_INTERVAL)
    assert clock.due > first + 10 * PREVIEW_INTERVAL


@pytest.mark.full
def test_a_fit_of_a_texture_shows_it_while_it_runs(device):
    plan = plan_of(request("texture:Plate.Base Color@8"))
    plan.settings = replace(plan.settings, bounces=1, samples=1, texture_iterations=2)
    seen = []

    FitRun(plan, lambda: device, seen.append).job.result()

    (shown,) = seen[0].result.textures.items()
    assert shown[1].pixels.shape == (8, 8, 3)
    assert plan.textures[shown[0]].label == "Plate.Principled BSDF.Base Color"
