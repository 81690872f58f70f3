# SPDX-License-Identifier: Apache-2.0
"""Words for parameters that pictures do not determine."""

from dataclasses import replace

import numpy as np
import pytest

import weft
from support.render_scenes import placed, quad, top_camera
from weft.fit import Exposure, Fit, FitSettings, LightParameter, Parameter, Target
from weft.fit.diagnosis import Evidence, find_undetermined
from weft.fit.hidden_inputs import find_hiding_input
from weft.fit.information import (
    Information,
    LinearizedResiduals,
    gather_information,
    normal_equations,
)
from weft.fit.unknowns import build_unknowns
from weft.render import PathSettings
from weft.scene import CLOSURES, Closure, Environment, Material, Mix, Scene, Texture, principled

SIZE = 12


def plate(name, **inputs):
    """All plates share one program."""
    standard = {
        "base_color": (0.5, 0.5, 0.5),
        "roughness": 0.5,
        "metallic": 0.0,
        "specular_level": 0.5,
        "emission_color": (0.5, 0.5, 0.5),
        "emission_strength": 1.0,
    }
    return principled(name, **standard | inputs)


def scene_with(**inputs):
    """Plates A and B side by side, C below them."""
    return Scene(
        [
            placed(quad(), plate("A", **inputs), move=(-1, 0, 0), name="left"),
            placed(quad(), plate("B"), move=(1, 0, 0), name="right"),
            placed(quad(), plate("C"), move=(0, 0, -1), name="below"),
        ],
        cameras=[top_camera(SIZE, scale=3)],
        environment=Environment(np.ones(3)),
    )


@pytest.fixture(scope="module")
def renderers(device):
    """Renderers by inputs of A: equal ones are made once."""
    made = {}

    def renderer(**inputs):
        key = repr(sorted(inputs.items()))
        if key not in made:
            made[key] = weft.Renderer(device, scene_with(**inputs))
        return made[key]

    return renderer


def information(errors, lost=None, covariance=None):
    """Information whose errors are these; infinite ones stand for parameters without effect."""
    errors = np.asarray(errors, float)
    known = np.isfinite(errors)
    squares = np.where(known, errors, 0) ** 2
    matrix = np.diag(np.where(known, 1 / np.where(known, squares, 1), 0))
    nothing = np.eye(len(errors))[:, ~known]
    directions = nothing if lost is None else np.column_stack([nothing, lost])
    if covariance is None:
        covariance = np.diag(squares)
    return Information(matrix, covariance, directions, np.zeros(0), ~known)


def words(
    renderer, names, errors, *, target=None, lost=None, covariance=None, tied=(), textures=()
):
    parameters = [Parameter(name, tied=tied) for name in names]
    unknowns = build_unknowns(renderer.tables, parameters)
    target = target or Target(np.ones((SIZE, SIZE, 3)))
    evidence = Evidence(
        renderer,
        [target],
        parameters,
        unknowns,
        unknowns.start,
        information(errors, lost, covariance),
        textures,
    )
    return find_undetermined(evidence)


def test_what_is_known_well_is_not_named(renderers):
    assert words(renderers(), ["A.roughness", "A.metallic"], [0.1, 0.1]) == {}


def test_an_object_that_no_picture_shows_is_named(renderers):
    assert words(renderers(), ["C.roughness", "A.metallic"], [np.inf, 0.01]) == {
        "C.roughness": "no picture shows 'below'"
    }


def test_an_object_that_the_mask_leaves_out_is_named(renderers):
    mask = np.ones((SIZE, SIZE))
    mask[:, : SIZE // 2] = 0
    target = Target(np.ones((SIZE, SIZE, 3)), mask=mask)

    found = words(renderers(), ["A.roughness"], [np.inf], target=target)

    assert found == {"A.roughness": "the masks leave out every pixel that shows 'left'"}


def test_an_object_in_the_dark_is_named(renderers):
    image = np.ones((SIZE, SIZE, 3))
    image[:, : SIZE // 2] = 0

    found = words(renderers(), ["A.base_color"], [np.inf] * 3, target=Target(image))

    assert found == {"A.base_color": "'left' is black in the pictures: no light reaches it"}


def test_an_input_that_another_one_hides_is_explained(renderers):
    metal = renderers(metallic=1.0)

    found = words(metal, ["A.specular_level", "B.metallic"], [np.inf, 0.01])

    assert found == {"A.specular_level": "it has no effect while metallic is 1"}


def test_the_fitted_value_counts_not_that_of_the_scene(renderers):
    renderer = renderers()
    parameters = [Parameter("A.specular_level"), Parameter("A.metallic", start=0.999)]
    unknowns = build_unknowns(renderer.tables, parameters)
    target = Target(np.ones((SIZE, SIZE, 3)))
    told = information([0.6, 0.01])

    found = find_undetermined(
        Evidence(renderer, [target], parameters, unknowns, unknowns.start, told)
    )

    reason = "it has no effect while metallic is 1 (its error is 60 % of its range)"
    assert found == {"A.specular_level": reason}


def test_an_input_without_a_value_is_told_apart(device):
    grey = Material("grey", Closure("diffuse", color=(0.5, 0.5, 0.5)))
    scene = Scene(
        [placed(quad(), grey)],
        cameras=[top_camera(SIZE)],
        environment=Environment(np.ones(3)),
    )

    found = words(weft.Renderer(device, scene), ["grey.roughness"], [np.inf])

    assert "gives it no value" in found["grey.roughness"]


@pytest.mark.parametrize(
    ("name", "error", "reason"),
    [
        ("A.roughness", 3.0, "no highlight or reflection is seen (its error is 75 % of its range)"),
        ("A.metallic", 4.0, "no reflection is seen that tells metal from paint (its error is lar"),
        ("A.emission_strength", 2.0, "the pictures hardly change with it"),
        ("C.metallic", 4.0, "no picture shows 'below' (its error is larger than its range)"),
    ],
)
def test_a_weak_sign_is_named(renderers, name, error, reason):
    found = words(renderers(), [name], [error])

    assert found[name].startswith(reason.split(" (")[0])
    assert "75 %" not in reason or "its error is" in found[name]


def test_an_open_range_is_judged_by_the_value(renderers):
    assert words(renderers(), ["A.emission_strength"], [0.2]) == {}
    assert words(renderers(), ["A.emission_strength"], [1.5]) != {}


def test_parameters_that_take_each_others_place_are_named(renderers):
    names = ["A.base_color", "A.roughness", "B.emission_strength"]
    lost = np.zeros((5, 1))
    lost[[0, 1, 2, 4], 0] = (0.4, 0.4, 0.4, -0.7)

    found = words(renderers(), names, [0.01] * 5, lost=lost)

    assert found["A.base_color"].startswith(
        "it cannot be told apart from emission_strength of 'B'; hold one of them fixed"
    )
    assert "base_color of 'A'" in found["B.emission_strength"]
    assert "A.roughness" not in found


def test_strong_correlation_is_a_dependence_too(renderers):
    covariance = np.array([[0.5, 0.495, 0], [0.495, 0.5, 0], [0, 0, 0.5]])

    found = words(
        renderers(),
        ["A.metallic", "A.specular_level", "B.metallic"],
        np.sqrt(np.diag(covariance)),
        covariance=covariance,
    )

    assert "specular_level of 'A'" in found["A.metallic"]
    assert "metallic of 'A'" in found["A.specular_level"]
    assert "metal from paint" in found["B.metallic"]


def test_parameters_without_effect_are_no_partners_of_each_other(renderers):
    found = words(renderers(), ["C.roughness", "C.metallic"], [np.inf, np.inf])

    assert set(found.values()) == {"no picture shows 'below'"}


def test_a_texture_can_take_the_place_of_a_number(renderers):
    names = ["A.metallic", "C.metallic"]

    found = words(renderers(), names, [np.inf] * 2, textures=["B.base_color"])

    assert found["A.metallic"].startswith(
        "it cannot be told apart from the texture base_color of 'B'; hold one of them fixed"
    )
    assert found["C.metallic"] == "no picture shows 'below'"


def test_reasons_of_tied_parameters_are_joined(device, renderers):
    scene = scene_with()
    scene.objects.append(placed(quad(), plate("D"), move=(0, 0, -2), name="lowest"))

    both = words(weft.Renderer(device, scene), ["C.metallic"], [np.inf], tied=["D.metallic"])
    one = words(renderers(), ["C.metallic"], [np.inf], tied=["A.metallic"])

    assert both == {"C.metallic": "no picture shows 'below'; no picture shows 'lowest'"}
    assert one == {"C.metallic": "no pixel of the pictures depends on it"}


def test_what_the_scene_explains_is_no_partner(renderers):
    lost = np.array([[0.6], [0.8]])

    found = words(renderers(metallic=1.0), ["A.specular_level", "C.metallic"], [0.5] * 2, lost=lost)

    assert found == {
        "A.specular_level": "it has no effect while metallic is 1",
        "C.metallic": "no picture shows 'below'",
    }


def test_a_mix_hides_the_side_that_it_leaves_out():
    inner = Mix(Closure("diffuse", color=(1, 1, 1)), Closure("glossy"), factor=1.0)
    scene = Scene([placed(quad(), Material("m", Mix(inner, Closure("glossy"), 0.5)))])

    hidden = find_hiding_input(scene, "m.first.first.color", {})

    assert hidden == "it has no effect while first.factor is 1"
    assert find_hiding_input(scene, "m.first.second.color", {}) is None
    assert find_hiding_input(scene, "m.second.rotation", {}).endswith("second.anisotropy is 0")
    assert find_hiding_input(scene, "m.first.first.color", {"m.first.factor": [0.5]}) is None


def test_a_texture_hides_where_all_of_it_does():
    def hidden(pixels):
        scene = Scene([placed(quad(), principled("m", ior=1.4, metallic=Texture(pixels)))])
        return find_hiding_input(scene, "m.ior", {})

    assert hidden(np.ones((2, 2))) == "it has no effect while metallic is 1"
    assert hidden(np.array([[1.0, 0.5]])) is None


def test_inputs_of_media_may_have_no_effect():
    def hidden(name, volume, values=None):
        material = Material("m", Closure("none"), volume=volume)
        return find_hiding_input(Scene([placed(quad(), material)]), name, values or {})

    clear = Closure("medium", absorption=(1, 1, 1), anisotropy=0.3)
    mixed = Mix(clear, Closure("emission", color=(1, 1, 1), strength=0.0), 0.5)
    name = "m.volume.anisotropy"

    assert hidden(name, clear) == "it has no effect while volume.scattering is 0"
    assert hidden(name, clear, {"m.volume.scattering": np.ones(3)}) is None
    assert hidden("m.volume.absorption", clear) is None
    found = hidden("m.volume.second.color", mixed)
    assert found == "it has no effect while volume.second.strength is 0"
    assert hidden("m.volume.first.absorption", replace(mixed, factor=1.0)).endswith("factor is 1")


def test_rules_name_inputs_that_exist():
    for spec in CLOSURES.values():
        names = spec.inputs
        for rule in spec.hiding:
            assert set(rule.when) <= set(names)
            for entry in rule.hidden:
                assert any(rule.hides(name) for name in names), entry


def test_exact_dependence_gives_infinite_errors():
    rng = np.random.default_rng(5)
    slopes = rng.normal(size=(2000, 3)).astype(np.float32)
    slopes[:, 1] = 3 * slopes[:, 0]
    halves = [
        LinearizedResiduals(rng.normal(size=2000).astype(np.float32), slopes) for _ in range(2)
    ]

    told = gather_information(normal_equations(*halves), *halves)

    assert np.isinf(told.errors[:2]).all()
    assert told.errors[2] == pytest.approx(1 / np.sqrt(2 * 2000), rel=0.1)


@pytest.mark.full
def test_a_fit_says_what_its_pictures_leave_open(device, renderers):
    photo = renderers().render(settings=PathSettings(samples=64, bounces=2, seed=4))

    fit = Fit(
        scene_with(),
        [Target(photo, name="photo")],
        [
            Parameter("C.roughness"),
            Exposure(),
            *(LightParameter(name) for name in ("environment", "A", "B", "C")),
        ],
        FitSettings(bounces=2, max_iterations=10),
        device=device,
    )
    first = fit.step()
    early = fit.result("cancelled")
    result = fit.run()

    assert np.isinf(first.errors["B.factor"]).all()
    assert early.undetermined == {}
    assert {"photo.exposure", "A.factor", "B.factor", "C.roughness"} <= set(result.undetermined)
    assert "factor of 'B'" in result.undetermined["photo.exposure"]
    assert result.undetermined["C.roughness"] == "no picture shows 'below'"
    half = 0.5 * (result.values["B.factor"] + result.values["environment.factor"])
    assert half * result.values["photo.exposure"] == pytest.approx(1, abs=0.05)
