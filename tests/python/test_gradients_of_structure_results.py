# SPDX-License-Identifier: Apache-2.0
"""Derivatives of functions whose result is a structure, in tensors of its fields."""

from __future__ import annotations

import numpy as np
import pytest

import weft

SOURCE = """
struct Inner : IDifferentiable { float3 v; }
struct Pair : IDifferentiable { float a; Inner inner; int count; }

[Differentiable]
Pair f(float x, float y)
{
    Pair p;
    p.a = x * x * y;
    p.inner.v = float3(x, 2 * y, x * y);
    p.count = 3;
    return p;
}
"""


@pytest.fixture
def module(device):
    return weft.Module.load_from_source(device, "structure_results", SOURCE)


@pytest.fixture
def tensor(device):
    def made(values, given=None):
        found = weft.Tensor.from_numpy(device, np.array(values, np.float32)).with_grads()
        if given is not None:
            found.grad_in.copy_from_numpy(np.array(given, np.float32))
        return found

    return made


X, Y = np.array([1.0, 2.0, 3.0]), np.array([-1.0, 0.5, 2.0])


def result(tensor, given_a, given_v):
    counts = np.zeros(3, np.int32)
    return {
        "a": tensor(np.zeros(3), given_a),
        "inner": {"v": tensor(np.zeros((3, 3)), given_v)},
        "count": counts,
    }


def test_reverse_mode_reads_the_gradients_of_fields(module, tensor):
    x, y = tensor(X), tensor(Y)
    given_v = np.arange(9.0).reshape(3, 3)
    found = result(tensor, [1, 2, 3], given_v)

    module.f(x, y, _result=found)
    module.f.bwds(x, y, _result=found)

    a, b, c = given_v.T
    of_a = np.array([1, 2, 3])
    assert np.allclose(x.grad_out.numpy(), of_a * 2 * X * Y + a + c * Y)
    assert np.allclose(y.grad_out.numpy(), of_a * X * X + 2 * b + c * X)
    assert np.allclose(found["inner"]["v"].numpy(), np.stack([X, 2 * Y, X * Y], axis=1))
    assert found["count"].tolist() == [3, 3, 3]


def test_a_field_without_gradient_is_named(module, tensor):
    x, y = tensor(X), tensor(Y)
    found = result(tensor, [1, 2, 3], np.zeros((3, 3)))
    found["inner"] = {"v": np.zeros((3, 3), np.float32)}

    with pytest.raises(weft.ArgumentError, match=r"'_result\.inner\.v'.*pass tensor\.with_grads"):
        module.f.bwds(x, y, _result=found)


def test_forward_mode_writes_tangents_of_fields(module, tensor):
    x, y = tensor(X, np.ones(3)), tensor(Y, [0, 1, 2])
    found = result(tensor, None, None)

    module.f.fwds(x, y, _result=found)

    dy = np.array([0, 1, 2])
    assert np.allclose(found["a"].grad_out.numpy(), 2 * X * Y + X * X * dy)
    expected = np.stack([np.ones(3), 2 * dy, Y + X * dy], axis=1)
    assert np.allclose(found["inner"]["v"].grad_out.numpy(), expected)
    assert np.allclose(found["a"].numpy(), X * X * Y)
