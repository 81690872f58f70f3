# SPDX-License-Identifier: Apache-2.0
"""Fits of many pictures: of other renderers, and how often error bars cover the truth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import weft
from bench.rendering.anchor import anchor_scene
from support import anchor_cases as cases
from support import joint_cases
from weft.fit import Fit, FitSettings, Parameter, Target
from weft.render import PathSettings
from weft.scene import principled

PHOTOS = Path(__file__).parents[1] / "golden" / "cycles_photos.npz"
NAMES = ("base_color", "roughness", "metallic")


def fitted(device, photo, seed, **settings):
    """Fit five numbers of the ball; return them and their standard errors."""
    fit = Fit(
        anchor_scene(principled("ball", **cases.START), photo.shape[0]),
        [Target(photo)],
        [Parameter(f"ball.{name}") for name in NAMES],
        FitSettings(bounces=cases.BOUNCES, seed=seed, **settings),
        device=device,
    )
    result = fit.run()
    values = np.concatenate([np.ravel(result.values[f"ball.{name}"]) for name in NAMES])
    errors = np.concatenate([np.ravel(result.errors[f"ball.{name}"]) for name in NAMES])
    return values, errors


@pytest.mark.full
@pytest.mark.parametrize("number", range(len(cases.PHOTOS)))
def test_pictures_by_cycles_give_the_material_back(device, record_property, number):
    photo = np.load(PHOTOS)["photos"][number].astype(np.float32)
    truth = np.array([*cases.TRUTH["base_color"], *cases.PHOTOS[number]])

    largest = [
        float(np.abs(fitted(device, photo, seed, max_iterations=25)[0] - truth).max())
        for seed in range(3)
    ]

    record_property("largest errors", [round(error, 4) for error in largest])
    assert max(largest) <= 0.015


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_error_bars_cover_the_truth(device, record_property):
    truth = np.array(
        [*cases.TRUTH["base_color"], cases.TRUTH["roughness"], cases.TRUTH["metallic"]]
    )
    renderer = weft.Renderer(device, anchor_scene(size=64))
    distances = []
    for seed in range(50):
        settings = PathSettings(
            samples=256, bounces=cases.BOUNCES, roulette_from=None, seed=1000 + seed
        )
        values, errors = fitted(device, renderer.render(settings=settings), seed)
        distances.append(np.abs(values - truth) / errors)

    shares = {limit: float((np.array(distances) <= limit).mean()) for limit in (1.0, 2.0)}
    record_property("within one and two standard errors", shares)
    # 95 % of normal numbers lie within two standard deviations, 68 % within one.
    assert shares[2.0] >= 0.9
    assert 0.5 < shares[1.0] < 0.95


@pytest.mark.full
@pytest.mark.timeout(1800)
def test_numbers_beside_a_texture_are_found_under_a_sun(device, record_property):
    found = []
    for seed in range(6):
        photos = joint_cases.take_photos(device, 1000 + seed)
        found.append(joint_cases.fit_photos(device, photos, seed, texture_iterations=40))

    errors, bars = (
        np.array([getattr(one, name) for one in found]) for name in found[0]._fields[:2]
    )
    largest = np.sort(np.abs(errors).max(axis=1))
    share = float((np.abs(errors) <= 2 * bars).mean())
    record_property("largest errors", np.round(largest, 3).tolist())
    record_property("within two standard errors", share)
    # One of them may need more draws than it got, and must say so.
    assert sum(one.reason == "converged" for one in found) >= 5
    assert {one.reason for one in found} <= {"converged", "iterations"}
    assert largest[-1] <= 0.05
    assert share >= 0.8
