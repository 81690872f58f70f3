# SPDX-License-Identifier: Apache-2.0
"""Views of tensors with gradients: the gradient of a view is the same view of the gradient."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft import Tensor

VALUES = np.arange(24, dtype=np.float32).reshape(4, 1, 6)

VIEWS = {
    "slices": (lambda t: t[1:3, :, ::2], lambda a: a[1:3, :, ::2]),
    "an integer": (lambda t: t[2], lambda a: a[2]),
    "a new axis": (lambda t: t[None, ..., -1], lambda a: a[None, ..., -1]),
    "reshape": (lambda t: t.reshape(2, -1), lambda a: a.reshape(2, -1)),
    "transpose": (lambda t: t.transpose(2, 0, 1), lambda a: a.transpose(2, 0, 1)),
    "T": (lambda t: t.T, lambda a: a.T),
    "permute": (lambda t: t.permute(1, 0, 2), lambda a: a.transpose(1, 0, 2)),
    "broadcast_to": (
        lambda t: t.broadcast_to((4, 3, 6)),
        lambda a: np.broadcast_to(a, (4, 3, 6)),
    ),
    "squeeze": (lambda t: t.squeeze(1), lambda a: a.squeeze(1)),
    "unsqueeze": (lambda t: t.unsqueeze(-1), lambda a: a[..., None]),
    "view": (lambda t: t.view((3, 2), (4, 1), 5), lambda a: np.lib.stride_tricks.as_strided(
        a.ravel()[5:], (3, 2), (16, 4))),
}  # fmt: skip


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(
        device, "views", "[Differentiable] float square(float x) { return x * x; }"
    )


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_has_the_same_view_of_its_gradients(device, name):
    view, expected = VIEWS[name]
    tensor = Tensor.from_numpy(device, VALUES).with_grads(
        Tensor.from_numpy(device, 10 * VALUES), Tensor.from_numpy(device, 100 * VALUES)
    )

    seen = view(tensor)

    assert np.array_equal(seen.numpy(), expected(VALUES))
    assert np.array_equal(seen.grad_in.numpy(), expected(10 * VALUES))
    assert np.array_equal(seen.grad_out.numpy(), expected(100 * VALUES))


def test_one_gradient_for_both_ways_stays_one(device):
    tensor = Tensor.from_numpy(device, VALUES).with_grads()

    assert tensor[1:].grad is not None
    assert tensor.T.grad is not None


@pytest.mark.parametrize("name", VIEWS)
def test_a_backward_call_on_a_view_adds_to_the_gradient_of_the_whole(device, module, name):
    view, expected = VIEWS[name]
    tensor = Tensor.from_numpy(device, VALUES).with_grads()
    seen = view(tensor)
    result = Tensor.zeros(device, seen.shape).with_grads()
    result.grad.fill(1.0)

    module.square.bwds(seen, _result=result)

    reached = np.zeros_like(VALUES)
    places = expected(np.arange(24, dtype=np.float32).reshape(VALUES.shape)).astype(int)
    np.add.at(reached.ravel(), places.ravel(), 1)
    assert np.allclose(tensor.grad.numpy(), 2 * VALUES * reached)


def test_flatten_dtype_flattens_the_gradient(device):
    tensor = Tensor.zeros(device, (2,), weft.float3).with_grads()
    tensor.grad.copy_from_numpy(np.arange(6, dtype=np.float32).reshape(2, 3))

    flat = tensor.flatten_dtype()

    assert np.array_equal(flat.grad.numpy(), [[0, 1, 2], [3, 4, 5]])


def test_copies_have_no_gradients(device):
    tensor = Tensor.from_numpy(device, VALUES).with_grads()

    assert tensor.astype(weft.float64).grad is None
    assert tensor.T.contiguous().grad is None
    assert tensor.T.reshape(24).grad is None  # no strides express it, so it copies


def test_a_gradient_that_cannot_be_seen_in_the_same_way_is_an_error(device):
    columns = Tensor.from_numpy(device, np.ones((3, 2), np.float32)).T
    tensor = Tensor.zeros(device, (2, 3)).with_grads(columns)

    with pytest.raises(weft.ArgumentError) as caught:
        tensor.reshape(6)

    assert "reshape: the tensor's gradient has other strides" in str(caught.value)
    assert "attach gradients to the view, with_grads()" in str(caught.value)
