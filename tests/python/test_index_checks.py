# SPDX-License-Identifier: Apache-2.0
"""check_indices: an index outside a tensor is named, and harms nothing."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

SOURCE = """
float read(int i, ITensor<float, 1> x) { return x[i]; }
float read_concrete(int i, Tensor<float, 1> x) { return x[i]; }
float read_row(int2 at, ITensor<float, 2> x) { return x[at.x, at.y]; }
float read_vector(int2 at, ITensor<float, 2> x) { return x[at]; }
float read_load(int i, ITensor<float, 1> x) { int a[1] = { i }; return x.load(a); }
float read_unsigned(uint i, ITensor<float, 1> x) { return x[i]; }
float4 read_wide(int i, ITensor<float4, 1> x) { return x[i]; }
void write(int i, IWTensor<float, 1> x) { x[i] = 7; }
void change(int i, IRWTensor<float, 1> x) { x[i] = x[i] + 1; }
void fill(int i, RWNDBuffer<float, 1> x) { x[i] = 7; }
struct View { Tensor<float, 1> from; RWTensor<float, 1> to; }
void copy(int i, View view) { view.to[i] = view.from[i + 1]; }
float sum(ITensor<float, 1> x)
{
    float s = 0;
    for (int i = 0; i <= x.shape[0]; i++)
        s += x[i];
    return s;
}
[Differentiable] float look(int i, IDiffTensor<float, 1> x) { return x[i] * 2; }
[Differentiable] void put(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y) { y[i] = x[i]; }
float first(ITensor<float, 1> x, ITensor<float, 1> y, int i) { return x[i] + y[i]; }
float plain(float x) { return x; }
"""


@pytest.fixture(scope="module")
def checking(device):
    """A device of the same kind that looks at indices."""
    made = weft.create_device(type=device.type, check_indices=True)
    yield made
    made.close()


@pytest.fixture(scope="module")
def module(checking):
    return weft.Module.load_from_source(checking, "index_checks", SOURCE)


def numbers(device, *shape):
    return Tensor.from_numpy(device, np.arange(np.prod(shape), dtype=np.float32).reshape(shape))


@pytest.mark.parametrize("index", [5, 6, -1, 2**31 - 1, -(2**31), 10**6])
@pytest.mark.parametrize("name", ["read", "read_concrete", "read_load"])
def test_a_read_outside_is_named(checking, module, name, index):
    with pytest.raises(weft.ArgumentIndexError) as caught:
        getattr(module, name)(index, numbers(checking, 5))

    expected = (
        f"{name}: parameter 'x' was indexed at ({index},), which is outside its shape (5,); "
        "correct the index in the Slang function"
    )
    assert expected in str(caught.value)
    assert isinstance(caught.value, IndexError)


def test_one_call_of_many_is_enough(checking, module):
    index = np.zeros(1000, np.int32)
    index[777] = 9

    with pytest.raises(weft.ArgumentIndexError, match=r"'x' was indexed at \(9,\)"):
        module.read(index, numbers(checking, 5))


@pytest.mark.parametrize(
    ("at", "shown"), [((3, 0), "(3, 0)"), ((0, 4), "(0, 4)"), ((-1, 2), "(-1, 2)")]
)
def test_every_axis_is_looked_at_in_rows_first_order(checking, module, at, shown):
    x = numbers(checking, 3, 4)

    with pytest.raises(weft.ArgumentIndexError) as caught:
        module.read_row(np.array(at, np.int32), x)
    assert f"indexed at {shown}, which is outside its shape (3, 4)" in str(caught.value)
    with pytest.raises(weft.ArgumentIndexError) as caught:
        module.read_vector(np.array(at[::-1], np.int32), x)
    assert f"indexed at {shown}, which is outside its shape (3, 4)" in str(caught.value)


def test_unsigned_indices_that_wrapped_are_outside(checking, module):
    with pytest.raises(weft.ArgumentIndexError, match=r"\(4294967295,\)"):
        module.read_unsigned(2**32 - 1, numbers(checking, 5))


@pytest.mark.parametrize("name", ["write", "change", "fill"])
@pytest.mark.parametrize("index", [4, -1, 10**9])
def test_a_write_outside_is_named_and_changes_nothing(checking, module, name, index):
    whole = Tensor.zeros(checking, (12,))

    with pytest.raises(
        weft.ArgumentIndexError, match=rf"{name}: parameter 'x' was indexed at \({index},\)"
    ):
        getattr(module, name)(index, whole[4:8])

    assert np.array_equal(whole.numpy(), np.zeros(12))


def test_members_of_structures_are_named(checking, module):
    view = {"from": numbers(checking, 4), "to": Tensor.zeros(checking, (4,))}

    with pytest.raises(
        weft.ArgumentIndexError, match=r"copy: parameter 'view.from' was indexed at \(4,\)"
    ):
        module.copy(weft.grid((4,)), view)


def test_the_parameter_at_fault_is_named(checking, module):
    x, y = numbers(checking, 9), numbers(checking, 3)

    with pytest.raises(
        weft.ArgumentIndexError, match=r"first: parameter 'y' .*outside its shape \(3,\)"
    ):
        module.first(x, y, 5)


def test_loops_one_too_long_are_found(checking, module):
    with pytest.raises(weft.ArgumentIndexError, match=r"sum: parameter 'x' was indexed at \(6,\)"):
        module.sum(numbers(checking, 6))


def test_tensors_without_elements_have_no_index(checking, module):
    with pytest.raises(weft.ArgumentIndexError, match=r"outside its shape \(0,\)"):
        module.read(0, Tensor.zeros(checking, (0,)))


@pytest.mark.parametrize("count", [3, 100_000])
def test_backward_calls_are_looked_at(checking, module, count):
    x = numbers(checking, 8).with_grads()
    index = np.arange(count, dtype=np.int32) % 9
    result = Tensor.zeros(checking, (count,)).with_grads()
    result.grad.fill(1.0)
    if count < 9:
        index[-1] = 8

    with pytest.raises(weft.ArgumentIndexError, match=r"look.*'x' was indexed at \(8,\)"):
        module.look.bwds(index, x, _result=result)


def test_gradients_outside_are_named(checking, module):
    x, y = numbers(checking, 8).with_grads(), Tensor.zeros(checking, (4,)).with_grads()

    with pytest.raises(weft.ArgumentIndexError, match=r"put: parameter '[xy]"):
        module.put.bwds(weft.grid((6,)), x, y)


def test_arrays_of_the_host_are_looked_at_and_left_alone(module):
    x = np.zeros(4, np.float32)

    with pytest.raises(weft.ArgumentIndexError, match="'x' was indexed"):
        module.write(7, x)

    assert np.array_equal(x, np.zeros(4))


def test_right_calls_work_and_each_report_is_told_once(checking, module):
    x = numbers(checking, 5)

    for _ in range(3):
        with pytest.raises(weft.ArgumentIndexError):
            module.read(5, x)
        assert module.read(4, x) == 4
        assert module.read_wide(1, Tensor.ones(checking, (2,), weft.float4)).x == 1
        assert module.plain(3.0) == 3


def test_debug_turns_it_on_and_nothing_is_paid_without(device, module):
    source = module.read.generated_source(0, numbers(module.device, 5))
    without = weft.Module.load_from_source(device, "index_checks", SOURCE)

    assert "weft_fault_address" in source
    assert "weft_fault_address" not in without.read.generated_source(0, numbers(device, 5))
    with weft.create_device(type=device.type, debug=True) as debugging:
        there = weft.Module.load_from_source(debugging, "index_checks", SOURCE)
        with pytest.raises(weft.ArgumentIndexError):
            there.read(5, numbers(debugging, 5))
