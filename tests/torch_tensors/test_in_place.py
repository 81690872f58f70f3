# SPDX-License-Identifier: Apache-2.0
"""Arrays of the CPU that software Vulkan uses where they are: the values are those of copies."""

from __future__ import annotations

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

SOURCE = """
float twice(float x) { return 2 * x; }
double twice_double(double x) { return 2 * x; }
half twice_half(half x) { return half(2) * x; }
int twice_int(int x) { return 2 * x; }
uint8_t next(uint8_t x) { return uint8_t(x + 1); }
float3 lengthen(float3 v, float s) { return v * s; }
float add(float x, float y) { return x + y; }
void decay(inout float x, float rate) { x -= rate * x; }
void split(float x, out float low, out float high) { low = x - 1; high = x + 1; }
void both(inout float x, inout float y) { x += 1; y += 2; }
void shift(int i, ITensor<float, 1> from, IWTensor<float, 1> to) { to[i] = from[i + 1]; }
float first(float* x) { return x[0]; }
[Differentiable] void fade(inout float x, float rate) { x -= rate * x; }
[Differentiable] float square(float x, float y) { return x * x + y; }
"""
LARGE = 1 << 13
"""Elements of float32 above the size from which arrays stay where they are."""


@pytest.fixture(scope="module")
def software(device):
    if not device.info.features.is_software:
        pytest.skip("memory of the host is used in place by software devices")
    return device


@pytest.fixture(scope="module")
def module(software):
    return weft.Module.load_from_source(software, "in_place", SOURCE)


def floats(count, **options):
    return torch.arange(count, dtype=torch.float32, **options)


def places(function, *arguments, **keywords):
    """Return the parameters whose arrays a call would use where they are."""
    for line in function.explain(*arguments, **keywords).splitlines():
        if "host's own memory" in line:
            return set(line.split(": ")[1].split(", "))
    return set()


def test_large_tensors_are_used_where_they_are(module):
    x = floats(LARGE)

    assert places(module.twice, x, _result=torch.empty(LARGE)) == {"x", "_result"}
    assert places(module.twice, x.numpy(), _result="numpy") == {"x"}
    assert places(module.lengthen, torch.ones(LARGE, 3), 2.0) == {"v"}


@pytest.mark.parametrize(
    "given",
    [
        pytest.param(lambda: floats(16), id="small"),
        pytest.param(lambda: floats(2 * LARGE)[::2], id="with gaps"),
        pytest.param(lambda: floats(LARGE + 1)[1:], id="at an odd place"),
        pytest.param(lambda: floats(LARGE).double(), id="of another type"),
        pytest.param(lambda: floats(1).expand(LARGE), id="expanded"),
    ],
)
def test_other_tensors_are_copied(module, given):
    x = given()

    assert places(module.twice, x) == set()
    assert torch.equal(module.twice(x), 2 * x.float())


def test_calls_take_no_memory_of_the_device(software):
    count = 3 << 23
    small = weft.create_device(type=software.info.type, memory_limit=64 << 20)
    module = weft.Module.load_from_source(small, "in_place_limit", SOURCE)
    x, result = floats(count), torch.empty(count)

    module.twice(x, _result=result)
    made = module.twice(x)
    array = module.twice(x.numpy(), _result="numpy")

    assert torch.equal(result, 2 * x)
    assert torch.equal(made, 2 * x)
    assert np.array_equal(array, 2 * x.numpy())


def test_gradients_of_large_tensors_are_right(module):
    x = floats(LARGE).requires_grad_()
    y = torch.ones(LARGE, requires_grad=True)

    module.square(x, y).sum().backward()

    assert torch.equal(x.grad, 2 * x.detach())
    assert torch.equal(y.grad, torch.ones(LARGE))


def test_gradients_of_written_tensors_leave_their_values_alone(module):
    x = floats(LARGE).requires_grad_()
    y = (2 * x).clone()

    module.fade(y, 0.5)
    values = y.detach().clone()
    y.backward(torch.ones(LARGE))

    assert torch.equal(y.detach(), values)
    assert torch.equal(values, x.detach())
    assert torch.equal(x.grad, torch.ones(LARGE))


def test_gradients_of_tensors_that_are_copied_beside_large_ones_are_right(module):
    x = floats(2 * LARGE)[::2].requires_grad_()
    y = torch.ones(LARGE + 1)[1:].requires_grad_()
    given = torch.arange(2 * LARGE, dtype=torch.float32)[::2]

    module.square(x, y).backward(given)

    assert torch.equal(x.grad, 2 * x.detach() * given)
    assert torch.equal(y.grad, given)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_tangents_of_large_tensors_are_right(module):
    x, y = floats(LARGE), torch.ones(LARGE)

    _value, tangent = torch.func.jvp(module.square, (x, y), (torch.ones(LARGE), 3 * y))

    assert torch.equal(tangent, 2 * x + 3)


def test_storage_that_was_resized_is_used_where_it_is_now(module):
    x = floats(LARGE)
    module.twice(x)
    x.resize_(4 * LARGE)
    x.copy_(floats(4 * LARGE))

    assert places(module.twice, x) == {"x"}
    assert torch.equal(module.twice(x), 2 * floats(4 * LARGE))


def test_what_the_call_read_may_change_at_once(module):
    x = floats(LARGE)
    kept = weft.Tensor.empty(module.device, (LARGE,), "float32")

    module.twice(x, _result=kept)
    x.zero_()

    assert np.array_equal(kept.numpy(), 2 * np.arange(LARGE, dtype=np.float32))


def test_results_outlive_their_device(fresh_device):
    module = weft.Module.load_from_source(fresh_device, "in_place_closed", SOURCE)
    result = module.twice(floats(LARGE))
    fresh_device.close()

    assert torch.equal(result, 2 * floats(LARGE))


def test_arguments_that_overlap_what_is_written_are_copied(module):
    memory = floats(2 * LARGE)
    expected = 2 * memory[:LARGE]

    module.twice(memory[:LARGE], _result=memory[LARGE // 2 : LARGE // 2 + LARGE])

    assert torch.equal(memory[LARGE // 2 : LARGE // 2 + LARGE], expected)


def test_a_tensor_may_be_its_own_result(module):
    x = floats(LARGE)

    module.twice(x, _result=x)

    assert torch.equal(x, 2 * floats(LARGE))


def test_tensors_that_share_pages_stay_apart(module):
    memory = floats(3 * LARGE)
    low, x, high = memory[:LARGE], memory[LARGE : 2 * LARGE], memory[2 * LARGE :]
    before = x.clone()

    module.split(x, low, high)

    assert torch.equal(low, before - 1)
    assert torch.equal(high, before + 1)
    assert torch.equal(x, before)


def test_a_file_mapped_for_reading_is_read_in_place(module, tmp_path):
    np.arange(LARGE, dtype=np.float32).tofile(tmp_path / "values")
    mapped = np.memmap(tmp_path / "values", np.float32, "r")
    shared = torch.from_file(str(tmp_path / "values"), False, LARGE)

    assert places(module.twice, mapped, _result="numpy") == {"x"}
    assert np.array_equal(module.twice(mapped, _result="numpy"), 2 * np.asarray(mapped))
    assert torch.equal(module.twice(shared), 2 * floats(LARGE))
    with pytest.raises(weft.ArgumentError, match="read-only"):
        module.twice(floats(LARGE), _result=mapped)


def test_a_tensor_above_the_limit_of_a_binding_is_used_in_place(module):
    count = (160 << 20) // 4
    x = torch.ones(count)

    assert places(module.twice, x) == {"x"}
    module.twice(x, _result=x)

    assert float(x.min()) == float(x.max()) == 2


def test_pointers_and_whole_tensors_are_used_in_place(module):
    x, to = floats(LARGE + 4), torch.zeros(LARGE + 4)

    module.shift(weft.grid((LARGE,)), x, to)

    assert torch.equal(to[:LARGE], x[1 : LARGE + 1])
    assert float(to[LARGE:].sum()) == 0
    assert float(module.first(x + 5)) == 5


def test_kernels_for_gpus_use_them_in_place(software, monkeypatch):
    monkeypatch.setenv("WEFT_KERNELS_FOR", "gpu")
    module = weft.Module.load_from_source(software, "in_place_gpu", SOURCE)
    x = floats(LARGE)

    assert places(module.twice, x) == {"x"}
    assert torch.equal(module.twice(x), 2 * x)


KINDS = {
    "twice": torch.float32,
    "twice_double": torch.float64,
    "twice_half": torch.float16,
    "twice_int": torch.int32,
    "next": torch.uint8,
}


def view(choose, base, wanted):
    """Return a view of `base` with `wanted` elements, at a random place and with random strides."""
    step = int(choose.choice([1, 1, 1, 2, 3]))
    start = int(choose.choice([0, 0, 1, 2, 3, 4, 16, 1024]))
    flat = base[start : start + step * wanted : step]
    shape = (wanted,)
    if wanted % 4 == 0 and choose.random() < 0.5:
        shape = (wanted // 4, 4)
        flat = flat.reshape(shape) if choose.random() < 0.5 else flat.reshape(4, -1).t()
    return flat


@pytest.mark.parametrize("seed", range(12))
def test_random_tensors_give_what_copies_give(module, seed):
    choose = np.random.default_rng(seed)
    for _ in range(8):
        name = str(choose.choice(list(KINDS)))
        size = KINDS[name].itemsize
        pages = int(choose.choice([1, 4, 5, 8]))
        wanted = pages * 4096 // size + int(choose.choice([-4, -1, 0, 1, 4, 16]))
        base = torch.arange(3 * wanted + 2048).remainder(100).to(KINDS[name])
        memory = base.clone()
        x = view(choose, memory, wanted)
        result = view(choose, memory, wanted).reshape(x.shape)
        if choose.random() < 0.5 or result.untyped_storage().data_ptr() != memory.data_ptr():
            result = view(choose, base.clone(), wanted).reshape(x.shape)
        expected = x + 1 if name == "next" else 2 * x

        getattr(module, name)(x, _result=result)

        assert torch.equal(result, expected), (name, x.shape, x.stride(), seed)


@pytest.mark.parametrize("seed", range(4))
def test_random_overlaps_leave_what_copies_leave(module, seed):
    choose = np.random.default_rng(100 + seed)
    for _ in range(8):
        memory = torch.arange(3 * LARGE, dtype=torch.float32)
        at, other = (int(choose.integers(0, LARGE // 16)) * 16 for _ in range(2))
        x, result = memory[at : at + LARGE], memory[other : other + LARGE]
        expected = memory.clone()
        expected[other : other + LARGE] = 3 + x

        module.add(x, 3.0, _result=result)

        assert torch.equal(memory, expected), (at, other)
