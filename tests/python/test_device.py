# SPDX-License-Identifier: Apache-2.0
import os
import threading

import numpy as np
import pytest

import weft


def test_info_names_the_device(device):
    info = device.info

    assert info.name
    assert info.driver
    assert info.type in (weft.DeviceType.vulkan, weft.DeviceType.cuda)
    assert info.memory > 0
    assert info.limits.max_threads_per_group >= 128
    assert isinstance(info.features.float64, bool)


def test_enumerate_lists_every_device_with_the_adapter_to_ask_for(device):
    found = [(info.type, info.adapter) for info in weft.enumerate_devices()]

    assert (device.info.type, device.info.adapter) in found


def test_type_may_be_a_name():
    with weft.create_device(type="vulkan") as device:
        assert device.info.type == weft.DeviceType.vulkan


def test_init_device_is_create_device():
    with weft.init_device(type=weft.DeviceType.vulkan, adapter=0) as device:
        assert device.info.adapter == 0


@pytest.mark.parametrize("value", ["vulkan", "vulkan:0"])
def test_weft_device_decides_where_the_type_is_left_open(monkeypatch, value):
    monkeypatch.setenv("WEFT_DEVICE", value)

    with weft.create_device() as device:
        assert device.info.type == weft.DeviceType.vulkan


def test_leaving_the_block_closes_the_device(fresh_device):
    with fresh_device as device:
        assert not device.is_closed

    assert device.is_closed
    device.close()
    assert "closed" in repr(device)


def test_memory_info_counts_live_tensors(fresh_device):
    before = fresh_device.memory_info()

    tensor = weft.Tensor.empty(fresh_device, (1 << 20,))
    during = fresh_device.memory_info()
    del tensor
    fresh_device.wait()

    assert during.used - before.used >= 4 << 20
    assert during.live_buffers == before.live_buffers + 1
    assert fresh_device.memory_info().used == before.used


def test_two_devices_live_in_one_process(device, fresh_device):
    first = weft.Tensor.full(device, (4,), 1)
    second = weft.Tensor.full(fresh_device, (4,), 2)

    assert first.numpy().tolist() == [1] * 4
    assert second.numpy().tolist() == [2] * 4


def test_threads_share_a_device(device):
    failures = []

    def work(number):
        for step in range(20):
            array = np.full(1000, number * 100 + step, np.int32)
            if not np.array_equal(weft.Tensor.from_numpy(device, array).numpy(), array):
                failures.append((number, step))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_after_fork_is_told_to_make_its_own_device(fresh_device):
    tensor = weft.Tensor.ones(fresh_device, (4,))
    tensor.numpy()
    read, write = os.pipe()

    child = os.fork()
    if child == 0:
        try:
            tensor.numpy()
            message = "no error"
        except weft.DeviceError as error:
            message = str(error)
        except BaseException as error:
            message = f"{type(error).__name__}: {error}"
        os.write(write, message.encode())
        os._exit(0)
    os.waitpid(child, 0)

    assert "fork" in os.read(read, 4096).decode()
    assert tensor.numpy().tolist() == [1] * 4
