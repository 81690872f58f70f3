# SPDX-License-Identifier: Apache-2.0
"""Documented functions of whole tensors, for tests of calls with and without gradients."""

SOURCE = """
import "slangpy";

[Differentiable]
void quadratic(int idx, float a, float b, float c, IDiffTensor<float, 1> x,
               IWDiffTensor<float, 1> result)
{
    float v = x[idx];
    result[idx] = a * v * v + b * v + c;
}

[Differentiable]
void doubled_in_place(int idx, IRWDiffTensor<float, 1> data)
{
    float value = data[idx];
    data[idx] = value * 2.0;
}

[Differentiable]
void dense(int idx, IDiffTensor<float, 2> weights, IDiffTensor<float, 1> bias,
           IDiffTensor<float, 1> input, IWDiffTensor<float, 1> output)
{
    uint count = weights.shape[1];
    float sum = bias[idx];
    [MaxIters(64)]
    for (uint i = 0; i < count; i++)
        sum += weights[idx, i] * input[i];
    output[idx] = sum;
}
"""
