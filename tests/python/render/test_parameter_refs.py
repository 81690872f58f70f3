# SPDX-License-Identifier: Apache-2.0
"""Names of parameters: quoted, read, found, copied."""

from __future__ import annotations

import copy
import pickle
import random

import pytest

import weft
from weft.scene import Closure, Constant, Material, Mix, ParameterRef, principled, with_inputs
from weft.scene.parameter_ref import NamedValues, find_name, join_name, split_name

ODD = (
    "Material.001", "A/B", "", " lead", "tail ", 'say "hi"', '"', '""', "back\\slash", "\\", "a\nb",
    "x[0]", "inputs[1]", "texture:Wood", "Wood@2", "Glätte ✓", "日本", ".", "..", "\t", "a b", "~",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(50))
def test_every_name_reads_as_the_parts_that_it_was_made_of(seed):
    draw = random.Random(seed)
    letters = 'ab."\\[]/:@ \n✓~'
    made = ["".join(draw.choices(letters, k=draw.randrange(6))) for _ in range(3)]
    parts = (draw.choice(ODD), *made, draw.choice(ODD))

    ref = ParameterRef.of(*parts)

    assert ref.parts == parts
    assert ParameterRef(str(ref)).parts == parts
    assert (ref.owner, ref.path) == (parts[0], parts[1:])
    assert split_name(f"x.{ref.within}") == ["x", *parts[1:]]


def test_different_parts_never_have_one_name():
    pairs = [(a, b) for a in ODD for b in ODD] + [(a,) for a in ODD]

    assert len({join_name(*parts) for parts in pairs}) == len(pairs)


def test_plain_names_stay_as_they_are():
    assert ParameterRef.of("Chrome", "Principled BSDF", "Base Color") == (
        "Chrome.Principled BSDF.Base Color"
    )
    assert ParameterRef("Chrome.Math.inputs[1]").path == ("Math", "inputs[1]")


@pytest.mark.parametrize("text", ["", '"Chrome.roughness', '"Chrome"x.roughness'])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(weft.ArgumentError, match="ParameterRef"):
        ParameterRef(text)


def test_copies_are_the_same_reference():
    ref = ParameterRef.of("Key.001", "factor", kind="light")

    for made in (pickle.loads(pickle.dumps(ref)), copy.deepcopy(ref), ParameterRef(ref)):
        assert (made, made.parts, made.kind) == (ref, ("Key.001", "factor"), "light")


def test_a_name_without_quotes_is_found_if_only_one_reads_so():
    names = [join_name("A.B", "x"), join_name("A", "B.x"), join_name("C.D", "x")]

    assert find_name("C.D.x", names) == '"C.D".x'
    assert find_name("C.x", names) is None
    with pytest.raises(weft.ArgumentError, match=r'"A\.B"\.x or A\."B\.x"'):
        find_name("A.B.x", names)
    assert NamedValues({names[2]: 1})["C.D.x"] == 1
    with pytest.raises(KeyError):
        NamedValues({names[2]: 1})["C.E.x"]


def test_materials_with_dots_have_parameters_of_their_own():
    from support.render_scenes import quad
    from weft.scene import Object, Scene

    mix = Mix(Closure("diffuse"), Closure("emission", strength=Constant("A.B", 0.5)), 0.25)
    materials = [principled("Clay.001", roughness=0.25), Material("Clay", mix)]
    scene = Scene([Object(quad(), [entry]) for entry in materials])

    changed = with_inputs(scene, {"Clay.001.roughness": 0.5, "Clay.A.B": 0.75})

    assert changed.materials()[0].surface.inputs["roughness"] == 0.5
    assert changed.materials()[1].surface.second.inputs["strength"].value == 0.75
    with pytest.raises(weft.ArgumentError, match=r'"Clay\.001"\.roughness'):
        with_inputs(scene, {"Clay.001.rough": 0.5})
