# SPDX-License-Identifier: Apache-2.0
"""Enumerations take names, numbers and members of Python's enumerations, wherever numbers go."""

from __future__ import annotations

import dataclasses
import enum

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
namespace ns { enum class Place { here, there = 7 }; int where(Place p) { return int(p); } }
enum class Mode { Fast, Slow, Odd = 40, Next };
[Flags] enum class Bits { x, y, z, xy = x | y };
enum Small : uint8_t { low = 3, high = 255 };
enum Big : int64_t { under = -5000000000LL, over = 0x7000000000LL };
enum Huge : uint64_t { top = 0xFFFFFFFFFFFFFFFFULL, one = 1 };
static const int kBase = 9;
enum class Made { first = kBase + 1, second };
struct Holder { enum class Kind { a = 4, b }; Kind kind; float x; };

int number(Mode mode) { return int(mode); }
int scaled(Mode mode, int factor = 10) { return int(mode) * factor; }
int bits(Bits b) { return int(b); }
int small(Small s) { return int(s); }
int64_t big(Big b) { return int64_t(b); }
uint64_t huge(Huge h) { return uint64_t(h); }
int made(Made m) { return int(m); }
float held(Holder h) { return float(int(h.kind)) + h.x; }
float held2(Holder h[2]) { return float(10 * int(h[0].kind) + int(h[1].kind)); }
int three(Mode modes[3]) { return 10000 * int(modes[0]) + 100 * int(modes[1]) + int(modes[2]); }
int read(int i, ITensor<Mode, 1> modes) { return int(modes[i]); }
Mode same(Mode mode) { return mode; }
Mode next(Mode mode) { return mode == Mode.Fast ? Mode.Slow : Mode.Fast; }
void turn(inout Mode mode) { mode = mode == Mode.Fast ? Mode.Slow : Mode.Fast; }
void give(out Mode mode) { mode = Mode.Odd; }
int which(Mode mode) { return 1; }
int which(Small small) { return 2; }
int which(ns.Place place) { return 3; }
[Differentiable] float scale(float x, no_diff Mode mode) { return mode == Mode.Slow ? 3.f * x : x; }

float stored(int i, StructuredBuffer<Holder> all) { return float(int(all[i].kind)) + all[i].x; }

uniform Mode setting;
struct Settings { Mode mode; int add; };
uniform Settings settings;
int set_number(int x) { return x + int(setting); }
int set_member(int x) { return x + int(settings.mode) + settings.add; }
"""

NUMBERS = {"Fast": 0, "Slow": 1, "Odd": 40, "Next": 41}


class Mode(enum.IntEnum):
    """What a user writes in Python."""

    Fast = 0
    Slow = 1
    Odd = 40
    Next = 41


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "enumerations", SOURCE)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_name_a_number_and_a_member_are_the_same(module, name):
    given = [name, NUMBERS[name], Mode[name], np.int32(NUMBERS[name]), np.str_(name)]

    assert [module.number(entry) for entry in given] == [NUMBERS[name]] * len(given)
    assert module.number(mode=name) == NUMBERS[name]
    assert module.scaled(name) == 10 * NUMBERS[name]
    assert module.scaled(name, 2) == 2 * NUMBERS[name]


CALLS = {
    ("bits", "x"): 1,
    ("bits", "y"): 2,
    ("bits", "z"): 4,
    ("bits", "xy"): 3,
    ("small", "low"): 3,
    ("small", "high"): 255,
    ("big", "under"): -5000000000,
    ("big", "over"): 0x7000000000,
    ("huge", "top"): 2**64 - 1,
    ("huge", "one"): 1,
    ("made", "first"): 10,
    ("made", "second"): 11,
}


@pytest.mark.parametrize("call", CALLS, ids=".".join)
def test_values_are_those_of_the_source(module, call):
    function, name = call

    assert getattr(module, function)(name) == CALLS[call]


def test_flags_combine_as_numbers(module):
    class Bits(enum.IntFlag):
        x = 1
        z = 4

    assert module.bits(Bits.x | Bits.z) == 5
    assert module.bits(6) == 6


def test_enumerations_of_namespaces_and_structures(module):
    assert module.ns.where("there") == 7
    assert module["ns::where"]("here") == 0
    assert module.held({"kind": "b", "x": 0.5}) == 5.5
    assert module.held2([{"kind": "a", "x": 0}, {"kind": "b", "x": 0}]) == 45


def test_names_in_dataclasses_and_beside_arrays(module):
    @dataclasses.dataclass
    class Holder:
        kind: str
        x: np.ndarray

    result = module.held(Holder("a", np.arange(3, dtype=np.float32)), _result="numpy")

    assert result.tolist() == [4.0, 5.0, 6.0]


@pytest.mark.parametrize(
    "names",
    [["Fast"], ["Slow", "Fast", "Odd"], ["Next"] * 5, list(NUMBERS) * 3, ("Odd", "Slow")],
    ids=len,
)
def test_a_list_of_names_is_one_value_a_call(module, names):
    expected = [NUMBERS[name] for name in names]

    assert module.number(names, _result="numpy").tolist() == expected
    assert module.number(names[::-1], _result="numpy").tolist() == expected[::-1]
    assert module.number([names, names[::-1]], _result="numpy").tolist() == [
        expected,
        expected[::-1],
    ]


def test_arrays_and_tensors_of_enumerations_take_names(module):
    assert module.three(["Slow", "Odd", "Fast"]) == 14000
    assert module.three(["Fast", "Odd", "Slow"]) == 4001
    assert module.three([["Slow", "Odd", "Fast"], ["Fast", "Fast", "Next"]]).numpy().tolist() == [
        14000,
        41,
    ]
    assert module.read(np.arange(2), ["Next", "Slow"], _result="numpy").tolist() == [41, 1]


@pytest.mark.parametrize(
    "holders",
    [[{"kind": "b", "x": 0.5}, {"kind": 4, "x": 1.5}], {"kind": ["b", "a"], "x": [0.5, 1.5]}],
    ids=["list", "dict"],
)
def test_structures_in_buffers_take_names(module, holders):
    assert module.stored([0, 1], holders, _result="numpy").tolist() == [5.5, 5.5]


def test_a_wrong_name_in_a_buffer_is_named(module):
    with pytest.raises(weft.ArgumentError, match=r"stored: parameter 'all'.*kind.*'c'.*a, b"):
        module.stored(0, [{"kind": "c", "x": 0.5}])


def test_the_names_of_a_repeated_call_may_change(module):
    for _ in range(3):
        for name, number in NUMBERS.items():
            assert module.number(name) == number
            assert module.number([name, "Fast"], _result="numpy").tolist() == [number, 0]


def test_results_are_numbers(module):
    assert module.same("Odd") == 40
    assert module.next("Fast") == 1
    assert module.turn("Fast") == 1
    assert module.give() == 40
    assert module.same(["Odd", "Fast"], _result="numpy").tolist() == [40, 0]
    assert module.same(["Odd", "Fast"], _result="numpy").dtype == np.int32


def test_results_go_into_tensors_and_enter_again(device, module):
    tensor = Tensor.zeros(device, (2,), module.Mode)

    module.same(["Next", "Slow"], _result=tensor)

    assert tensor.numpy().tolist() == [41, 1]
    assert module.number(tensor, _result="numpy").tolist() == [41, 1]


def test_a_type_lists_its_names_for_pythons_own_enumerations(module):
    assert module.Mode.enumerators == NUMBERS
    assert list(module.Mode.enumerators) == list(NUMBERS)
    assert module.Huge.enumerators == {"top": 2**64 - 1, "one": 1}
    assert weft.float3.enumerators == {}
    made = enum.IntEnum("Mode", module.Mode.enumerators)
    assert made(module.next(made.Fast)) is made.Slow


def test_overloads_are_told_apart_by_their_names(module):
    for _ in range(2):
        assert module.which("Slow") == 1
        assert module.which("high") == 2
        assert module.which("there") == 3


def test_uniforms_take_names(module):
    for name in ("Odd", "Slow", 40, Mode.Odd):
        number = NUMBERS[name] if type(name) is str else int(name)
        assert module.set_number.set(setting=name)(1) == 1 + number
        assert module.set_member.set({"settings": {"mode": name, "add": 100}})(1) == 101 + number


def test_a_uniform_may_change_between_calls(module):
    assert [module.set_number.set({"setting": name})(0) for name in NUMBERS] == [0, 1, 40, 41]


def test_names_are_constants_for_derivatives(device, module):
    x = Tensor.from_numpy(device, np.ones(2, np.float32)).with_grads()
    result = Tensor.zeros(device, (2,)).with_grads()
    result.grad.copy_from_numpy(np.ones(2, np.float32))

    module.scale.bwds(x, "Slow", _result=result)
    module.scale.bwds(x, "Fast", _result=result)

    assert x.grad.numpy().tolist() == [4.0, 4.0]


def test_names_are_recorded_with_their_call(device, module):
    result = Tensor.zeros(device, (2,), module.Mode)
    encoder = device.create_command_encoder()
    module.same.append_to(encoder, "Odd", _result=result)

    device.submit_command_buffer(encoder.finish())

    assert result.numpy().tolist() == [40, 40]


def test_names_of_any_text_are_looked_up_and_nothing_else(module):
    for name in ("", "fast", "Fast ", "Mode.Fast", "ä", "\0", "Fast\0", "\n", "F" * 100_000):
        with pytest.raises(
            weft.ArgumentError, match=r"'mode'.*its names are Fast, Slow, Odd, Next"
        ):
            module.number(name)
    assert module.number("Fast") == 0


def test_long_texts_are_cut_in_messages(module):
    with pytest.raises(weft.ArgumentError) as caught:
        module.number("Fä" * 1_000_000)

    assert len(str(caught.value)) < 400
