# SPDX-License-Identifier: Apache-2.0
"""The networks of mlp_shapes.py by jax.jit, in a process of their own.

Reads one JSON line, a list of ``[sizes, scalar, biases, activation, samples]``; compiles all, waits
for another line, then prints a JSON list of seconds a step. Products of floats have float's
precision, as torch's and Weft's have.
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import jax
import jax.numpy as jnp
from step_times import best_seconds

ACTIVATIONS = {"ReLU": jax.nn.relu, "Tanh": jnp.tanh, "Sigmoid": jax.nn.sigmoid}


def compiled_step(sizes, scalar, biases, hidden, count):
    """Return a step: forward, backward, gradients of weights and biases."""
    dtype = jnp.float16 if scalar == "half" else jnp.float32
    keys = iter(jax.random.split(jax.random.PRNGKey(0), 2 * len(sizes) + 2))
    weights = [
        (
            jax.random.normal(next(keys), (a, b), dtype) / a**0.5,
            jnp.zeros((b,), dtype) if biases else None,
        )
        for a, b in pairwise(sizes)
    ]
    x = jax.random.normal(next(keys), (count, sizes[0]), dtype)
    target = jax.random.normal(next(keys), (count, sizes[-1]), dtype)

    def loss(weights, x, target):
        for i, (weight, bias) in enumerate(weights):
            x = x @ weight if bias is None else x @ weight + bias
            x = ACTIVATIONS[hidden](x) if i + 1 < len(weights) else x
        return ((x - target).astype(jnp.float32) ** 2).sum() * 2.0**-12

    step = jax.jit(jax.value_and_grad(loss)).lower(weights, x, target).compile()
    return step, (weights, x, target)


def main() -> None:
    """Compile, wait, measure."""
    jax.config.update("jax_default_matmul_precision", "highest")
    cases = json.loads(sys.stdin.readline())
    with ThreadPoolExecutor(8) as pool:
        steps = list(pool.map(lambda case: compiled_step(*case), cases))
    sys.stdin.readline()
    times = []
    for step, arguments in steps:
        latest = []

        def run(step=step, arguments=arguments, latest=latest) -> None:
            latest[:] = [step(*arguments)]

        times.append(best_seconds(run, lambda latest=latest: jax.block_until_ready(latest)))
    print(json.dumps(times))


if __name__ == "__main__":
    main()
