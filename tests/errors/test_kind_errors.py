# SPDX-License-Identifier: Apache-2.0
"""Values of a kind that a parameter does not take: function, parameter, expected, got, remedy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import weft
from support.messages import assert_in_order

SOURCE = """
struct P { float x; float y; };
struct Outer { P p; float z; };
enum class Mode { Fast, Slow };
namespace ns { enum Tone : uint8_t { dark, light }; float tone(Tone t) { return int(t); } }
struct Item { Mode mode; float x; };
float sum2(P p) { return p.x + p.y; }
float deep(Outer outer) { return outer.p.x + outer.z; }
float twice(float x) { return 2 * x; }
float3 vec(float3 v) { return v; }
float arr(float v[3]) { return v[0]; }
float both(float a, float b) { return a; }
float both(float a, P b) { return a; }
float run(Mode mode) { return int(mode); }
float item(Item item) { return item.x; }
float three(Mode modes[3]) { return int(modes[0]); }
T pick<T : IFloat>(T a) { return a; }
T mixed<T : IFloat, let N : int>(T a) { return a; }
P make(float x) { return { x, x }; }
void change(inout P p) { p.x += 1; p.y += 2; }
uniform Mode setting;
float read() { return int(setting); }
[shader("compute")] [numthreads(1, 1, 1)] void entry(uint3 id : SV_DispatchThreadID) {}
"""


class Misfit:
    """Its attributes are not the fields of P."""

    def __init__(self) -> None:
        self.x = 1.0
        self.z = 2.0


@dataclasses.dataclass
class Record:
    """A dataclass that is no P."""

    x: float = 1.0
    z: float = 2.0


P_REMEDY = ["pass a dict, a structured array or a tensor of P", "the fields x, y"]
MODES = ["Mode has no", "its names are Fast, Slow"]

CASES = {
    # entry points and generics
    "entry point": (lambda m: m.entry(), ["entry", "'id' (uint3)", "entry.dispatch(threads"]),
    "bound written out": (
        lambda m: m["pick<T : float>"](2),
        ["'pick<T : float>'", "T : IFloat", "<T : float>", "give the type alone, as in <float>"],
    ),
    "type that is not there": (
        lambda m: m["pick<flot>"],
        ["'pick<flot>'", "T : IFloat", "takes no <flot>", "check the names"],
    ),
    "too many types": (lambda m: m["pick<float, 3>"], ["T : IFloat", "takes no <float, 3>"]),
    "generics of no generic": (
        lambda m: m["twice<flot>"],
        ["'twice<flot>'", "'twice' is not generic", 'module["twice"]'],
    ),
    "too few types": (lambda m: m["mixed<float>"], ["T : IFloat, let N", "takes no <float>"]),
    # structures
    "object for a structure": (
        lambda m: m.sum2(Misfit()),
        ["sum2: argument 1 has type Misfit", "parameter 'p' is P", *P_REMEDY],
    ),
    "object by name": (
        lambda m: m.sum2(p=object()),
        ["sum2: argument 'p' has type object", "parameter 'p' is P", *P_REMEDY],
    ),
    "dataclass for a structure": (
        lambda m: m.sum2(Record()),
        ["sum2", "'p' must be P", "no field 'y'"],
    ),
    "number for a structure": (
        lambda m: m.sum2(3.0),
        ["sum2", "'p' must be P", "the number 3", *P_REMEDY],
    ),
    "text for a structure": (
        lambda m: m.sum2("x"),
        ["sum2", "'p' must be P", "the text 'x'", *P_REMEDY],
    ),
    "object in a structure": (
        lambda m: m.sum2({"x": Misfit(), "y": 1}),
        ["sum2: argument 'x' has type Misfit", "pass a number"],
    ),
    "dict in a structure": (
        lambda m: m.deep({"p": 3, "z": 1}),
        ["deep", "'outer.p' must be P", "the integer 3", *P_REMEDY],
    ),
    "object for a number": (
        lambda m: m.twice(Misfit()),
        ["twice: argument 1 has type Misfit", "pass a number", "parameter 'x' is float"],
    ),
    "dict for a number": (
        lambda m: m.twice({"a": 1}),
        ["twice", "'x' must be float", "a structure with 1 fields", "pass the number itself"],
    ),
    "dict for a field": (
        lambda m: m.sum2({"x": {"a": 1}, "y": 2}),
        ["sum2", "'p.x' must be float", "a structure with 1 fields", "pass the number itself"],
    ),
    "dict for an array": (
        lambda m: m.arr({"x": 1}),
        ["arr", "'v'", "float[3]", "list or an array"],
    ),
    "part of a vector": (lambda m: m.vec({"x": 1}), ["vec", "'v' must be float3", "no field 'y'"]),
    "object for overloads": (lambda m: m.both(1, Misfit()), ["both: argument 2", "Misfit"]),
    # results
    "unknown kind of result": (
        lambda m: m.twice(1.0, _result="torhc"),
        ["twice: _result", "'numpy'", "'tensor'", "got 'torhc'", "Did you mean 'torch'"],
    ),
    "number as a result": (
        lambda m: m.twice(1.0, _result=3),
        ["twice", "'_result' must be float", "the integer 3", "needs a Tensor or a numpy array"],
    ),
    "list as a result": (
        lambda m: m.twice(1.0, _result=[1.0]),
        ["twice", "'_result'", "a list", "needs a Tensor or a numpy array"],
    ),
    "dict as a result": (
        lambda m: m.twice(1.0, _result={}),
        ["twice", "'_result'", "a structure with 0 fields", "needs a Tensor or a numpy array"],
    ),
    "numbers as results": (
        lambda m: m.make(1.0, _result={"x": 1.0, "y": np.zeros(())}),
        ["make", "'_result.x'", "the number 1", "needs a Tensor or a numpy array"],
    ),
    # enumerations
    "wrong name": (
        lambda m: m.run("Fsat"),
        ["run", "'mode' must be Mode", "the text 'Fsat'", *MODES, "Did you mean 'Fast'"],
    ),
    "name of another case": (lambda m: m.run(mode="fast"), ["run", "'mode'", "'fast'", *MODES]),
    "wrong name in a list": (
        lambda m: m.run(["Fast", "Quick"]),
        ["run", "'mode' must be Mode", "a list of texts, 'Fast', 'Quick'", "'Quick'", *MODES[1:]],
    ),
    "wrong name in an array": (
        lambda m: m.three(["Fast", "Slow", "Slwo"]),
        ["three", "'modes' must be Mode[3]", "'Slwo'", *MODES[1:]],
    ),
    "one name for an array": (lambda m: m.three("Fast"), ["three", "'modes'", "the text 'Fast'"]),
    "wrong name in a field": (
        lambda m: m.item({"mode": "x", "x": 1}),
        ["item", "'item.mode' must be Mode", "the text 'x'", *MODES],
    ),
    "wrong name in a namespace": (
        lambda m: m.ns.tone("grey"),
        ["tone", "'t'", "Tone has no 'grey'", "dark, light"],
    ),
    "wrong name of a uniform": (
        lambda m: m.read.set(setting="Medium")(),
        ["read: uniform 'setting' must be Mode", "the text 'Medium'", *MODES],
    ),
    "name for a number": (
        lambda m: m.twice("Fast"),
        ["twice", "'x' must be float", "the text 'Fast'", "pass a number or an array"],
    ),
    "number beyond its integer": (
        lambda m: m.ns.tone(256),
        ["tone", "'t'", "uint8_t", "0 to 255", "256"],
    ),
    "float for an enumeration": (lambda m: m.run(0.5), ["run", "'mode'", "Mode", "0.5", "round"]),
    "names beside numbers": (
        lambda m: m.run(["Fast", 1]),
        ["run", "argument 1", "mixes names and numbers", "one kind"],
    ),
    "bytes": (lambda m: m.run(b"Fast"), ["run: argument 1 has type bytes", "'mode' is Mode"]),
}


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "kind_errors", SOURCE)


@pytest.mark.parametrize("case", CASES)
def test_a_value_of_a_wrong_kind_is_named_with_what_fits(module, case):
    run, words = CASES[case]

    with pytest.raises(weft.ArgumentError) as error:
        run(module)

    assert_in_order(str(error.value), words)
    assert not isinstance(error.value, weft.InternalError)
    assert module.twice(1.0) == 2.0
