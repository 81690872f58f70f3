# SPDX-License-Identifier: Apache-2.0
"""Arrays that transfers read and write in place, and transfers large enough to be staged."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

import weft


def test_a_pinned_array_is_an_array_like_any_other(device):
    array = weft.pinned_empty(device, (300, 500), np.float64)
    array[:] = np.arange(500)
    tensor = weft.Tensor.from_numpy(device, array)
    array[:] = -1

    found = tensor.to_numpy(out=array)

    assert found is array
    assert array.flags.c_contiguous
    assert array.flags.writeable
    assert np.array_equal(array[7], np.arange(500))
    assert array.ctypes.data % 4096 == 0


def test_the_dtype_is_float32_unless_given_and_may_be_a_structure(device):
    record = np.dtype([("a", np.float32, 3), ("b", np.uint8)])

    assert weft.pinned_empty(device, 5).dtype == np.float32
    assert weft.pinned_empty(device, (0, 3), "u1").shape == (0, 3)
    assert weft.pinned_empty(device, (2,), record).dtype == record


def test_a_part_of_a_pinned_array_goes_to_a_part_of_a_tensor(device):
    array = weft.pinned_empty(device, (8, 1 << 16), np.int32)
    array[:] = np.arange(8)[:, None]
    tensor = weft.Tensor.zeros(device, (6, 1 << 16), np.int32)

    tensor[1:3].copy_from_numpy(array[5:7])
    tensor[0:3].to_numpy(out=array[0:3])

    assert array[:, 9].tolist() == [0, 5, 6, 3, 4, 5, 6, 7]


def test_a_pinned_array_outlives_its_tensor_and_its_device(fresh_device):
    array = weft.pinned_empty(fresh_device, (1 << 20,), np.uint8)
    tensor = weft.Tensor.from_numpy(fresh_device, np.full(1 << 20, 5, np.uint8))
    tensor.to_numpy(out=array)

    del tensor
    fresh_device.close()
    gc.collect()
    array[1] = 6

    assert array[:3].tolist() == [5, 6, 5]
    with pytest.raises(weft.DeviceError, match="closed"):
        weft.Tensor.from_numpy(fresh_device, array)


def test_pinned_memory_is_not_counted(device):
    before = device.memory_info().reserved

    array = weft.pinned_empty(device, (1 << 20,))

    assert device.memory_info().reserved == before
    assert array.nbytes == 1 << 22


@pytest.mark.parametrize(
    ("dtype", "what"), [(object, "numbers or structures"), ("S0", "numbers or structures")]
)
def test_a_dtype_without_plain_memory_is_refused(device, dtype, what):
    with pytest.raises(weft.ArgumentError, match=what):
        weft.pinned_empty(device, 4, dtype)


def test_more_than_the_machine_has_is_out_of_memory(device):
    with pytest.raises(weft.OutOfMemoryError, match="pinned_empty: expected"):
        weft.pinned_empty(device, 1 << 50)
    with pytest.raises(weft.ArgumentError, match="larger than any memory"):
        weft.pinned_empty(device, (1 << 40, 1 << 40))


@pytest.mark.parametrize(
    ("out", "what"),
    [
        (np.zeros((3, 4), np.float32), "has shape"),
        (np.zeros((4, 3), np.float64), "holds float64"),
        (np.zeros((3, 4), np.float32).T, "C-contiguous"),
        ([[0.0] * 3] * 4, "must be a numpy array"),
        (np.broadcast_to(np.float32(0), (4, 3)), "C-contiguous"),
    ],
)
def test_an_array_that_does_not_fit_the_values_is_refused(device, out, what):
    tensor = weft.Tensor.ones(device, (4, 3), np.float32)

    with pytest.raises(weft.ArgumentError, match=f"argument 'out'.*{what}"):
        tensor.to_numpy(out=out)


def test_a_read_only_array_is_refused(device):
    out = np.zeros(4, np.float32)
    out.flags.writeable = False

    with pytest.raises(weft.ArgumentError, match="read-only"):
        weft.Tensor.ones(device, (4,), np.float32).to_numpy(out=out)
    assert out.sum() == 0


def test_large_transfers_of_several_threads_bring_every_byte(device):
    size = (9 << 20) + 13
    arrays = [np.random.default_rng(seed).integers(0, 256, size, np.uint8) for seed in range(3)]
    right = []

    def bring(array):
        tensor = weft.Tensor.from_numpy(device, array)
        right.append(np.array_equal(tensor[7:].to_numpy(), array[7:]))

    threads = [threading.Thread(target=bring, args=(array,)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert right == [True] * 3
