# SPDX-License-Identifier: Apache-2.0
"""Plain calls inside torch.compile that cannot be operators, as before torch 2.13."""

from __future__ import annotations

import pytest

import weft
from weft import _compiled_calls

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch._dynamo.testing import CompileCounter  # noqa: E402

SOURCE = """
[Differentiable] float poly(float a, float b, float x) { return a * x * x + b * x; }
void add_one(inout float x) { x += 1; }
"""
WHOLE = 1
"""Graphs of a function that nothing breaks."""

pytestmark = [
    # torch's own parts use what other parts call deprecated.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    # torch looks at the gradients of all tensors that a graph after a break is given.
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf"),
]


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "torch_broken_graphs", SOURCE)


@pytest.fixture(autouse=True)
def before_2_13(monkeypatch):
    torch._dynamo.reset()
    if _compiled_calls._has_operators(torch):
        monkeypatch.setattr(_compiled_calls, "_has_operators", lambda torch: False)


def numbers(*shape):
    return torch.rand(shape, generator=torch.Generator().manual_seed(1)) + 0.5


def test_a_call_breaks_the_graph_and_gives_what_it_gives_alone(module):
    graphs = CompileCounter()
    x = numbers(5)

    def step(x):
        return module.poly(2.0, 3, x * 2) + 1

    found = torch.compile(step, backend=graphs)(x)

    torch.testing.assert_close(found, step(x))
    assert graphs.frame_count > WHOLE


def test_gradients_pass_the_break(module):
    leaf = numbers(5).requires_grad_()
    twin = leaf.detach().clone().requires_grad_()

    def step(x):
        return module.poly(x, x + 1, x * 2).sin().sum()

    torch.compile(step, backend="aot_eager")(leaf).backward()
    step(twin).backward()

    torch.testing.assert_close(leaf.grad, twin.grad)


def test_what_a_call_writes_is_seen_after_the_break(module):
    x = numbers(5)

    def step(x):
        y = x * 2
        module.add_one(y)
        return y * 3

    torch.testing.assert_close(torch.compile(step, backend="eager")(x), (x * 2 + 1) * 3)


def test_a_whole_graph_is_refused_by_torch(module):
    with pytest.raises(torch._dynamo.exc.Unsupported):
        torch.compile(lambda x: module.poly(2.0, 3, x), backend="eager", fullgraph=True)(numbers(5))
