# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch that cannot be arguments are refused in one sentence that names them."""

from __future__ import annotations

import re

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(scope="module")
def module(device):
    source = """
        float twice(float x) { return 2 * x; }
        float3 lengthen(float3 v) { return 2 * v; }
        void decay(inout float x, float rate) { x -= rate * x; }
    """
    return weft.Module.load_from_source(device, "torch_refusals", source)


def freed():
    tensor = torch.ones(2)
    tensor.untyped_storage().resize_(0)
    return tensor


UNREADABLE = {
    "meta": (lambda: torch.ones(2, device="meta"), "meta tensor.*pass one on a device"),
    "sparse": (lambda: torch.ones(2).to_sparse(), r"sparse.*pass tensor.to_dense\(\)"),
    "complex": (lambda: torch.ones(2, dtype=torch.complex64), "complex64.*view_as_real"),
    "float8": (lambda: torch.ones(2).to(torch.float8_e4m3fn), "float8_e4m3fn.*convert it first"),
    "quantized": (
        lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.quint8),
        r"quantized.*pass tensor.dequantize\(\)",
    ),
    "nested": (
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
        "nested.*to_padded_tensor",
    ),
    "freed": (freed, "storage was freed"),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_tensor_without_readable_values_is_refused(module, kind):
    make, message = UNREADABLE[kind]

    with pytest.raises(weft.ArgumentTypeError, match=f"twice: argument 'x' is a.*{message}"):
        module.twice(x=make())


def test_the_last_dimension_has_to_fit(module):
    with pytest.raises(weft.ArgumentError, match="lengthen: parameter 'v'"):
        module.lengthen(torch.ones(4, 2))


def test_a_result_that_is_too_small_is_refused(module):
    to = torch.zeros(3)

    with pytest.raises(weft.ArgumentError, match="_result"):
        module.twice(torch.ones(4), _result=to)
    assert to.tolist() == [0, 0, 0]


def test_a_result_whose_elements_share_memory_is_refused(module):
    with pytest.raises(weft.ArgumentError, match=r"share memory.*tensor.contiguous\(\)"):
        module.twice(torch.ones(3, 4), _result=torch.zeros(4).expand(3, 4))


def test_a_closed_device_is_a_device_error():
    with weft.create_device() as device:
        module = weft.Module.load_from_source(
            device, "closed", "float twice(float x) { return x; }"
        )
    with pytest.raises(weft.DeviceError, match="closed"):
        module.twice(torch.ones(2))


def test_other_kinds_of_devices_name_those_that_there_are():
    with pytest.raises(weft.ArgumentError, match=re.compile("vulkan.*cuda", re.DOTALL)):
        weft.create_torch_device(type=weft.DeviceType.d3d12)


def test_a_place_that_is_no_gpu_is_refused():
    with pytest.raises(weft.ArgumentError, match=r"torch_device must be a CUDA device.*'cpu'"):
        weft.create_torch_device(type="cuda", torch_device="cpu")
