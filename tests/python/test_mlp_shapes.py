# SPDX-License-Identifier: Apache-2.0
"""Networks of wide, narrow and uneven layers, and samples that fill no group."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.networks import Reference, assert_close, evaluate_both, network_source, rng


@pytest.mark.sweep(6)
@pytest.mark.parametrize("way", ["", "gpu"], ids=["alone", "together"])
@pytest.mark.parametrize(
    ("sizes", "biases", "scalar"),
    [
        ([16, 136, 40, 8], False, "float"),
        ([48, 96, 72, 5], True, "float"),
        ([20, 40, 3], True, "float"),
        ([3, 100, 3], True, "half"),
        ([8, 64, 40], False, "half"),
    ],
    ids=lambda given: "-".join(map(str, given)) if isinstance(given, list) else str(given),
)
def test_wide_and_uneven_layers_agree_with_numpy(device, monkeypatch, way, sizes, biases, scalar):
    """Tensor cores take layers in blocks, and tiles that are not full."""
    monkeypatch.setenv("WEFT_KERNELS_FOR", way)

    pairs = evaluate_both(device, sizes, 300, biases, scalar, "SiLU")

    # Tensor cores keep values between layers of half weights as halves, and the gradient is half.
    assert_close(pairs, 2e-5 if scalar == "float" else 0.02)


@pytest.mark.full
@pytest.mark.parametrize("count", [1, 31, 127, 129, 4097])
def test_threads_past_the_last_sample_add_nothing(device, monkeypatch, count):
    """They repeat the last sample, so that their subgroup is whole."""
    monkeypatch.setenv("WEFT_KERNELS_FOR", "gpu")

    assert_close(evaluate_both(device, [16, 24, 8], count, True, hidden="SiLU"), 2e-5)


TWO = """
import mlp;
[Differentiable]
float[2] evaluate(MLP<8, 8> first, MLP<8, 2, 16> second, float x[8])
{
    return second.run(first.run(x));
}
"""


@pytest.mark.full
@pytest.mark.parametrize("count", [256, 77])
def test_two_networks_of_a_call_have_gradients(device, monkeypatch, count):
    monkeypatch.setenv("WEFT_KERNELS_FOR", "gpu")
    module = weft.Module.load_from_source(device, "mlp_two", TWO)
    sizes = [[8, 8], [8, 16, 2]]
    flat = [rng.standard_normal(64).astype(np.float32), rng.standard_normal(160).astype(np.float32)]
    networks = [weft.Tensor.from_numpy(device, each).with_grads() for each in flat]
    x = rng.standard_normal((count, 8)).astype(np.float32)
    given = rng.standard_normal((count, 2)).astype(np.float32)
    inputs = weft.Tensor.from_numpy(device, x).with_grads()
    result = weft.Tensor.zeros(device, (count, 2)).with_grads(
        grad_in=weft.Tensor.from_numpy(device, given)
    )

    module.evaluate.bwds(*networks, inputs, _result=result)

    first, second = (Reference(f, s, False) for f, s in zip(flat, sizes, strict=True))
    between = first.run(x)
    by_second, d = second.gradients(between, given)
    by_first, by_input = first.gradients(x, d)
    assert_close(
        [
            (networks[0].grad_out.to_numpy(), by_first),
            (networks[1].grad_out.to_numpy(), by_second),
            (inputs.grad_out.to_numpy(), by_input),
        ],
        2e-5,
    )


@pytest.mark.parametrize(
    ("arguments", "floats"),
    [
        # Pairs of rows of tiles, 8 by 8, and the biases' two float4 a tile.
        ("float, ReLU, Identity, 0, 64, 16, 128, 128", 4 * 32 * (4 * 16 + 8 * 16 + 8 * 2)),
        ("half, ReLU, Identity, 1, 48, 5, 96, 96", 4 * (32 * (3 * 12 + 6 * 12 + 6) + 2 * 25)),
        ("float, ReLU, Identity, 0, 32, 8, 64, 64", 1),
        ("half, ReLU, Identity, 0, 2, 3, 64, 64, 64, 64", 1),
        ("half, Tanh, Identity, 0, 16, 16, 96", 1),
        ("float, ReLU, Identity, 0, 2, 3, 600", 1),
    ],
)
def test_wide_networks_ask_for_the_memory_of_their_gradient(device, arguments, floats):
    """1: none, the kernels of these make do with what they have."""
    module = weft.Module.load_from_source(device, "mlp_memory", network_source([4, 2]))

    network = module.layout.find_type_by_name(f"Network<{arguments}>")

    (table,) = [field.type for field in network.fields if field.name == "_collected"]
    assert table.full_name == f"Ptr<Table<float, 1, {floats}>>"
