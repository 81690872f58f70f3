# SPDX-License-Identifier: Apache-2.0
"""Order of calls with torch's streams, on CUDA: what comes before a call is slow."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING, Any

import pytest

import weft

if TYPE_CHECKING:
    from collections.abc import Iterator

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device for torch", allow_module_level=True)

COUNT = 1 << 20
SOURCE = """
[Differentiable] float twice(float x) { return 2 * x; }
void add_one(inout float x) { x += 1; }
[Differentiable] float scaled(float x, float scale) { return scale * x; }
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
def module() -> Iterator[Any]:
    device = weft.create_torch_device("cuda")
    yield weft.Module.load_from_source(device, "streams", SOURCE)
    device.close()


@pytest.fixture
def side() -> Any:
    return torch.cuda.Stream()


def delay() -> None:
    """Keep the current stream busy for about 50 ms."""
    torch.cuda._sleep(100_000_000)


def test_calls_wait_for_the_side_stream_and_the_stream_for_calls(module: Any, side: Any) -> None:
    module.twice(torch.ones(COUNT, device="cuda"))
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        x = torch.zeros(COUNT, device="cuda")
        delay()
        x += 3
        y = module.twice(x)
        x.zero_()
        found = y + 1
    side.synchronize()
    assert (found == 7).all()
    assert (x == 0).all()


def test_the_side_stream_waits_for_a_slow_default_stream(module: Any, side: Any) -> None:
    x = torch.full((COUNT,), 3.0, device="cuda")
    out = torch.zeros_like(x)
    module.twice(x, _result=out)
    out.zero_()
    torch.cuda.synchronize()
    delay()  # on the default stream, where Weft's kernel stands in line
    with torch.cuda.stream(side):
        module.twice(x, _result=out)
        found = out.clone()
    side.synchronize()
    assert (found == 6).all()


def test_backward_on_a_side_stream(module: Any, side: Any) -> None:
    with torch.cuda.stream(side):
        x = torch.ones(COUNT, device="cuda", requires_grad=True)
        y = module.twice(x)
        weight = torch.zeros(COUNT, device="cuda")
        delay()
        weight += 5
        (y * weight).sum().backward()
        found = x.grad + 1
    side.synchronize()
    assert (found == 11).all()


def test_launches_of_slangtorch(tmp_path: Any, side: Any) -> None:
    import weft.slangtorch as slangtorch

    (tmp_path / "square.slang").write_text(KERNEL)
    kernels = slangtorch.loadModule(str(tmp_path / "square.slang"))
    sizes = {"blockSize": (256, 1, 1), "gridSize": (COUNT // 256, 1, 1)}
    for _ in range(3):  # later launches take the short way
        with torch.cuda.stream(side):
            x, y = torch.zeros(COUNT, device="cuda"), torch.zeros(COUNT, device="cuda")
            delay()
            x += 3
            kernels.square(source=x, target=y).launchRaw(**sizes)
            found = y + 1
        side.synchronize()
        assert (found == 10).all()


def test_results_are_not_overwritten_by_later_calls(module: Any, side: Any) -> None:
    ones = torch.ones(COUNT, device="cuda")
    torch.cuda.synchronize()
    sums = []
    with torch.cuda.stream(side):
        for value in range(8):
            result = module.twice(ones * value)
            delay()
            sums.append(result.sum())
            del result
            module.twice(ones * 99)
    side.synchronize()
    assert [float(each) for each in sums] == [2.0 * value * COUNT for value in range(8)]


def test_threads_with_streams_of_their_own(module: Any) -> None:
    wrong: list[Any] = []

    def work(number: int) -> None:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x = torch.full((COUNT,), float(number), device="cuda")
            for _ in range(20):
                module.add_one(x)
                x += 1
        stream.synchronize()
        if not (x == number + 40).all():
            wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


def test_results_are_memory_of_torch(module: Any, side: Any) -> None:
    ones = torch.ones(COUNT, device="cuda")
    gc.collect()  # tensors of other tests would go meanwhile
    for stream in (torch.cuda.default_stream(), side):
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            before = torch.cuda.memory_allocated()
            result = module.twice(ones)
            assert torch.cuda.memory_allocated() - before == COUNT * 4
            result.record_stream(torch.cuda.default_stream())
            result.untyped_storage().resize_(0)
            assert torch.cuda.memory_allocated() == before


def test_tensors_of_weft_are_ordered_with_the_side_stream(module: Any, side: Any) -> None:
    own = weft.Tensor.zeros(module.device, (COUNT,))
    module.twice(own)
    with torch.cuda.stream(side):
        x = torch.zeros(COUNT, device="cuda")
        delay()
        x += 3
        module.twice(x, _result=own)
        x.zero_()
    assert (own.numpy() == 6).all()


def test_wait_waits_for_launches_in_other_streams(module: Any, side: Any) -> None:
    with torch.cuda.stream(side):
        x = torch.zeros(COUNT, device="cuda")
        y = torch.zeros(COUNT, device="cuda")
        delay()
        x += 3
        module.twice(x, _result=y)
    module.device.wait()
    assert side.query()
    assert (y == 6).all()


def test_numbers_and_arrays_come_back_from_the_side_stream(module: Any, side: Any) -> None:
    with torch.cuda.stream(side):
        x = torch.zeros((), device="cuda")
        delay()
        x += 3
        assert float(module.twice(x)) == 6
        delay()
        x += 1
        assert module.twice(x, _result="numpy") == 8


def test_deterministic_sums_on_a_side_stream(module: Any, side: Any) -> None:
    found = []
    torch.use_deterministic_algorithms(True)
    try:
        with torch.cuda.stream(side):
            for _ in range(3):
                scale = torch.zeros((), device="cuda", requires_grad=True)
                weight = torch.zeros(COUNT, device="cuda")
                delay()
                weight += torch.linspace(0, 1, COUNT, device="cuda")
                module.scaled(torch.ones(COUNT, device="cuda"), scale).backward(weight)
                found.append(scale.grad.item())
    finally:
        torch.use_deterministic_algorithms(False)
    assert found[0] == found[1] == found[2]
    assert abs(found[0] - COUNT / 2) < 1
