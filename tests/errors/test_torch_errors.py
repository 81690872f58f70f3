# SPDX-License-Identifier: Apache-2.0
"""Wrong calls with tensors of torch are one sentence each; unreadable tensors: test_refusals.py."""

from __future__ import annotations

import importlib.util

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

SOURCE = """
[Differentiable] float square(float x) { return x * x; }
float3 lengthen(float3 v) { return 2 * v; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "torch_errors", SOURCE)


RESULTS = {
    "of another shape": (lambda: torch.zeros(3), r"shape \(3,\) has 3 along axis 0"),
    "of integers": (
        lambda: torch.zeros(4, dtype=torch.int32),
        "must be float, got an array of int",
    ),
    "expanded": (lambda: torch.zeros(1).expand(4), r"share memory.*tensor.contiguous\(\)"),
    "meta": (lambda: torch.zeros(4, device="meta"), "meta tensor.*pass one on a device"),
}


@pytest.mark.parametrize("kind", RESULTS)
def test_a_result_that_cannot_take_the_values_is_refused(module, kind):
    make, message = RESULTS[kind]

    with pytest.raises(weft.ArgumentError, match=f"square: .*_result.*{message}"):
        module.square(torch.ones(4), _result=make())


def test_a_wrong_last_dimension_names_both(module):
    with pytest.raises(weft.ArgumentError, match=r"lengthen: parameter 'v'.*\(4, 2\)"):
        module.lengthen(torch.ones(4, 2))


def test_a_torch_that_is_too_old_is_named(monkeypatch):
    from weft.torch import bridge

    monkeypatch.setattr(torch, "__version__", "2.3.1+cpu")
    spec = importlib.util.spec_from_file_location("bridge_of_an_old_torch", bridge.__file__)

    with pytest.raises(weft.ArgumentError, match=r"torch 2\.3\.1\+cpu is too old.*2\.4 or later"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
