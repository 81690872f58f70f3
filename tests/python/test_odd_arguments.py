# SPDX-License-Identifier: Apache-2.0
"""What a new user tries: odd spellings of numbers, sequences, names and shapes."""

from __future__ import annotations

import array

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
struct Pixel { float r; float g; float b; };
struct S { float x; float y; };
float add(float a, float b) { return a + b; }
uint64_t wide(uint64_t x) { return x; }
double precise(double x) { return x; }
bool flip(bool x) { return !x; }
float lum(Pixel p) { return p.r + p.g + p.b; }
void outp(float x, out float y) { y = x; }
float pick(int x) { return 1; }
float pick(float x) { return 2; }
float3 thread(float3 x) { return x; }
float clash(float a, float a_at, float a_words) { return a + 10 * a_at + 100 * a_words; }
float fields(S s, float s_x, float s_y) { return s.x + s.y + s_x + s_y; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "odd_arguments", SOURCE)


def test_integers_from_two_to_the_63_fit_unsigned_parameters(module):
    most = (1 << 64) - 1

    assert module.wide(most) == most
    assert module.wide([most, 0], _result="numpy").tolist() == [most, 0]
    assert module.precise(most) == float(most)
    with pytest.raises(weft.ArgumentError, match="64 bits"):
        module.wide(1 << 64)
    with pytest.raises(weft.ArgumentError, match="holds 0 to 18446744073709551615, got -1"):
        module.wide(-1)
    with pytest.raises(weft.ArgumentError, match="no integer type holds both"):
        module.wide([most, -1])


def test_zeros_and_ones_are_bools_and_no_other_numbers(module):
    assert module.flip([0, 1], _result="numpy").tolist() == [True, False]
    assert module.flip(np.array([0, 1]), _result="numpy").tolist() == [True, False]
    assert module.flip(1) is False
    for value in (3, [0, 2], np.array([0, 2])):
        with pytest.raises(weft.ArgumentError, match=r"'x'.*(0 and 1|\[0, 1\]).* 3|2"):
            module.flip(value)


def test_sequences_of_any_kind_are_lists(module):
    rows = [np.ones(2), np.ones(2)]

    assert module.add(range(3), 1.0, _result="numpy").tolist() == [1, 2, 3]
    assert module.add(array.array("f", [1, 2]), 1.0, _result="numpy").tolist() == [2, 3]
    assert module.add(memoryview(np.arange(2.0)), 1.0, _result="numpy").tolist() == [1, 2]
    assert module.add(rows, 1.0, _result="numpy").tolist() == [[2, 2], [2, 2]]


def test_values_that_hold_themselves_are_refused(module):
    endless: list[object] = []
    endless.append(endless)
    circle: dict[str, object] = {"g": 1, "b": 2}
    circle["r"] = circle

    with pytest.raises(weft.ArgumentError, match="may hold itself"):
        module.add(endless, 1.0)
    with pytest.raises(weft.ArgumentError, match="may hold itself"):
        module.lum(circle)


def test_a_bool_counts_as_an_integer_before_a_float(module):
    assert module.pick(True) == 1
    assert module.pick(1) == 1
    assert module.pick(1.0) == 2


def test_an_array_that_cannot_take_results_is_named_before_the_call(module):
    with pytest.raises(
        weft.ArgumentError, match=r"'y' must be float, got an array of int32.*written with float"
    ):
        module.outp(np.ones(4), np.zeros(4, np.int32))
    with pytest.raises(weft.ArgumentError, match=r"'_result'.*written with float values"):
        module.add(np.ones(4), 1.0, _result=np.zeros(4, int))


def test_a_list_for_a_structure_is_told_the_fields(module):
    with pytest.raises(weft.ArgumentError, match=r"'p' must be Pixel.*with the fields r, g, b"):
        module.lum([1, 2, 3])


def test_a_dict_of_arrays_is_mapped_field_by_field(device, module):
    column = np.arange(4, dtype=np.float32)
    mapped = module.lum.map(p=(0,))

    result = mapped({"r": column, "g": Tensor.from_numpy(device, column), "b": 3.0})

    assert result.numpy().tolist() == [3, 5, 7, 9]


def test_map_is_checked_against_the_parameters(module):
    with pytest.raises(weft.ArgumentError, match="add has 2 parameters, got 3 entries"):
        module.add.map((0,), (0,), (0,))
    with pytest.raises(weft.ArgumentError, match="names one call dimension twice"):
        module.add.map((0, 0))(np.ones((2, 2)), 1.0)


def test_thread_id_counts_in_floats_too(module):
    result = np.zeros((2, 3), np.float32)

    module.thread(weft.thread_id(), _result=result)

    assert result.tolist() == [[0, 0, 0], [1, 0, 0]]


def test_parameters_may_be_named_like_what_a_kernel_derives(module):
    row = np.arange(4, dtype=np.float32)

    result = module.clash(row, row, row[:, None], _result="numpy")

    assert np.array_equal(result, 11 * row + 100 * row[:, None])
    assert module.fields({"x": row, "y": 1.0}, row, row, _result="numpy").tolist() == [1, 4, 7, 10]


def test_masks_are_no_indices(device):
    with pytest.raises(weft.ArgumentError, match=r"got numpy\.ndarray; index to_numpy\(\)"):
        Tensor.zeros(device, (4,))[np.array([True, False, True, False])]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"defines": ["A"]}, "option 'defines' must be a dict, got list"),
        ({"include_paths": "shaders"}, "option 'include_paths' must be a list of folders, got str"),
    ],
)
def test_module_options_of_a_wrong_kind_are_named(device, options, text):
    with pytest.raises(weft.ArgumentError, match=text):
        weft.Module.load_from_source(device, "odd_options", "", options)


def test_seeds_may_be_negative(module):
    results = [np.zeros(4, np.float32) for _ in range(2)]
    for result in results:
        module.add(weft.rand_float(seed=-5), 0.0, _result=result)

    assert np.array_equal(*results)
