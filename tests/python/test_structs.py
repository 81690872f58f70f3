# SPDX-License-Identifier: Apache-2.0
"""Structures come from dicts, dataclasses, named tuples, structured arrays and dicts of tensors."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
struct Ball { float3 center; float radius; };
struct Pair { Ball a; Ball b; int kind; };
float volume(Ball ball) { return ball.radius * ball.radius * ball.radius; }
float gap(Pair pair)
{
    return distance(pair.a.center, pair.b.center) - pair.a.radius - pair.b.radius;
}
Ball grow(Ball ball, float by) { return { ball.center, ball.radius + by }; }
struct Flagged { bool on; int8_t tag; float weight; };
float weigh(Flagged f) { return f.on ? f.weight + f.tag : 0; }
"""


@dataclasses.dataclass
class BallRecord:
    center: tuple[float, float, float]
    radius: float


class BallTuple(NamedTuple):
    center: tuple[float, float, float]
    radius: float


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "structures", SOURCE)


@pytest.mark.parametrize(
    "ball",
    [
        {"center": [0, 0, 0], "radius": 2},
        {"_type": "Ball", "radius": 2.0, "center": (0, 0, 0)},
        BallRecord((0, 0, 0), 2.0),
        BallTuple((0, 0, 0), 2.0),
    ],
    ids=["dict", "typed dict", "dataclass", "named tuple"],
)
def test_one_structure_may_be_spelled_in_many_ways(module, ball):
    assert module.volume(ball) == 8.0


def test_structures_nest(module):
    pair = {"a": BallRecord((0, 0, 0), 1.0), "b": {"center": [5, 0, 0], "radius": 1}, "kind": 3}

    assert module.gap(pair) == 3.0


def test_a_dimension_zero_call_returns_a_structure_as_a_dict(module):
    grown = module.grow({"center": [1, 2, 3], "radius": 1.0}, 0.5)

    assert tuple(grown["center"]) == (1.0, 2.0, 3.0)
    assert grown["radius"] == 1.5


def test_a_dict_of_tensors_is_a_structure_of_arrays(device, module):
    radii = Tensor.from_numpy(device, np.array([1, 2, 3], dtype=np.float32))

    volumes = module.volume({"center": [0, 0, 0], "radius": radii})

    assert np.array_equal(volumes.numpy(), [1, 8, 27])


def test_structures_return_as_a_structured_array(device, module):
    centers = np.arange(12, dtype=np.float32).reshape(4, 3)

    balls = module.grow(
        {"center": centers, "radius": np.ones(4, np.float32)}, np.arange(4, dtype=np.float32)
    )

    assert balls.dtype.name == "Ball"
    assert np.array_equal(balls.numpy()["center"], centers)
    assert np.array_equal(balls.numpy()["radius"], [1, 2, 3, 4])


def test_a_tensor_of_structures_is_an_argument(device, module):
    balls = Tensor.zeros(device, dtype=module.Ball, shape=(5,))

    grown = module.grow(balls, 3.0)

    assert np.array_equal(module.volume(grown).numpy(), np.full(5, 27))


def test_small_and_boolean_fields_arrive(device, module):
    if not device.info.features.int8:
        pytest.skip("this device has no int8")
    assert module.weigh({"on": True, "tag": -2, "weight": 10.0}) == 8.0
    assert module.weigh({"on": False, "tag": 0, "weight": 10.0}) == 0.0


def test_a_missing_field_is_named(module):
    with pytest.raises(weft.ArgumentError, match=r"volume.*radius"):
        module.volume({"center": [0, 0, 0]})


def test_an_unknown_field_is_named(module):
    with pytest.raises(weft.ArgumentError, match=r"volume.*radios"):
        module.volume({"center": [0, 0, 0], "radius": 1, "radios": 1})


def test_a_type_tag_that_does_not_fit_is_named(module):
    with pytest.raises(weft.ArgumentError, match=r"volume.*Pair"):
        module.volume({"_type": "Pair", "center": [0, 0, 0], "radius": 1})


PIXEL = np.dtype([("r", "f4"), ("g", "f4"), ("b", "f4")])
MIXED_ORDER = np.dtype({"names": ["b", "r", "g"], "formats": ["f8", "i2", ">f4"], "itemsize": 40})


@pytest.fixture(scope="module")
def records(device):
    return weft.Module.load_from_source(
        device,
        "records",
        """
        struct Pixel { float r; float g; float b; };
        struct Lit { Pixel pixel; float3 normal; int id; };
        float sum(Pixel p) { return p.r + 10 * p.g + 100 * p.b; }
        void brighten(inout Pixel p) { p.r += 1; p.g *= 2; }
        Pixel gray(float x) { return { x, x, x }; }
        float lit(Lit l) { return l.pixel.g * l.normal.z + l.id; }
        float whole(ITensor<Pixel, 1> t) { return t[1].g; }
        """,
    )


def pixels(dtype):
    array = np.zeros((2, 3), dtype)
    array["r"] = np.arange(6).reshape(2, 3)
    array["g"] = 2
    array["b"] = 3
    return array


@pytest.mark.parametrize("dtype", [PIXEL, MIXED_ORDER])
def test_a_structured_array_is_one_structure_an_element(records, dtype):
    result = records.sum(pixels(dtype), _result="numpy")

    assert np.array_equal(result, np.arange(6).reshape(2, 3) + 320)


def test_a_view_of_a_structured_array_is_one_too(records):
    assert np.array_equal(
        records.sum(pixels(PIXEL).T[::2], _result="numpy"), [[320, 323], [322, 325]]
    )


def test_an_element_of_a_structured_array_is_one_structure(records):
    assert records.sum(pixels(PIXEL)[1, 2]) == 325.0
    assert records.sum(pixels(PIXEL)[1, 2:3][0]) == 325.0


def test_an_inout_structured_array_is_written(records):
    array = pixels(PIXEL)

    records.brighten(array)

    assert np.array_equal(array["r"], pixels(PIXEL)["r"] + 1)
    assert np.all(array["g"] == 4)
    assert np.all(array["b"] == 3)


def test_a_structured_array_takes_the_result(records):
    array = np.zeros(4, PIXEL)

    records.gray(np.arange(4), _result=array)

    assert np.array_equal(array["b"], np.arange(4))


def test_structured_arrays_nest_and_hold_vectors(records):
    array = np.zeros(3, [("pixel", PIXEL), ("normal", "f4", (3,)), ("id", "i8")])
    array["pixel"]["g"] = [1, 2, 3]
    array["normal"][:, 2] = 10
    array["id"] = 5

    assert records.lit(array, _result="numpy").tolist() == [15, 25, 35]


def test_a_tensor_of_structures_comes_from_a_structured_array(device, records):
    tensor = weft.Tensor.from_numpy(device, pixels(MIXED_ORDER), dtype=records.Pixel)

    assert tensor.shape == (2, 3)
    assert records.whole(tensor[0]) == 2.0
    assert np.array_equal(tensor.numpy()["r"], pixels(PIXEL)["r"])


def test_a_whole_tensor_of_structures_wants_a_tensor(records):
    with pytest.raises(weft.ArgumentError, match=r"'t'.*from_numpy\(device, array, dtype="):
        records.whole(pixels(PIXEL)[0])


def test_structured_arrays_need_the_fields_of_the_structure(records):
    with pytest.raises(weft.ArgumentError, match="no field 'b'"):
        records.sum(np.zeros(3, [("r", "f4"), ("g", "f4")]))


def test_numpy_scalars_are_numbers(device):
    module = weft.Module.load_from_source(
        device, "numpy_scalars", "int pick(bool b, int x, float y) { return b ? x : int(y); }"
    )

    assert module.pick(np.True_, np.int16(3), np.float32(4)) == 3
    assert module.pick(np.bool_(False), np.uint8(3), np.float16(4)) == 4
    with pytest.raises(weft.ArgumentError, match="complex64"):
        module.pick(True, 1, np.complex64(2))
    with pytest.raises(weft.ArgumentError, match="the text '2'"):
        module.pick(True, 1, np.str_("2"))


LISTS = """
struct Inner { float2 uv; };
struct Layer { float3 tint; float weight; Inner inner; };
float total(Layer layers[2])
{
    return layers[0].weight * layers[0].tint.x + layers[1].weight * layers[1].inner.uv.y;
}
void swap(inout Layer layers[2])
{
    const Layer first = layers[0];
    layers[0] = layers[1];
    layers[1] = first;
}
enum Tone : uint8_t { dark, light };
Tone invert(Tone t) { return t == Tone.dark ? Tone.light : Tone.dark; }
"""


@dataclasses.dataclass
class Inner:
    uv: tuple[float, float] = (0.0, 5.0)


@dataclasses.dataclass
class Layer:
    tint: tuple[float, float, float] = (1.0, 0.0, 0.0)
    weight: float = 2.0
    inner: Inner = dataclasses.field(default_factory=Inner)


@pytest.fixture(scope="module")
def lists(device):
    return weft.Module.load_from_source(device, "lists", LISTS)


def layer(weight):
    return {"tint": [3, 0, 0], "weight": weight, "inner": {"uv": [0, 7]}}


def test_an_array_of_structures_takes_a_list_of_dicts_or_dataclasses(lists):
    assert lists.total([layer(10), layer(1)]) == 37.0
    assert lists.total((Layer(), Layer())) == 12.0
    assert lists.total([layer(10), Layer()]) == 40.0


def test_fields_of_structures_in_a_list_may_be_arrays(device, lists):
    weights = Tensor.from_numpy(device, np.arange(4, dtype=np.float32))

    result = lists.total([layer(weights), layer(np.ones(4))], _result="numpy")

    assert result.tolist() == [7.0, 10.0, 13.0, 16.0]


def test_an_enumeration_of_bytes_is_read_and_written(lists):
    result = lists.invert(np.array([0, 1, 0], np.uint8), _result="numpy")

    assert result.tolist() == [1, 0, 1]


def test_a_tensor_of_structures_comes_from_a_dict_of_arrays(device, lists):
    made = Tensor.from_numpy(
        device,
        {"tint": np.ones((2, 3)), "weight": [1, 2], "inner": {"uv": np.arange(4).reshape(2, 2)}},
        dtype=lists.Layer,
    )

    assert made.shape == (2,)
    assert made.numpy()["weight"].tolist() == [1, 2]
    assert made.numpy()["inner"]["uv"].tolist() == [[0, 1], [2, 3]]


def test_one_structure_comes_from_a_dict(device, lists):
    made = Tensor.from_numpy(device, layer(4), dtype=lists.Layer)

    assert made.shape == ()
    assert float(made.numpy()["weight"]) == 4.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weight": [1, 2, 3]}, "field 'weight' has shape"),
        ({"tint": np.ones((2, 4))}, r"field 'tint' has shape \(2, 4\), it must end in \(3,\)"),
        ({"mass": [1, 2]}, "has a field 'mass'"),
    ],
)
def test_a_dict_whose_fields_do_not_fit_is_refused(device, lists, change, message):
    values = {"tint": np.ones((2, 3)), "weight": [1, 2], "inner": {"uv": np.ones((2, 2))}}

    with pytest.raises(weft.ArgumentError, match=message):
        Tensor.from_numpy(device, values | change, dtype=lists.Layer)


@pytest.mark.parametrize("dtype", [None, weft.float32])
def test_a_dict_needs_a_structure_as_its_dtype(device, dtype):
    with pytest.raises(weft.ArgumentError, match=r"is a dict.*pass dtype=module\.Name"):
        Tensor.from_numpy(device, {"x": [1, 2]}, dtype=dtype)
