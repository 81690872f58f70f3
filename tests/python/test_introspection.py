# SPDX-License-Identifier: Apache-2.0
"""What Python's own tools say of functions, types and tensors."""

from __future__ import annotations

import inspect
import pydoc

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
/// Mixes two colours.
float3 mixed(
    float3 a, ///< the first
    float3 b, ///< the second
    float amount = 0.5)
{
    return lerp(a, b, amount);
}
void split(float x, out float whole, out float rest) { whole = floor(x); rest = x - whole; }
float twice(float x) { return 2 * x; }
int twice(int x) { return 2 * x; }
float in_out(float lambda, inout float v) { v += lambda; return v; }
T same<T>(T x) { return x; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "introspection", SOURCE)


def test_a_signature_names_parameters_types_and_defaults(module):
    signature = inspect.signature(module.mixed)

    assert list(signature.parameters) == ["a", "b", "amount", "_result"]
    assert signature.parameters["a"].annotation == "float3"
    assert signature.parameters["a"].default is inspect.Parameter.empty
    assert signature.parameters["amount"].default == 0.5
    assert signature.parameters["_result"].kind is inspect.Parameter.KEYWORD_ONLY
    assert signature.return_annotation == "float3"
    signature.bind((1, 2, 3), b=(1, 2, 3))
    with pytest.raises(TypeError):
        signature.bind()


def test_outputs_may_be_left_out_of_a_signature(module):
    signature = inspect.signature(module.split)

    assert signature.parameters["whole"].annotation == "out float"
    assert signature.return_annotation is None
    signature.bind(1.5)
    signature.bind(1.5, None, None)


def test_names_that_python_reserves_are_positional(module):
    parameter = next(iter(inspect.signature(module.in_out).parameters.values()))

    assert (parameter.name, parameter.kind) == ("lambda", inspect.Parameter.POSITIONAL_ONLY)


def test_overloads_have_one_open_signature_and_are_all_documented(module):
    kinds = [entry.kind for entry in inspect.signature(module.twice).parameters.values()]

    assert kinds == [
        inspect.Parameter.VAR_POSITIONAL,
        inspect.Parameter.KEYWORD_ONLY,
        inspect.Parameter.VAR_KEYWORD,
    ]
    assert "twice(x: float) -> float" in module.twice.__doc__
    assert "twice(x: int) -> int" in module.twice.__doc__


def test_help_shows_signature_and_comments(module):
    text = pydoc.render_doc(module.mixed, renderer=pydoc.plaintext)

    assert "mixed(a: float3, b: float3, amount: float) -> float3" in text
    assert "Mixes two colours." in text
    assert "a: the first" in text
    assert "b: the second" in text
    assert inspect.getdoc(module.mixed) == module.mixed.__doc__


@pytest.mark.parametrize("derive", ["bwds", "map", "set", "return_type"])
def test_what_is_made_of_a_function_has_its_signature(module, derive):
    made = {
        "bwds": lambda: module.mixed.bwds,
        "map": lambda: module.mixed.map((0,)),
        "set": lambda: module.mixed.set({}),
        "return_type": lambda: module.mixed.return_type("numpy"),
    }[derive]()

    assert list(inspect.signature(made).parameters) == ["a", "b", "amount", "_result"]


def test_the_class_keeps_its_own_documentation():
    assert "A Slang function" in weft.Function.__doc__
    assert "A Slang function" in pydoc.render_doc(weft.Function, renderer=pydoc.plaintext)


TYPES = [
    (weft.float32, np.float32),
    (weft.float64, np.float64),
    (weft.float16, np.float16),
    (weft.int8, np.int8),
    (weft.int16, np.int16),
    (weft.int32, np.int32),
    (weft.int64, np.int64),
    (weft.uint8, np.uint8),
    (weft.uint16, np.uint16),
    (weft.uint32, np.uint32),
    (weft.uint64, np.uint64),
    (weft.bool_, np.bool_),
]


@pytest.mark.parametrize(("dtype", "numpy_type"), TYPES, ids=lambda value: str(value))
def test_a_dtype_equals_that_of_numpy_and_no_other(device, dtype, numpy_type):
    tensor = Tensor.zeros(device, (2,), dtype)

    assert tensor.dtype == dtype
    assert tensor.dtype == numpy_type
    assert tensor.dtype == np.dtype(numpy_type)
    assert numpy_type == tensor.dtype
    for other, other_type in TYPES:
        assert (tensor.dtype == other) is (other is dtype)
        assert (tensor.dtype == other_type) is (other is dtype)


def test_a_dtype_equals_what_makes_it(device):
    assert weft.float32 == float  # noqa: E721
    assert weft.int32 == int  # noqa: E721
    assert weft.bool_ == bool  # noqa: E721
    assert weft.float3 == "float3"
    assert weft.float3 != "float4"
    assert weft.float3 != "nonsense"
    assert weft.float3 != np.float32
    assert weft.float32 != None  # noqa: E711
    assert weft.float32 != 3
    assert len({weft.float32, weft.find_type("float"), weft.float}) == 1
    structure = weft.Module.load_from_source(device, "own", "struct P { float x; };").P
    assert Tensor.zeros(device, (1,), structure).dtype == structure


def test_scalar_types_have_their_names_in_slang():
    assert [weft.float, weft.int, weft.uint, weft.bool, weft.half, weft.double] == [
        weft.float32,
        weft.int32,
        weft.uint32,
        weft.bool_,
        weft.float16,
        weft.float64,
    ]
    names: dict[str, object] = {}
    exec("from weft import *", names)
    assert "float" not in names, "a star import keeps Python's own names"


@pytest.mark.parametrize("other", [1, 0.0, True, "x", [1], np.zeros(2), object(), "tensor"])
def test_comparing_a_tensor_raises_instead_of_saying_false(device, other):
    tensor = Tensor.zeros(device, (2,))
    if isinstance(other, str) and other == "tensor":
        other = Tensor.zeros(device, (2,))

    with pytest.raises(weft.ArgumentTypeError, match=r"Tensor ==.*all_close.*to_numpy\(\)"):
        _ = tensor == other
    with pytest.raises(weft.ArgumentTypeError, match="Tensor =="):
        _ = tensor != other


def test_tensors_are_keys_and_compare_with_themselves_and_none(device):
    tensors = [Tensor.zeros(device, (2,)) for _ in range(100)]
    places = {tensor: index for index, tensor in enumerate(tensors)}

    assert [places[tensor] for tensor in tensors] == list(range(100))
    assert len(set(tensors)) == 100
    assert tensors[0] in tensors
    same = tensors[0]
    assert tensors[0] == same
    assert not (tensors[0] == None)  # noqa: E711
    assert tensors[0] != None  # noqa: E711
