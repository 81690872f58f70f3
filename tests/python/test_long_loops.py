# SPDX-License-Identifier: Apache-2.0
"""Loops of more rounds than Mesa's software driver does before 25, and what leaves a loop.

A sum is right, or the call that reads it says which function was cut short: never a wrong number.
"""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
from weft import Tensor

LIMIT = 65535


def limit_of(device: weft.Device) -> int:
    """Return how many rounds the driver does: 0 means any number."""
    found = re.search(r"llvmpipe Mesa (\d+)", device.info.driver)
    return LIMIT if found and int(found[1]) < 25 else 0


SOURCE = """
float sum(int count)
{
    float total = 0.f;
    for (int i = 0; i < count; i++)
        total += 1.f;
    return total;
}
uint mix(int count)
{
    uint state = 1;
    int i = 0;
    while (true)
    {
        if (i >= count)
            break;
        state = state * 1664525u + 1013904223u;
        i++;
    }
    return state;
}
int backwards(int count)
{
    int i = 0;
    do { i += 1; } while (i < count);
    return i;
}
int nest(int outer, int inner)
{
    int total = 0;
    for (int i = 0; i < outer; i++)
        for (int j = 0; j < inner; j++)
            total += ((i ^ j) & 1) * 2 + 1;
    return total;
}
int after(int count, int more)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += (i * i) & 3;
    for (int i = 0; i < more; i++)
        total ^= total * 3 + i;
    return total;
}
int early(int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
    {
        total += 1 + (i & total & 1);
        if (total == -5)
            return -1;
        if ((i & 7) == 3)
            continue;
        total += 2;
    }
    return total;
}
int fixed(int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < 4; j++)
            total += (total >> j) & 1 | 1;
    return total;
}
int cube(int seed)
{
    int total = seed;
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 41; j++)
            for (int k = 0; k < 42; k++)
                total = total * 5 + (i ^ j ^ k);
    return total;
}
int block(int seed)
{
    int total = seed;
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++)
            for (int k = 0; k < 25; k++)
                total = total * 5 + (i ^ j ^ k);
    return total;
}
int one(int round, int total) { return total + ((round ^ total) & 1) + 1; }
[noinline] int rounds(int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total = one(i, total);
    return total;
}
int called(int calls, int count)
{
    int total = 0;
    for (int i = 0; i < calls; i++)
        total ^= rounds(count + i);
    return total;
}
"""

WAYS = {  # name: arguments below the limit, and arguments above
    "sum": ((1000,), (100_000,)),
    "mix": ((65_000,), (70_000,)),
    "backwards": ((65_535,), (65_600,)),
    "nest": ((200, 300), (300, 300)),
    "after": ((30_000, 30_000), (40_000, 40_000)),
    "early": ((60_000,), (80_000,)),
    "fixed": ((10_000,), (70_000,)),
    "called": ((10, 1000), (100, 1000)),
}
FIXED = {"cube": (40, 41, 42), "block": (20, 30, 25)}


def mixed(count: int) -> int:
    state = 1
    for _ in range(count):
        state = (state * 1664525 + 1013904223) & 0xFFFFFFFF
    return state


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def nested(outer: int, inner: int) -> int:
    return sum(((i ^ j) & 1) * 2 + 1 for i in range(outer) for j in range(inner))


def followed(count: int, more: int) -> int:
    total = sum((i * i) & 3 for i in range(count))
    for i in range(more):
        total = wrapped(total ^ wrapped(total * 3 + i))
    return total


def left_early(count: int) -> int:
    total = 0
    for i in range(count):
        total += 1 + (i & total & 1)
        if (i & 7) != 3:
            total += 2
    return total


def with_fixed(count: int) -> int:
    total = 0
    for _ in range(count):
        for j in range(4):
            total += (total >> j) & 1 | 1
    return total


def of_calls(calls: int, count: int) -> int:
    result = 0
    for i in range(calls):
        total = 0
        for k in range(count + i):
            total += ((k ^ total) & 1) + 1
        result ^= total
    return result


EXPECTED = {
    "sum": float,
    "mix": mixed,
    "backwards": lambda count: count,
    "nest": nested,
    "after": followed,
    "early": left_early,
    "fixed": with_fixed,
    "called": of_calls,
}


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "long_loops", SOURCE)


@pytest.mark.parametrize("name", WAYS)
def test_a_loop_below_the_limit_is_right(module, name):
    arguments = WAYS[name][0]

    assert module[name](*arguments) == EXPECTED[name](*arguments)


@pytest.mark.parametrize("name", WAYS)
def test_a_loop_above_the_limit_is_right_or_says_so(module, name):
    arguments = WAYS[name][1]

    if limit_of(module.device) == 0:
        assert module[name](*arguments) == EXPECTED[name](*arguments)
        return
    with pytest.raises(weft.DeviceError, match=f"'{name}' has a loop that the driver .* ended"):
        module[name](*arguments)
    assert module[name](*WAYS[name][0]) == EXPECTED[name](*WAYS[name][0])


@pytest.mark.parametrize("name", FIXED)
def test_nests_of_constant_loops_are_right_or_say_so(module, name):
    expected, (outer, middle, inner) = 3, FIXED[name]
    for i in range(outer):
        for j in range(middle):
            for k in range(inner):
                expected = wrapped(expected * 5 + (i ^ j ^ k))
    limit = limit_of(module.device)

    if limit == 0 or outer * middle * inner < limit:
        assert module[name](3) == expected
        return
    with pytest.raises(weft.DeviceError, match=f"'{name}'"):
        module[name](3)


@pytest.mark.parametrize("place", [0, 5, 2999])
def test_one_thread_of_many_is_enough(module, place):
    counts = np.full(3000, 10, np.int32)
    counts[place] = 100_000

    if limit_of(module.device) == 0:
        assert module.sum(counts, _result="numpy").tolist() == counts.tolist()
        return
    with pytest.raises(weft.DeviceError, match="65535 rounds"):
        module.sum(counts, _result="numpy")


def test_neighbours_that_take_turns_share_the_limit(module):
    """Threads in lockstep wait for each other: two loops of 40,000 rounds are 80,000."""
    first, second = np.array([[40_000, 1], [1, 40_000]], np.int32)
    expected = [followed(40_000, 1), followed(1, 40_000)]

    if limit_of(module.device) == 0:
        assert module.after(first, second, _result="numpy").tolist() == expected
        return
    with pytest.raises(weft.DeviceError, match="'after'"):
        module.after(first, second, _result="numpy")


def test_what_was_written_stays_refused_until_it_is_written_again(device, module):
    if limit_of(device) == 0:
        pytest.skip("the driver ends no loops")
    good, bad = (Tensor.zeros(device, (4,)) for _ in range(2))
    module.sum(np.full(4, 7, np.int32), _result=good)
    device.wait()
    module.sum(np.full(4, 100_000, np.int32), _result=bad)

    with pytest.raises(weft.DeviceError, match="wait: 'sum'"):
        device.wait()
    assert good.numpy().tolist() == [7] * 4
    for _ in range(2):
        with pytest.raises(weft.DeviceError, match="download: 'sum'"):
            bad.numpy()
    device.wait()
    module.sum(np.full(4, 5, np.int32), _result=bad)
    assert bad.numpy().tolist() == [5] * 4


LEAVING = """
int last(int count, int* values)
{
    int value = 0;
    int i = 0;
    while (true)
    {
        value = values[i];
        if (i >= count)
            break;
        i++;
    }
    return value;
}
int find(int wanted, int* values)
{
    int i = 0;
    while (values[i] < wanted)
        i++;
    return i;
}
struct Found { int at; float value; float3 colour; };
Found pick(int wanted, int* values)
{
    Found found;
    for (int i = 0; ; i++)
    {
        found = { i, float(values[i]) * .5f, float3(values[i], values[i] + 1, i) };
        if (values[i] >= wanted)
            break;
    }
    return found;
}
float picked(int wanted, int* values) { return dot(pick(wanted, values).colour, float3(1.f)); }
int ticket(int count, int* counters)
{
    int mine = 0;
    int i = 0;
    while (true)
    {
        InterlockedAdd(counters[i], 1, mine);
        if (i >= count)
            break;
        i++;
    }
    return mine;
}
int deep(int count, int* values)
{
    int total = 0;
    for (int k = 0; k < 3; k++)
    {
        int i = k;
        int value;
        do { value = values[i]; i += 2; } while (i < count);
        total += value;
    }
    return total;
}
"""


@pytest.mark.parametrize("kernels", ["cpu", "gpu"])
def test_values_that_leave_a_loop_are_those_of_each_thread(device, monkeypatch, kernels):
    monkeypatch.setenv("WEFT_KERNELS_FOR", kernels)
    leaving = weft.Module.load_from_source(device, f"leaving_{kernels}", LEAVING)
    values = np.arange(100, dtype=np.int32) * 10
    memory = Tensor.from_numpy(device, values)
    counts = np.random.default_rng(0).integers(0, 40, 1000).astype(np.int32)
    wanted = counts * 10

    assert leaving.last(counts, memory, _result="numpy").tolist() == values[counts].tolist()
    assert leaving.find(wanted, memory, _result="numpy").tolist() == counts.tolist()
    expected = (2 * wanted + 1 + counts).astype(np.float32)
    assert leaving.picked(wanted, memory, _result="numpy").tolist() == expected.tolist()
    deep = [
        sum(values[max(k, k + 2 * ((count - k - 1) // 2))] for k in range(3)) for count in counts
    ]
    assert leaving.deep(counts, memory, _result="numpy").tolist() == deep


def test_each_thread_keeps_the_number_that_it_drew(device):
    leaving = weft.Module.load_from_source(device, "drawing", LEAVING)
    counters = Tensor.zeros(device, (8,), np.int32)
    counts = np.arange(64, dtype=np.int32) % 8

    drawn = leaving.ticket(counts, counters, _result="numpy")

    for last in range(8):
        mine = drawn[counts == last]
        assert len(set(mine.tolist())) == len(mine)
        assert mine.max() < (counts >= last).sum()
