# SPDX-License-Identifier: Apache-2.0
"""Tensors of torch on the CPU; test_foreign_arrays.py holds the same without torch."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

torch = pytest.importorskip("torch", reason="torch is not installed")

SOURCE = """
float twice(float x) { return 2 * x; }
void decay(inout float x, float rate) { x -= rate * x; }
void split(float x, out float low, out float high) { low = x - 1; high = x + 1; }
void fill(int i, IWTensor<float, 1> to) { to[i] = i + 1; }
void scale(int i, IRWTensor<float, 1> x) { x[i] = 10 * x[i]; }
void through_pointer(int i, float* x) { x[i] = 10 * x[i]; }
struct View { RWTensor<float, 1> to; float scale; }
void through_members(int i, View view) { view.to[i] = view.scale * i; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "foreign_arrays_torch", SOURCE)


def values(**options):
    return torch.tensor([1.0, 2.0, 3.0, 4.0], **options)


def test_every_kind_of_output_is_written_back(module):
    x, low, high, to, at = values(), values(), values(), values(), values()
    result, member = values(), values()

    module.twice(values(), _result=result)
    module.decay(x, 0.5)
    module.split(values(), low, high)
    module.scale(weft.grid((4,)), to)
    module.fill(weft.grid((2,)), low)
    module.through_pointer(weft.grid((4,)), at)
    module.through_members(weft.grid((4,)), {"to": member, "scale": 2.0})

    assert result.tolist() == [2, 4, 6, 8]
    assert x.tolist() == [0.5, 1, 1.5, 2]
    assert high.tolist() == [2, 3, 4, 5]
    assert low.tolist() == [1, 2, 2, 3]
    assert to.tolist() == at.tolist() == [10, 20, 30, 40]
    assert member.tolist() == [0, 2, 4, 6]


def test_views_are_written_back_in_place(module):
    memory = torch.zeros(4, 6)

    module.twice(torch.ones(3, 4), _result=memory.T[::2])

    assert memory.tolist() == [[2, 0, 2, 0, 2, 0]] * 4


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_outputs_keep_their_type(module, dtype):
    to = values(dtype=dtype)

    module.twice(values(dtype=dtype), _result=to)

    assert to.dtype == dtype
    assert to.tolist() == [2, 4, 6, 8]


@pytest.mark.filterwarnings("ignore::weft.GradientWarning")
@pytest.mark.parametrize("is_leaf", [True, False])
def test_a_function_without_derivative_reads_tracked_tensors_and_writes_none(
    device, module, is_leaf
):
    x = values(requires_grad=True)
    x = x if is_leaf else x * 1

    assert module.twice(x).tolist() == [2, 4, 6, 8]
    assert not module.twice(x).requires_grad
    assert weft.from_dlpack(device, x).numpy().tolist() == [1, 2, 3, 4]
    assert Tensor.from_numpy(device, x).numpy().tolist() == [1, 2, 3, 4]
    message = "leaf Variable" if is_leaf else r"requires_grad.*pass tensor.detach\(\)"
    with pytest.raises(RuntimeError if is_leaf else weft.ArgumentError, match=message):
        module.decay(x, 0.5)
    assert x.tolist() == [1, 2, 3, 4]
    module.decay(x.detach(), 0.5)
    assert x.tolist() == [0.5, 1, 1.5, 2]


@pytest.mark.filterwarnings("ignore::weft.GradientWarning")
def test_parameters_of_networks_enter_as_their_values(module):
    parameter = torch.nn.Parameter(values())

    assert module.twice(parameter).tolist() == [2, 4, 6, 8]


def test_negative_views_enter_with_their_sign(device, module):
    for view in (torch._neg_view(values()), torch.complex(values(), -values()).conj().imag):
        assert view.is_neg()
        assert np.array_equal(module.twice(view).numpy(), 2 * view.resolve_neg().numpy())
        assert np.array_equal(weft.from_dlpack(device, view).numpy(), view.resolve_neg().numpy())
        with pytest.raises(weft.ArgumentError, match="negates"):
            module.decay(view, 0.5)


def test_expanded_tensors_are_read_and_not_written(module):
    x = values().expand(3, 4)

    assert module.twice(x).numpy().tolist() == [[2, 4, 6, 8]] * 3
    with pytest.raises(weft.ArgumentError, match="share memory"):
        module.decay(x, 0.5)


def test_brain_floats_are_read_and_written(module):
    assert module.twice(values(dtype=torch.bfloat16)).tolist() == [2, 4, 6, 8]
    to = values(dtype=torch.bfloat16)
    module.decay(to, 0.5)
    assert to.tolist() == [0.5, 1, 1.5, 2]


def test_sparse_and_meta_tensors_say_why(module):
    for tensor in (values().to_sparse(), torch.empty(4, device="meta")):
        with pytest.raises(weft.ArgumentError, match="twice: argument 1"):
            module.twice(tensor)
