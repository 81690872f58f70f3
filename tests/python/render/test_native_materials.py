# SPDX-License-Identifier: Apache-2.0
"""What the native part reads of materials that are Python's own objects."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

import weft
from weft.render.material_table import material_table
from weft.scene import (
    Add,
    Attribute,
    Bump,
    Closure,
    Constant,
    Material,
    Mix,
    NormalMap,
    SlangCall,
    Texture,
    principled,
)
from weft.scene.program import print_program

WAVE = "float wave(float x) { return x; }"


def wave(value: object) -> SlangCall:
    return SlangCall("wave", WAVE, {"x": value})


def test_numbers_of_numpy_and_sequences_are_numbers() -> None:
    surface = Closure("diffuse", color=[1, np.float32(0.5), 0], roughness=np.float64(0.25))

    table = material_table([Material("m", surface)])

    assert table.values.tolist() == [1, 0.5, 0, 0.25]
    assert table.values.dtype == np.float32
    assert table.records.tolist() == [[0, 0]]


def test_a_surface_is_made_of_closures() -> None:
    with pytest.raises(TypeError, match=r"a Closure, a Mix or an Add, got 'wood'"):
        print_program(Material("m", "wood"))
    with pytest.raises(TypeError, match=r"a Closure, a Mix or an Add, got None"):
        print_program(Material("m", Mix(Closure("diffuse"), None)))


def test_a_value_is_numbers_or_what_they_come_from() -> None:
    with pytest.raises(weft.ArgumentError, match=r"a value must be numbers, a texture, .* None"):
        print_program(Material("m", Closure("diffuse", roughness=None)))
    with pytest.raises(TypeError, match=r"got array\("):
        print_program(Material("m", Closure("diffuse", color=np.ones(3))))


def test_surfaces_and_values_lie_in_each_other_as_deep_as_a_stack_allows() -> None:
    surface, normal = Closure("none"), None
    for _ in range(2000):
        surface = Add(surface, Closure("none"))
        normal = Bump(0.5, normal=normal)

    for deep in (surface, Closure("diffuse", normal=normal)):
        with pytest.raises(weft.ArgumentError, match="more than 500 deep"):
            print_program(Material("m", deep))


def test_chains_of_functions_are_as_long_as_they_like() -> None:
    value: object = 0.5
    for _ in range(20_000):
        value = wave(value)

    program = print_program(Material("m", Closure("diffuse", roughness=value)))

    assert program.text.count("wave(") == 20_000


def test_a_function_that_gets_itself_is_refused() -> None:
    arguments: dict[str, object] = {"x": 0.5}
    call = SlangCall("wave", WAVE, arguments)
    arguments["x"] = call

    with pytest.raises(weft.ArgumentError, match="deep in each other"):
        print_program(Material("m", Closure("diffuse", roughness=call)))


def test_inputs_that_change_in_place_are_read_anew() -> None:
    surface = Closure("diffuse", roughness=0.25)
    material = Material("m", surface)
    before = material_table([material]).values[3]

    surface.inputs["roughness"] = 0.75

    assert (before, material_table([material]).values[3]) == (0.25, 0.75)


def test_textures_come_back_as_the_objects_they_are() -> None:
    image, normals = (Texture(np.ones((2, 2, 3))) for _ in range(2))
    materials = [
        principled("a", base_color=image, normal=NormalMap(normals)),
        principled("b", base_color=image),
    ]

    table = material_table(materials)

    assert [entry is image for entry in table.textures] == [True, False]
    assert table.textures[1] is normals
    assert table.texture_slots == {"a.base_color": 0, "a.normal.color": 1, "b.base_color": 0}
    assert table.fixed_textures == {1}
    assert table.programs[0].slots[0].texture in (image, normals)


def test_a_texture_is_fixed_whichever_material_it_drives_a_normal_of() -> None:
    maps = [Texture(np.ones((2, 2, 3))) for _ in range(2)]

    table = material_table([principled(f"m{k}", normal=NormalMap(maps[k])) for k in range(2)])

    assert len(table.programs) == 1
    assert table.fixed_textures == {0, 1}


def test_namespaces_are_digests_of_the_text() -> None:
    text = print_program(Material("m", Closure("diffuse", roughness=wave(0.5)))).text

    assert f"user_{hashlib.sha256(WAVE.encode()).hexdigest()[:12]}::wave(" in text


def test_messages_are_those_of_the_classes() -> None:
    for make, message in (
        (lambda: Closure("x'y"), 'Closure: "x\'y" is not one of diffuse, principled'),
        (lambda: Closure(3), "Closure: 3 is not one of"),
        (lambda: Closure("glass", distribution=1), "is one of 'multi_ggx', 'ggx', 'beckmann', got"),
        (lambda: Closure("diffuse", color="red"), "takes numbers, a texture or a function, got "),
        (lambda: NormalMap(0.5), "NormalMap: color takes 3 or 4 numbers, got 1"),
        (lambda: NormalMap((1, 1, 1), space="camera"), "space must be one of tangent, object, "),
        (lambda: Bump(0.5, step=0), "Bump: step must be above 0 metres, got 0"),
        (lambda: Bump(0.5, filter_width=-1.5), "filter_width must be above 0 pixels, got -1.5"),
        (lambda: Constant("", 0.5), "to four finite numbers are needed, got '', 0.5"),
        (lambda: SlangCall("a b", WAVE), "got 'a b' and ''"),
        (lambda: SlangCall("wave", WAVE, size=5), f"got {len(WAVE)} characters, '' and 5"),
        (lambda: Material("", Closure("none")), "Material: a name is needed, got ''"),
        (
            lambda: Material("m", Closure("none"), volume=Closure("medium", anisotropy=wave(UV))),
            "Material 'm': the volume must be the same everywhere",
        ),
    ):
        with pytest.raises(weft.ArgumentError, match=re.escape(message)):
            make()


UV = Attribute.UV
