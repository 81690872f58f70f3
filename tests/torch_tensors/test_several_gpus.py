# SPDX-License-Identifier: Apache-2.0
"""Devices for other GPUs than the first, and training on several."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator

torch = pytest.importorskip("torch")

needs_two = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")

SOURCE = """
[Differentiable] float curve(float x, float scale) { return scale * x * x + sin(x); }
void add_one(inout float x) { x += 1; }
"""
WORKER = """
import os, torch, weft
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

SOURCE = '''
[Differentiable] float curve(float x, float scale) { return scale * x * x + sin(x); }
'''
kind, rank = os.environ["TEST_PLACE"], int(os.environ["RANK"])
place = torch.device("cuda", rank) if kind == "cuda" else torch.device("cpu")
if kind == "cuda":
    torch.cuda.set_device(place)
    device = weft.create_torch_device(torch_device=place)
else:
    device = weft.create_torch_device("vulkan")
dist.init_process_group("nccl" if kind == "cuda" else "gloo")
module = weft.Module.load_from_source(device, "shared", SOURCE)
layer = weft.torch.Module(module.curve, parameters={"scale": torch.tensor(1.5)}).to(place)
trained = DistributedDataParallel(layer, device_ids=[rank] if kind == "cuda" else None)
batch = torch.linspace(0, 1, 64, device=place)
trained(batch[rank::2]).square().mean().backward()
found = layer.scale.grad.item()
alone = weft.torch.Module(module.curve, parameters={"scale": torch.tensor(1.5)}).to(place)
alone(batch).square().mean().backward()
expected = alone.scale.grad.item()
assert abs(found - expected) < 1e-5 * abs(expected), (rank, found, expected)
dist.barrier()
dist.destroy_process_group()
"""


@pytest.fixture(scope="module")
def second() -> Iterator[Any]:
    device = weft.create_torch_device(torch_device="cuda:1")
    yield weft.Module.load_from_source(device, "second", SOURCE)
    device.close()


@needs_two
def test_calls_on_the_second_gpu(second: Any) -> None:
    x = torch.linspace(0, 1, 1000, device="cuda:1", requires_grad=True)

    y = second.curve(x, 2.0)
    y.sum().backward()

    assert y.device == torch.device("cuda:1")
    torch.testing.assert_close(y, 2 * x * x + torch.sin(x))
    torch.testing.assert_close(x.grad, 4 * x + torch.cos(x))
    assert torch.cuda.current_device() == 0


@needs_two
def test_streams_of_the_second_gpu(second: Any) -> None:
    side = torch.cuda.Stream("cuda:1")
    with torch.cuda.stream(side):
        x = torch.zeros(1 << 16, device="cuda:1")
        torch.cuda._sleep(100_000_000)
        x += 3
        second.add_one(x)
        found = x * 2
    side.synchronize()
    assert (found == 8).all()


@needs_two
def test_both_gpus_at_once(second: Any) -> None:
    device = weft.create_torch_device(torch_device="cuda:0")
    first = weft.Module.load_from_source(device, "first", SOURCE)
    places = [torch.zeros(1000, device=f"cuda:{index}") for index in range(2)]
    for _ in range(50):
        for module, x in zip((first, second), places, strict=True):
            module.add_one(x)
    for x in places:
        assert (x == 50).all()
    device.close()


@needs_two
def test_a_tensor_of_another_gpu_is_an_error_that_names_both(second: Any) -> None:
    here, there = torch.ones(4, device="cuda:1"), torch.ones(4, device="cuda:0")
    for arguments in ((there, 2.0), (here, there), (there, here)):
        with pytest.raises(weft.ArgumentError, match=r"cuda:0.*cuda:1") as refused:
            second.curve(*arguments)
        assert "tensor.to('cuda:1')" in str(refused.value)


def train(place: str) -> None:
    """Run both processes; each compares its gradient with that of the whole batch."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": "2",
        "TEST_PLACE": place,
    }
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", WORKER],
            env={**os.environ, **settings, "RANK": str(rank)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    errors = [worker.communicate(timeout=280)[1] for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], "\n".join(errors)


@needs_two
def test_two_processes_on_two_gpus_have_the_gradients_of_one() -> None:
    train("cuda")


@pytest.mark.skipif(not torch.distributed.is_available(), reason="torch has no processes here")
def test_two_processes_on_the_cpu_have_the_gradients_of_one() -> None:
    train("cpu")
