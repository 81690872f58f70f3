# SPDX-License-Identifier: Apache-2.0
"""Renders and derivatives that are no numbers: they do not count, and the fit says so."""

import numpy as np
import pytest
from tests.python.fit import test_target_lights as lit

import weft
from support.recycled_memory import fill_recycled_memory
from weft.fit import Fit, FitSettings, Parameter, TextureParameter
from weft.render.record import Recorder
from weft.scene import Texture

SETTINGS = FitSettings(bounces=2, samples=4, texture_iterations=12, max_iterations=8)


def fit_of(device, parameter, color):
    targets = lit.photos_of(device, lit.scene_with(), lit.targets_of()[:1])
    return Fit(lit.scene_with(color=color), targets, [parameter], SETTINGS, device=device)


def spoil(monkeypatch, share):
    """Make a share of the pixels of all films no numbers, the same ones always."""
    draw, resolve = Recorder.draw, Recorder.resolve

    def noted(self, camera, settings, pixels=None):
        self.hit = pixels % 97 < 97 * share
        draw(self, camera, settings, pixels)

    def spoiled(self, first, count, film, directions=0):
        resolve(self, first, count, film, directions)
        values = film.to_numpy().reshape(1 + directions, -1, 3)
        values[:, self.hit] = np.nan
        film.copy_from_numpy(values.ravel())

    monkeypatch.setattr(Recorder, "draw", noted)
    monkeypatch.setattr(Recorder, "resolve", spoiled)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", ["number", "texture"])
def test_pixels_that_are_no_numbers_do_not_count(device, monkeypatch, kind):
    texture = Texture(np.full((4, 4, 3), 0.5, np.float32), wrap="extend")
    is_number = kind == "number"
    parameter = (Parameter if is_number else TextureParameter)("plate.base_color")
    fit = fit_of(device, parameter, (0.4, 0.4, 0.4) if is_number else texture)
    spoil(monkeypatch, 0.05)

    result = fit.run()

    found = (
        result.values["plate.base_color"]
        if is_number
        else result.textures["plate.base_color"].pixels.mean(axis=(0, 1))
    )
    np.testing.assert_allclose(found, [0.7, 0.3, 0.2], atol=0.05)
    assert any("no finite numbers" in problem.message for problem in result.problems)


def test_a_picture_of_which_little_is_left_is_refused(device, monkeypatch):
    fit = fit_of(device, Parameter("plate.base_color"), (0.4, 0.4, 0.4))
    spoil(monkeypatch, 0.7)

    with pytest.raises(weft.NonFiniteError, match="of target 'day' are no finite numbers"):
        fit.run()


def test_what_memory_held_before_does_not_matter(device):
    """One lighting of the fit has no environment, its kernels are those of all."""
    fill_recycled_memory(device, np.nan)

    lit.test_textures_are_found_under_other_lights(device)
