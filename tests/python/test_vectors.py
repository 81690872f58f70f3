# SPDX-License-Identifier: Apache-2.0
"""Values of vector types compute component by component, in the type that they have."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import weft

SCALARS = {
    "float": np.float32,
    "double": np.float64,
    "half": np.float16,
    "int": np.int32,
    "uint": np.uint32,
}
TYPES = [(f"{scalar}{count}", count) for scalar in SCALARS for count in (2, 3, 4)]


def dtype_of(name):
    return SCALARS[name[:-1]]


@pytest.mark.parametrize(("name", "count"), TYPES)
def test_arithmetic_is_that_of_numpy_component_by_component(name, count):
    make = getattr(weft, name)
    first, second = [7, 9, 12, 20][:count], [2, 3, 5, 7][:count]
    a, b = make(*first), make(*second)
    dtype = dtype_of(name)
    x, y = np.array(first, dtype), np.array(second, dtype)

    assert a + b == make(*(x + y).tolist())
    assert a - b == make(*(x - y).tolist())
    assert a * b == make(*(x * y).tolist())
    quotient = x / y if np.issubdtype(dtype, np.floating) else x // y
    assert (a / b) == make(*quotient.tolist())
    assert len(a + b) == count


@pytest.mark.parametrize(("name", "count"), TYPES)
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/"])
def test_numbers_and_sequences_are_operands_on_both_sides(name, count, symbol):
    make = getattr(weft, name)
    operation = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
    }[symbol]
    value = make(*range(1, count + 1))
    large = make(60)

    assert operation(large, 1) == operation(large, make(1))
    assert operation(60, value) == operation(large, value)
    assert operation(tuple(large), value) == operation(large, value)
    assert operation(large, list(value)) == operation(large, value)
    assert type(operation(60, value)) is type(value)


@pytest.mark.parametrize(("name", "count"), TYPES)
def test_components_have_names(name, count):
    value = getattr(weft, name)(*range(1, count + 1))

    for index in range(count):
        assert getattr(value, "xyzw"[index]) == getattr(value, "rgba"[index]) == value[index]
    for index in range(count, 4):
        with pytest.raises(AttributeError, match=f"{name} has no component"):
            getattr(value, "xyzw"[index])


@pytest.mark.parametrize(("name", "count"), TYPES)
def test_numpy_gets_the_scalars_of_the_type(name, count):
    value = getattr(weft, name)(*range(1, count + 1))
    array = np.asarray(value)

    assert array.dtype == dtype_of(name)
    assert array.tolist() == list(range(1, count + 1))
    assert np.asarray(value, np.float64).dtype == np.float64
    assert (value + np.ones(count, array.dtype)).tolist() == list(range(2, count + 2))
    assert (np.ones(count, array.dtype) + value).tolist() == list(range(2, count + 2))


def test_integers_are_divided_towards_zero_as_in_slang(device):
    module = weft.Module.load_from_source(
        device, "division", "int2 divide(int2 a, int2 b) { return a / b; }"
    )

    for a, b in [((7, -7), (2, 2)), ((7, -7), (-2, -2)), ((0, 1), (5, -3))]:
        assert weft.int2(*a) / weft.int2(*b) == module.divide(weft.int2(*a), weft.int2(*b))


def test_floats_are_divided_by_zero_as_in_slang():
    quotient = weft.float3(1, -1, 0) / 0

    assert quotient.x == float("inf")
    assert quotient.y == float("-inf")
    assert np.isnan(quotient.z)
    with pytest.raises(ZeroDivisionError):
        _ = weft.int2(1) / 0


def test_components_are_those_of_the_type():
    assert weft.float2(0.1).x == float(np.float32(0.1))
    assert weft.half2(0.1).x == float(np.float16(0.1))
    assert weft.double2(0.1).x == 0.1
    assert weft.bool2(1, 0) == (True, False)
    assert weft.float3(weft.float3(1, 2, 3)) == (1, 2, 3)
    assert weft.float3(np.arange(3)) == (0, 1, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [("int2", 1 << 31), ("uint2", -1), ("uint3", 1 << 32), ("float2", 1e39), ("half4", 70000.0)],
)
def test_what_does_not_fit_is_refused(name, value):
    with pytest.raises(weft.ArgumentError, match=f"{name}: .*wider type"):
        getattr(weft, name)(value)


@pytest.mark.parametrize("given", [(1, 2), (1, 2, 3, 4), ((1, 2),), ([1, 2, 3, 4],), ()])
def test_a_wrong_number_of_components_is_refused(given):
    with pytest.raises(weft.ArgumentError, match="float3: takes 1 or 3 numbers, got"):
        weft.float3(*given)


@pytest.mark.parametrize("given", ["abc", b"abc", None, object(), {"x": 1}])
def test_what_is_no_number_is_refused(given):
    with pytest.raises(weft.ArgumentError, match="float3: "):
        weft.float3(given, 1, 2)


@pytest.mark.parametrize(
    "other", [weft.float2(1), weft.int3(1), weft.double3(1), (1, 2), [1, 2, 3, 4], ("a", "b", "c")]
)
@pytest.mark.parametrize("symbol", ["+", "-", "*", "/"])
def test_operands_of_other_types_are_refused(other, symbol):
    value = weft.float3(1, 2, 3)
    operation = {
        "+": lambda: value + other,
        "-": lambda: value - other,
        "*": lambda: value * other,
        "/": lambda: value / other,
    }[symbol]

    with pytest.raises(weft.ArgumentTypeError, match=r"float3 .: expected a float3, 3 numbers"):
        operation()


def test_a_float_is_no_operand_of_integers():
    with pytest.raises(weft.ArgumentTypeError, match="int3"):
        _ = weft.int3(1) * 0.5


def test_values_compare_hash_copy_and_pickle_as_tuples():
    value = weft.float3(1, 2, 3)

    assert value == (1.0, 2.0, 3.0)
    assert value != (1.0, 2.0, 4.0)
    assert value == weft.float3(1, 2, 3)
    assert {value: "found"}[(1.0, 2.0, 3.0)] == "found"
    assert pickle.loads(pickle.dumps(value)) == value
    assert type(copy.deepcopy(value)) is type(value)
    assert repr(value) == "float3(1.0, 2.0, 3.0)"
    assert -value == (-1, -2, -3)
    assert sum([value, value], weft.float3(0)) == (2, 4, 6)


@pytest.mark.parametrize("scalar", ["float", "double", "int", "uint"])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_calls_take_and_return_values(device, scalar, count):
    name = f"{scalar}{count}"
    module = weft.Module.load_from_source(
        device, f"twice_{name}", f"{name} twice({name} v) {{ return v + v; }}"
    )
    value = getattr(weft, name)(*range(1, count + 1))

    result = module.twice(value)

    assert result == value + value
    assert type(result) is type(value)
    assert result + value == value * 3


def test_fields_of_structures_are_values(device):
    module = weft.Module.load_from_source(
        device,
        "particle",
        "struct P { float3 at; int2 cell; }; P made(float x) { return { float3(x), int2(3, 4) }; }",
    )

    made = module.made(2.0)

    assert made["at"] * 2 == (4, 4, 4)
    assert made["cell"].y == 4
