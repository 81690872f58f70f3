# SPDX-License-Identifier: Apache-2.0
"""Every closure that scatters light: a white square of it under a white sky."""

import numpy as np
import pytest

import weft
from support.render_scenes import quad, top_camera
from weft.render import PathSettings
from weft.scene import Closure, Environment, Material, Object, Scene

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
