# SPDX-License-Identifier: Apache-2.0
"""Constants and shared functions: one parameter, evaluated once, wherever it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import weft
from weft.render import PathSettings, Renderer
from weft.render.upload import material_table
from weft.scene import (
    Add,
    Attribute,
    Camera,
    Closure,
    Constant,
    Environment,
    Material,
    Mesh,
    Mix,
    Object,
    Scene,
    SlangCall,
    Texture,
    principled,
    with_inputs,
)
from weft.scene.program import print_program

if TYPE_CHECKING:
    from pathlib import Path

HALVE = "[Differentiable] float3 halve(float3 c, float by) { return c * by; }"
QUAD = Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]])


def scene_with(material: Material) -> Scene:
    camera = Camera(8, 8, fov=0.5, transform=Camera.look_at((0, 0, 3), (0, 0, 0), (0, 1, 0)))
    return Scene([Object(QUAD, [material])], [], [camera], Environment(np.ones(3, np.float32)))


def render(device: weft.Device, scene: Scene) -> np.ndarray:
    return Renderer(device, scene).render(settings=PathSettings(samples=16, bounces=1))


def test_a_constant_in_two_inputs_is_one_parameter() -> None:
    grey = Constant("Value/Value", 0.4, 0.0, 2.0)

    table = material_table([principled("m", roughness=grey, metallic=grey)])

    assert table.ranges["m.Value/Value"].bounds == (0.0, 2.0)
    assert [name for name in table.ranges if name != "m.base_color"] == ["m.Value/Value"]


def test_red_acts_on_red_only_where_every_use_says_so() -> None:
    color = Constant("RGB/Color", (0.5, 0.4, 0.3))
    through = SlangCall("halve", HALVE, {"c": color, "by": 0.5}, size=3)

    plain = material_table([Material("m", Closure("diffuse", color=color))])
    both = material_table(
        [Material("m", Add(Closure("diffuse", color=color), Closure("glossy", color=through)))]
    )

    assert plain.ranges["m.RGB/Color"].is_separable
    assert not both.ranges["m.RGB/Color"].is_separable


def test_a_shared_function_is_printed_once() -> None:
    shared = SlangCall("halve", HALVE, {"c": (0.5, 0.5, 0.5), "by": 0.5}, size=3)
    surface = Mix(Closure("diffuse", color=shared), Closure("glossy", color=shared))

    text = print_program(Material("m", surface)).text

    assert text.count("halve(") == 1


def test_a_chain_of_shared_functions_stays_short() -> None:
    value: SlangCall = SlangCall("halve", HALVE, {"c": (1, 1, 1), "by": 0.5}, size=3)
    twice = "[Differentiable] float3 sum(float3 a, float3 b) { return a + b; }"
    for _ in range(40):
        value = SlangCall("sum", twice, {"a": value, "b": value}, size=3)
    material = Material("m", Closure("diffuse", color=value))

    program = print_program(material)
    changed = with_inputs(scene_with(material), {"m.color" + ".a" * 40 + ".by": 0.25})

    assert program.text.count("sum(") == 40
    assert changed.materials()[0].surface is not material.surface


def test_a_constant_is_the_number_it_holds(device: weft.Device) -> None:
    color = Constant("Base Color", (0.6, 0.3, 0.1))

    named = render(device, scene_with(Material("m", Closure("diffuse", color=color))))
    plain = render(device, scene_with(Material("m", Closure("diffuse", color=(0.6, 0.3, 0.1)))))

    assert np.array_equal(named, plain)


def test_a_module_provides_a_function(device: weft.Device) -> None:
    call = SlangCall("luminance", module="weft.render", arguments={"c": (0.5, 0.5, 0.5)}, size=1)

    picture = render(device, scene_with(Material("m", Closure("emission", strength=call))))

    assert picture == pytest.approx(0.5, abs=1e-4)


def test_a_constant_is_replaced_by_its_name_and_by_its_place() -> None:
    strength = Constant("Emission/Strength", 2.0, 0.0, 10.0)
    scene = scene_with(Material("m", Closure("emission", strength=strength)))

    by_name = with_inputs(scene, {"m.Emission/Strength": 3.0}).materials()[0].surface
    by_place = with_inputs(scene, {"m.strength": 3.0}).materials()[0].surface

    assert by_name.inputs["strength"].value == by_place.inputs["strength"].value == 3.0
    assert by_name.inputs["strength"].name == "Emission/Strength"


def test_a_constant_may_become_a_texture() -> None:
    scene = scene_with(Material("m", Closure("diffuse", color=Constant("Color", (0.5, 0.5, 0.5)))))
    image = Texture(np.full((4, 4, 3), 0.25), name="found")

    changed = with_inputs(scene, {"m.Color": image})

    assert changed.materials()[0].surface.inputs["color"] is image


def test_a_scene_with_constants_is_stored(tmp_path: Path) -> None:
    value = SlangCall("halve", HALVE, {"c": Attribute.NORMAL, "by": Constant("By", 0.5)}, size=3)
    scene = scene_with(Material("m", Closure("diffuse", color=value)))

    scene.save(tmp_path / "scene.weft")

    assert Scene.load(tmp_path / "scene.weft").hash() == scene.hash()


@pytest.mark.parametrize("value", [(), (1, 2, 3, 4, 5), float("nan")])
def test_a_constant_of_no_number_is_refused(value: object) -> None:
    with pytest.raises(weft.ArgumentError, match="Constant: a name and one to four finite"):
        Constant("x", value)


def test_a_function_from_nowhere_is_refused() -> None:
    with pytest.raises(weft.ArgumentError, match="either source or module"):
        SlangCall("f")
