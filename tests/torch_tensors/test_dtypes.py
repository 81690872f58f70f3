# SPDX-License-Identifier: Apache-2.0
"""Types of elements, kinds of strides and ranks of tensors that a call reads and writes."""

from __future__ import annotations

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

SOURCE = """
[Differentiable] float next(float x) { return x + 1; }
int next_int(int x) { return x + 1; }
bool opposite(bool x) { return !x; }
[Differentiable] void grow(inout float x) { x = x + 1; }
void grow_int(inout int x) { x = x + 1; }
void flip(inout bool x) { x = !x; }
void fill(int i, IRWTensor<float, 1> to) { to[i] = to[i] + 1; }
void both(float x, out float low, out float high) { low = x - 1; high = x + 1; }
"""

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64]
DTYPES = [*FLOATS, *INTEGERS, torch.bool]
RANKS = {0: (), 1: (6,), 2: (2, 3), 3: (2, 3, 2), 4: (2, 1, 3, 1)}


def whole(tensor):
    return tensor


def across(tensor):
    order = tuple(range(tensor.dim()))[::-1]
    return tensor.permute(order).contiguous().permute(order)


def apart(tensor):
    room = torch.zeros(*tensor.shape, 2, dtype=tensor.dtype)
    room[..., 1] = tensor
    return room[..., 1]


def within(tensor):
    room = torch.zeros(tensor.numel() + 5, dtype=tensor.dtype)
    room[3:-2] = tensor.flatten()
    return room[3:-2].view(tensor.shape)


def none(tensor):
    return tensor[None][:0]


KINDS = {f.__name__: f for f in (whole, across, apart, within, none)}


@pytest.fixture(scope="module")
def module(device):
    if not device.info.features.float64:
        pytest.skip("the device has no double")
    return weft.Module.load_from_source(device, "torch_dtypes", SOURCE)


def numbers(rank, dtype):
    count = torch.Size(RANKS[rank]).numel()
    return torch.arange(count).reshape(RANKS[rank]).to(dtype)


def changed(tensor):
    return ~tensor if tensor.dtype == torch.bool else tensor + 1


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_any_strides_and_ranks_are_read_and_written(module, dtype):
    kind = "" if dtype.is_floating_point else "_int"
    read, write = getattr(module, f"next{kind}"), getattr(module, f"grow{kind}")
    if dtype == torch.bool:
        read, write = module.opposite, module.flip
    for rank in RANKS:
        for name, make in KINDS.items():
            tensor = make(numbers(rank, dtype))
            expected = changed(tensor)

            found = read(tensor)
            assert torch.equal(found.to(dtype), expected), (rank, name)
            to = make(numbers(rank, dtype))
            write(to)
            assert to.dtype == dtype, (rank, name)
            assert torch.equal(to, expected), (rank, name)


def test_what_is_written_as_bfloat16_is_rounded_to_nearest_even(module):
    exact = torch.tensor([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, 1e30, -0.3]) - 1
    to = torch.zeros(5, dtype=torch.bfloat16)
    expected = (exact + 1).bfloat16()

    module.both(exact, torch.zeros(5), to)

    assert torch.equal(to, expected)
    assert to._version == 1


def test_tensors_of_bfloat16_that_a_function_indexes_are_written(module):
    to = torch.zeros(4, dtype=torch.bfloat16)

    module.fill(weft.grid((3,)), to)

    assert to.tolist() == [1, 1, 1, 0]


def test_gradients_pass_through_written_bfloat16(module):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    to = (3 * x).bfloat16()

    module.grow(to)
    (to * to).sum().backward()

    assert to.tolist() == [4, 7]
    assert x.grad.tolist() == [24, 42]


def test_a_leaf_of_bfloat16_is_not_written(module):
    to = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)

    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        module.grow(to)
    assert to.tolist() == [1, 1]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_expanded_tensors_are_read_and_not_written(module, dtype):
    expanded = torch.ones(2, 1, dtype=dtype).expand(2, 3)

    assert torch.equal(module.next(expanded), torch.full((2, 3), 2.0))
    with pytest.raises(weft.ArgumentError, match=r"share memory.*tensor.contiguous\(\)"):
        module.grow(expanded)


@pytest.mark.parametrize("kind", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_results_are_rounded_to_the_float_that_is_given(device, kind):
    text = "double square(double x) { return x * x; }"
    square = weft.Module.load_from_source(device, "rounded", text).square
    x = torch.linspace(1, 2, 50, dtype=torch.float64)
    expected = (x * x).to(kind)

    result = torch.zeros(50, dtype=kind)
    square(x, _result=result)
    # One last place: a bfloat16 is rounded by way of a float.
    torch.testing.assert_close(result, expected, rtol=torch.finfo(kind).eps, atol=0)
    if kind != torch.bfloat16:
        assert torch.equal(result, expected)


def test_results_that_do_not_fit_are_refused(device):
    text = "float half_of(float x) { return x / 2; } int many(int x) { return 1000 * x; }"
    module = weft.Module.load_from_source(device, "refused", text)

    with pytest.raises(weft.ArgumentError, match="'_result' must be float, got an array of int32"):
        module.half_of(torch.ones(2), _result=torch.zeros(2, dtype=torch.int32))
    with pytest.raises(weft.ArgumentError, match=r"is 1000, outside the range .* of int8"):
        module.many(torch.ones(2, dtype=torch.int32), _result=torch.zeros(2, dtype=torch.int8))
