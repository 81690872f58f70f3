# SPDX-License-Identifier: Apache-2.0
"""Generic structures: arguments named from Python, then calls of constructors and methods."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
struct Pair<T : IFloat> : IDifferentiable
{
    T first;
    T second;
    [Differentiable] __init(T a, T b) { first = a * b; second = b; }
    [Differentiable] T product() { return first * second; }
};
struct Box<T>
{
    T value;
    int count;
    __init(T v, int n) { value = v; count = n; }
    __init(T v) { value = v; count = -1; }
    int twice() { return 2 * count; }
};
struct Row<T, let N : int>
{
    T values[N];
    __init(T x) { for (int i = 0; i < N; ++i) values[i] = x; }
    static int length() { return N; }
};
struct Nested<T> { Box<Box<T>> inner; __init(Box<T> b) { inner = Box<Box<T>>(b, 7); } };
struct Fields<T> { T value; };
namespace shapes
{
    struct Disk<T> { T radius; __init(T r) { radius = r; } };
    struct Point { float x; __init(float a) { x = a; } };
}
struct Plain : IDifferentiable
{
    float a;
    float b;
    [Differentiable] __init(float x, no_diff float y) { a = x * y; b = x * x; }
};
[Differentiable] Plain make(float x, float y) { return Plain(x, y); }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "generic_structures", SOURCE)


VALUES = {
    "float": (1.5, "value"),
    "half": (-2.0, "value"),
    "double": (0.1, "value"),
    "int": (-7, "value"),
    "uint": (2**32 - 1, "value"),
    "int16_t": (-300, "value"),
    "uint64_t": (2**63 + 1, "value"),
    "bool": (True, "value"),
    "float3": ((1.0, 2.0, 3.0), "value"),
    "int2": ((1, -2), "value"),
    "float2x2": ([[1.0, 2.0], [3.0, 4.0]], "value"),
    "float[3]": ([1.0, 2.0, 3.0], "value"),
    "Fields<float2>": ({"value": (1.0, 2.0)}, "value"),
    "Box<Box<int>>": ({"value": {"value": 3, "count": 4}, "count": 5}, "value"),
}


@pytest.mark.parametrize("argument", VALUES)
def test_a_constructor_takes_every_kind_of_type(module, argument):
    value, field = VALUES[argument]

    made = module[f"Box<{argument}>"](value, 4)

    assert made["count"] == 4
    shown = np.array(made[field]) if isinstance(value, (tuple, list)) else made[field]
    assert np.array_equal(shown, value)
    assert module.Box[argument](value) == {**made, "count": -1}


@pytest.mark.parametrize("count", [0, 1, 5, 300])
def test_a_constructor_is_called_over_arrays(module, count):
    values = np.random.default_rng(0).random((count, 3), np.float32)

    made = module.Box[weft.float3](values, np.arange(count, dtype=np.int32))

    assert made.dtype.full_name == "Box<vector<float,3>>"
    assert np.array_equal(made.numpy()["value"], values)
    assert np.array_equal(made.numpy()["count"], np.arange(count))
    assert np.array_equal(
        module.Box[weft.float3].twice.bind(made)(_result="numpy"), 2 * np.arange(count)
    )


def test_arguments_are_named_by_types_and_numbers(module):
    box = module["Box<float>"]

    for argument in (float, weft.float32, weft.float, np.float32, "float"):
        assert module.Box[argument].full_name == box.full_name
    assert module.Box[int].full_name == "Box<int>"
    assert module.Box[box].full_name == "Box<Box<float>>"
    assert module.Row[int, 3](5) == {"values": [5, 5, 5]}
    assert module.Row["float", "2"](0.5) == {"values": [0.5, 0.5]}
    assert module.Row[float, 4].length() == 4


@pytest.mark.parametrize("count", [1, 2, 9, 33])
def test_sizes_are_arguments(module, count):
    made = module.Row[weft.float2, count](np.float32([[1, 2], [3, 4]]))

    assert made.shape == (2,)
    assert np.array_equal(made.numpy()["values"], np.float32([[[1, 2]] * count, [[3, 4]] * count]))


def test_generics_nest_and_live_in_namespaces(module):
    box = module.Box[float](3.0, 4)

    made = module.Nested[float](box)
    from_tensor = module.Nested[float](module.Box[float](np.float32([3, 5]), 4))

    assert made == {"inner": {"value": {"value": 3.0, "count": 4}, "count": 7}}
    assert from_tensor.numpy()["inner"]["value"]["value"].tolist() == [3, 5]
    assert module.shapes.Disk["half"](2.0) == {"radius": 2.0}
    assert module["shapes::Disk<int>"](2) == {"radius": 2}
    assert module.shapes.Point(1.5) == {"x": 1.5}


def test_a_tensor_has_the_type(device, module):
    tensor = weft.Tensor.zeros(device, (4,), module.Pair[float])

    module.Pair[float].__init(np.float32([1, 2, 3, 4]), 2.0, _result=tensor)

    assert tensor.numpy()["first"].tolist() == [2, 4, 6, 8]
    assert module.Pair[float].product.bind(tensor)(_result="numpy").tolist() == [4, 8, 12, 16]


@pytest.mark.parametrize("scalar", ["float", "double", "half"])
def test_gradients_pass_a_generic_constructor(device, module, scalar):
    pair = module.Pair[scalar]
    host = {"float": np.float32, "double": np.float64, "half": np.float16}[scalar]
    a, b = (
        weft.Tensor.from_numpy(device, np.array(v, host)).with_grads()
        for v in ([1, 2, 3], [4, 5, 6])
    )
    made = pair(a, b, _result="tensor").with_grads()
    made.grad.copy_from_numpy(np.array([(1, 10), (2, 20), (3, 30)], made.grad.numpy().dtype))

    pair.__init.bwds(a, b, made)

    assert a.grad.numpy().tolist() == [4, 10, 18]  # d(ab)/da = b
    assert b.grad.numpy().tolist() == [11, 24, 39]  # a and the 1 of second


def test_gradients_of_plain_constructors_and_of_structures_that_have_some(device, module):
    x, y = 3.0, 5.0
    step = 1e-3
    for function in (module.Plain.__init, module.make):
        point = weft.Tensor.from_numpy(device, np.float32([x])).with_grads()
        made = function(point, y, _result="tensor").with_grads()
        made.grad.copy_from_numpy(np.array([(1, 2)], made.grad.numpy().dtype))

        function.bwds(point, y, made)
        ends = [function(x + sign * step, y) for sign in (1, -1)]
        expected = sum(w * (ends[0][f] - ends[1][f]) for w, f in ((1, "a"), (2, "b"))) / (2 * step)

        assert point.grad.numpy()[0] == pytest.approx(expected, rel=1e-3)
        assert point.grad.numpy()[0] == y + 4 * x


def test_gradients_come_field_by_field(device, module):
    point = weft.Tensor.from_numpy(device, np.float32([3.0])).with_grads()
    fields = {name: weft.Tensor.zeros(device, (1,)).with_grads() for name in "ab"}
    fields["a"].grad.fill(1)
    fields["b"].grad.fill(2)

    for function in (module.make, module.Plain.__init):
        point.grad.clear()
        function.bwds(point, 5.0, _result=fields)

        assert point.grad.numpy().tolist() == [5 + 4 * 3]


def test_forward_mode_passes_a_constructor(device, module):
    x = weft.Tensor.from_numpy(device, np.float32([3, 4])).with_grads()
    x.grad.copy_from_numpy(np.float32([1, 1]))
    made = weft.Tensor.zeros(device, (2,), module.Plain).with_grads()

    module.Plain.__init.fwds(x, 5.0, _result=made)

    assert made.numpy()["b"].tolist() == [9, 16]
    assert made.grad.numpy()["a"].tolist() == [5, 5]
    assert made.grad.numpy()["b"].tolist() == [6, 8]


@pytest.mark.parametrize(
    ("take", "message"),
    [
        (lambda m: m.Pair(1.0, 2.0), r"'Pair<T>' is generic over T : IFloat.*Pair\[float\]\(...\)"),
        (lambda m: m.Pair[int], r"generic over T : .*, and takes no <int>; check the names"),
        (lambda m: m.Pair[float, 2], r"takes no <float, 2>"),
        (lambda m: m["Pair<int>"], r"'Pair' is generic over T : .*, and takes no <int>"),
        (lambda m: m.Row["flot", 3], r"generic over T, let N, and takes no <flot, 3>"),
        (lambda m: m.Plain[float], r"'Plain' takes no generic arguments, got \[float\]; leave"),
        (lambda m: m.Plain["flot"], r"structure 'Plain' has no method 'flot'"),
        (lambda m: m.Box[object()], r"Struct\[...\]"),
        (lambda m: m.Fields[float](1.0), r"'Fields<float>' has no method '__init'"),
        (lambda m: m.Box[float]("x", 3), r"parameter 'v'"),
        (lambda m: m.Box[float].__init.bwds(1.0, 2), r"not differentiable"),
    ],
)
def test_what_does_not_fit_is_named(module, take, message):
    with pytest.raises(weft.ArgumentError, match=message):
        take(module)
