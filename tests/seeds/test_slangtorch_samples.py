# SPDX-License-Identifier: Apache-2.0
"""SlangTorch's samples that need a repair as printed (docs/seeds.md), and what the repair gives."""

from __future__ import annotations

import numpy as np

import weft
from support.slangtorch_modules import load
from weft import slangtorch

__all__ = ["load"]  # the fixture

HOST = """
[Differentiable]
float squared(float x) { return x * x; }

[CudaKernel]
void forward(TensorView<float> input, TensorView<float> output)
{
    uint3 at = cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx();
    if (at.x >= input.size(0))
        return;
    output[INDEX] = squared(input[INDEX]);
}

[TorchEntryPoint]
TorchTensor<float> square(TorchTensor<float> input)
{
    var result = TorchTensor<float>.zerosLike(input);
    __dispatch_kernel(forward, uint3(1), uint3(result.size(0), result.size(1), 1))(input, result);
    return result;
}

[CudaKernel]
void backward(TensorView<float> input, TensorView<float> upstream, TensorView<float> gradient)
{
    uint3 at = cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx();
    if (at.x >= input.size(0) || at.y >= input.size(1))
        return;
    DifferentialPair<float> pair = diffPair(input[at.xy]);
    bwd_diff(squared)(pair, upstream[at.xy]);
    gradient[at.xy] = pair.d;
}

[TorchEntryPoint]
TorchTensor<float> square_gradient(TorchTensor<float> input, TorchTensor<float> upstream)
{
    var gradient = TorchTensor<float>.zerosLike(input);
    __dispatch_kernel(backward, uint3(1), uint3(input.size(0), input.size(1), 1))
        (input, upstream, gradient);
    return gradient;
}
"""

RESULT = """
struct Result { TorchTensor<float> tensors[3]; float v; }

[TorchEntryPoint]
Result made()
{
    Result result;
    for (int k = 0; k < 3; ++k)
    {
        result.tensors[k] = TorchTensor<float>.alloc(2);
        result.tensors[k].fillValue(k);
    }
    result.v = 0.5;
    return result;
}

[TorchEntryPoint]
float number_of(Result given) { return given.v * given.tensors[2].size(0); }
"""

MARCH = """
static const uint kMaxSteps = MAX_STEPS;

struct Ray { float3 o; float3 d; }
struct Sphere
{
    float3 center;
    float radius;
    float eval(float3 p) { return length(p - center) - radius; }
}

float3 trace<let N : int>(Ray ray, Sphere sphere)
{
    float3 at = ray.o;
    for (int i = 0; i < N; i++)
        at += sphere.eval(at) * ray.d;
    return at;
}

[AutoPyBindCUDA]
[CUDAKernel]
void render(TensorView<float> depth)
{
    let x = cudaThreadIdx().x;
    const Ray ray = { float3(0, 0.1 * x, -3), float3(0, 0, 1) };
    const Sphere sphere = { float3(0), 1 };
    depth[x] = trace<kMaxSteps>(ray, sphere).z;
}
"""


def test_one_index_of_a_tensor_of_two_dimensions_squares_its_first_column(load):
    x = np.array([[1, 2], [3, 4]], np.float32)
    printed = load(HOST, "printed", defines={"INDEX": "at.x"})
    repaired = load(HOST, "repaired", defines={"INDEX": "at.xy"})

    assert repaired.square(x).tolist() == [[1, 4], [9, 16]]
    assert printed.square(x)[:, 1].tolist() == [0, 0]


def test_the_gradient_of_host_functions(load):
    m = load(HOST, defines={"INDEX": "at.xy"})
    x = np.array([[3, 4], [0, 1]], np.float32)
    assert m.square_gradient(x, np.ones_like(x)).tolist() == [[6, 8], [0, 2]]


def test_structures_with_arrays_of_tensors_are_nested_tuples(load):
    m = load(RESULT)
    (tensors, number) = m.made()
    assert [each.tolist() for each in tensors] == [[0, 0], [1, 1], [2, 2]]
    assert number == 0.5
    assert m.number_of((tensors, 4.0)) == 8


def test_a_sphere_is_traced_in_steps_that_are_defined_when_it_is_loaded(load):
    y = 0.1 * np.arange(8)
    for steps in (20, 1):
        depth = np.zeros(8, np.float32)
        m = load(MARCH, defines={"MAX_STEPS": steps})
        m.render(depth=depth).launchRaw(blockSize=(8, 1, 1), gridSize=(1, 1, 1))
        at = np.full(8, -3.0)
        for _ in range(steps):
            at += np.hypot(at, y) - 1
        assert np.allclose(depth, at, rtol=1e-5)


def test_weft_loads_modules_as_the_older_document_does(device, tmp_path):
    path = tmp_path / "square.slang"
    path.write_text(HOST)
    m = weft.loadModule(str(path), device=device, defines={"INDEX": "at.xy"})
    assert m.square(np.full((2, 2), 3, np.float32)).tolist() == [[9, 9], [9, 9]]
    assert m is slangtorch.loadModule(str(path), device=device, defines={"INDEX": "at.xy"})
