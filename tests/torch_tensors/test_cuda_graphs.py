# SPDX-License-Identifier: Apache-2.0
"""Calls that torch captures into a CUDA graph and replays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import weft

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device for torch", allow_module_level=True)

COUNT = 1 << 16
SOURCE = """
uniform float uniform_scale;
[Differentiable] float curve(float x, float scale) { return scale * x * x + sin(x); }
[Differentiable] float3 tint(float3 color, float amount) { return color * amount; }
float scaled(float x) { return uniform_scale * x; }
void add_one(inout float x) { x += 1; }
"""
KERNEL = """
[AutoPyBindCUDA][CUDAKernel]
void square(TensorView<float> source, TensorView<float> target)
{
    uint3 i = cudaBlockIdx() * cudaBlockDim() + cudaThreadIdx();
    if (i.x < source.size(0)) target[i.x] = source[i.x] * source[i.x];
}
"""


@pytest.fixture(scope="module")
def device() -> Iterator[weft.Device]:
    found = weft.create_torch_device("cuda")
    yield found
    found.close()


@pytest.fixture(scope="module")
def module(device: weft.Device) -> Any:
    return weft.Module.load_from_source(device, "graphs", SOURCE)


def values(*shape: int) -> Any:
    return torch.rand(*shape, device="cuda", generator=torch.Generator("cuda").manual_seed(7))


def captured(work: Callable[[], Any]) -> tuple[Any, Any]:
    """Return a graph of ``work`` after a run outside of it, and what work returned there."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = work()
    return graph, found


def test_a_call_replays_bit_for_bit(module: Any) -> None:
    x, y = values(COUNT), torch.zeros(COUNT, device="cuda")
    graph, _ = captured(lambda: module.curve(x, 1.5, _result=y))
    for seed in range(3):
        x.copy_(values(COUNT) + seed)
        y.zero_()
        graph.replay()
        replayed = y.clone()
        assert torch.equal(replayed, module.curve(x, 1.5))


def test_results_made_in_a_capture_live_in_its_pool(module: Any) -> None:
    color, amount = values(COUNT, 3), values(COUNT)
    graph, found = captured(lambda: module.tint(color, amount) + 1)
    color.mul_(2)
    graph.replay()
    assert found.shape == (COUNT, 3)
    assert torch.equal(found, module.tint(color, amount) + 1)


def test_the_first_call_of_all_may_be_captured(device: weft.Device) -> None:
    fresh = weft.Module.load_from_source(device, "fresh", "float f(float x) { return 3 * x; }")
    x, y = values(64), torch.zeros(64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fresh.f(x, _result=y)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, 3 * x)


@pytest.mark.parametrize("is_deterministic", [False, True])
def test_forward_and_backward_replay_bit_for_bit(module: Any, is_deterministic: bool) -> None:
    x = values(COUNT).requires_grad_()
    scale = torch.tensor(1.5, device="cuda", requires_grad=True)
    weight = values(COUNT) + 1

    def step() -> Any:
        x.grad = scale.grad = None
        y = module.curve(x, scale)
        y.backward(weight)
        return y.detach()  # the node of torch's graph belongs to the stream of this call

    torch.use_deterministic_algorithms(is_deterministic)
    try:
        graph, y = captured(step)
        gradients = x.grad, scale.grad
        with torch.no_grad():
            x.add_(0.25)
        graph.replay()
        replayed = [y.clone(), *(each.clone() for each in gradients)]
        eager = [step(), x.grad, scale.grad]
    finally:
        torch.use_deterministic_algorithms(False)
    assert torch.equal(replayed[0], eager[0])
    assert torch.equal(replayed[1], eager[1])
    if is_deterministic:
        assert torch.equal(replayed[2], eager[2])
    else:  # sums of groups meet in atomic additions
        torch.testing.assert_close(replayed[2], eager[2], rtol=1e-5, atol=0)


def test_training_in_a_graph(module: Any) -> None:
    weight = torch.nn.Parameter(torch.tensor(3.0, device="cuda"))
    optimiser = torch.optim.SGD([weight], lr=0.5)
    x = torch.linspace(0, 1, 256, device="cuda")
    target = 0.5 * x * x + torch.sin(x)

    def step() -> None:
        optimiser.zero_grad(set_to_none=True)
        (module.curve(x, weight) - target).square().mean().backward()
        optimiser.step()

    graph, _ = captured(step)
    for _ in range(200):
        graph.replay()
    assert abs(weight.item() - 0.5) < 1e-3


def test_launches_of_slangtorch(tmp_path: Path) -> None:
    from weft import slangtorch

    (tmp_path / "square.slang").write_text(KERNEL)
    kernels = slangtorch.loadModule(str(tmp_path / "square.slang"))
    sizes = {"blockSize": (256, 1, 1), "gridSize": (COUNT // 256, 1, 1)}
    x, y = values(COUNT), torch.zeros(COUNT, device="cuda")
    graph, _ = captured(lambda: kernels.square(source=x, target=y).launchRaw(**sizes))
    x.add_(1)
    graph.replay()
    assert torch.equal(y, x * x)


def refusals(module: Any, device: weft.Device) -> dict[str, tuple[Callable[[], Any], str]]:
    x, y = values(64), torch.zeros(64, device="cuda")
    own = weft.Tensor.zeros(device, (64,))
    scaled = module.scaled.set(uniform_scale=2.0)
    return {
        "a Tensor of Weft": (lambda: module.curve(own, 1.0, _result=y), "pass tensors of torch"),
        "an array": (lambda: module.curve(x, np.ones(64, np.float32)), "pass tensors of torch"),
        "a result of Weft": (lambda: module.curve(x, 1.0, _result="tensor"), "'result'"),
        "uniforms": (lambda: scaled(x), "make them parameters"),
    }


@pytest.mark.parametrize("name", ["a Tensor of Weft", "an array", "a result of Weft", "uniforms"])
def test_memory_of_weft_is_refused_and_the_capture_goes_on(
    module: Any, device: weft.Device, name: str
) -> None:
    call, remedy = refusals(module, device)[name]
    call()
    x, y = values(64), torch.zeros(64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(weft.ArgumentError, match="captures a CUDA graph") as refused:
            call()
        y.copy_(x * 3)
    assert remedy in str(refused.value)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(y, x * 3)


def test_calls_of_weft_alone_run_beside_a_capture(module: Any, device: weft.Device) -> None:
    own = weft.Tensor.from_numpy(device, np.ones(64, np.float32))
    x, y = values(64), torch.zeros(64, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        module.add_one(own)
        seen = own.numpy()[0]
        y.copy_(x * 3)
    graph.replay()
    assert seen == 2
    assert own.numpy()[0] == 2
