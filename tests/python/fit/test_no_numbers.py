# SPDX-License-Identifier: Apache-2.0
"""Renders and derivatives that are no numbers: they do not count, and the fit says so."""

from dataclasses import replace

import numpy as np
import pytest
from tests.python.fit import test_target_lights as lit

import weft
from support.recycled_memory import fill_recycled_memory
from weft.fit import Fit, FitSettings, Parameter, TextureParameter
from weft.scene import Attribute, SlangCall, Texture, principled

NAME = "plate.base_color"
SETTINGS = FitSettings(bounces=2, samples=4, texture_iterations=12, max_iterations=8)
SPOIL = """
float3 spoil(float2 uv, float share)
{
    const int2 cell = int2(uv * 24.f);
    const bool isSpoilt = (cell.x * 37 + cell.y * 61) % 100 < share * 100.f;
    return isSpoilt ? float3(asfloat(0x7fc00000)) : float3(0.f);
}
"""


def fit_of(device, color, share, kind=Parameter):
    """A fit of a plate that glows by no number in a share of its cells."""
    targets = lit.photos_of(device, lit.scene_with(), lit.targets_of()[:1])
    glow = SlangCall("spoil", SPOIL, {"uv": Attribute.UV, "share": share}, size=3)
    scene = lit.scene_with(color=color)
    plate = principled(
        "plate", base_color=color, roughness=0.4, emission_color=glow, emission_strength=1.0
    )
    objects = [replace(scene.objects[0], materials=[plate]), *scene.objects[1:]]
    return Fit(replace(scene, objects=objects), targets, [kind(NAME)], SETTINGS, device=device)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("kind", ["number", "texture"])
def test_pixels_that_are_no_numbers_do_not_count(device, kind):
    texture = Texture(np.full((4, 4, 3), 0.5, np.float32), wrap="extend")
    is_number = kind == "number"
    color, parameter = ((0.4, 0.4, 0.4), Parameter) if is_number else (texture, TextureParameter)
    fit = fit_of(device, color, 0.05, parameter)

    result = fit.run()

    found = result.values[NAME] if is_number else result.textures[NAME].pixels.mean(axis=(0, 1))
    np.testing.assert_allclose(found, [0.7, 0.3, 0.2], atol=0.05)
    assert any("no finite numbers" in problem.message for problem in result.problems)


def test_a_picture_of_which_little_is_left_is_refused(device):
    fit = fit_of(device, (0.4, 0.4, 0.4), 0.9)

    with pytest.raises(weft.NonFiniteError, match="of picture 'day' are no finite numbers"):
        fit.run()


def test_what_memory_held_before_does_not_matter(device):
    """One lighting of the fit has no environment, its kernels are those of all."""
    fill_recycled_memory(device, np.nan)

    lit.test_textures_are_found_under_other_lights(device)
