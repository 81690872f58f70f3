# SPDX-License-Identifier: Apache-2.0
"""Coordinates that do not fit the integers of their parameter are refused, not wrapped."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
int whole(int i) { return i; }
int2 pair(int2 i) { return i; }
int8_t tiny(int8_t i) { return i; }
uint positive(uint i) { return i; }
uint8_t byte(uint8_t i) { return i; }
int64_t wide(int64_t i) { return i; }
double real(double i) { return i; }
float single(float i) { return i; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "grid_ranges", SOURCE)


@pytest.mark.parametrize(
    ("function", "grid"),
    [
        ("whole", weft.grid((2**31 + 1,))),
        ("pair", weft.grid((2, 2**31 + 1))),
        ("whole", weft.grid((3,), offset=2**31 - 2)),
        ("whole", weft.grid((3,), stride=2**31 - 1)),
        ("whole", weft.grid((3,), offset=-(2**31) + 1, stride=-1)),
        ("pair", weft.grid((2, 3), stride=(1, 2**31 - 1))),
        ("tiny", weft.grid((129,))),
        ("tiny", weft.grid((2,), offset=127)),
        ("positive", weft.grid((2,), offset=-1)),
        ("byte", weft.grid((257,))),
        ("single", weft.grid((3,), stride=2**31 - 1)),
    ],
)
def test_coordinates_out_of_range_are_refused(module, function, grid):
    with pytest.raises(weft.ArgumentError, match=rf"{function}: parameter 'i'"):
        getattr(module, function)(grid)


def test_call_ids_out_of_range_are_refused(module):
    with pytest.raises(weft.ArgumentError, match=r"tiny: parameter 'i'.*-128 to 127.*0 to 199"):
        module.tiny(weft.call_id(), _result=np.zeros(200, np.int8))


def test_the_last_coordinates_in_range_arrive(module):
    assert module.whole(weft.grid((2,), offset=2**31 - 2)).numpy().tolist() == [
        2**31 - 2,
        2**31 - 1,
    ]
    assert module.tiny(weft.grid((256,), offset=-128)).numpy()[[0, -1]].tolist() == [-128, 127]
    assert module.byte(weft.grid((256,))).numpy()[-1] == 255
    assert module.wide(weft.grid((3,), stride=2**31 - 1)).numpy().tolist() == [
        0,
        2**31 - 1,
        2**32 - 2,
    ]
    assert module.real(weft.grid((3,), stride=2**31 - 1)).numpy().tolist() == [
        0,
        2**31 - 1,
        2**32 - 2,
    ]


def test_a_plan_in_use_checks_the_settings_of_each_call(module):
    assert module.tiny(weft.grid((4,), offset=100)).numpy().tolist() == [100, 101, 102, 103]

    with pytest.raises(weft.ArgumentError, match="tiny"):
        module.tiny(weft.grid((4,), offset=126))
