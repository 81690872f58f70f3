# SPDX-License-Identifier: Apache-2.0
"""Wrong calls of Weft's own functions: one sentence, and a TypeError as Python raises it."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.messages import assert_in_order
from weft import Tensor

# call, text that must appear in this order
CASES = {
    "misspelt keyword": (
        lambda d: Tensor.zeros(d, (2,), dtpe=weft.float32),
        ["Tensor.zeros", "no argument 'dtpe'", "'dtype'", "shape, dtype=None, usage=None"],
    ),
    "unknown keyword": (
        lambda d: weft.sum(Tensor.zeros(d, (2,)), where=1),
        ["sum", "no argument 'where'", "sum(tensor, axis=None, keepdims=False)"],
    ),
    "missing argument": (lambda d: Tensor.zeros(d), ["Tensor.zeros", "'shape' is missing"]),
    "too many arguments": (
        lambda d: Tensor.empty_like(Tensor.zeros(d, (2,)), 3),
        ["Tensor.empty_like", "takes 1 arguments", "got 2"],
    ),
    "given twice": (
        lambda d: Tensor.zeros(d, (2,), shape=(3,)),
        ["Tensor.zeros", "'shape' is given twice"],
    ),
    "numpy array to reduce": (
        lambda d: weft.sum(np.ones(3)),
        ["sum", "'tensor'", "weft.Tensor", "numpy.ndarray", "Tensor.from_numpy(device, array)"],
    ),
    "number for a tensor": (
        lambda d: weft.dot(Tensor.zeros(d, (2,)), 3.0),
        ["dot", "'b'", "weft.Tensor", "float", "Tensor.from_numpy"],
    ),
    "text for an integer": (
        lambda d: Tensor.zeros(d, (2,)).unsqueeze("first"),
        ["Tensor.unsqueeze", "'axis'", "an integer", "str"],
    ),
    "number for text": (
        lambda d: weft.Module.load_from_source(d, 3, "float f() { return 1; }"),
        ["Module.load_from_source", "'name'", "a string", "int"],
    ),
    "text for a device": (
        lambda d: weft.Module.load_from_file("cuda", "file.slang"),
        ["Module.load_from_file", "'device'", "weft.Device", "str", "create_device()"],
    ),
    "constructor": (lambda d: Tensor(d, shap=(2,)), ["Tensor", "no argument 'shap'", "'shape'"]),
    "class or instance": (
        lambda d: Tensor.from_numpy(d, np.ones(3), dtyp=weft.float32),
        ["from_numpy", "no argument 'dtyp'", "'dtype'"],
    ),
    "device option": (
        lambda d: weft.create_device(typ="vulkan"),
        ["create_device", "no argument 'typ'", "'type'"],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_call_of_a_native_function_is_one_sentence(device, case):
    run, words = CASES[case]

    with pytest.raises(weft.ArgumentError) as error:
        run(device)

    message = str(error.value)
    assert_in_order(message, words)
    assert "\n" not in message
    assert isinstance(error.value, TypeError)
    assert isinstance(error.value, ValueError)


def test_a_type_error_from_within_a_function_stays_as_it_is(device):
    class Rude:
        def __index__(self):
            raise TypeError("not today")

    with pytest.raises(TypeError, match="not today"):
        Tensor.zeros(device, Rude())


def test_a_comparison_with_something_else_is_no_error():
    assert weft.float3 != 3


REDUCTIONS = {
    "dot of unequal shapes": (
        lambda a, b: weft.dot(a, b),
        r"^dot: the tensors have shapes \(2, 3\) and \(3,\); make them equal",
    ),
    "all_close of unequal shapes": (lambda a, b: weft.all_close(a, b), "^all_close: the tensors"),
    "axis out of range": (lambda a, b: weft.mean(a, axis=2), "^mean: axis 2 is out of range"),
    "axis twice": (lambda a, b: weft.min(a, axis=(0, 0)), "^min: axis 0 is given twice"),
    "axis of text": (lambda a, b: weft.max(a, axis="x"), "^max: axis must be an integer"),
    "no elements": (lambda a, b: weft.max(a[:0]), "^max: no elements have no"),
    "transpose": (lambda a, b: a.transpose(0, 0), r"^Tensor\.transpose: axes \(0, 0\) name axis 0"),
    "permute": (lambda a, b: a.permute(0), r"^Tensor\.permute: axes \(0,\) name 1 of 2"),
}


@pytest.mark.parametrize("case", REDUCTIONS)
def test_a_message_begins_with_the_function_that_was_called(device, case):
    run, pattern = REDUCTIONS[case]

    with pytest.raises(weft.ArgumentError, match=pattern):
        run(Tensor.zeros(device, (2, 3)), Tensor.zeros(device, (3,)))
