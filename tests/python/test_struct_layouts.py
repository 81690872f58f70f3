# SPDX-License-Identifier: Apache-2.0
"""Structures of every kind of member keep their values between numpy, Python and Slang."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
struct Inner { half3 h; bool b; int8_t c; };
struct Outer {
    bool flag;
    bool3 flags;
    half3 tint;
    float3x3 frame;
    int8_t tiny;
    int16_t small;
    int64_t big;
    double exact;
    uint8_t bytes[3];
    Inner inner;
    Inner pair[2];
    float2 rows[2];
    half2x3 halves;
    bool last;
};
Outer same(Outer x) { return x; }
Outer changed(Outer x)
{
    x.flag = !x.flag;
    x.flags = bool3(x.flags.z, x.flags.y, !x.flags.x);
    x.tint = x.tint.zyx;
    x.frame = transpose(x.frame);
    x.tiny = int8_t(-x.tiny);
    x.small = int16_t(-x.small);
    x.big = -x.big;
    x.exact = -x.exact;
    x.bytes[2] = uint8_t(x.bytes[0] + x.bytes[1]);
    x.inner.h = x.pair[1].h;
    x.inner.b = x.pair[0].b;
    x.pair[0].c = x.inner.c;
    x.rows[1] = x.rows[0].yx;
    x.halves[1] = x.halves[0];
    x.last = x.flag;
    return x;
}
void change(inout Outer x) { x = changed(x); }
float3 read_frame(Outer x, float3 v) { return mul(x.frame, v); }

uniform bool3 switches;
uniform half3 shade;
uniform half gain;
uniform bool on;
uniform int16_t shift;
float switched(float x)
{
    return (switches.x ? 1 : 0) + (switches.y ? 10 : 0) + (switches.z ? 100 : 0) + x;
}
float shaded(float x) { return float(shade.x) + 10 * float(shade.y) + 100 * float(shade.z) + x; }
float gained(float x) { return float(gain) * x + (on ? 1000 : 0) + shift; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "struct_layouts", SOURCE)


def filled(dtype: np.dtype, count: int) -> np.ndarray:
    """Numbers that are exact in every member, and differ."""
    random = np.random.default_rng(5)
    array = np.zeros(count, dtype)

    def fill(part):
        if part.dtype.names:
            for name in part.dtype.names:
                fill(part[name])
        elif part.dtype == bool:
            part[...] = random.integers(0, 2, part.shape)
        elif part.dtype.kind == "u":
            part[...] = random.integers(0, 100, part.shape)
        else:
            part[...] = random.integers(-100, 100, part.shape)

    fill(array)
    return array


def expected_change(x: np.ndarray) -> np.ndarray:
    y = x.copy()
    y["flag"] = ~x["flag"]
    y["flags"] = np.stack([x["flags"][:, 2], x["flags"][:, 1], ~x["flags"][:, 0]], axis=1)
    y["tint"] = x["tint"][:, ::-1]
    y["frame"] = x["frame"].transpose(0, 2, 1)
    for name in ("tiny", "small", "big", "exact"):
        y[name] = -x[name]
    y["bytes"][:, 2] = x["bytes"][:, 0] + x["bytes"][:, 1]
    y["inner"]["h"] = x["pair"]["h"][:, 1]
    y["inner"]["b"] = x["pair"]["b"][:, 0]
    y["pair"]["c"][:, 0] = x["inner"]["c"]
    y["rows"][:, 1] = x["rows"][:, 0, ::-1]
    y["halves"][:, 1] = x["halves"][:, 0]
    y["last"] = y["flag"]
    return y


def assert_same(a: np.ndarray, b: np.ndarray, path: str = "") -> None:
    for name in a.dtype.names:
        if a.dtype[name].base.names:
            assert_same(a[name], b[name], f"{path}.{name}")
        else:
            assert np.array_equal(a[name], b[name]), f"{path}.{name}: {a[name]} != {b[name]}"


@pytest.fixture(scope="module")
def values(device, module):
    return filled(Tensor.zeros(device, (1,), module.Outer).numpy().dtype, 5)


def plain(record: np.void) -> dict:
    """A structure as the dicts and lists of Python."""

    def convert(value):
        if isinstance(value, np.void):
            return plain(value)
        if isinstance(value, np.ndarray) and value.dtype.names:
            return [plain(entry) for entry in value]
        return value.tolist()

    return {name: convert(record[name]) for name in record.dtype.names}


def as_lists(value):
    """Tuples of vectors as lists."""
    if isinstance(value, dict):
        return {name: as_lists(entry) for name, entry in value.items()}
    return [as_lists(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def test_tensors_of_structures_keep_every_member(device, module, values):
    tensor = Tensor.from_numpy(device, values, dtype=module.Outer)

    assert_same(tensor.numpy(), values)
    assert_same(module.same(tensor).numpy(), values)


def test_slang_reads_and_writes_every_member(device, module, values):
    tensor = Tensor.from_numpy(device, values, dtype=module.Outer)

    assert_same(module.changed(tensor).numpy(), expected_change(values))
    module.change(tensor)
    assert_same(tensor.numpy(), expected_change(values))


def test_one_structure_comes_back_as_a_dict(device, module, values):
    tensor = Tensor.from_numpy(device, values, dtype=module.Outer)

    result = module.changed(tensor[2])

    assert as_lists(result) == plain(expected_change(values)[2])


def test_matrices_in_structures_have_rows(device, module, values):
    tensor = Tensor.from_numpy(device, values, dtype=module.Outer)
    vector = np.array([1, 2, 3], np.float32)

    result = module.read_frame(tensor, vector).numpy()

    assert np.array_equal(result, values["frame"] @ vector)


def test_uniforms_of_small_types_have_their_own_layout(module):
    assert module.switched.set(switches=[True, False, True])(0.0) == 101
    assert module.switched.set(switches=[False, True, True])(0.5) == 110.5
    assert module.shaded.set(shade=[1, 2, 3])(0.0) == 321
    assert module.gained.set(gain=2.5, on=True, shift=-7)(2.0) == 998
    assert module.gained.set(gain=-0.5, on=False, shift=300)(2.0) == 299
