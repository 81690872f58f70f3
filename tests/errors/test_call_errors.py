# SPDX-License-Identifier: Apache-2.0
"""Every message of a wrong call names the function, what was expected, what came and what to do."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.messages import assert_in_order
from weft import Tensor

SOURCE = """
struct Item { float weight; int count; };
float f(float x, float y = 1) { return x + y; }
int g(int n) { return n; }
float h(Item item) { return item.weight; }
float3 v(float3 x) { return x; }
float pair(Item items[2]) { return items[0].weight + items[1].count; }
static const float kOne = 1.f;
float d(float x, float y = kOne, float z = 2) { return x + y + z; }
struct Counter { float x; float up() { return x + 1; } };
"""

# call, text that must appear in this order
CASES = {
    "too many arguments": (lambda m: m.f(1, 2, 3), ["f", "takes 2 arguments"]),
    "missing argument": (lambda m: m.f(), ["f", "'x'", "float", "is missing"]),
    "missing argument with a named default": (
        lambda m: m.d(1, z=3),
        ["d", "'y' (float) is missing", "its default kOne", "pass it", "d(x: float"],
    ),
    "unknown name": (lambda m: m.f(1, z=2), ["f", "no parameter 'z'"]),
    "given twice": (lambda m: m.f(1, x=2), ["f", "'x' is given twice"]),
    "unknown kind": (lambda m: m.f(object()), ["f", "argument 1", "type object", "pass a number"]),
    "unknown kind by name": (
        lambda m: m.f(x="text"),
        ["f", "'x'", "float", "the text 'text'", "pass a number"],
    ),
    "ragged list": (
        lambda m: m.v([[1, 2, 3], [1, 2]]),
        ["v", "argument 1", "different lengths", "rectangular"],
    ),
    "list of text": (
        lambda m: m.v(["a", "b", "c"]),
        ["v", "'x'", "float3", "a list of texts, 'a', 'b', 'c'", "pass a number or an array"],
    ),
    "names and numbers": (
        lambda m: m.v(["a", 1, 2]),
        ["v", "argument 1", "mixes names and numbers"],
    ),
    "numbers and names": (lambda m: m.v([1, "a"]), ["v", "argument 1", "mixes names and numbers"]),
    "64-bit overflow": (lambda m: m.g(1 << 70), ["g", "argument 1", "64 bits", "smaller"]),
    "integer out of range": (
        lambda m: m.g(1 << 40),
        ["g", "'n'", "2147483647", str(1 << 40), "wider"],
    ),
    "array out of range": (lambda m: m.g(np.array([1 << 40])), ["g", "'n'", str(1 << 40), "int32"]),
    "float for an integer": (lambda m: m.g(2.5), ["g", "'n'", "int", "2.5"]),
    "wrong vector length": (lambda m: m.v([1, 2]), ["v", "'x'", "float3", "(2,)", "(3,)"]),
    "vector in a signature": (lambda m: m.v(), ["v", "'x' (float3)", "v(x: float3)"]),
    "list of structures for one": (
        lambda m: m.h([{"weight": 1, "count": 2}]),
        ["h", "'item'", "a list of 1 structures", "fields are arrays"],
    ),
    "too few structures": (
        lambda m: m.pair([{"weight": 1, "count": 2}]),
        ["pair", "'items'", "Item[2]", "a list of 1 structures", "give it 2"],
    ),
    "structures and a number": (
        lambda m: m.pair([{"weight": 1, "count": 2}, 3]),
        ["pair", "argument 1", "holds a int", "dicts or dataclasses"],
    ),
    "unbound method": (
        lambda m: m.Counter.up(),
        ["up", "method of Counter", "module.Counter.up.bind(value)(...)"],
    ),
    "missing field": (lambda m: m.h({"weight": 1}), ["h", "'item'", "'count'"]),
    "unknown field": (
        lambda m: m.h({"weight": 1, "count": 2, "cost": 3}),
        ["h", "'item'", "'cost'", "weight, count"],
    ),
    "key that is no name": (
        lambda m: m.h({1: 2}),
        ["h", "argument 1", "key of type int", "names of the fields"],
    ),
    "shapes that do not join": (
        lambda m: m.f(np.zeros(3), np.zeros(4)),
        ["f", "'y'", "axis 0", "'x'", "map()"],
    ),
    "unknown result kind": (lambda m: m.f(1, _result="list"), ["f: _result", "'numpy'", "'list'"]),
    "grid of floats": (lambda m: m.g(weft.grid((2.5,))), ["grid", "integers", "float", "(4, 4)"]),
    "negative grid": (lambda m: m.g(weft.grid((-3,))), ["grid", "0 or greater", "-3"]),
    "grid offset": (lambda m: m.g(weft.grid((3,), offset=(1, 2))), ["grid", "offset has 2", "1"]),
    "unknown option": (
        lambda m: weft.Module.load_from_module(m.device, m, {"define": {}}),
        ["load_module", "'define'", "'defines'"],
    ),
}


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "call_errors", SOURCE)


@pytest.mark.parametrize("case", CASES)
def test_a_wrong_call_says_what_is_wrong(module, case):
    run, words = CASES[case]

    with pytest.raises(weft.ArgumentError) as error:
        run(module)

    assert_in_order(str(error.value), words)
    assert not isinstance(error.value, weft.InternalError)
    assert isinstance(error.value, ValueError)


def test_a_tensor_of_another_device_names_both(device, fresh_device, module):
    with pytest.raises(weft.ArgumentError, match=r"f: parameter 'x' lives on .*copy it"):
        module.f(Tensor.zeros(fresh_device, (2,)))


def test_a_failed_call_leaves_the_function_usable(module):
    with pytest.raises(weft.ArgumentError):
        module.f([1, "a"])

    assert module.f(1.0, 2.0) == 3.0
