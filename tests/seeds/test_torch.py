# SPDX-License-Identifier: Apache-2.0
"""Documented uses of torch, without a GPU where the document has one."""

from __future__ import annotations

import pytest

import weft as spy

torch = pytest.importorskip("torch", reason="torch is not installed")

SOURCE = """
[Differentiable]
float polynomial(float a, float b, float c, float x) { return a * x * x + b * x + c; }
"""


@pytest.fixture
def module(device, tmp_path, monkeypatch):
    (tmp_path / "example.slang").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    made = spy.create_torch_device(type=device.info.type)
    return spy.Module.load_from_file(made, "example.slang")


def test_a_polynomial_takes_part_in_the_graph_of_torch(module):
    place = "cuda" if module.device.info.type == spy.DeviceType.cuda else "cpu"
    x = torch.tensor([1, 2, 3, 4], dtype=torch.float32, device=place, requires_grad=True)

    result = module.polynomial(a=2, b=8, c=-1, x=x)
    result.backward(torch.ones_like(result))

    assert type(result) is torch.Tensor
    assert result.tolist() == [9, 23, 41, 63]
    assert x.grad.tolist() == [12, 16, 20, 24]


def test_a_device_for_torch_is_the_best_one_unless_a_type_is_named():
    assert spy.create_torch_device().info.type in (spy.DeviceType.cuda, spy.DeviceType.vulkan)
    vulkan = spy.create_torch_device(type=spy.DeviceType.vulkan)
    assert vulkan.info.type == spy.DeviceType.vulkan


def test_a_kind_of_device_that_only_windows_has_names_the_others():
    with pytest.raises(spy.ArgumentError, match="vulkan or cuda"):
        spy.create_torch_device(type=spy.DeviceType.d3d12)
