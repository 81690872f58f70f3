# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

import weft
from weft import Tensor

DTYPES = ["bool", "int8", "uint16", "int32", "int64", "float16", "float32", "float64"]


class Producer:
    """An array library that speaks only the first version of the protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__()


@pytest.mark.parametrize("dtype", DTYPES)
def test_arrays_of_other_libraries_enter_by_dlpack(device, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)

    for source in (array, Producer(array), array.__dlpack__()):
        tensor = weft.from_dlpack(device, source)
        assert np.array_equal(tensor.numpy(), array)


def test_strided_and_read_only_arrays_enter_by_dlpack(device):
    array = np.arange(24, dtype=np.float32).reshape(4, 6)[::2, ::-1]
    array.flags.writeable = False

    assert np.array_equal(Tensor.from_dlpack(device, array).numpy(), array)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tensors_leave_by_dlpack(device, dtype):
    if device.type != weft.DeviceType.vulkan:
        pytest.skip("numpy takes host memory only")
    array = np.arange(6).reshape(2, 3).astype(dtype)

    result = np.from_dlpack(Tensor.from_numpy(device, array).T)

    assert result.dtype == array.dtype
    assert np.array_equal(result, array.T)


def test_vectors_leave_with_their_components_as_an_axis(device):
    tensor = Tensor.ones(device, (2,), weft.float3)

    if device.type == weft.DeviceType.vulkan:
        assert np.from_dlpack(tensor).shape == (2, 3)


def test_memory_of_vulkan_devices_leaves_as_a_copy(device):
    if device.type != weft.DeviceType.vulkan:
        pytest.skip("CUDA memory is shared")
    tensor = Tensor.zeros(device, (2,))

    array = np.from_dlpack(tensor)
    tensor.fill(1)

    assert tensor.__dlpack_device__() == (1, 0)
    assert np.array_equal(array, [0, 0])


def test_an_unused_capsule_frees_its_array(device):
    tensor = Tensor.zeros(device, (4,))

    for version in (None, (1, 0)):
        capsule = tensor.__dlpack__(max_version=version)
        del capsule


def test_cuda_memory_is_shared_with_torch_both_ways(device):
    torch = pytest.importorskip("torch")
    if device.type != weft.DeviceType.cuda:
        pytest.skip("only CUDA memory is shared")
    tensor = Tensor.zeros(device, (2, 3))

    there = tensor.torch()
    there[:, 1] = 5
    torch.cuda.synchronize()
    back = weft.from_dlpack(device, there.T)

    assert tensor.numpy().tolist() == [[0, 5, 0], [0, 5, 0]]
    assert back.shape == (3, 2)
    assert back.address == tensor.address
    del there, tensor
    assert back.numpy().tolist() == [[0, 0], [5, 5], [0, 0]]


def test_torch_tensors_on_the_cpu_are_copied(device):
    torch = pytest.importorskip("torch")

    tensor = weft.from_dlpack(device, torch.arange(4, dtype=torch.int16))

    assert tensor.numpy().tolist() == [0, 1, 2, 3]
