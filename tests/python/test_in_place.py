# SPDX-License-Identifier: Apache-2.0
"""numpy arrays that software Vulkan uses where they are: the values are those of copies."""

from __future__ import annotations

import mmap
import subprocess
import sys
import threading

import numpy as np
import pytest

import weft

SOURCE = """
float twice(float x) { return 2 * x; }
double twice_double(double x) { return 2 * x; }
half twice_half(half x) { return half(2) * x; }
uint16_t next(uint16_t x) { return uint16_t(x + 1); }
bool above(float x) { return x > 1.5; }
float3 lengthen(float3 v, float s) { return v * s; }
void decay(inout float x, float rate) { x -= rate * x; }
void both(inout float x, inout float y) { x += 1; y += 2; }
void shift(int i, ITensor<float, 1> from, IWTensor<float, 1> to) { to[i] = from[i + 1]; }
[Differentiable] float square(float x) { return x * x; }
"""
LARGE = 1 << 13
"""Elements of float32 above the size from which arrays stay where they are."""


KINDS = {
    "twice": np.float32,
    "twice_double": np.float64,
    "twice_half": np.float16,
    "next": np.uint16,
}
"""Functions, and the elements that they take."""


@pytest.fixture(scope="module")
def module(device):
    if not device.info.features.is_software:
        pytest.skip("memory of the host is used in place by software devices")
    return weft.Module.load_from_source(device, "numpy_in_place", SOURCE)


def floats(count):
    return aligned(np.arange(count), np.float32)


def aligned(values, dtype):
    """Return an array that begins with a page."""
    values = np.asarray(values)
    size = max(values.size * np.dtype(dtype).itemsize, 1)
    array = np.frombuffer(mmap.mmap(-1, size), dtype, values.size).reshape(values.shape)
    array[...] = values
    return array


def places(function, *arguments, **keywords):
    """Return the parameters whose arrays a call would use where they are."""
    keywords.setdefault("_result", "numpy")
    for line in function.explain(*arguments, **keywords).splitlines():
        if "host's own memory" in line:
            return set(line.split(": ")[1].split(", "))
    return set()


def test_large_arrays_are_used_where_they_are(module):
    x, result = floats(LARGE), aligned(np.zeros(LARGE), np.float32)

    assert places(module.twice, x, _result=result) == {"x", "_result"}
    module.twice(x, _result=result)

    assert np.array_equal(result, 2 * x)


def test_arrays_in_place_take_no_memory_of_the_device(device, module):
    small = weft.create_device(type=device.info.type, memory_limit=64 << 20)
    there = weft.Module.load_from_source(small, "numpy_in_place_limit", SOURCE)
    x = floats(3 << 23)

    made = there.twice(x, _result="numpy")

    assert np.array_equal(made, 2 * x)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda: floats(16), id="small"),
        pytest.param(lambda: floats(2 * LARGE)[::2], id="with gaps"),
        pytest.param(lambda: floats(LARGE)[::-1], id="backward"),
        pytest.param(lambda: floats(LARGE + 1)[1:], id="at an odd place"),
        pytest.param(lambda: floats(LARGE).astype(">f4"), id="other byte order"),
        pytest.param(lambda: floats(LARGE).astype(np.float64), id="another type"),
        pytest.param(lambda: np.broadcast_to(np.float32(3), (LARGE,)), id="broadcast"),
        pytest.param(lambda: np.asfortranarray(floats(LARGE).reshape(2, -1)), id="columns"),
    ],
)
def test_other_arrays_are_copied(module, given):
    x = given()

    assert places(module.twice, x) == set()
    assert np.array_equal(module.twice(x, _result="numpy"), 2 * x)


def test_bools_and_structures_of_results_are_right(module):
    x = floats(1 << 15)
    above = module.above(x, _result="numpy")

    assert above.dtype == bool
    assert np.array_equal(above, x > 1.5)
    assert np.array_equal(
        module.lengthen(floats(3 * LARGE).reshape(-1, 3), 2.0, _result="numpy"),
        2 * floats(3 * LARGE).reshape(-1, 3),
    )


def test_a_call_that_does_not_wait_copies_what_may_change_meanwhile(module):
    x = floats(LARGE)

    assert places(module.twice, x, _result="tensor") == set()
    result = module.twice(x)
    x[:] = 0

    assert type(result) is weft.Tensor
    assert np.array_equal(result.numpy(), 2 * np.arange(LARGE, dtype=np.float32))


def test_inout_arrays_are_written_where_they_are(module):
    x = floats(LARGE)

    assert places(module.decay, x, 0.5) == {"x"}
    module.decay(x, 0.5)

    assert np.array_equal(x, np.arange(LARGE, dtype=np.float32) / 2)


def test_arrays_that_overlap_and_are_both_written_are_copied(module):
    memory = floats(2 * LARGE)
    low, high = memory[:LARGE], memory[LARGE // 2 : LARGE // 2 + LARGE]

    assert places(module.both, low, high) == set()
    assert places(module.both, low, memory[LARGE:]) == {"x", "y"}
    expected_low, expected_high = low + 1, high + 2
    module.both(low, high)

    assert np.array_equal(low[: LARGE // 2], expected_low[: LARGE // 2])
    assert np.array_equal(high[LARGE // 2 :], expected_high[LARGE // 2 :])


def test_only_what_is_read_is_copied_where_it_overlaps_what_is_written(module):
    memory = floats(2 * LARGE)
    expected = 2 * memory[:LARGE]
    result = memory[LARGE // 2 : LARGE // 2 + LARGE]

    assert places(module.twice, memory[:LARGE], _result=result) == {"_result"}
    module.twice(memory[:LARGE], _result=result)

    assert np.array_equal(result, expected)


def test_a_file_that_is_mapped_for_reading_is_read_where_it_is(module, tmp_path):
    np.arange(LARGE, dtype=np.float32).tofile(tmp_path / "values")
    mapped = np.memmap(tmp_path / "values", np.float32, "r")

    assert places(module.twice, mapped) == {"x"}
    assert np.array_equal(module.twice(mapped, _result="numpy"), 2 * np.asarray(mapped))
    with pytest.raises(weft.ArgumentError, match="read-only"):
        module.twice(floats(LARGE), _result=mapped)


def test_gradients_of_pairs_in_host_memory_are_added_where_they_are(module):
    x, gradient = floats(LARGE), aligned(np.ones(LARGE), np.float32)
    result = weft.Tensor.zeros(module.device, (LARGE,)).with_grads()
    result.grad.copy_from_numpy(np.ones(LARGE, np.float32))
    pair = weft.diffPair(x, gradient)

    assert places(module.square.bwds, pair, _result=result) == {"x"}
    module.square.bwds(pair, _result=result)

    assert np.array_equal(gradient, 1 + 2 * x)


@pytest.mark.parametrize("name", ["twice", "twice_double", "twice_half", "next"])
@pytest.mark.parametrize("more", [0, 1, 2, 3, 5])
def test_memory_around_what_is_written_is_left_alone(module, name, more):
    dtype = np.dtype(KINDS[name])
    count = 16 * 4096 // dtype.itemsize + more
    around = 16 // dtype.itemsize
    memory = aligned(np.full(count + 2 * around, 99), dtype)
    result = memory[around : around + count]
    x = aligned(np.arange(count) % 50, dtype)

    assert places(getattr(module, name), x, _result=result) == {"x", "_result"}
    getattr(module, name)(x, _result=result)

    assert np.array_equal(result, x + 1 if name == "next" else 2 * x)
    assert np.all(memory[:around] == 99)
    assert np.all(memory[around + count :] == 99)


def test_threads_use_their_arrays_at_once(module):
    arrays = [floats(LARGE + 16 * i) for i in range(4)]
    wrong = []

    def work(x):
        for _ in range(20):
            if not np.array_equal(module.twice(x, _result="numpy"), 2 * x):
                wrong.append(x)

    threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert not wrong


INTERRUPTED = """
import gc, signal, threading, time
import numpy as np
import weft
device = weft.create_device(type="vulkan")
module = weft.Module.load_from_source(device, "interrupted",
    "uint spin(uint x)"
    "{ for (uint i = 0; i < 15000; ++i) x = x * 1664525 + 1013904223; return x; }")
module.spin(np.ones(1, np.uint32), _result="numpy")
x = np.arange(1 << 16, dtype=np.uint32)
result = np.zeros(1 << 16, np.uint32)
expected = x.copy()
with np.errstate(over="ignore"):
    for _ in range(15000):
        expected = expected * np.uint32(1664525) + np.uint32(1013904223)
assert "host's own memory" in module.spin.explain(x, _result=result)
timer = threading.Timer(0.05, signal.raise_signal, (signal.SIGINT,))
timer.start()
try:
    module.spin(x, _result=result)
except KeyboardInterrupt:
    print("interrupted")
seen = result.ctypes.data
del x, result
gc.collect()
kept = [np.zeros(1 << 16, np.uint32) for _ in range(64)]
device.wait()
assert not any(array.any() for array in kept), "the device wrote to memory that was given back"
again = np.arange(1 << 16, dtype=np.uint32)
assert np.array_equal(module.spin(again, _result="numpy"), expected)
"""


def test_arrays_of_an_interrupted_call_live_until_the_device_is_done(module):
    subprocess.run([sys.executable, "-c", INTERRUPTED], check=True, timeout=240)


def test_an_array_lives_until_its_call_is_done(module):
    for _ in range(20):
        result = module.twice(floats(LARGE), _result="numpy")
        assert result[-1] == 2 * (LARGE - 1)


FORK = """
import os, sys
import numpy as np
import weft
device = weft.create_device(type="vulkan")
module = weft.Module.load_from_source(device, "forked", "float twice(float x) { return 2 * x; }")
x = np.ones(1 << 16, np.float32)
module.twice(x, _result="numpy")
child = os.fork()
if child == 0:
    try:
        module.twice(x, _result="numpy")
    except weft.DeviceError:
        os._exit(7)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
assert module.twice(x, _result="numpy")[0] == 2
"""


def test_a_forked_child_gets_an_error_and_its_parent_goes_on(module):
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=240)


@pytest.mark.parametrize("seed", range(8))
def test_random_arrays_give_what_copies_give(module, seed):
    choose = np.random.default_rng(seed)
    used = set()
    for _ in range(12):
        name = str(choose.choice(list(KINDS)))
        dtype = np.dtype(KINDS[name])
        count = int(choose.choice([4, 5, 8])) * 4096 // dtype.itemsize
        count += int(choose.choice([-4, -1, 0, 1, 4, 16]))

        def view(memory, count=count):
            step = int(choose.choice([1, 1, 1, 2, -1]))
            start = int(choose.choice([0, 0, 1, 4, 16, 1024]))
            flat = memory[start : start + abs(step) * count][::step]
            return flat.reshape(-1, 4) if count % 4 == 0 and choose.random() < 0.5 else flat

        memory = aligned(np.arange(2 * count + 2048) % 100, dtype)
        x = view(memory)
        target = memory if choose.random() < 0.5 else memory.copy()
        result = view(target).reshape(x.shape)
        expected = x + 1 if name == "next" else 2 * x
        used |= places(getattr(module, name), x, _result=result)

        getattr(module, name)(x, _result=result)

        assert np.array_equal(result, expected), (name, x.shape, x.strides, result.strides)
    assert used
