# SPDX-License-Identifier: Apache-2.0
"""What a fit holds on the device goes with it, not with the next collection of cycles."""

import gc
import weakref

import numpy as np
import pytest
from tests.python.fit import test_target_lights as lit

from weft.fit import Exposure, Fit, FitSettings, Parameter, TextureParameter
from weft.scene import Texture

KINDS = {
    "numbers": [Parameter("plate.roughness"), Exposure("day")],
    "textures": [TextureParameter("plate.base_color")],
    "both": [TextureParameter("plate.base_color"), Parameter("plate.roughness")],
}


@pytest.fixture
def no_collections():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_leaves_nothing_on_the_device(device, no_collections, kind):
    texture = Texture(np.full((4, 4, 3), 0.5, np.float32), wrap="extend")
    targets = lit.photos_of(device, lit.scene_with(), lit.targets_of()[:1])
    scene = lit.scene_with(color=texture)
    settings = FitSettings(bounces=2, max_iterations=4, texture_iterations=8)
    fit = Fit(scene, targets, KINDS[kind], settings, device=device)
    fit.run()
    held = [weakref.ref(entry) for entry in (fit, fit.stage, fit.renderer)]

    del fit

    assert [entry() for entry in held] == [None] * len(held)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", KINDS)
def test_a_result_keeps_no_paths_and_its_fit_goes_on(device, kind):
    texture = Texture(np.full((4, 4, 3), 0.5, np.float32), wrap="extend")
    targets = lit.photos_of(device, lit.scene_with(), lit.targets_of()[:1])
    scene = lit.scene_with(color=texture)
    settings = FitSettings(bounces=2, max_iterations=4, texture_iterations=8)
    fit = Fit(scene, targets, KINDS[kind], settings, device=device)
    fit.step()
    working = device.memory_info().used

    result = fit.run()

    assert result.fit is fit
    assert device.memory_info().used < 0.5 * working
    fit.step()
    assert np.isfinite(fit.stage.loss)
