# SPDX-License-Identifier: Apache-2.0
"""Copies, conversions and prints on the device give what numpy gives."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

import weft
from weft import Tensor

SMALL = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 6e-8, -5.9e-6, 1e-40]
LARGE = [100.75, -100.75, 65504, 65519.9, 65520, 1e30, np.inf]
FLOATS = np.array(SMALL + LARGE)
"""Ties, subnormal halves and floats, and numbers past the largest half."""

PAIRS = [
    *[("float32", to) for to in ("float16", "float64", "int8", "uint16", "int32", "int64", "bool")],
    *[("float16", to) for to in ("float32", "float64", "int16", "uint8", "bool")],
    *[("float64", to) for to in ("float32", "float16", "int32", "uint64", "bool")],
    *[("int32", to) for to in ("float32", "float16", "int8", "uint32", "int64", "bool")],
    *[("int64", to) for to in ("float32", "int32", "uint8", "uint64")],
    *[("uint64", to) for to in ("float64", "int64", "uint32")],
    *[("uint8", to) for to in ("int8", "float16", "bool")],
    *[("int8", to) for to in ("uint8", "uint64", "float32")],
    *[("uint16", "int16"), ("int16", "uint16"), ("uint32", "int32")],
    *[("bool", to) for to in ("uint8", "int64", "float16", "float32")],
]


def numbers(source: str, target: str) -> np.ndarray:
    """Numbers of `source` at the edges of what `target` holds, and inside."""
    if source == "bool":
        return np.array([False, True, True, False])
    if np.dtype(source).kind == "f":
        with np.errstate(over="ignore"):
            values = FLOATS.astype(source)
        if np.dtype(target).kind in "iu":
            limits = np.iinfo(target)
            inside = (np.trunc(values.astype(np.float64)) >= limits.min) & (values <= limits.max)
            return values[inside]
        return values
    own = np.iinfo(source)
    edges = [own.min, own.max, own.max - 1, 0, 1, 2049, 16777217]
    if np.dtype(target).kind in "iu":
        limits = np.iinfo(target)
        edges += [limits.min, limits.max]
        edges = [n for n in edges if limits.min <= n <= limits.max]
    return np.array([n for n in edges if own.min <= n <= own.max], source)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_astype_gives_what_numpy_gives(device, source, target):
    values = numbers(source, target)

    result = Tensor.from_numpy(device, values).astype(target).numpy()

    with np.errstate(over="ignore"):
        expected = values.astype(target)
    assert result.dtype == expected.dtype
    if source == "float32" and result.dtype.kind == "f":
        # Vulkan lets a device take subnormal floats for zero (NVIDIA's does).
        is_flushed = (np.abs(values) < np.finfo("float32").tiny) & (result == 0)
        expected = np.where(is_flushed, np.copysign(0, expected), expected)
    assert np.array_equal(result, expected), (values, result, expected)
    if result.dtype.kind == "f":
        assert np.array_equal(np.signbit(result), np.signbit(expected))


def test_not_a_number_stays_one_and_is_true(device):
    tensor = Tensor.from_numpy(device, np.array([np.nan], np.float32))

    assert np.isnan(tensor.astype("float16").numpy())
    assert np.isnan(tensor.astype("float16").astype(float).numpy())
    assert tensor.astype(bool).numpy()


def test_every_half_becomes_its_float_and_back(device):
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    tensor = Tensor.from_numpy(device, halves)

    floats = tensor.astype("float32")

    finite = ~np.isnan(halves)
    assert np.array_equal(floats.numpy()[finite], halves[finite].astype(np.float32))
    assert np.array_equal(floats.astype("float16").numpy()[finite], halves[finite])


@pytest.mark.parametrize(
    ("value", "source", "target"),
    [
        (300, "int32", "int8"),
        (-1, "int8", "uint64"),
        (1 << 63, "uint64", "int64"),
        (2.0**31, "float32", "int32"),
        (np.nan, "float32", "int16"),
        (-1.0, "float64", "uint32"),
        (np.inf, "float16", "int64"),
    ],
)
def test_astype_names_the_element_that_does_not_fit(device, value, source, target):
    values = np.zeros((5, 7), source)
    values[3, 2] = value

    with pytest.raises(
        weft.ArgumentError, match=r"astype: element \(\d+,?( \d+)?\) is .*, outside the range"
    ):
        Tensor.from_numpy(device, values).astype(target)


def test_a_fraction_is_dropped_before_the_range_counts(device):
    tensor = Tensor.from_numpy(device, np.array([-0.75, 255.75, -128.9]))

    assert tensor[:2].astype("uint8").numpy().tolist() == [0, 255]
    assert tensor[2:].astype("int8").numpy().tolist() == [-128]


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float16", "float32", "float64"])
@pytest.mark.parametrize("inner", [(), (3,)])
def test_strided_views_convert_and_pack(device, dtype, inner):
    array = (np.arange(7 * 9 * 5 * (inner or (1,))[0]) % 2).astype(dtype).reshape(7, 9, 5, *inner)
    tensor = Tensor.from_numpy(device, array, dtype=f"{dtype}3" if inner else dtype)
    view = tensor[1:, ::2, 3].T
    expected = array[1:, ::2, 3].swapaxes(0, 1)

    assert np.array_equal(view.contiguous().numpy(), expected)
    assert np.array_equal(view.astype("int32").numpy(), expected.astype(np.int32))
    assert np.array_equal(view.reshape(-1).numpy(), expected.reshape(-1, *inner))


def test_structures_with_padding_are_packed_whole(device):
    module = weft.Module.load_from_source(
        device, "copied_structures", "struct Item { double key; int8_t small; half3 color; };"
    )
    tensor = Tensor.zeros(device, (4, 6), module.Item)
    values = tensor.numpy()
    values["key"] = np.arange(24).reshape(4, 6)
    values["color"] = np.arange(72).reshape(4, 6, 3)
    tensor.from_numpy(values)

    copied = tensor.T[::2].contiguous().numpy()

    assert np.array_equal(copied["key"], values.T[::2]["key"])
    assert np.array_equal(copied["color"], values.T[::2]["color"])


def test_writing_to_a_view_keeps_what_lies_between(device):
    tensor = Tensor.ones(device, (4, 5), "int16")

    tensor[:, 1].from_numpy(np.arange(4))
    tensor[:, 2].fill(9)
    tensor[1:3, 3:].clear()

    expected = np.ones((4, 5), np.int16)
    expected[:, 1] = range(4)
    expected[:, 2] = 9
    expected[1:3, 3:] = 0
    assert np.array_equal(tensor.numpy(), expected)


def test_a_large_view_with_gaps_downloads_only_its_elements(device):
    array = np.arange(512 * 1024, dtype=np.float32).reshape(512, 1024)
    tensor = Tensor.from_numpy(device, array)

    assert np.array_equal(tensor[:, 5].numpy(), array[:, 5])
    assert np.array_equal(tensor[::3, ::7].numpy(), array[::3, ::7])


@pytest.mark.parametrize(
    "shape", [(100_000,), (300, 400), (3, 4, 9000), (40, 50, 60), (7, 2, 9000)]
)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_print_shows_what_numpy_shows(device, shape, dtype):
    random = np.random.default_rng(2)
    array = (random.normal(size=shape) * 1000).astype(dtype)

    printed = str(Tensor.from_numpy(device, array))

    assert printed.split("\n", 1)[1] == str(array)


def test_print_of_views_vectors_and_structures(device):
    module = weft.Module.load_from_source(device, "printed", "struct P { float x; int3 i; };")
    array = np.arange(90_000, dtype=np.float32).reshape(100, 300, 3)
    vectors = Tensor.from_numpy(device, array, dtype=weft.float3)
    structures = Tensor.zeros(device, (90_000,), module.P)

    assert str(vectors.T).split("\n", 1)[1] == str(array.swapaxes(0, 1))
    assert str(structures).split("\n", 1)[1] == str(structures.numpy())
    with np.printoptions(edgeitems=1, precision=2):
        assert str(vectors).split("\n", 1)[1] == str(array)


def test_print_downloads_only_the_edges(device):
    tensor = Tensor.zeros(device, (1 << 12, 1 << 10))
    str(tensor)

    tracemalloc.start()
    str(tensor)
    _now, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < tensor.nbytes / 16


def test_an_index_outside_is_an_index_error(device):
    tensor = Tensor.from_numpy(device, np.arange(6).reshape(3, 2))

    for key in (3, -4, (0, 2), (0, 0, 0), 1 << 70):
        with pytest.raises(IndexError) as caught:
            tensor[key]
        assert isinstance(caught.value, weft.ArgumentError)
    assert tensor[-1, -2].item() == 4


def test_a_tensor_iterates_as_a_sequence(device):
    tensor = Tensor.from_numpy(device, np.arange(6).reshape(3, 2))

    assert [row.numpy().tolist() for row in tensor] == [[0, 1], [2, 3], [4, 5]]
    assert [t.item() for t in list(tensor[0])] == [0, 1]
    assert [row.numpy().tolist() for row in reversed(tensor)] == [[4, 5], [2, 3], [0, 1]]
    first, *_rest = tensor
    assert first.shape == (2,)
    assert list(Tensor.zeros(device, (0, 3))) == []
