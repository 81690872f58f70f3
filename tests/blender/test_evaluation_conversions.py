# SPDX-License-Identifier: Apache-2.0
"""Slang Evaluate converts attributes and names as Blender does, whichever way they are read."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import weft
import weft_blender
from blender.evaluating import (
    HALVINGS,
    add,
    give,
    grid,
    problems,
    shown,
    subdivided,
    text_block,
    update,
)


@pytest.fixture(autouse=True)
def enabled(extension, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_TRUST_DIR", str(tmp_path / "trusted"))
    return extension


BODIES = {
    "float": "x",
    "int": "x",
    "bool": "x ? 1 : 0",
    "uint": "x",
    "float2": "x.x + 10 * x.y",
    "float3": "x.x + 10 * x.y + 100 * x.z",
    "float4": "x.x + 10 * x.y + 100 * x.z + 1000 * x.w",
}
FIELDS = {
    "FLOAT": ("value", 1),
    "INT": ("value", 1),
    "INT8": ("value", 1),
    "BOOLEAN": ("value", 1),
    "FLOAT2": ("vector", 2),
    "FLOAT_VECTOR": ("vector", 3),
    "FLOAT_COLOR": ("color", 4),
    "BYTE_COLOR": ("color", 4),
    "FLOAT4X4": ("value", 16),
    "INT32_2D": ("value", 2),
}


def grid_with_all():
    """A grid with an attribute of each type."""
    thing = grid(3)
    random = np.random.default_rng(1)
    for kind, (name, width) in FIELDS.items():
        values = random.normal(size=9 * width) * 3
        if kind == "BYTE_COLOR":
            values = random.random(9 * width)
        if kind.startswith("INT") or kind == "BOOLEAN":
            values = np.round(values).astype(np.int32)
        if kind == "BOOLEAN":
            values = values > 0
        attribute = thing.data.attributes.new(kind.lower(), kind, "POINT")
        attribute.data.foreach_set(name, values.astype(np.float32) if width > 2 else values)
    return thing


@pytest.mark.parametrize("kind", BODIES)
def test_attributes_of_another_type(kind):
    thing = grid_with_all()
    modifier = add(thing, f"float f({kind} x, float3 position) {{ return float({BODIES[kind]}); }}")
    names = [name.lower() for name in FIELDS]
    found = []
    for is_carried in (False, True):
        if is_carried:
            thing.modifiers.new("Array", "ARRAY").count = 1
            thing.modifiers.move(1, 0)
        for name in names:
            give(thing, modifier, "x", name)
            update()
            assert problems() == []
            found.append(shown(thing))

    assert np.allclose(found[: len(names)], found[len(names) :], rtol=1e-4, atol=1e-4)


def test_parameters_may_be_called_as_what_we_store():
    thing = subdivided(3, 1)
    add(thing, "void f(float index, float x, out float in_x) { in_x = index + x; }", index=2.0)

    for x in (3.0, 5.0):
        give(thing, thing.modifiers[-1], "x", x)
        update()

    assert problems() == []
    assert np.allclose(shown(thing, "in_x"), 7)


@pytest.mark.parametrize(
    "name", ["self", "data", "carrier", "geometry", "is_carried", "lambda", "name", "device"]
)
def test_names_that_mean_something_elsewhere(name):
    thing = grid(3)

    modifier = add(thing, f"float f(float {name}) {{ return 2 * {name}; }}")
    give(thing, modifier, name, 3.0)
    update()

    assert problems() == []
    assert np.allclose(shown(thing), 6)


@pytest.mark.parametrize("is_carried", [False, True])
@pytest.mark.parametrize(
    ("kind", "picked"),
    [("int", "all[i]"), ("float3", "all[i].y"), ("int2", "all[i].y"), ("float2", "all[i].y")],
)
def test_whole_arrays_of_another_type(kind, picked, is_carried):
    thing = subdivided(3, 0) if is_carried else grid(3)
    values = np.arange(9, dtype=np.float32)
    thing.data.attributes.new("d", "FLOAT", "POINT").data.foreach_set("value", values)

    add(
        thing,
        f"""import weft.node;
        float f(int index, [Source("attribute:d")] ITensor<{kind}, 1> all)
        {{
            int i = (index + 1) % 9;
            return {picked};
        }}""",
    )

    assert problems() == []
    assert np.allclose(shown(thing), np.roll(values, -1))


@pytest.mark.parametrize("domain", ["CURVE", "INSTANCE"])
def test_a_domain_that_a_mesh_has_not(domain):
    add(grid(3), "float f(int index) { return index; }", domain)

    assert len(problems()) == 1
    assert "choose another Domain" in problems()[0]


def test_scripts_give_numbers_of_numpy():
    thing = grid(2)
    text = text_block("float f(float g, int i, bool b, float3 v) { return g + i + b + v.y; }")

    weft_blender.add_evaluation(
        thing, text, g=np.int64(1), i=np.float32(2.5), b=1, v=np.array([0, 100, 0], np.float32)
    )

    assert np.allclose(shown(thing), 104)


@pytest.mark.parametrize("value", ["abc", object(), [[1.0]]])
def test_scripts_that_give_no_number_are_told(value):
    thing = grid(2)
    text = text_block("float f(float g) { return g; }")

    with pytest.raises(weft.ArgumentError, match="'g' takes a number"):
        weft_blender.add_evaluation(thing, text, g=value)

    assert not thing.modifiers
    assert not bpy.data.node_groups


def test_a_surface_has_no_such_modifiers():
    thing = bpy.data.objects.new("Surface", bpy.data.curves.new("Surface", "SURFACE"))

    with pytest.raises(weft.ArgumentError, match="the object must be a mesh"):
        weft_blender.add_evaluation(thing, text_block(HALVINGS))
