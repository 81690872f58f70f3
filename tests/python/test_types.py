# SPDX-License-Identifier: Apache-2.0
import pytest

import weft
import weft.types


def test_types_are_the_same_in_the_package_and_in_types():
    assert weft.float32 is weft.types.float32
    assert weft.types.Tensor is weft.Tensor


TYPES = [name for name in weft.types.__all__ if isinstance(getattr(weft.types, name), weft.Type)]


@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_found_by_its_name(name):
    assert getattr(weft.types, name) == weft.find_type(name.rstrip("_"))


def test_types_compare_and_hash_by_what_they_are():
    assert weft.float3 == weft.find_type("vector<float,3>")
    assert weft.float3 != weft.float2
    assert len({weft.float3, weft.find_type("float3"), weft.float4}) == 2


def test_types_describe_themselves():
    assert repr(weft.float3) == "weft.float3"
    assert weft.float3.kind == weft.TypeKind.vector
    assert weft.float3.shape == (3,)
    assert weft.float3.element == weft.float32
    assert weft.float2x3.shape == (2, 3)
    assert weft.find_type("float[4][2]").shape == (4, 2)
    assert weft.float16.numpy_name == "float16"


def test_vector_types_make_values():
    assert weft.float3(1, 2, 3) == (1.0, 2.0, 3.0)
    assert weft.int2(4) == (4, 4)
    assert weft.float32(1) == 1.0
