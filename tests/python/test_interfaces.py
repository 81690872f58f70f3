# SPDX-License-Identifier: Apache-2.0
"""Parameters of interfaces, structures without fields, and names within namespaces."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weft

SOURCE = """
interface IShape { float area(); }
struct Square : IShape { float side; float area() { return side * side; } };
struct Box : IShape { float w; float h; float area() { return w * h; } };
struct Other { float side; };
float area(IShape shape, float factor = 1) { return factor * shape.area(); }
float both(IShape a, IShape b) { return a.area() + 10 * b.area(); }

struct Nothing { float twice(float x) { return 2 * x; } };
float with_nothing(Nothing n, float x) { return n.twice(x); }

namespace outer
{
    float add(float a, float b) { return a + b; }
    struct Point { float x; float doubled() { return 2 * x; } };
    float of(Point p) { return p.x; }
    T same<T>(T x) { return x; }
    namespace inner { float add(float a, float b) { return a + 10 * b; } }
}
float add(float a, float b) { return a + 100 * b; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "interfaces", SOURCE)


@pytest.mark.parametrize(
    ("shape", "area"),
    [({"_type": "Square", "side": 3.0}, 9.0), ({"_type": "Box", "w": 2.0, "h": 5.0}, 10.0)],
)
def test_an_interface_takes_the_type_that_a_dict_names(module, shape, area):
    assert module.area(shape) == area
    assert module.area(shape, 2.0) == 2 * area
    assert module.area(factor=3.0, shape=shape) == 3 * area


def test_two_interfaces_take_types_of_their_own(module):
    square, box = {"_type": "Square", "side": 2.0}, {"_type": "Box", "w": 2.0, "h": 5.0}

    assert module.both(square, box) == 104.0
    assert module.both(box, square) == 50.0
    assert module.both(square, square) == 44.0


def test_fields_of_an_interface_are_vectorised(module):
    sides = np.arange(4, dtype=np.float32)

    areas = module.area({"_type": "Square", "side": sides}, _result="numpy")

    assert areas.tolist() == [0, 1, 4, 9]


def test_objects_name_the_type_of_an_interface(module):
    class Square:
        def get_this(self):
            return {"_type": "Square", "side": 4.0}

    assert module.area(Square()) == 16.0


def test_an_interface_without_a_type_says_what_to_name(module):
    with pytest.raises(weft.ArgumentError, match=r"area: parameter 'shape'.*IShape.*_type"):
        module.area({"side": 3.0})
    with pytest.raises(weft.ArgumentError, match=r"'shape'.*no structure 'Cube'"):
        module.area({"_type": "Cube", "side": 3.0})
    with pytest.raises(weft.CompileError, match=r"area: .*'IShape', got 'Other'.*implements"):
        module.area({"_type": "Other", "side": 3.0})


@dataclasses.dataclass
class Empty:
    """A structure without fields in Python."""


class EmptyThis:
    """The same by get_this()."""

    def get_this(self):
        return {}


@pytest.mark.parametrize(
    "nothing",
    [{}, Empty(), EmptyThis(), {"_type": "Nothing"}],
    ids=["dict", "dataclass", "get_this", "named"],
)
def test_structures_without_fields_take_an_empty_dict_and_objects(module, nothing):
    assert module.with_nothing(nothing, 2.0) == 4.0
    assert module.with_nothing(nothing, [1.0, 2.0], _result="numpy").tolist() == [2.0, 4.0]
    assert module.Nothing.twice.bind(nothing)(3.0) == 6.0


def test_structures_without_fields_take_no_fields(module):
    with pytest.raises(weft.ArgumentError, match=r"with_nothing: .*'n'.*no field 'x'"):
        module.with_nothing({"x": 1.0}, 2.0)


def test_builtin_types_without_fields_are_not_made_of_nothing(device):
    module = weft.Module.load_from_source(
        device, "cooperative", "float first(CoopVec<float, 4> v) { return v[0]; }"
    )

    for value in ({}, [1.0, 2.0, 3.0, 4.0], np.ones(4, np.float32)):
        with pytest.raises(weft.ArgumentError, match=r"first: parameter 'v' must be CoopVec"):
            module.first(value)


def test_namespaces_are_attributes(module):
    assert module.outer.add(1.0, 2.0) == 3.0
    assert module.outer.inner.add(1.0, 2.0) == 21.0
    assert module.outer.of({"x": 3.0}) == 3.0
    assert module.outer.Point.doubled.bind({"x": 3.0})() == 6.0
    assert sorted(dir(module.outer)) == ["Point", "add", "inner", "of", "same"]
    assert module.outer.inner.name == "outer.inner"
    assert repr(module.outer) == "<weft.Namespace outer>"


@pytest.mark.parametrize("name", ["outer::add", "outer.add", "outer::inner::add"])
def test_names_in_namespaces_are_found(module, name):
    expected = 21.0 if "inner" in name else 3.0

    assert module.find_function(name)(1.0, 2.0) == expected
    assert module.require_function(name)(1.0, 2.0) == expected
    assert module[name](1.0, 2.0) == expected
    assert module.find_struct("outer::Point").name == "Point"
    assert module.find_function("outer") is None
    assert module.find_struct("outer") is None


def test_absent_names_in_namespaces_suggest_others(module):
    with pytest.raises(weft.ArgumentAttributeError, match=r"namespace 'outer'.*'ad'.*'add'"):
        _ = module.outer.ad
    assert not hasattr(module.outer, "__wrapped__")


@pytest.mark.parametrize("name", ["outer::same<flot>", "add<float>"])
def test_wrong_generic_arguments_say_so(module, name):
    with pytest.raises(weft.ArgumentAttributeError, match=r"generic"):
        _ = module[name]
