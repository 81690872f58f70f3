# SPDX-License-Identifier: Apache-2.0
"""Networks in float64 numpy, and what Weft's are compared with."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

import weft

rng = np.random.default_rng(7)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def gelu(z):
    return 0.5 * z * (1 + np.tanh(np.sqrt(2 / np.pi) * (z + 0.044715 * z**3)))


ACTIVATIONS = {
    "Identity": lambda z: z,
    "ReLU": lambda z: np.maximum(z, 0),
    "LeakyReLU": lambda z: np.where(z > 0, z, 0.01 * z),
    "Sigmoid": sigmoid,
    "Tanh": np.tanh,
    "SiLU": lambda z: z * sigmoid(z),
    "Swish": lambda z: z * sigmoid(z),
    "GELU": gelu,
    "Exponential": np.exp,
    "Sine": np.sin,
}


def derivative(name, z):
    """Derivative of an activation by a central difference in float64."""
    step = 1e-6
    return (ACTIVATIONS[name](z + step) - ACTIVATIONS[name](z - step)) / (2 * step)


class Reference:
    """A network in float64 numpy, with the formulas of backpropagation."""

    def __init__(self, weights, sizes, biases, hidden="ReLU", output="Identity"):
        self.layers = list(
            weft.mlp.layers(
                weights.astype(np.float64), sizes[0], sizes[-1], sizes[1:-1], biases=biases
            )
        )
        self.names = [hidden] * (len(self.layers) - 1) + [output]

    def run(self, x):
        self.values, self.sums = [x.astype(np.float64)], []
        for (weight, bias), name in zip(self.layers, self.names, strict=True):
            self.sums.append(self.values[-1] @ weight + (0 if bias is None else bias))
            self.values.append(ACTIVATIONS[name](self.sums[-1]))
        return self.values[-1]

    def gradients(self, x, given):
        """Return the derivatives by the weights, flat, and by the input."""
        self.run(x)
        parts, d = [], given.astype(np.float64)
        for i in reversed(range(len(self.layers))):
            weight, bias = self.layers[i]
            d = d * derivative(self.names[i], self.sums[i])
            parts.insert(0, [(self.values[i].T @ d).ravel()] + ([] if bias is None else [d.sum(0)]))
            d = d @ weight.T
        return np.concatenate([each for part in parts for each in part]), d


def network_source(sizes, biases=False, scalar="float", hidden="ReLU", output="Identity"):
    """Slang with one function around one network."""
    inside = ", ".join(str(size) for size in (sizes[0], sizes[-1], *sizes[1:-1]))
    return f"""
        import mlp;
        [Differentiable]
        float[{sizes[-1]}] evaluate(
            Network<{scalar}, {hidden}, {output}, {int(biases)}, {inside}> network,
            float x[{sizes[0]}])
        {{
            return network.run(x);
        }}
    """


def squared_error_source(sizes, biases=False, scalar="float", hidden="ReLU"):
    """Slang with the squared error of one network, differentiable by its weights."""
    first, last = sizes[0], sizes[-1]
    inside = ", ".join(map(str, (first, last, *sizes[1:-1])))
    network = f"Network<{scalar}, {hidden}, Identity, {int(biases)}, {inside}>"
    return f"""
        import mlp;
        [Differentiable]
        float loss({network} network, float input[{first}], no_diff float target[{last}])
        {{
            float output[{last}] = network.run(input);
            float error = 0.f;
            [ForceUnroll]
            for (int i = 0; i < {last}; i++)
                error += (output[i] - target[i]) * (output[i] - target[i]);
            return error;
        }}
    """


class SquaredErrorStep:
    """Random weights and samples of a network, and the gradients of its squared error by them.

    Args:
        device: Where.
        sizes: Of the layers, input and output included.
        count: Of samples.
        biases: Whether layers have them.
        scalar: ``float`` or ``half``.
        hidden: Activation of all layers but the last.
        seed: Of the numbers.
        by_input: Whether the samples have a gradient too.
    """

    def __init__(
        self,
        device,
        sizes,
        count,
        *,
        biases=False,
        scalar="float",
        hidden="ReLU",
        seed=1,
        by_input=False,
    ):
        rng = np.random.default_rng(seed)
        dtype = np.float16 if scalar == "half" else np.float32
        parts = []
        for a, b in pairwise(sizes):
            parts.append(rng.uniform(-1, 1, a * b) * np.sqrt(3 / a))
            parts += [rng.uniform(-0.5, 0.5, b)] * biases
        self.sizes, self.biases, self.hidden = sizes, biases, hidden
        self.flat = np.concatenate(parts).astype(dtype)
        self.x = rng.standard_normal((count, sizes[0])).astype(dtype)
        self.target = rng.standard_normal((count, sizes[-1])).astype(dtype)
        # Sums of more halves would leave the range of their type.
        self.given = 2.0**-12 if scalar == "half" else 1.0
        text = squared_error_source(sizes, biases, scalar, hidden)
        self.backward = weft.Module.load_from_source(device, "squared_error", text).loss.bwds
        self.weights = weft.Tensor.from_numpy(device, self.flat).with_grads(
            grad_out=weft.Tensor.zeros(device, self.flat.shape, weft.float32)
        )
        self.inputs = weft.Tensor.from_numpy(device, self.x)
        if by_input:
            self.inputs = self.inputs.with_grads()
        self.targets = weft.Tensor.from_numpy(device, self.target)
        given = np.full(count, self.given, np.float32)
        self.result = weft.Tensor.zeros(device, (count,)).with_grads(
            grad_in=weft.Tensor.from_numpy(device, given)
        )

    def step(self):
        """Forward and backward."""
        self.backward(self.weights, self.inputs, self.targets, _result=self.result)

    def torch_network(self, torch, dtype):
        """The same network as modules of torch on its GPU."""
        sizes, modules = self.sizes, []
        flat = self.flat.astype(np.float64)
        layers = weft.mlp.layers(flat, sizes[0], sizes[-1], sizes[1:-1], biases=self.biases)
        for weight, bias in layers:
            linear = torch.nn.Linear(*weight.shape, bias=bias is not None)
            linear.weight.data = torch.from_numpy(np.ascontiguousarray(weight.T))
            if bias is not None:
                linear.bias.data = torch.from_numpy(np.array(bias))
            modules += [linear, getattr(torch.nn, self.hidden)()]
        return torch.nn.Sequential(*modules[:-1]).to("cuda", dtype)

    def torch_arrays(self, torch, dtype):
        """Inputs and targets on torch's GPU."""
        return [torch.from_numpy(each).cuda().to(dtype) for each in (self.x, self.target)]


def evaluate_both(
    device, sizes, count, biases=False, scalar="float", hidden="ReLU", output="Identity"
):
    """Run forward and backward here and in numpy; return pairs (got, expected)."""
    module = weft.Module.load_from_source(
        device, "mlp_test", network_source(sizes, biases, scalar, hidden, output)
    )
    dtype = np.float16 if scalar == "half" else np.float32
    total = weft.mlp.weight_count(sizes[0], sizes[-1], sizes[1:-1], biases=biases)
    values = (rng.standard_normal(total) / np.sqrt(max(sizes))).astype(dtype)
    x = rng.standard_normal((count, sizes[0])).astype(np.float32)
    given = rng.standard_normal((count, sizes[-1])).astype(np.float32)
    weights = weft.Tensor.from_numpy(device, values).with_grads()
    inputs = weft.Tensor.from_numpy(device, x).with_grads()
    result = weft.Tensor.from_numpy(device, np.zeros_like(given))
    result = result.with_grads(grad_in=weft.Tensor.from_numpy(device, given))

    forward = module.evaluate(weights, inputs).to_numpy()
    module.evaluate.bwds(weights, inputs, _result=result)

    reference = Reference(values, sizes, biases, hidden, output)
    by_weights, by_input = reference.gradients(x, given)
    return [
        (forward, reference.run(x)),
        (result.to_numpy(), reference.run(x)),
        (inputs.grad_out.to_numpy(), by_input),
        (weights.grad_out.to_numpy(), by_weights),
    ]


def assert_close(pairs, tolerance):
    for got, expected in pairs:
        scale = np.abs(expected).max() + 1e-3
        assert np.abs(got.reshape(expected.shape) - expected).max() <= tolerance * scale
