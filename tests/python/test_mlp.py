# SPDX-License-Identifier: Apache-2.0
"""Multilayer perceptrons: values and gradients against numpy, layouts, shapes, errors."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weft
from support.networks import (
    ACTIVATIONS,
    assert_close,
    derivative,
    evaluate_both,
    network_source,
    rng,
)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(
    sizes=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    count=st.integers(1, 300),
    biases=st.booleans(),
)
def test_any_sizes_agree_with_numpy(device, sizes, count, biases):
    assert_close(evaluate_both(device, sizes, count, biases, hidden="Tanh"), 1e-5)


def test_activations_and_their_derivatives_agree_with_numpy(device):
    values = ", ".join(f"{name}.apply(z)" for name in ACTIVATIONS)
    derivatives = ", ".join(f"{name}.derivative(z)" for name in ACTIVATIONS)
    count = len(ACTIVATIONS)
    source = f"""
        import mlp;
        float[{count}] values(float z) {{ float result[{count}] = {{{values}}}; return result; }}
        float[{count}] derivatives(float z)
        {{
            float result[{count}] = {{{derivatives}}};
            return result;
        }}
    """
    module = weft.Module.load_from_source(device, "mlp_activations", source)
    z = np.concatenate([rng.uniform(-3, 3, 50), [-0.5, 0.5]])

    got = module.values(z).to_numpy(), module.derivatives(z).to_numpy()

    for i, name in enumerate(ACTIVATIONS):
        assert np.allclose(got[0][:, i], ACTIVATIONS[name](z), rtol=1e-5, atol=1e-6)
        assert np.allclose(got[1][:, i], derivative(name, z), rtol=1e-4, atol=1e-5)


CUSTOM = """
import mlp;
struct Squared : IActivation
{
    static float apply(float z) { return z * z; }
    static float derivative(float z) { return 2.f * z; }
}
[Differentiable]
float[1] evaluate(Network<float, Squared, Squared, 0, 1, 1, 1> network, float x[1])
{
    return network.run(x);
}
"""


def test_an_activation_may_be_the_users_own(device):
    module = weft.Module.load_from_source(device, "mlp_custom", CUSTOM)
    weights = weft.Tensor.from_numpy(device, np.array([2, 3], np.float32)).with_grads()
    result = weft.Tensor.zeros(device, (1, 1)).with_grads(grad_in=weft.Tensor.ones(device, (1, 1)))

    module.evaluate.bwds(weights, np.array([[0.5]], np.float32), _result=result)

    # (b (a x)^2)^2 with a = 2, b = 3, x = 0.5
    assert np.allclose(result.to_numpy(), [[9]])
    assert np.allclose(weights.grad.to_numpy(), [18, 6])


def test_an_activation_of_the_user_may_take_four_at_a_time(device):
    """In whole groups of samples, which take four; the results tell whether they did."""
    quads = """    override static float4 applyQuad(float4 z) { return z * z; }
    override static float4 derivativeQuad(float4 z) { return 2.f * z; }
}
[Differentiable]"""
    source = CUSTOM.replace("}\n[Differentiable]", quads, 1).replace("0, 1, 1, 1>", "0, 8, 8, 8>")
    source = source.replace("float[1]", "float[8]").replace("float x[1]", "float x[8]")
    rng = np.random.default_rng(4)
    samples = rng.uniform(-1, 1, (256, 8)).astype(np.float32)
    values = rng.uniform(-0.5, 0.5, 128).astype(np.float32)
    module = weft.Module.load_from_source(device, "mlp_quads", source)
    weights = weft.Tensor.from_numpy(device, values).with_grads()
    ones = weft.Tensor.ones(device, (256, 8))
    result = weft.Tensor.zeros(device, (256, 8)).with_grads(grad_in=ones)

    module.evaluate.bwds(weights, samples, _result=result)

    first, second = values.reshape(2, 8, 8).astype(np.float64)
    before = samples @ first
    after = before**2 @ second
    given = 2 * after
    expected = [samples.T @ (given @ second.T * 2 * before), (before**2).T @ given]
    np.testing.assert_allclose(result.to_numpy(), after**2, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(weights.grad.to_numpy(), np.ravel(expected), rtol=1e-4, atol=1e-3)


def test_an_activation_with_the_former_name_is_told_what_to_rename(device):
    former = CUSTOM.replace("derivative(float z)", "slope(float z)")

    with pytest.raises(weft.CompileError, match=r"'derivative'; .* 'slope' before: rename it"):
        weft.Module.load_from_source(device, "mlp_former", former)


def test_hidden_layers_and_the_last_have_their_own_activation(device):
    assert_close(evaluate_both(device, [3, 4, 2], 20, True, hidden="GELU", output="Sigmoid"), 1e-5)


def test_a_network_as_large_as_usual_agrees_with_numpy(device):
    assert_close(evaluate_both(device, [32, 64, 64, 8], 517), 2e-5)


def test_whole_groups_of_samples_agree_with_numpy(device):
    """Tensor cores, where there are some. A smooth activation: rounding may not choose a side."""
    assert_close(evaluate_both(device, [32, 64, 64, 8], 1024, hidden="SiLU"), 2e-5)
    assert_close(evaluate_both(device, [32, 32, 32], 256, hidden="SiLU", output="Tanh"), 2e-5)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("sizes", "biases"), [([8, 16, 16, 8], False), ([3, 20, 9, 2], True)], ids=["even", "odd"]
)
def test_subgroups_that_work_together_agree_with_numpy(device, monkeypatch, sizes, biases):
    """The way of GPUs, on any device."""
    monkeypatch.setenv("WEFT_KERNELS_FOR", "gpu")

    pairs = evaluate_both(device, sizes, 301, biases, hidden="SiLU", output="Tanh")

    assert_close(pairs, 1e-5)


def test_half_weights_are_summed_in_float(device):
    # A smooth activation: rounding may not choose a side.
    pairs = evaluate_both(device, [4, 8, 3], 100, True, "half", hidden="SiLU")
    forward, value, by_input, by_weights = pairs

    # Tensor cores keep values between layers of half weights as halves.
    is_cuda = device.info.type == weft.DeviceType.cuda
    assert_close([forward, value, by_input], 4e-3 if is_cuda else 1e-5)
    # Each subgroup's sum is rounded to half when it is added.
    assert_close([by_weights], 0.02)


def test_half_weights_may_have_a_gradient_in_float(device):
    source = network_source([2, 2], False, "half")
    module = weft.Module.load_from_source(device, "mlp_float_sums", source)
    weights = weft.Tensor.zeros(device, (2, 2), weft.float16)
    sums = weft.Tensor.zeros(device, (2, 2))
    x = np.ones((30000, 2), np.float32)
    result = weft.Tensor.zeros(device, (30000, 2))
    result = result.with_grads(grad_in=weft.Tensor.ones(device, (30000, 2)))

    module.evaluate.bwds(weights.with_grads(grad_out=sums), x, _result=result)

    assert np.array_equal(sums.to_numpy(), [[30000, 30000], [30000, 30000]])


def test_a_float_gradient_of_other_halves_is_refused(device):
    source = "[Differentiable] half twice(half x) { return x + x; }"
    module = weft.Module.load_from_source(device, "mlp_half_value", source)
    x = weft.Tensor.zeros(device, (5,), weft.float16)

    with pytest.raises(weft.ArgumentError) as caught:
        module.twice.bwds(
            x.with_grads(grad_out=weft.Tensor.zeros(device, (5,))), _result=x.with_grads()
        )

    assert "its gradient is float, which only the weights of a network may have" in str(
        caught.value
    )


def test_eight_hidden_layers_are_the_most(device):
    # A GPU's own sine, which Vulkan allows, is off by 2^-21: that is 4e-4 of a result in the worst
    # of 500 draws of such weights, as eight layers leave small values.
    assert_close(evaluate_both(device, [2, *[3] * 8, 2], 10, hidden="Sine"), 1e-3)

    with pytest.raises(weft.ArgumentError) as caught:
        weft.mlp.weight_count(2, 2, [3] * 9)
    assert "hidden layers at most 8" in str(caught.value)


def test_gradients_agree_with_differences_and_forward_mode(device):
    module = weft.Module.load_from_source(
        device, "mlp_check", network_source([3, 5, 2], True, hidden="SiLU", output="Sigmoid")
    )
    values = rng.standard_normal(weft.mlp.weight_count(3, 2, [5], biases=True))
    x = rng.standard_normal((4, 3))

    check = weft.check_gradients(module.evaluate, values, x, wrt=("network", "x"))

    assert check.passed, check.differences


MIXED = """
import mlp;
/// Some lanes run the network twice, some never.
[Differentiable]
float[2] evaluate(MLP<3, 2> network, float x[3], int turns)
{
    float result[2] = {0.f, 0.f};
    [MaxIters(2)]
    for (int i = 0; i < turns; i++)
    {
        let y = network.run(x);
        result[0] += y[0];
        result[1] += y[1];
    }
    return result;
}
"""


@pytest.mark.parametrize("way", ["", "gpu"], ids=["alone", "together"])
def test_lanes_that_do_not_call_the_network_add_nothing(device, monkeypatch, way):
    monkeypatch.setenv("WEFT_KERNELS_FOR", way)
    module = weft.Module.load_from_source(device, "mlp_mixed", MIXED)
    values = rng.standard_normal((3, 2)).astype(np.float32)
    x = rng.standard_normal((1000, 3)).astype(np.float32)
    turns = rng.integers(0, 3, 1000).astype(np.int32)
    weights = weft.Tensor.from_numpy(device, values).with_grads()
    inputs = weft.Tensor.from_numpy(device, x).with_grads()
    result = weft.Tensor.zeros(device, (1000, 2))
    result = result.with_grads(grad_in=weft.Tensor.ones(device, (1000, 2)))

    module.evaluate.bwds(weights, inputs, turns, _result=result)

    assert np.allclose(result.to_numpy(), turns[:, None] * (x @ values), atol=1e-5)
    by_weights = np.repeat((turns[:, None] * x).sum(0)[:, None], 2, axis=1)
    assert np.allclose(weights.grad_out.to_numpy(), by_weights, rtol=1e-4, atol=1e-3)
    assert np.allclose(inputs.grad_out.to_numpy(), turns[:, None] * values.sum(1), atol=1e-5)


def test_gradients_of_several_calls_add_up(device):
    module = weft.Module.load_from_source(device, "mlp_twice", network_source([2, 2]))
    weights = weft.Tensor.ones(device, (2, 2)).with_grads()
    x = np.array([[1, 2]], np.float32)
    result = weft.Tensor.zeros(device, (1, 2)).with_grads(grad_in=weft.Tensor.ones(device, (1, 2)))

    for _ in range(3):
        module.evaluate.bwds(weights, x, _result=result)

    assert np.array_equal(weights.grad.to_numpy(), [[3, 3], [6, 6]])


def test_weights_without_gradient_are_constant(device):
    module = weft.Module.load_from_source(device, "mlp_constant", network_source([2, 2]))
    x = weft.Tensor.from_numpy(device, np.array([[1, 2]], np.float32)).with_grads()
    result = weft.Tensor.zeros(device, (1, 2)).with_grads(grad_in=weft.Tensor.ones(device, (1, 2)))

    module.evaluate.bwds(np.array([[1, 2], [3, 4]], np.float32), x, _result=result)

    assert np.array_equal(x.grad.to_numpy(), [[3, 7]])


def test_a_plain_matrix_and_its_flat_form_are_one_network(device):
    module = weft.Module.load_from_source(device, "mlp_shapes", network_source([3, 2]))
    values = rng.standard_normal((3, 2)).astype(np.float32)
    x = rng.standard_normal((5, 3)).astype(np.float32)

    matrix, flat = (module.evaluate(v, x).to_numpy() for v in (values, values.ravel()))

    assert np.allclose(matrix, x @ values, atol=1e-6)
    assert np.array_equal(matrix, flat)


def test_explain_says_how_weight_gradients_add_up(device):
    module = weft.Module.load_from_source(device, "mlp_explain", network_source([3, 2]))
    weights = weft.Tensor.ones(device, (3, 2)).with_grads()
    result = weft.Tensor.zeros(device, (5, 2)).with_grads()

    text = module.evaluate.bwds.explain(weights, np.ones((5, 3), np.float32), _result=result)

    # Only tensor cores leave a group the memory to collect in.
    where = "group" if device.info.type == weft.DeviceType.cuda else "subgroup"
    assert f"network.grad_out: broadcast, summed in the {where}, one atomic addition" in text


def test_sums_of_a_network_cannot_be_deterministic(device):
    module = weft.Module.load_from_source(device, "mlp_order", network_source([3, 2]))
    weights = weft.Tensor.ones(device, (3, 2)).with_grads()
    result = weft.Tensor.zeros(device, (5, 2)).with_grads()

    with pytest.raises(weft.ArgumentError) as caught:
        module.evaluate.bwds(
            weights, np.ones((5, 3), np.float32), _result=result, deterministic=True
        )

    assert "deterministic=True cannot order what is added to the gradient of 'network'" in str(
        caught.value
    )


@pytest.mark.parametrize(
    ("shape", "dtype", "part"),
    [
        ((2, 3), np.float32, "made from a tensor of shape (3, 2) or (6,)"),
        ((5,), np.float32, "made from a tensor of shape (3, 2) or (6,)"),
        ((4, 3, 2), np.float32, "made from a tensor of shape (3, 2) or (6,)"),
        ((3, 2), np.float16, "its elements must be float"),
    ],
)
def test_weights_that_do_not_fit_are_refused(device, shape, dtype, part):
    module = weft.Module.load_from_source(device, "mlp_refuse", network_source([3, 2]))
    weights = weft.Tensor.from_numpy(device, np.zeros(shape, dtype))

    with pytest.raises(weft.ArgumentError) as caught:
        module.evaluate(weights, np.ones((5, 3), np.float32))

    assert part in str(caught.value)


def test_a_transposed_view_is_refused(device):
    module = weft.Module.load_from_source(device, "mlp_view", network_source([3, 2]))
    weights = weft.Tensor.zeros(device, (2, 3)).transpose(1, 0)

    with pytest.raises(weft.ArgumentError) as caught:
        module.evaluate(weights, np.ones((5, 3), np.float32))

    assert "contiguous memory: pass a copy" in str(caught.value)


def test_created_weights_have_the_documented_layout_and_spread(device):
    weights = weft.mlp.create_weights(device, 50, 20, [40], biases=True, seed=3)
    again = weft.mlp.create_weights(device, 50, 20, [40], biases=True, seed=3)
    plain = weft.mlp.create_weights(device, 50, 20, dtype=weft.float16, initialisation="xavier")

    (first, first_bias), (last, last_bias) = weft.mlp.layers(
        weights.to_numpy(), 50, 20, [40], biases=True
    )
    assert weights.shape == (50 * 40 + 40 + 40 * 20 + 20,)
    assert np.array_equal(weights.to_numpy(), again.to_numpy())
    assert np.isclose(first.std(), np.sqrt(2 / 50), rtol=0.05)
    assert np.isclose(last.std(), np.sqrt(2 / 40), rtol=0.08)
    assert not first_bias.any()
    assert not last_bias.any()
    assert plain.shape == (50, 20)
    assert plain.to_numpy().dtype == np.float16
    assert np.abs(plain.to_numpy()).max() <= np.sqrt(6 / 70) * 1.001


def test_wrong_requests_for_weights_are_refused(device):
    with pytest.raises(weft.ArgumentError, match="initialisation must be 'he' or 'xavier'"):
        weft.mlp.create_weights(device, 2, 2, initialisation="zero")
    with pytest.raises(weft.ArgumentError, match="sizes must be 1 or greater"):
        weft.mlp.create_weights(device, 2, 0)
    with pytest.raises(weft.ArgumentError, match="the network has 6 weights, got 5"):
        list(weft.mlp.layers(np.zeros(5), 3, 2))


@pytest.mark.parametrize("own", [(1, 48), (96, 1)], ids=["row", "column"])
@pytest.mark.parametrize("kernels", ["cpu", "gpu"])
def test_what_calls_share_beside_a_network_gets_its_sums(device, monkeypatch, kernels, own):
    monkeypatch.setenv("WEFT_KERNELS_FOR", kernels)
    source = """
        import mlp;
        [Differentiable] float scaled(MLP<2, 1> network, float x[2], float gain)
        {
            return network.run(x)[0] + gain * x[1];
        }
    """
    module = weft.Module.load_from_source(device, f"beside_{kernels}", source)
    x = rng.standard_normal((96, 48, 2)).astype(np.float32)
    weights = weft.mlp.create_weights(device, 2, 1).with_grads()
    gain = weft.Tensor.ones(device, own).with_grads()
    result = weft.Tensor.zeros(device, x.shape[:2]).with_grads()
    result.grad.copy_from_numpy(np.ones(x.shape[:2], np.float32))

    module.scaled.bwds(weights, x, gain, _result=result)

    axis = own.index(1)
    # Signs cancel in the sums: rounding goes by what is added.
    shared = x[..., 1].astype(np.float64)
    np.testing.assert_allclose(
        gain.grad.numpy(),
        shared.sum(axis=axis, keepdims=True),
        atol=1e-6 * np.abs(shared).sum(axis=axis).max(),
    )
    np.testing.assert_allclose(
        weights.grad.numpy()[:, 0],
        x.sum(axis=(0, 1), dtype=np.float64),
        atol=1e-6 * np.abs(x).sum(axis=(0, 1)).max(),
    )
