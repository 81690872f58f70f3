# SPDX-License-Identifier: Apache-2.0
"""Modes of torch that change what a call does or says: each is obeyed."""

from __future__ import annotations

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

SOURCE = """
[Differentiable] float square(float x) { return x * x; }
[Differentiable] float scaled(float gain, float x) { return gain * x * x; }
[Differentiable] half half_square(half x) { return x * x; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "torch_modes", SOURCE)


def test_anomaly_mode_names_the_function(module):
    x = torch.tensor([0.0, 1.0], requires_grad=True)

    with (
        pytest.warns(UserWarning, match="Anomaly Detection"),
        torch.autograd.detect_anomaly(),
        pytest.warns(UserWarning, match="Error detected in squareBackward"),
        pytest.raises(RuntimeError, match="'squareBackward' returned nan"),
    ):
        module.square(x).backward(torch.full((2,), torch.inf))  # 2 * 0 * inf


def test_autocast_leaves_types_of_parameters_alone(module):
    x = torch.ones(3, requires_grad=True)

    with torch.autocast("cpu", dtype=torch.bfloat16):
        result = module.square(x)
        halved = module.half_square(torch.ones(2, dtype=torch.float16))
    result.sum().backward()

    assert result.dtype == x.grad.dtype == torch.float32
    assert halved.dtype == torch.float16


def test_deterministic_algorithms_give_equal_sums(module, monkeypatch):
    asked = []
    pull = weft.torch.derivatives.pull
    monkeypatch.setattr(
        weft.torch.derivatives,
        "pull",
        lambda *given: asked.append(torch.are_deterministic_algorithms_enabled()) or pull(*given),
    )
    gain = torch.ones((), requires_grad=True)
    x = torch.rand(50_000, generator=torch.Generator().manual_seed(1)).detach()
    sums = set()

    torch.use_deterministic_algorithms(True)
    try:
        for _ in range(3):
            gain.grad = None
            module.scaled(gain, x).sum().backward()
            sums.add(gain.grad.item())
    finally:
        torch.use_deterministic_algorithms(False)

    assert asked == [True] * 3
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(x.square().sum().item(), rel=1e-4)


def test_what_a_hook_changes_is_what_the_derivative_sees(module):
    x = torch.tensor([1.0, 2.0], requires_grad=True)

    with torch.autograd.graph.saved_tensors_hooks(lambda t: t.half(), lambda t: t.float() * 10):
        result = module.square(x)
    result.sum().backward()

    assert x.grad.tolist() == [20, 40]
