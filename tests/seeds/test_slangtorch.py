# SPDX-License-Identifier: Apache-2.0
"""Documented uses of SlangTorch's kernels and host functions, without torch."""

from __future__ import annotations

import numpy as np

from support.slangtorch_modules import load

__all__ = ["load"]  # the fixture

SQUARE = """
float squared(float x) { return x * x; }

[AutoPyBindCUDA]
[CUDAKernel]
void square(TensorView<float> input, TensorView<float> output)
{
    uint3 at = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();
    if (at.x < input.size(0))
        output[at.x] = squared(input[at.x]);
}
"""

DIFFERENTIABLE = """
[AutoPyBindCUDA]
[CUDAKernel]
[Differentiable]
void square(DiffTensorView input, DiffTensorView output)
{
    uint3 at = cudaThreadIdx() + cudaBlockIdx() * cudaBlockDim();
    if (at.x < input.size(0))
        output[at.x] = input[at.x] * input[at.x];
}
"""

BOX = """
float element(TensorView<float> input, TensorView<float> gradients, uint2 at) { return input[at]; }

[BackwardDerivativeOf(element)]
void element_bwd(TensorView<float> input, TensorView<float> gradients, uint2 at, float derivative)
{
    float old;
    gradients.InterlockedAdd(at, derivative, old);
}

[Differentiable]
float mean(TensorView<float> input, TensorView<float> gradients, uint2 at)
{
    int count = 0;
    float sum = 0;
    [MaxIters(3)]
    for (int dx = -1; dx <= 1; ++dx)
    {
        int x = at.x + dx;
        if (x < 0 || x >= input.dim(0)) continue;
        [MaxIters(3)]
        for (int dy = -1; dy <= 1; ++dy)
        {
            int y = at.y + dy;
            if (y < 0 || y >= input.dim(1)) continue;
            sum += element(input, gradients, uint2(x, y));
            count++;
        }
    }
    return sum / count;
}

[AutoPyBindCUDA]
[CudaKernel]
void box_forward(TensorView<float> input, TensorView<float> output)
{
    uint2 at = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).xy;
    if (at.x < input.size(0) && at.y < input.size(1))
        output[at] = mean(input, input, at);
}

[AutoPyBindCUDA]
[CudaKernel]
void box_backward(TensorView<float> input, TensorView<float> upstream, TensorView<float> gradients)
{
    uint2 at = (cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx()).xy;
    if (at.x < input.size(0) && at.y < input.size(1))
        bwd_diff(mean)(input, gradients, at, upstream[at]);
}
"""

HOST = """
[BackwardDifferentiable]
float squared(float x) { return x * x; }

[CudaKernel]
void forward(TensorView<float> input, TensorView<float> output)
{
    uint3 at = cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx();
    if (at.x > input.size(0) || at.y > input.size(1))
        return;
    output.store(at.x, at.y, squared(input.load(at.x, at.y)));
}

[TorchEntryPoint]
TorchTensor<float> square(TorchTensor<float> input)
{
    var result = TorchTensor<float>.alloc(input.size(0), input.size(1));
    let blocks = uint3(1);
    let group = uint3(result.size(0), result.size(1), 1);
    __dispatch_kernel(forward, blocks, group)(input, result);
    return result;
}

[CudaKernel]
void backward(TensorView<float> input, TensorView<float> upstream, TensorView<float> gradient)
{
    uint3 at = cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx();
    DifferentialPair<float> pair = diffPair(input.load(at.x, at.y));
    __bwd_diff(squared)(pair, upstream.load(at.x, at.y));
    gradient.store(at.x, at.y, pair.d);
}

[TorchEntryPoint]
TorchTensor<float> square_gradient(TorchTensor<float> input, TorchTensor<float> upstream)
{
    var gradient = TorchTensor<float>.alloc(input.size(0), input.size(1));
    __dispatch_kernel(backward, uint3(1), uint3(input.size(0), input.size(1), 1))
        (input, upstream, gradient);
    return gradient;
}
"""


def test_a_kernel_squares(load):
    x = np.random.default_rng(0).standard_normal(1024, np.float32)
    y = np.zeros_like(x)
    load(SQUARE).square(input=x, output=y).launchRaw(blockSize=(32, 1, 1), gridSize=(64, 1, 1))
    assert np.array_equal(y, x * x)


def test_the_derivatives_of_a_kernel(load):
    m = load(DIFFERENTIABLE)
    x, y = np.arange(6, dtype=np.float32), np.zeros(6, np.float32)
    m.square(input=x, output=y).launchRaw(blockSize=(6, 1, 1), gridSize=(1, 1, 1))
    assert y.tolist() == [0, 1, 4, 9, 16, 25]

    gradient, upstream = np.zeros_like(x), np.ones_like(x)
    m.square.bwd(input=(x, gradient), output=(y, upstream)).launchRaw(
        blockSize=(6, 1, 1), gridSize=(1, 1, 1)
    )
    assert gradient.tolist() == [0, 2, 4, 6, 8, 10]
    assert not upstream.any()


def test_derivatives_of_a_complex_access_pattern(load):
    m = load(BOX)
    image = np.random.default_rng(1).random((10, 7), np.float32)
    upstream = np.random.default_rng(2).random((10, 7), np.float32)
    counts = np.full((10, 7), 9.0)
    counts[[0, -1]] *= 2 / 3
    counts[:, [0, -1]] *= 2 / 3

    def sums(values):
        padded = np.pad(values.astype(np.float64), 1)
        return sum(padded[i : i + 10, j : j + 7] for i in range(3) for j in range(3))

    found = np.zeros_like(image)
    m.box_forward(input=image, output=found).launchRaw((4, 4, 1), (3, 2, 1))
    assert np.allclose(found, sums(image) / counts, rtol=1e-6)

    gradient = np.zeros_like(image)
    m.box_backward(input=image, upstream=upstream, gradients=gradient).launchRaw(
        blockSize=(4, 4, 1), gridSize=(3, 2, 1)
    )
    assert np.allclose(gradient, sums(upstream / counts), rtol=1e-6)


def test_host_functions_allocate_and_dispatch(load):
    m = load(HOST)
    x = np.array([[3, 4], [0, 1]], np.float32)
    assert m.square(x).tolist() == [[9, 16], [0, 1]]
    assert m.square_gradient(x, np.ones_like(x)).tolist() == [[6, 8], [0, 2]]
