# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch on a GPU, and a Vulkan device on the same one."""

from __future__ import annotations

import gc
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
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
[Differentiable] float blend(float a, float b, float weight) { return a * weight + b * b; }
void add_one(inout float x) { x += 1; }
void split(float x, out float whole, out float rest) { whole = floor(x); rest = x - whole; }
struct Lit { float3 color; float weight; }
Lit light(float3 color) { Lit lit; lit.color = color; lit.weight = color.x; return lit; }
"""


def layer_is_there() -> bool:
    """Return whether the validation layer can be switched on."""
    try:
        weft.create_device(type="vulkan", debug=True).close()
    except weft.DeviceError:
        return False
    return True


@pytest.fixture(scope="module")
def device() -> Iterator[weft.Device]:
    device = weft.create_torch_device("vulkan", debug=layer_is_there())
    if device.info.features.is_software:
        pytest.skip("the Vulkan device is no GPU")
    yield device
    assert device.validation_messages == []
    device.close()


@pytest.fixture(scope="module")
def module(device: weft.Device) -> Any:
    return weft.Module.load_from_source(device, "beside_cuda", SOURCE)


def delay() -> None:
    """Keep the current stream busy for about 50 ms."""
    torch.cuda._sleep(100_000_000)


def test_a_result_lies_on_the_gpu_and_has_the_right_values(module: Any) -> None:
    x = torch.arange(1000.0, device="cuda")

    y = module.twice(x)

    assert y.device == x.device
    assert torch.equal(y, 2 * x)


def test_results_go_back_in_without_a_copy(module: Any) -> None:
    y = module.twice(torch.ones(COUNT, device="cuda"))
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats()["allocation.all.allocated"]

    for _ in range(10):
        y = module.twice(y)

    assert torch.cuda.memory_stats()["allocation.all.allocated"] == before
    assert (y == 2048).all()


def test_a_shared_tensor_is_written_in_place(module: Any) -> None:
    x = module.twice(torch.zeros(COUNT, device="cuda"))
    address = x.data_ptr()

    module.add_one(x)
    module.add_one(x[: COUNT // 2])
    x += 1

    assert x.data_ptr() == address
    assert (x[: COUNT // 2] == 3).all()
    assert (x[COUNT // 2 :] == 2).all()


@pytest.mark.parametrize("shape", [(), (1,), (0,), (7, 5)])
def test_shapes(module: Any, shape: tuple[int, ...]) -> None:
    x = torch.rand(shape, device="cuda")

    assert torch.equal(module.twice(x), 2 * x)


def test_tensors_of_torch_are_written_through_copies_whatever_their_strides(module: Any) -> None:
    x = torch.zeros(6, 4, device="cuda")

    module.add_one(x.t()[1:3])
    module.add_one(x[::2])

    want = torch.zeros(6, 4)
    want[:, 1:3] += 1
    want[::2] += 1
    assert torch.equal(x.cpu(), want)
    assert x._version == 2


def test_expanded_tensors_are_read(module: Any) -> None:
    x = torch.arange(5.0, device="cuda").expand(3, 5)

    assert torch.equal(module.twice(x), 2 * x)


@pytest.mark.parametrize("dtype", ["float16", "float64", "int32", "uint8", "bool"])
def test_dtypes(device: weft.Device, dtype: str) -> None:
    slang = {"float16": "half", "float64": "double", "int32": "int", "uint8": "uint8_t"}
    name = slang.get(dtype, dtype)
    source = f"{name} same({name} x) {{ return x; }}"
    module = weft.Module.load_from_source(device, f"beside_cuda_{dtype}", source)
    x = torch.tensor([0, 1, 1, 0, 1], device="cuda").to(getattr(torch, dtype))

    y = module.same(x)

    assert y.dtype == x.dtype
    assert torch.equal(module.same(y), x)


def test_bfloat16_is_read_and_written(module: Any) -> None:
    x = torch.ones(8, device="cuda", dtype=torch.bfloat16)

    module.add_one(x)

    assert x.dtype == torch.bfloat16
    assert (x == 2).all()


def test_out_parameters_and_results_of_the_caller(module: Any) -> None:
    x = torch.tensor([1.5, 2.25], device="cuda")
    to = torch.empty(2, device="cuda")

    whole, rest = module.split(x)
    module.twice(x, _result=to)

    assert whole.tolist() == [1, 2]
    assert rest.tolist() == [0.5, 0.25]
    assert to.tolist() == [3, 4.5]


def test_a_structure_is_a_dict_of_tensors_on_the_gpu(module: Any) -> None:
    lit = module.light(torch.ones(4, 3, device="cuda"))

    assert lit["weight"].device.type == "cuda"
    assert torch.equal(lit["color"], torch.ones(4, 3, device="cuda"))


def test_other_kinds_of_results(module: Any) -> None:
    x = torch.ones(3, device="cuda")

    assert module.twice(x, _result="numpy").tolist() == [2, 2, 2]
    assert module.twice(x, _result="tensor").to_numpy().tolist() == [2, 2, 2]
    assert module.twice(np.ones(3, np.float32), _result="torch").device.type == "cpu"
    assert module.twice(torch.ones(3)).device.type == "cpu"


def test_gradients_are_those_of_torch(module: Any) -> None:
    a, b = (torch.rand(COUNT, device="cuda", requires_grad=True) for _ in range(2))
    weight = torch.tensor(0.25, device="cuda", requires_grad=True)
    up = torch.rand(COUNT, device="cuda")

    module.blend(a, b, weight).backward(up)
    found = [each.grad for each in (a, b, weight)]

    want = torch.autograd.grad((a * weight + b * b), (a, b, weight), up)
    for mine, theirs in zip(found, want, strict=True):
        assert mine.device == theirs.device
        torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)


def test_torch_trains_through_the_device(module: Any) -> None:
    weight = torch.nn.Parameter(torch.tensor(3.0, device="cuda"))
    optimiser = torch.optim.SGD([weight], lr=0.5)
    at = torch.linspace(0, 1, 64, device="cuda")
    for _ in range(200):
        optimiser.zero_grad()
        (module.blend(at, 0.0, weight) - 0.5 * at).square().mean().backward()
        optimiser.step()

    assert abs(weight.item() - 0.5) < 1e-3


def test_calls_wait_for_torch_and_torch_for_calls(module: Any) -> None:
    shared = module.twice(torch.zeros(COUNT, device="cuda"))
    for stream in (torch.cuda.default_stream(), torch.cuda.Stream(), torch.cuda.Stream()):
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            x = torch.zeros(COUNT, device="cuda")
            shared.zero_()
            delay()
            x += 3
            shared += 4
            y, z = module.twice(x), module.twice(shared)
            x.zero_()
            shared.zero_()
            found = y + z
        stream.synchronize()
        assert (found == 14).all()


def test_memory_of_results_is_not_used_again_while_torch_reads_it(module: Any) -> None:
    ones = module.twice(torch.full((COUNT,), 0.5, device="cuda"))
    sums = []
    for value in range(8):
        result = module.blend(ones, 0.0, float(value))
        delay()
        sums.append(result.sum())
        del result
        for _ in range(3):
            module.blend(ones, 0.0, 99.0)

    assert [float(each) for each in sums] == [float(value) * COUNT for value in range(8)]


def test_memory_that_comes_back_on_one_stream_is_used_on_another(module: Any) -> None:
    ones = module.twice(torch.full((COUNT,), 0.5, device="cuda"))
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    torch.cuda.synchronize()
    wrong = 0
    for _ in range(5):
        with torch.cuda.stream(first):
            result = module.blend(ones, 0.0, 5.0)
            delay()
            total = result.sum()
            del result
        with torch.cuda.stream(second):
            module.blend(ones, 0.0, 99.0)
        first.synchronize()
        wrong += float(total) != 5 * COUNT
    assert wrong == 0


def test_threads_with_streams_of_their_own(module: Any) -> None:
    wrong: list[Any] = []

    def work(number: int) -> None:
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            x = module.twice(torch.full((COUNT,), number / 2, device="cuda"))
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


def test_the_host_does_not_wait(module: Any) -> None:
    x = module.twice(torch.ones(16, device="cuda"))
    torch.cuda.synchronize()
    delay()
    y = module.twice(x)
    module.add_one(y)

    assert not torch.cuda.current_stream().query()
    assert y[0].item() == 5


def test_a_thousand_calls_leave_memory_as_it_was(module: Any, device: weft.Device) -> None:
    x = torch.rand(1000, device="cuda", requires_grad=True)
    for _ in range(3):
        module.twice(x).sum().backward()
    gc.collect()
    torch.cuda.synchronize()
    before = device.memory_info().used, torch.cuda.memory_allocated()

    for _ in range(1000):
        module.twice(x).sum().backward()
    gc.collect()
    torch.cuda.synchronize()

    assert (device.memory_info().used, torch.cuda.memory_allocated()) == before


def test_tensors_outlive_their_device() -> None:
    device = weft.create_torch_device("vulkan")
    module = weft.Module.load_from_source(device, "beside_cuda_closed", SOURCE)
    y = module.twice(torch.ones(COUNT, device="cuda"))
    device.close()

    assert (y + 1 == 3).all()
    with pytest.raises(weft.DeviceError, match="closed"):
        module.twice(y)
    del y
    torch.cuda.synchronize()


def test_exhausted_memory_is_one_error() -> None:
    with weft.create_torch_device("vulkan", memory_limit=64 << 20) as device:
        module = weft.Module.load_from_source(device, "beside_cuda_full", SOURCE)
        small = module.twice(torch.ones(COUNT, device="cuda"))
        with pytest.raises(weft.DeviceError, match="CUDA tensor"):
            module.twice(torch.ones(32 << 20, device="cuda"))
        assert (module.twice(small) == 4).all()


def test_another_gpu_is_refused_with_both_names(module: Any, device: weft.Device) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    with pytest.raises(weft.ArgumentError, match=r"twice: argument 1 lies on cuda:1.*another one"):
        module.twice(torch.ones(3, device="cuda:1"))


def test_recorded_calls_are_refused(module: Any, device: weft.Device) -> None:
    x = module.twice(torch.ones(3, device="cuda"))
    with pytest.raises(weft.ArgumentError, match=r"append_to: 'add_one' is recorded for a Vulkan"):
        module.add_one.append_to(device.create_command_encoder(), x)


def test_a_captured_call_is_one_error(module: Any) -> None:
    x = module.twice(torch.ones(3, device="cuda"))
    y = torch.zeros_like(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        with pytest.raises(weft.ArgumentError, match="captures a CUDA graph"):
            module.twice(x, _result=x)
        y.copy_(x * 3)
    graph.replay()
    torch.cuda.synchronize()
    assert (y == 6).all()


def test_kernels_of_slangtorch_are_refused(tmp_path: Any) -> None:
    import weft.slangtorch as slangtorch
    from weft.slangtorch import values

    del slangtorch
    with (
        weft.create_torch_device("vulkan") as device,
        pytest.raises(weft.ArgumentTypeError, match=r"f: 'x' lies on cuda:0.*tensor.cpu\(\)"),
    ):
        values.memory_of(torch.ones(3, device="cuda"), device, "f: 'x'")
