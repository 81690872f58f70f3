# SPDX-License-Identifier: Apache-2.0
"""Every closure that scatters light: a white square of it under a white sky."""

import numpy as np
import pytest

import weft
from support.render_scenes import quad, top_camera
from weft.render import PathSettings
from weft.scene import Closure, Environment, Material, Object, Scene, principled, with_inputs
from weft.scene.program import print_program

WHITE = (1.0, 1.0, 1.0)

# Albedo seen from straight above. Rough facets that are refracted once lose some light.
CLOSURES = {
    "diffuse": ({"color": WHITE, "roughness": 0.5}, 1.0),
    "glossy": ({"color": WHITE, "roughness": 0.5}, 1.0),
    "metallic": ({"color": WHITE, "edge_tint": WHITE, "roughness": 0.5}, 1.0),
    "glass": ({"roughness": 0.0}, 1.0),
    "refraction": ({"roughness": 0.0}, 1.0),
    "translucent": ({"color": WHITE}, 1.0),
    "transparent": ({"color": WHITE}, 1.0),
    "principled": ({"base_color": WHITE, "transmission_weight": 0.5, "roughness": 0.0}, 1.0),
}


@pytest.mark.sweep(18)
@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind == "glossy" else pytest.mark.slow) for kind in CLOSURES],
)
def test_a_white_square_is_as_bright_as_the_sky(device, kind):
    inputs, albedo = CLOSURES[kind]
    square = Object(quad(2), [Material("m", Closure(kind, **inputs))])
    scene = Scene([square], cameras=[top_camera(8, scale=2.0)], environment=Environment(np.ones(3)))

    settings = PathSettings(samples=64, bounces=2, roulette_from=None, seed=6)
    image = weft.Renderer(device, scene).render(settings=settings)

    # 4096 paths; a weight varies by less than 1.
    assert image.mean(axis=(0, 1)) == pytest.approx([albedo] * 3, abs=0.02)


def program_text(material):
    return print_program(material).text


def test_a_choice_reaches_the_program():
    rough = principled("m", roughness=0.5)
    single = principled("m", roughness=0.5, distribution="ggx")

    assert "kMultiscatter" in program_text(rough)
    assert "kMultiscatter" not in program_text(single)
    assert program_text(principled("m", roughness=0.5, distribution="multi_ggx")) == program_text(
        rough
    )


def test_a_choice_stays_when_numbers_change():
    single = Material("m", Closure("glossy", roughness=0.5, distribution="ggx"))
    scene = Scene([Object(quad(2), [single])])

    (changed,) = with_inputs(scene, {"m.roughness": 0.2}).materials()

    assert changed.surface.options == {"distribution": "ggx"}
    assert changed.surface.inputs == {"roughness": 0.2}


@pytest.mark.parametrize(
    ("kind", "given", "message"),
    [
        ("glass", {"distribution": "GGX"}, "one of 'multi_ggx', 'ggx', 'beckmann', got 'GGX'"),
        ("diffuse", {"distribution": "ggx"}, "no input 'distribution'; it has color, roughness"),
        ("glossy", {"roughness": "ggx"}, "input 'roughness' takes numbers, .* got 'ggx'"),
    ],
)
def test_a_choice_that_a_closure_lacks_is_refused(kind, given, message):
    with pytest.raises(ValueError, match=message):
        Closure(kind, **given)


def test_light_that_facets_reflect_twice_is_lost_without_compensation(device):
    inputs = {"color": WHITE, "roughness": 0.8, "distribution": "ggx"}
    square = Object(quad(2), [Material("m", Closure("glossy", **inputs))])
    scene = Scene([square], cameras=[top_camera(8, scale=2.0)], environment=Environment(np.ones(3)))

    image = weft.Renderer(device, scene).render(settings=PathSettings(samples=256, bounces=2))

    # Table of the albedo of white GGX; its axes are roughness and cosine.
    table = np.array(weft.render.bsdf_tables(device).numpy()[:1024]).reshape(32, 32)
    expected = np.interp(0.8, np.linspace(0, 1, 32), table[-1])
    assert expected < 0.9
    assert image.mean() == pytest.approx(expected, abs=0.005)
