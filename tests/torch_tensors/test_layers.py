# SPDX-License-Identifier: Apache-2.0
"""weft.torch.Module: parameters of Slang functions that optimisers of torch train."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SOURCE = """
import mlp;
struct Material : IDifferentiable { float roughness; float3 color; }
[Differentiable] float line(float gain, float offset, no_diff float x) { return gain * x + offset; }
[Differentiable] float3 shade(Material material, float3 n, int k)
{
    return material.roughness * material.color * n * k;
}
[Differentiable] float network(MLP<2, 1, 16> weights, no_diff float2 at)
{
    float place[2] = {at.x, at.y};
    let found = weights.run(place);
    return found[0];
}
float of_torch(float training) { return training; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "torch_layers", SOURCE)


def test_names_and_values_of_parameters(module):
    shared = torch.nn.Parameter(torch.ones(3))
    material = {"roughness": 0.5, "color": shared}
    layer = weft.torch.Module(
        module.shade, parameters={"material": material, "k": torch.tensor(2, dtype=torch.int32)}
    )

    assert sorted(layer.state_dict()) == ["k", "material.color", "material.roughness"]
    assert [name for name, _ in layer.named_buffers()] == ["k"]
    assert layer.material.color is shared
    assert layer(torch.ones(4, 3)).tolist() == [[1, 1, 1]] * 4
    assert "shade" in repr(layer)


def test_states_are_saved_copied_and_converted(module):
    layer = weft.torch.Module(module.line, parameters={"gain": 2.0, "offset": np.float32(1.0)})
    other = weft.torch.Module(module.line, parameters={"gain": 0.0, "offset": 0.0})

    other.load_state_dict(layer.state_dict())
    copied = copy.deepcopy(layer)
    with torch.no_grad():
        layer.gain.fill_(5)

    assert other(torch.ones(2)).tolist() == copied(x=torch.ones(2)).tolist() == [3, 3]
    assert layer.to(torch.float64).gain.dtype == torch.float64
    assert layer(torch.ones(2)).tolist() == [6, 6]


def test_a_network_trains_under_an_optimiser_of_torch(module, device):
    layer = weft.torch.Module(
        module.network,
        parameters={"weights": weft.mlp.create_weights(device, 2, 1, hidden=[16], seed=3)},
    )
    at = torch.rand(64, 2, generator=torch.Generator().manual_seed(1)).to(layer.weights.device)
    wanted = at[:, 0] * at[:, 1]
    optimiser = torch.optim.Adam(layer.parameters(), lr=0.02)
    losses = []

    for _ in range(60):
        optimiser.zero_grad()
        loss = (layer(at) - wanted).square().mean()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())

    assert losses[-1] < 0.02 * losses[0]
    assert layer.weights.grad.shape == layer.weights.shape


def test_an_operator_as_a_layer_compiles_without_a_break(module):
    torch._dynamo.reset()
    operator = weft.torch.op(module.network, name="torch_layers::network")
    weights = torch.rand(48, generator=torch.Generator().manual_seed(2))
    layer = weft.torch.Module(operator, parameters={"weights": weights})
    plain = weft.torch.Module(module.network, parameters={"weights": weights})
    at = torch.rand(5, 2)

    torch.compile(layer, backend="aot_eager", fullgraph=True)(at).sum().backward()
    plain(at).sum().backward()

    assert torch.allclose(layer.weights.grad, plain.weights.grad)
    assert set(torch.library.opcheck(operator.overload, (weights, at)).values()) == {"SUCCESS"}


def test_wrong_parameters_are_refused(module):
    with pytest.raises(weft.ArgumentError, match="line has no parameter 'slope'; it has gain"):
        weft.torch.Module(module.line, parameters={"slope": 1.0})
    with pytest.raises(
        weft.ArgumentError, match=r"'training' has a name that torch.nn.Module uses"
    ):
        weft.torch.Module(module.of_torch, parameters={"training": 1.0})
    with pytest.raises(weft.ArgumentTypeError, match="'gain' must be a tensor"):
        weft.torch.Module(module.line, parameters={"gain": object()})
    with pytest.raises(weft.ArgumentTypeError, match="must be a function of a module"):
        weft.torch.Module(lambda x: x, parameters={})
    layer = weft.torch.Module(module.line, parameters={"gain": 1.0, "offset": 0.0})
    with pytest.raises(weft.ArgumentTypeError, match="'gain' is a parameter of the layer"):
        layer(1.0, gain=2.0)
    with pytest.raises(weft.ArgumentTypeError, match=r"takes 1 arguments \(x\), got 2"):
        layer(1.0, 2.0)
