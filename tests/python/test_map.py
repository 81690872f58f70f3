# SPDX-License-Identifier: Apache-2.0
"""map() says which dimension of a call each dimension of an argument is."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float times(float a, float b) { return a * b; }
float inner(float3 a, float3 b) { return dot(a, b); }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "mapping", SOURCE)


def test_map_makes_an_outer_product(module):
    a, b = np.arange(3.0), np.arange(4.0)

    assert np.array_equal(module.times.map((0,), (1,))(a, b).numpy(), np.outer(a, b))
    assert np.array_equal(module.times.map((1,), (0,))(a, b).numpy(), np.outer(b, a))


def test_map_takes_names_and_plain_integers(module):
    a, b = np.arange(3.0), np.arange(4.0)

    assert np.array_equal(module.times.map(a=0, b=1)(a, b).numpy(), np.outer(a, b))


def test_map_permutes_dimensions(module):
    a, b = np.arange(6.0).reshape(2, 3), np.arange(6.0).reshape(3, 2)

    assert np.array_equal(module.times.map((0, 1), (1, 0))(a, b).numpy(), a * b.T)


def test_map_leaves_the_trailing_dimension_to_vectors(device, module):
    a = Tensor.from_numpy(device, np.arange(6, dtype=np.float32).reshape(2, 3))
    b = Tensor.from_numpy(device, np.ones((4, 3), np.float32))

    result = module.inner.map((0,), (1,))(a, b)

    assert np.array_equal(result.numpy(), np.repeat([[3], [12]], 4, axis=1))


def test_map_names_an_element_type(module):
    assert np.array_equal(module.inner.map("float3", "float3")([1, 2, 3], [1, 1, 1]), 6.0)


def test_mapping_does_not_change_the_function_it_is_made_from(module):
    module.times.map((0,), (1,))

    assert module.times(np.ones(3), np.ones(3)).shape == (3,)


def test_a_mapping_of_the_wrong_length_is_named(module):
    with pytest.raises(weft.ArgumentError, match=r"times.*'a'.*map\(\)"):
        module.times.map((0, 1), (1,))(np.ones(3), np.ones(3))


def test_negative_dimensions_are_refused(module):
    with pytest.raises(weft.ArgumentError, match=r"times.*map\(\).*0 or greater"):
        module.times.map((-1,), (0,))(np.ones(3), np.ones(3))
