# SPDX-License-Identifier: Apache-2.0
"""Tensor.from_torch: the last dimension of a torch tensor holds the scalars of one element."""

from __future__ import annotations

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (0,)])
@pytest.mark.parametrize("dtype", ["float", "float3", "float2x2", "Particle"])
def test_elements_are_copied(device, shape, dtype):
    module = weft.Module.load_from_source(
        device, "from_torch", "struct Particle { float3 position; int3 cell; };"
    )
    target = module.Particle if dtype == "Particle" else dtype
    scalars = {"float": 1, "float3": 3, "float2x2": 4, "Particle": 6}[dtype]
    values = torch.arange(float(np.prod(shape) * scalars)).reshape(*shape, scalars).requires_grad_()

    tensor = weft.Tensor.from_torch(device, values, target, usage=weft.BufferUsage.none)

    assert tensor.shape == shape
    assert tensor.numpy().tobytes() == values.detach().numpy().tobytes()


@pytest.mark.parametrize("kind", [torch.float16, torch.float64, torch.int32, torch.uint8])
def test_strides_and_scalars(device, kind):
    values = torch.arange(24).reshape(4, 6).to(kind).T[::2]
    names = {torch.float16: "half4", torch.float64: "double4", torch.int32: "int4"}

    tensor = weft.Tensor.from_torch(device, values, names.get(kind, "vector<uint8_t,4>"))

    assert np.array_equal(tensor.numpy(), values.numpy())


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        (torch.zeros(3, 2), "float3", r"2 of torch.float32, has 8 bytes, an element of .* 12"),
        (torch.zeros(3), "float", r"has 12 bytes, an element of float 4; reshape it"),
        (torch.tensor(1.0), "float", r"has no dimension for the scalars.*reshape\(1\)"),
    ],
)
def test_other_sizes_are_refused(device, values, dtype, message):
    with pytest.raises(weft.ArgumentError, match=message):
        weft.Tensor.from_torch(device, values, dtype)
