# SPDX-License-Identifier: Apache-2.0
"""The overload is chosen by the types and shapes of the arguments."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
int which(float x) { return 1; }
int which(int x) { return 2; }
int which(float3 x) { return 3; }
int which(float3 x[2]) { return 4; }
int count(float a) { return 1; }
int count(float a, float b) { return 2; }
int pick(int a, float b) { return 1; }
int pick(float a, int b) { return 2; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "overloads", SOURCE)


def test_python_numbers_choose_between_float_and_int(module):
    assert module.which(1.0) == 1
    assert module.which(1) == 2


def test_the_shape_of_a_list_chooses_between_a_vector_and_an_array_of_vectors(module):
    assert module.which([5, 6, 7]) == 3
    assert module.which([[1, 2, 3], [5, 6, 7]]) == 4


def test_the_dtype_of_an_array_chooses(device, module):
    assert np.array_equal(
        module.which(Tensor.zeros(device, (5,), weft.int32)).numpy(), np.full(5, 2)
    )
    assert np.array_equal(
        module.which(Tensor.zeros(device, (5,), weft.float32)).numpy(), np.full(5, 1)
    )


def test_the_number_of_arguments_chooses(module):
    assert module.count(1.0) == 1
    assert module.count(1.0, 2.0) == 2


def test_equally_good_overloads_are_listed(module):
    with pytest.raises(
        weft.ArgumentError, match=r"pick.*two overloads.*pick\(a: int.*pick\(a: float"
    ):
        module.pick(1, 2)


def test_a_call_that_fits_no_overload_says_why_for_each(module):
    with pytest.raises(weft.ArgumentError) as error:
        module.count("text", [1, 2])
    with pytest.raises(weft.ArgumentError) as shapes:
        module.which([[1, 2]] * 5, 3)

    assert "count" in str(error.value) or "text" in str(error.value)
    assert str(shapes.value).count("which(x:") == 4
