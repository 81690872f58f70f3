# SPDX-License-Identifier: Apache-2.0
"""Optional<T> comes back as None or the value, Tuple<...> as a tuple."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
Optional<float> half_of(int x) { if (x % 2 == 0) return x * 0.5f; return none; }
Optional<float3> vector_of(int x) { if (x > 0) return float3(x, 2 * x, 3 * x); return none; }
Optional<bool> flag_of(int x) { if (x > 0) return x > 1; return none; }
Optional<int8_t> tiny_of(int x) { if (x > 0) return int8_t(x); return none; }
Tuple<int, float2, bool> three(int x) { return makeTuple(x, float2(x, 0.5f), x > 2); }
Tuple<int8_t, double> uneven(int x) { return makeTuple(int8_t(x), double(x) / 4); }
struct Pixel { float3 color; int id; };
Optional<Pixel> pixel_of(int x)
{
    Pixel p = { float3(x), x };
    if (x > 0)
        return p;
    return none;
}
struct Box { Optional<int> maybe; Tuple<float, int> both; };
Box boxed(int x)
{
    Box b;
    b.maybe = none;
    if (x > 0)
        b.maybe = x;
    b.both = makeTuple(0.5f, x);
    return b;
}
void given(int x, out Optional<int> y) { y = none; if (x > 0) y = x; }
Optional<float*> pointer_of(float* x) { return x; }
float taken(Optional<float> x) { return x.hasValue ? x.value : -1; }
float summed(Tuple<float, float> x) { return 1; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "optional_and_tuple", SOURCE)


def test_an_optional_is_none_or_the_value(module):
    assert module.half_of(3) is None
    assert module.half_of(4) == 2.0
    assert module.half_of(0) == 0.0
    assert module.vector_of(0) is None
    assert list(module.vector_of(2)) == [2, 4, 6]
    assert [module.flag_of(x) for x in range(3)] == [None, False, True]
    assert [module.tiny_of(x) for x in (0, 5)] == [None, 5]
    assert module.pixel_of(0) is None
    assert module.pixel_of(2)["id"] == 2
    assert [module.given(x) for x in (0, 7)] == [None, 7]


def test_a_tuple_is_a_tuple(module):
    number, pair, flag = module.three(3)

    assert (number, list(pair), flag) == (3, [3, 0.5], True)
    assert module.uneven(-3) == (-3, -0.75)


def test_both_may_be_fields(module):
    assert module.boxed(4) == {"maybe": 4, "both": (0.5, 4)}
    assert module.boxed(0) == {"maybe": None, "both": (0.5, 0)}


def test_over_arrays_they_are_structures(module):
    x = np.arange(6, dtype=np.int32)

    halves = module.half_of(x).numpy()
    three = module.three(x).numpy()

    assert halves["hasValue"].tolist() == [True, False] * 3
    assert halves["value"][::2].tolist() == [0, 1, 2]
    assert three["value0"].tolist() == x.tolist()
    assert three["value1"].tolist() == [[i, 0.5] for i in range(6)]
    assert three["value2"].tolist() == (x > 2).tolist()


def test_a_tensor_of_them_is_a_parameter(module):
    halves = module.half_of(np.arange(4, dtype=np.int32))

    assert module.taken(halves).numpy().tolist() == [0, -1, 1, -1]


@pytest.mark.parametrize("value", [1.0, None, {"value": 1.0, "hasValue": True}])
def test_one_cannot_be_made_from_a_host_value(module, value):
    with pytest.raises(weft.ArgumentError, match=r"taken: .*'x'.*Optional<float>"):
        module.taken(value)


def test_a_tuple_cannot_be_made_from_a_host_value(module):
    with pytest.raises(weft.ArgumentError, match=r"summed: .*'x'.*Tuple<float"):
        module.summed({"value0": 1.0, "value1": 2.0})


def test_an_optional_pointer_is_refused(module, device):
    with pytest.raises(weft.ArgumentError, match=r"pointer_of: .*Optional<"):
        module.pointer_of(weft.Tensor.zeros(device, (2,), dtype="float32"))
