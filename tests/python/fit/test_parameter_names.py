# SPDX-License-Identifier: Apache-2.0
"""Names of a fit's parameters: with dots, without quotes, and of several kinds at once."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.render_scenes import quad
from weft.fit import Exposure, FitResult, FitSettings, LightParameter, Parameter, Target
from weft.scene import Camera, Closure, Material, Mix, Object, PointLight, principled

PHOTO = np.full((8, 8, 3), 0.2, np.float32)


def scene_of(*materials, light="Key.001"):
    camera = Camera.look_at((0, -2.5, 2.5), (0, 0, 0))
    objects = [Object(quad(), [entry], name=entry.name) for entry in materials]
    cameras = [Camera(8, 8, fov=0.7, transform=camera, name="Front.001")]
    return weft.Scene(objects, [PointLight((0, 0, 2), power=50, name=light)], cameras)


def fit_of(device, scene, *parameters):
    target = Target(PHOTO, name="Photo.001")
    settings = FitSettings(samples=1, bounces=1)
    return weft.Fit(scene, [target], parameters, settings, device=device)


def test_names_with_dots_are_found_with_and_without_quotes(device):
    scene = scene_of(principled("Clay.001", roughness=0.5))

    fit = fit_of(
        device, scene, Parameter("Clay.001.roughness"), LightParameter("Key.001"), Exposure()
    )

    values = FitResult(fit.stage.values(), fit.stage.errors(), {}, "iterations").values
    assert list(values) == [
        '"Clay.001".roughness', '"Photo.001".exposure', '"Key.001".factor',
    ]  # fmt: skip
    assert values["Clay.001.roughness"] == pytest.approx([0.5])
    assert values["Key.001.factor"] == values["Photo.001.exposure"] == pytest.approx([1.0])
    assert [block.name.kind for block in fit.stage.unknowns.blocks] == [
        "material", "exposure", "light",
    ]  # fmt: skip


def test_a_name_that_may_be_two_parameters_is_refused_with_both(device):
    first = Material("A.first", Closure("diffuse", color=(0.5, 0.5, 0.5)))
    second = Material("A", Mix(Closure("diffuse", color=(0.5, 0.5, 0.5)), Closure("diffuse"), 0.5))

    fit_of(device, scene_of(first, second), Parameter("A.first.color"))  # exact: of material A
    with pytest.raises(weft.ArgumentError, match=r'"A\.b"\.color or A\."b\.color"'):
        weft.scene.with_inputs(
            scene_of(
                Material("A.b", Closure("diffuse", color=(0.5, 0.5, 0.5))),
                Material(
                    "A",
                    Closure("diffuse", color=weft.scene.Constant('"b.color"', (0.5, 0.5, 0.5))),
                ),
            ),
            {"A.b.color": 0.5},
        )


def test_a_light_and_an_input_of_one_name_are_refused(device):
    mix = Mix(Closure("diffuse", color=(0.5, 0.5, 0.5)), Closure("glossy"), 0.5)
    scene = scene_of(Material("Key", mix), light="Key")

    with pytest.raises(weft.ArgumentError, match="factor of a light and an input of material"):
        fit_of(device, scene, Parameter("Key.factor"), LightParameter("Key"))
