# SPDX-License-Identifier: Apache-2.0
"""Kernels as operators of torch.library."""

from __future__ import annotations

import itertools

import pytest

import weft
from support.slangtorch_modules import load

torch = pytest.importorskip("torch", reason="torch is not installed")

__all__ = ["load"]  # the fixture

SOURCE = """
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void blend(DiffTensorView<double> a, float f, TensorView<double> mask, int2 shift,
           DiffTensorView<double> y, DiffTensorView<double> z)
{
    let i = cudaThreadIdx().x + cudaBlockIdx().x * cudaBlockDim().x;
    if (i >= a.size(0))
        return;
    y[i] = double(f) * a[i] * a[i] * mask[i];
    z[i] = a[i] + double(shift.x + shift.y);
}

struct Pair { TensorView<float> x; }
[AutoPyBindCUDA] [CUDAKernel]
void held(Pair pair, TensorView<float> y) { y[0] = pair.x[0]; }
"""
COUNT = itertools.count()


@pytest.fixture
def module(load):
    return load(SOURCE)


@pytest.fixture
def operator(module):
    return module.blend.torch_op(
        f"weft_tests::blend{next(COUNT)}",
        outputs={"y": lambda a: torch.empty_like(a), "z": lambda a, f: torch.zeros_like(a)},
        blockSize=(32, 1, 1),
        totalSize=lambda a: a.shape,
    )


@pytest.fixture
def inputs(device):
    place = "cuda" if device.info.type == weft.DeviceType.cuda else "cpu"
    a = torch.linspace(1, 2, 5, dtype=torch.float64, device=place, requires_grad=True)
    return a, 2.0, torch.arange(5.0, dtype=torch.float64, device=place), [3, 4]


def test_an_operator_returns_its_results(operator, inputs):
    a, f, mask, _shift = inputs
    y, z = operator(*inputs)
    assert torch.allclose(y, f * a * a * mask)
    assert torch.allclose(z, a + 7)
    y, _z = operator(a=a, f=1.0, mask=mask, shift=[0, 0])
    assert torch.allclose(y, a * a * mask)


def test_torch_accepts_it(operator, inputs):
    torch.library.opcheck(operator, inputs)
    _a, f, mask, shift = inputs
    assert torch.autograd.gradcheck(lambda a: operator(a, f, mask, shift), (inputs[0],))


def test_compiled_functions_hold_it_without_a_break(operator, inputs):
    a, f, mask, shift = inputs

    def loss(a):
        y, z = operator(2 * a, f, mask, shift)
        return (y * z).sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    (expected,) = torch.autograd.grad(loss(a), a)
    (found,) = torch.autograd.grad(compiled(a), a)
    assert torch.allclose(found, expected)


def test_what_cannot_be_is_named(module):
    def make(kernel=module.blend, **options):
        given = {"outputs": {"y": torch.empty_like}, "blockSize": 1, "gridSize": 1, **options}
        kernel.torch_op("weft_tests::wrong", **given)

    with pytest.raises(weft.ArgumentError, match=r"outputs must name at least one of a, f, mask"):
        make(outputs={"x": torch.empty_like})
    with pytest.raises(
        weft.ArgumentError, match="expected one of gridSize and totalSize, got both"
    ):
        make(totalSize=1)
    with pytest.raises(weft.ArgumentError, match="parameter 'pair' is Pair, and an operator"):
        make(kernel=module.held)


def test_exported_programs_hold_it(operator, inputs):
    class Blend(torch.nn.Module):
        def forward(self, a, mask):
            y, z = operator(a, 2.0, mask, [3, 4])
            return y + z

    a, mask = inputs[0].detach(), inputs[2]
    program = torch.export.export(Blend(), (a, mask))

    assert "weft_tests" in program.graph_module.code
    assert torch.allclose(program.module()(a, mask), Blend()(a, mask))
