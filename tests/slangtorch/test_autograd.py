# SPDX-License-Identifier: Apache-2.0
"""Launches of kernels as nodes of torch's graph."""

from __future__ import annotations

import pytest

import weft
from support.slangtorch_modules import load

torch = pytest.importorskip("torch", reason="torch is not installed")

__all__ = ["load"]  # the fixture

SOURCE = """
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void product(DiffTensorView<double> a, DiffTensorView<double> b, double f, DiffTensorView<double> y)
{
    let i = cudaThreadIdx().x;
    if (i < y.size(0))
        y[i] = f * a[i] * a[i] * b[0];
}

[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void scale(DiffTensorView<double> a, DiffTensorView<double> y)
{
    let i = cudaThreadIdx().x;
    if (i + 1 < y.size(0))
        y[i] = y[i] * a[i];
}

struct Layer { DiffTensorView<double> weights[2]; float slope; }
[AutoPyBindCUDA] [CUDAKernel] [Differentiable]
void layered(
    Layer layer, TensorView<double> offset, DiffTensorView<double> y, DiffTensorView<double> z)
{
    let i = cudaThreadIdx().x;
    y.storeOnce(i, layer.weights[0].loadOnce(i) * layer.weights[1][i] * double(layer.slope));
    z[i] = layer.weights[0][i] + offset[i];
}

[AutoPyBindCUDA] [CUDAKernel]
void constant(DiffTensorView<double> a, DiffTensorView<double> y) { y[0] = a[0]; }
"""

LAUNCH = (4, 1, 1), (1, 1, 1)


@pytest.fixture
def place(device):
    return "cuda" if device.info.type == weft.DeviceType.cuda else "cpu"


@pytest.fixture
def module(load):
    return load(SOURCE)


@pytest.fixture
def numbers(place):
    def made(*values, grad=True):
        return torch.tensor(values, dtype=torch.float64, device=place, requires_grad=grad)

    return made


def product(module, a, b, f=2.0):
    y = torch.zeros_like(a)
    module.product(a=a, b=b, f=f, y=y).launchRaw(*LAUNCH)
    return y


def test_gradients_are_those_of_finite_differences(module, numbers):
    a, b = numbers(1.0, 2, 3), numbers(0.7)
    assert torch.autograd.gradcheck(lambda a, b: product(module, a, b), (a, b))
    assert torch.autograd.gradcheck(lambda a: product(module, product(module, a, a), b), (a,))


def test_what_a_kernel_overwrites_has_the_gradient_of_its_old_values(module, numbers):
    def scaled(a, start):
        y = 2 * start
        module.scale(a=a, y=y).launchRaw(*LAUNCH)
        return y * y

    a, start = numbers(1.0, 2, 3), numbers(0.5, -1, 2)
    assert torch.autograd.gradcheck(scaled, (a, start))


def test_structures_arrays_and_several_results(module, numbers):
    def launched(a, b, offset):
        y, z = torch.zeros_like(a), torch.zeros_like(a)
        layer = module.Layer(weights=[a, b], slope=3.0)
        module.layered(layer=layer, offset=offset, y=y, z=z).launchRaw((2, 1, 1), (1, 1, 1))
        return y, z

    a, b, offset = numbers(1.0, 2), numbers(3.0, 4), numbers(5.0, 6, grad=False)
    assert torch.autograd.gradcheck(lambda a, b: launched(a, b, offset), (a, b))
    assert torch.autograd.gradcheck(lambda a: launched(a, a, offset), (a,))
    assert not offset.requires_grad
    _y, z = launched(a, b, offset)
    (gradient,) = torch.autograd.grad(z.sum(), a)
    assert gradient.tolist() == [1, 1]


def test_views_of_tensors(module, numbers):
    whole = numbers(*range(12)).reshape(3, 4)

    def column(whole):
        return product(module, whole[:, 1], whole[2, ::2][1:])

    assert torch.autograd.gradcheck(column, (whole.detach().requires_grad_(),))


@pytest.mark.parametrize("order", [(True, False, True), (False, True, False)])
def test_gradients_are_recorded_when_they_are_wanted(module, numbers, order):
    a, b = numbers(1.0, 2), numbers(3.0, grad=False)
    for is_wanted in order:
        with torch.set_grad_enabled(is_wanted):
            y = product(module, a, b)
        assert y.requires_grad == is_wanted
        assert y.tolist() == [6, 24]
        assert not b.requires_grad
    assert not product(module, a.detach(), b).requires_grad
    with torch.inference_mode():
        assert not product(module, a, b).requires_grad


def test_only_what_is_asked_for_has_a_gradient(module, numbers):
    a, b = numbers(1.0, 2), numbers(3.0, grad=False)
    product(module, a, b).sum().backward()
    assert a.grad.tolist() == [12, 24]
    assert b.grad is None


def test_explicit_gradients_are_the_callers(module, numbers):
    a, b, y = numbers(1.0, 2), numbers(3.0), torch.zeros(2, dtype=torch.float64)
    pair = (a, torch.zeros_like(a))
    module.product(a=pair, b=b, f=1.0, y=y.to(a.device)).launchRaw(*LAUNCH)
    gradient = torch.zeros_like(a)
    upstream = torch.ones_like(a)
    module.product.bwd(a=(a, gradient), b=b, f=1.0, y=(torch.zeros_like(a), upstream)).launchRaw(
        *LAUNCH
    )
    assert gradient.tolist() == [6, 12]


def test_errors_are_those_of_torch(module, numbers):
    a, b = numbers(1.0, 2), numbers(3.0)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        module.product(a=a, b=b, f=1.0, y=numbers(0.0, 0)).launchRaw(*LAUNCH)
    y = product(module, 1 * a, b)
    with torch.no_grad():
        b += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    (slope,) = torch.autograd.grad(product(module, a, b).sum(), a, create_graph=True)
    assert slope.tolist() == [16, 32]
    with pytest.raises(weft.ArgumentError, match="derivative of its derivative"):
        (slope * a).sum().backward()


def test_gradients_that_are_lost_are_told(module, numbers, monkeypatch):
    monkeypatch.setattr("weft.torch.bridge._warned", set())  # of another device's test
    a, y = numbers(1.0, 2), numbers(0.0, 0, grad=False)
    with pytest.warns(weft.GradientWarning, match=r"constant is not \[Differentiable\], and 'a'"):
        module.constant(a=a, y=y).launchRaw(*LAUNCH)
    assert not y.requires_grad
    layer = module.Layer(weights=[y, y], slope=1.0)
    with pytest.warns(weft.GradientWarning, match="'offset' requires gradients, and a TensorView"):
        module.layered(layer=layer, offset=a, y=y, z=y).launchRaw((2, 1, 1), (1, 1, 1))


def test_an_edit_before_the_backward_pass_is_told(load, numbers):
    text = """
        [AutoPyBindCUDA] [CUDAKernel] [Differentiable]
        void f(DiffTensorView<double> a, DiffTensorView<double> y) {{ y[0] = {} * a[0]; }}
    """
    a, y = numbers(1.0), numbers(0.0, grad=False)
    load(text.format(2)).f(a=a, y=y).launchRaw((1, 1, 1), (1, 1, 1))
    load(text.format(3))
    with pytest.raises(weft.ArgumentError, match="edited between the launch and its backward"):
        y.sum().backward()


def test_transforms_are_refused(module, numbers):
    with pytest.raises(weft.ArgumentError, match=r"no part in torch\.func"):
        torch.func.grad(lambda a: product(module, a, a).sum())(numbers(1.0, 2))
