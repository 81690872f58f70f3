# SPDX-License-Identifier: Apache-2.0
"""Scenes with other values at named inputs."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad
from weft.render.upload import material_table
from weft.scene import (
    Add,
    Attribute,
    Closure,
    Material,
    Mix,
    Scene,
    SlangCall,
    Texture,
    with_images,
    with_inputs,
)

WAVE = "[Differentiable] float wave(float2 uv, float n) { return sin(n * uv.x); }"


def rich_scene():
    """Every way in which an input can lie below a material."""
    place = SlangCall("place", "float2 place(float2 uv, float2 k) { return uv * k; }",
                      {"uv": Attribute.UV, "k": (2.0, 3.0)}, size=2)  # fmt: skip
    image = Texture(np.full((2, 2, 3), 0.25), uv=place)
    wave = SlangCall("wave", WAVE, {"uv": Attribute.UV, "n": 4.0})
    base = Closure("principled", base_color=image, roughness=wave, metallic=0.5)
    glow = Add(Closure("emission", color=(1.0, 0.5, 0.2)), Closure("diffuse", color=image))
    both = Material("both", Mix(base, glow, 0.3))
    return Scene([placed(quad(), both), placed(quad(), lambert())])


def test_values_land_where_parameters_are():
    scene = rich_scene()
    before = material_table(scene.materials())
    new = {
        name: [0.1 + 0.01 * k for k in range(place.size)]
        for name, place in before.ranges.items()
        if name not in ("both.second.second.roughness", "lambert.roughness")
    }
    assert len(new) == 8  # the place of the image is one function, used twice

    changed = with_inputs(scene, {n: v[0] if len(v) == 1 else v for n, v in new.items()})

    after = material_table(changed.materials())
    for name in new:
        place = after.ranges[name]
        assert after.values[place.first : place.first + place.size] == pytest.approx(new[name])
    assert [program.text for program in after.programs] == [p.text for p in before.programs]
    assert rich_scene().hash() == scene.hash()


def test_an_image_changes_wherever_it_is_used():
    scene = rich_scene()

    changed = with_images(scene, {"both.second.second.color": np.ones((4, 3, 3))})

    surface = changed.materials()[0].surface
    image = surface.first.inputs["base_color"]
    assert image is surface.second.second.inputs["color"]
    assert image.pixels.shape == (4, 3, 3)
    assert image.uv.arguments["k"] == (2.0, 3.0)


def test_what_does_not_change_stays_the_same_object():
    scene = rich_scene()

    changed = with_inputs(scene, {"lambert.color": (0.1, 0.2, 0.3)})

    assert changed.objects[0] is scene.objects[0]
    assert changed.objects[1].mesh is scene.objects[1].mesh
    assert scene.materials()[1].surface.inputs["color"] == (0.5, 0.5, 0.5)


def test_a_number_may_become_a_texture():
    changed = with_inputs(rich_scene(), {"both.first.metallic": Texture(np.ones((2, 2)))})

    assert isinstance(changed.materials()[0].surface.first.inputs["metallic"], Texture)


def test_unknown_inputs_are_named_with_what_there_is():
    with pytest.raises(weft.ArgumentError, match=r"'both.metal'.*both.first.metallic"):
        with_inputs(rich_scene(), {"both.metal": 1.0})
    with pytest.raises(weft.ArgumentError, match=r"'both.factor'.*both.first.base_color"):
        with_images(rich_scene(), {"both.factor": np.ones((2, 2))})
    with pytest.raises(weft.ArgumentError, match=r"'lambert.hue'; there are lambert.color, lam"):
        with_inputs(rich_scene(), {"lambert.hue": 1.0})
    with pytest.raises(weft.ArgumentError, match="takes 1 numbers, got 3"):
        with_inputs(rich_scene(), {"both.first.metallic": (1.0, 1.0, 1.0)})
