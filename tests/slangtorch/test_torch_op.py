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
IMPORTS_SCRIPTS = pytest.mark.filterwarnings(
    "ignore:.torch.jit.script. is deprecated:DeprecationWarning"
)
"""Forward mode imports a file of torch that torch itself calls out of date."""


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
    torch.library.opcheck(operator.overload, inputs)
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


def exact(a, f, mask):
    return f * a * a * mask, a + 7


def test_batches_of_any_argument(operator, inputs):
    a, f, mask, shift = inputs
    rows = torch.stack([a.detach(), 2 * a.detach(), 3 * a.detach()])

    def run(a, mask):
        return operator(a, f, mask, shift)

    for a_dim, given in ((0, rows), (1, rows.T)):
        y, z = torch.func.vmap(run, in_dims=(a_dim, None))(given, mask)
        assert torch.allclose(y, f * rows * rows * mask)
        assert torch.allclose(z, rows + 7)
    y, _z = torch.func.vmap(run)(rows, mask + rows)
    assert torch.allclose(y, f * rows * rows * (mask + rows))
    nested = torch.func.vmap(torch.func.vmap(run, in_dims=(0, None)), in_dims=(None, 0))
    y, _z = nested(rows, torch.stack([mask, -mask]))
    assert torch.allclose(y[1], -f * rows * rows * mask)
    y, _z = torch.func.vmap(run, in_dims=(0, None))(rows.requires_grad_(), mask)
    (found,) = torch.autograd.grad(y.sum(), rows)
    assert torch.allclose(found, 2 * f * rows * mask)


@IMPORTS_SCRIPTS
def test_derivatives_of_torch_func_are_those_of_the_formula(operator, inputs):
    a, f, mask, shift = inputs[0].detach(), *inputs[1:]
    both = [lambda a: operator(a, f, mask, shift), lambda a: exact(a, f, mask)]

    def require_same(transform):
        found, expected = (torch.utils._pytree.tree_leaves(transform(each)) for each in both)
        assert all(map(torch.allclose, found, expected))

    require_same(lambda g: torch.func.grad(lambda a: (g(a)[0] * g(a)[1]).sum())(a))
    require_same(lambda g: torch.func.jvp(g, (a,), (a * a,)))
    require_same(lambda g: torch.func.jacrev(g)(a))
    require_same(lambda g: torch.func.jacfwd(g)(a))
    rows = torch.stack([a, 2 * a])
    require_same(lambda g: torch.func.vmap(torch.func.grad(lambda a: g(a)[0].sum()))(rows))
    require_same(lambda g: torch.func.grad(lambda r: torch.func.vmap(g)(r)[0].sum())(rows))
    require_same(lambda g: torch.func.vmap(lambda t: torch.func.jvp(g, (a,), (t,)))(rows))


@IMPORTS_SCRIPTS
def test_forward_mode_follows_it(operator, inputs):
    a, f, mask, shift = inputs
    assert torch.autograd.gradcheck(
        lambda a: operator(a, f, mask, shift), (a,), check_forward_ad=True
    )


@IMPORTS_SCRIPTS
def test_second_derivatives_are_refused(operator, inputs):
    a, f, mask, shift = inputs
    y, _z = operator(a, f, mask, shift)
    (slope,) = torch.autograd.grad(y.sum(), a, create_graph=True)
    with pytest.raises(weft.ArgumentError, match="blend: torch asks for the derivative of its der"):
        slope.sum().backward()
    with pytest.raises(weft.ArgumentError, match="blend: torch asks for the derivative of its der"):
        torch.func.hessian(lambda a: operator(a, f, mask, shift)[0].sum())(a.detach())


def test_arguments_that_do_not_fit_an_operator_are_named(operator, inputs):
    a, f, mask, shift = inputs
    message = "blend: as an operator it takes a, f, mask, shift, got"
    for values, named in (
        ((a, f, mask), {}),
        ((a, f, mask, shift, a), {}),
        ((a, f, mask), {"a": a}),
        ((a, f, mask), {"shift": shift, "y": a}),
    ):
        with pytest.raises(weft.ArgumentTypeError, match=message):
            operator(*values, **named)


def test_constants_that_require_gradients_are_told(operator, inputs):
    a, f, mask, shift = inputs
    with pytest.warns(weft.GradientWarning, match="blend: the tensor of 'mask' requires gradients"):
        y, _z = operator(a, f, mask.clone().requires_grad_(), shift)
    assert y.requires_grad


@IMPORTS_SCRIPTS
def test_results_without_gradients_do_not_require_them(load, inputs):
    module = load("""
        [AutoPyBindCUDA] [CUDAKernel] [Differentiable]
        void split(DiffTensorView<double> a, DiffTensorView<double> y, TensorView<double> z)
        {
            let i = cudaBlockIdx().x;
            y[i] = a[i] * a[i];
            z[i] = detach(a[i]);
        }
    """)
    operator = module.split.torch_op(
        f"weft_tests::split{next(COUNT)}",
        outputs={"y": lambda a: torch.empty_like(a), "z": lambda a: torch.empty_like(a)},
        blockSize=(1, 1, 1),
        gridSize=lambda a: a.shape,
    )
    a = inputs[0]
    y, z = operator(a)
    assert y.requires_grad
    assert not z.requires_grad
    (slope,) = torch.autograd.grad(y.sum(), a)
    assert torch.allclose(slope, 2 * a)
    torch.library.opcheck(operator.overload, (a,))
    assert torch.func.jvp(operator, (a.detach(),), (a.detach(),))[1][1].abs().sum() == 0
