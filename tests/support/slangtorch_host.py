# SPDX-License-Identifier: Apache-2.0
"""A file with host functions of SlangTorch, and how often they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

TEXT = """
[CudaKernel]
void square_kernel(TensorView<float> input, TensorView<float> output)
{
    let i = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).xy;
    if (i.x < input.size(0) && i.y < input.size(1))
        output[i] = input[i] * input[i];
}

[TorchEntryPoint]
TorchTensor<float> square(TorchTensor<float> input)
{
    var result = TorchTensor<float>.zerosLike(input);
    let group = uint3(8, 8, 1);
    let blocks = (uint3(input.size(0), input.size(1), 1) + group - 1) / group;
    __dispatch_kernel(square_kernel, blocks, group)(input, result);
    return result;
}

/// Squares `count` times.
TorchTensor<float> repeated(TorchTensor<float> input, int count)
{
    TorchTensor<float> at = input;
    for (int k = 0; k < count; ++k)
        at = square(at);
    return at;
}

[TorchEntryPoint]
TorchTensor<float> power(TorchTensor<float> input, int count) { return repeated(input, count); }

struct Found
{
    TorchTensor<float> tensors[2];
    float area;
    int2 sizes;
}

[CudaKernel]
void fill(TensorView<float3> t, float3 color, int2 steps, bool isOn)
{
    let i = cudaThreadIdx().x;
    t[i] = isOn ? color * float(steps.x + steps.y * int(i)) : float3(0);
}

[TorchEntryPoint]
Found many(TorchTensor<float> input, float3 color, bool isOn)
{
    Found found;
    var colors = TorchTensor<float3>.alloc(4);
    found.tensors[0] = input;
    found.tensors[1] = TorchTensor<float>.alloc(2, 3);
    found.tensors[1].fillValue(color.x);
    if (input.dims() == 2)
        found.tensors[1].fillZero();
    __dispatch_kernel(fill, uint3(1, 1, 1), uint3(4, 1, 1))(colors, color, int2(1, 2), isOn);
    found.area = input.size(0) * input.stride(0);
    found.sizes = int2(int(colors.dims()), int(colors.size(1)));
    return found;
}

[TorchEntryPoint]
TorchTensor<float3> painted(float3 color)
{
    var colors = TorchTensor<float3>.alloc(4);
    __dispatch_kernel(fill, uint3(1, 1, 1), uint3(4, 1, 1))(colors, color, int2(1, 2), true);
    syncTorchCudaStream();
    return colors;
}

struct Pair { TorchTensor<float> a; int number; }

[TorchEntryPoint]
TorchTensor<float> chosen(Pair pair, TorchTensor<float> b)
{
    if (pair.number > 0)
        return pair.a;
    return b;
}

[CudaKernel]
void increment(TensorView<int> t) { t[cudaThreadIdx().x] += 1; }

[TorchEntryPoint]
void bump(TorchTensor<int> t) { __dispatch_kernel(increment, uint3(1), uint3(t.size(0), 1, 1))(t); }

[TorchEntryPoint]
void long_one(TorchTensor<int> t, int count)
{
    for (int k = 0; k < count; ++k)
        __dispatch_kernel(increment, uint3(1), uint3(t.size(0), 1, 1))(t);
}
"""


def runs_of(function: Any, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by one whenever a host function runs and is not replayed."""
    found: list[int] = []
    run = function._run

    def counted(*arguments: Any) -> Any:
        found.append(1)
        return run(*arguments)

    monkeypatch.setattr(function, "_run", counted)
    return found
