# SPDX-License-Identifier: Apache-2.0
"""Calls with tensors of torch, without gradients: what goes in, what comes out, in which memory."""

from __future__ import annotations

import numpy as np
import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

SOURCE = """
struct Cell { float value; float3 color; }
float twice(float x) { return 2 * x; }
double twice_double(double x) { return 2 * x; }
half twice_half(half x) { return half(2) * x; }
int next(int x) { return x + 1; }
bool above(float x) { return x > 1.5; }
float3 lengthen(float3 v, float s) { return v * s; }
float2x2 scaled(float2x2 m, float s) { return m * s; }
Cell cell(float value, float3 color) { Cell c; c.value = value; c.color = color; return c; }
float total(float x[3]) { return x[0] + x[1] + x[2]; }
float value_of(Cell c) { return c.value + c.color.x; }
void split(float x, out float low, out float high) { low = x - 1; high = x + 1; }
void decay(inout float x, float rate) { x -= rate * x; }
void fill(int i, IWTensor<float, 1> to) { to[i] = i + 1; }
T squared<T : IArithmetic>(T x, T y) { return x * y; }
T product<T : IArithmetic>(T x, T y) { return x * y; }
float pick(int i, ITensor<float, 1> x) { return x[i]; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "torch_results", SOURCE)


def values(**options):
    return torch.tensor([1.0, 2.0, 3.0, 4.0], **options)


def test_one_tensor_of_torch_makes_results_tensors_of_torch(module):
    result = module.lengthen(np.ones((4, 3), np.float32), values())

    assert type(result) is torch.Tensor
    assert result.device.type == "cpu"
    assert result.tolist() == [[s] * 3 for s in (1, 2, 3, 4)]


def test_a_result_has_memory_of_its_own(module):
    first, second = module.twice(values()), module.twice(values())
    first.zero_()

    assert second.tolist() == [2, 4, 6, 8]


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("twice", torch.float32, torch.float32),
        ("twice", torch.float16, torch.float32),
        ("twice", torch.float64, torch.float32),
        ("twice", torch.bfloat16, torch.float32),
        ("twice", torch.int16, torch.float32),
        ("twice_double", torch.float32, torch.float64),
        ("twice_half", torch.float16, torch.float16),
    ],
)
def test_a_result_has_the_type_that_the_function_returns(module, name, given, expected):
    result = getattr(module, name)(values().to(given))

    assert result.dtype == expected
    assert result.tolist() == [2, 4, 6, 8]


def test_a_generic_function_keeps_the_type_of_a_tensor(module, device):
    for dtype in [torch.float16, torch.float32] + [torch.float64] * device.info.features.float64:
        assert module.product(values().to(dtype), 1.0).dtype == dtype
        assert module.product(1.0, values().to(dtype)).dtype == dtype
    assert module.product(np.ones(2), 1.0, _result="numpy").dtype == np.float32


@pytest.mark.parametrize(
    "dtype", [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16]
)
def test_integers_of_all_kinds_enter(module, dtype):
    result = module.next(torch.tensor([1, 2, 3]).to(dtype))

    assert result.dtype == torch.int32
    assert result.tolist() == [2, 3, 4]


def test_an_integer_that_does_not_fit_is_refused(module):
    with pytest.raises(weft.ArgumentError, match=r"next: parameter 'x'.*4294967296"):
        module.next(torch.tensor([1, 1 << 32]))


def test_bools_are_bools(module):
    assert module.above(values()).dtype == torch.bool
    assert module.above(values()).tolist() == [False, True, True, True]


VIEWS = {
    "transposed": lambda t: t.T,
    "every second": lambda t: t[:, ::2],
    "a column": lambda t: t[:, 1],
    "expanded": lambda t: t[:, :1].expand(3, 5),
    "an offset": lambda t: t[1:, 2:],
    "permuted": lambda t: t.reshape(3, 2, 2).permute(2, 0, 1),
    "flipped": lambda t: t.flip(0),
    "negated": torch._neg_view,
    "empty": lambda t: t[:0],
    "one number": lambda t: t[1, 2],
}


@pytest.mark.parametrize("kind", VIEWS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_any_strides_enter(module, kind, dtype):
    view = VIEWS[kind](torch.arange(12, dtype=dtype).reshape(3, 4))

    result = module.twice(view)

    assert result.shape == view.shape
    assert torch.equal(result, 2 * view.float())


def test_a_number_comes_back_as_a_tensor_without_dimensions(module):
    result = module.twice(torch.tensor(1.5))

    assert type(result) is torch.Tensor
    assert result.shape == ()
    assert result.item() == 3


def test_vectors_and_matrices_are_trailing_axes(module):
    vectors, matrices = torch.rand(5, 3), torch.rand(5, 2, 2)

    assert torch.allclose(module.lengthen(vectors, 2.0), 2 * vectors)
    assert torch.allclose(module.scaled(matrices, 2.0), 2 * matrices)


def test_a_structure_comes_back_as_a_dict(module):
    result = module.cell(torch.tensor([1.0, 2.0]), torch.ones(2, 3))

    assert sorted(result) == ["color", "value"]
    assert result["value"].tolist() == [1, 2]
    assert torch.equal(result["color"], torch.ones(2, 3))
    assert module.value_of(result).tolist() == [2, 3]


def test_a_list_of_tensors_is_one_tensor(module):
    assert module.total([torch.tensor(1.0), 2.0, torch.tensor(3.0)]).item() == 6
    with pytest.raises(weft.ArgumentError, match="do not stack"):
        module.total([torch.ones(2), torch.ones(3), torch.ones(2)])


KINDS = {
    "numpy": np.ndarray,
    np.ndarray: np.ndarray,
    "tensor": weft.Tensor,
    weft.Tensor: weft.Tensor,
    "torch": torch.Tensor,
    torch.Tensor: torch.Tensor,
}


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("argument", [values(), values().numpy()], ids=["torch", "numpy"])
def test_the_kind_of_a_result_can_be_chosen(module, kind, argument):
    for result in (
        module.twice(argument, _result=kind),
        module.twice.return_type(kind)(argument),
    ):
        assert type(result) is KINDS[kind]
        found = result.cpu() if isinstance(result, torch.Tensor) else result
        found = found.numpy() if hasattr(found, "numpy") else found
        assert found.tolist() == [2, 4, 6, 8]


def test_the_kinds_of_results_are_named(module):
    with pytest.raises(weft.ArgumentError, match=r"'torch' or torch.Tensor, got 'torhc'"):
        module.twice(values(), _result="torhc")


def test_every_output_is_a_tensor_of_torch(module):
    low, high = module.split(values())

    assert low.tolist() == [0, 1, 2, 3]
    assert high.tolist() == [2, 3, 4, 5]


def test_what_is_written_counts_as_written(module):
    x, result, to = values(), values(), values()
    module.decay(x, 0.5)
    module.twice(values(), _result=result)
    module.fill(weft.grid((2,)), to)

    assert (x._version, result._version, to._version) == (1, 1, 1)
    assert to.tolist() == [1, 2, 3, 4]


def test_what_is_read_does_not_count_as_written(module):
    x = values()
    module.twice(x)
    module.pick(weft.grid((4,)), x)

    assert x._version == 0


def test_tensors_of_inference_mode_are_written(module):
    with torch.inference_mode():
        x = values()
        module.decay(x, 0.5)

    assert x.tolist() == [0.5, 1, 1.5, 2]


def test_calls_without_torch_return_what_they_returned(module):
    assert module.twice(1.5) == 3.0
    assert isinstance(module.twice(values().numpy()), weft.Tensor)


def test_many_layouts_one_after_the_other(device, module):
    place = "cuda" if device.info.type == weft.DeviceType.cuda else "cpu"
    base = torch.arange(4096, dtype=torch.float32, device=place)
    for _ in range(2):
        for size in range(1, 30):
            x = base[size : size + 3 * size : 3].reshape(1, -1).expand(2, -1)
            assert torch.equal(module.twice(x), 2 * x)
            x = base[: 2 * size].reshape(2, size).T.double()
            assert torch.equal(module.twice_double(x), 2 * x)


def test_a_tensor_that_lives_only_for_the_call(device, module):
    place = "cuda" if device.info.type == weft.DeviceType.cuda else "cpu"
    for value in range(50):
        result = module.twice(torch.full((1000,), float(value), device=place))
        torch.full((1000,), -1.0, device=place)  # takes the memory that is free again
        assert bool((result == 2 * value).all())
