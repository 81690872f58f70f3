# SPDX-License-Identifier: Apache-2.0
"""Requests in Blender's names become fits in weft's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from addon.core.fitting.run import FitRun

import weft
from support.fit_plans import plan_of, request
from weft.fit import FitResult, Parameter, TextureParameter
from weft.scene import Texture


def test_a_number_is_a_parameter_of_its_socket():
    plan = plan_of(request("Plate.Roughness", {"name": "Plate.Metallic", "bounds": (0.2, 0.8)}))

    assert plan.parameters == [
        Parameter("Plate.Principled BSDF.Roughness"),
        Parameter("Plate.Principled BSDF.Metallic", (0.2, 0.8)),
    ]
    assert plan.numbers["Plate.Principled BSDF.Metallic"].label == "Plate.Principled BSDF.Metallic"


def test_a_socket_becomes_a_texture_of_its_value():
    plan = plan_of(request("texture:Plate.Base Color@8x4"))

    surface = plan.scene.materials()[0].surface
    image = surface.inputs["base_color"]
    assert isinstance(image, Texture)
    assert image.pixels.shape == (4, 8, 3)
    assert plan.parameters == [TextureParameter("Plate.base_color")]
    assert plan.textures["Plate.base_color"].label == "Plate.Principled BSDF.Base Color"


@pytest.mark.parametrize(("tiles", "wrap"), [(1, "extend"), (3, "repeat")])
def test_a_texture_repeats_where_the_uv_map_leaves_it(tiles, wrap):
    plan = plan_of(request("texture:Plate.Base Color@8"), tiles=tiles)

    assert plan.scene.materials()[0].surface.inputs["base_color"].wrap == wrap
    assert plan.wraps == {"Plate.Principled BSDF.Base Color": wrap}


def test_a_texture_needs_a_uv_map():
    with pytest.raises(weft.ArgumentError, match="object 'Plate' has no UV map; unwrap it first"):
        plan_of(request("texture:Plate.Base Color@8"), unwrapped=False)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (["Plate.Roughness", "Plate.Roughness"], "asked for twice"),
        (["texture:Plate.Roughness", "texture:Plate.Roughness"], "asked for twice"),
        (["light:Key"], "there is no light 'Key'; the scene has 'World'"),
        (["Plate.Rough"], "did you mean"),
    ],
)
def test_what_cannot_be_fitted_is_refused(parameters, words):
    with pytest.raises(weft.ArgumentError, match=words):
        plan_of(request(*parameters))


def test_a_plan_leads_from_references_to_sockets_and_lights():
    plan = plan_of(request("Plate.Roughness", "light:World", "exposure:target"))

    (number,) = plan.numbers.items()
    assert number[0] == plan.parameters[0].name
    assert number[1].socket_name == "Roughness"
    assert plan.lights == {plan.parameters[1].name: "World"}


def test_a_result_shows_values_with_the_digits_that_their_errors_leave():
    values = {"a": [0.25], "b": [2.0], "c": [0.1, 0.2, 123.4], "d": [0.5]}
    errors = {"a": [0.01], "b": [np.inf], "c": [0.1, 0.004, 30.0], "d": [0.0]}
    arrays = [{name: np.array(v) for name, v in part.items()} for part in (values, errors)]
    found = FitResult(*arrays, {}, "iterations")

    assert found.describe("a") == "0.25 ± 0.01"
    assert found.describe("b") == "2"
    assert found.describe("c") == "0.1 ± 0.1, 0.200 ± 0.004, 123 ± 30"
    assert found.describe("d") == "0.5"


def test_a_run_pauses_goes_on_and_stops(device):
    plan = plan_of(request("Plate.Roughness", "Plate.Base Color"))
    plan.settings = replace(
        plan.settings, bounces=1, samples=1, max_iterations=10000, tolerance=1e-9
    )
    seen = []
    run = FitRun(plan, lambda: device, lambda update: seen.append(update) or run.pause())
    while not (seen or run.job.is_done):
        run.job.wait(0.05)

    assert run.is_paused, run.job.error
    count = len(seen)
    run.resume()
    while len(seen) == count and not run.job.is_done:
        run.job.wait(0.05)
    run.stop()
    result = run.job.result()

    assert result.reason == "cancelled"
    assert [update.iterations for update in seen] == list(range(1, len(seen) + 1))
