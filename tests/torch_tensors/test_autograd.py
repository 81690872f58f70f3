# SPDX-License-Identifier: Apache-2.0
"""Calls are nodes of torch's graph where they have to be, and only there; gradients are right."""

from __future__ import annotations

import itertools

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

# torch's own parts use what other parts call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

SOURCE = """
struct Material : IDifferentiable { float roughness; float3 color; }
[Differentiable] double poly(double a, double b, double x) { return a * x * x + b * x; }
[Differentiable] float square(float x) { return x * x; }
[Differentiable] half half_square(half x) { return x * x; }
[Differentiable] double3 scale(double3 v, double s) { return v * v * s; }
[Differentiable] double entries(double2x2 m) { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }
[Differentiable] float shade(Material m) { return m.roughness * m.color.x + m.color.y; }
[Differentiable] double weighted(double x, no_diff double w, int k) { return x * x * w * k; }
[Differentiable]
void split(double x, out double low, inout double high) { low = x * x; high = high * x; }
[Differentiable]
void put(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y) { y[i] = x[i] * x[i]; }
[Differentiable] double tie(double x[3]) { return x[0] * x[1] + x[2]; }
float plain(float x) { return 3 * x; }
[Differentiable] float counted(float x, out int n) { n = 2; return x * x; }
struct Gain { float gain; [Differentiable] float apply(float x) { return gain * x; } }
"""


@pytest.fixture(scope="module")
def module(device):
    if not device.info.features.float64:
        pytest.skip("the device has no double")
    return weft.Module.load_from_source(device, "torch_autograd", SOURCE)


def doubles(*shape, seed=1):
    generator = torch.Generator().manual_seed(seed)
    made = torch.rand(shape, dtype=torch.float64, generator=generator) + 0.5
    return made.requires_grad_()


CASES = {
    "elementwise": lambda m, x: m.poly(x[0], x[1], x[2]),
    "broadcast": lambda m, x: m.poly(x[0, 0], x[1, :1], x[2]),
    "vectors": lambda m, x: m.scale(x, x[:, 0]),
    "a matrix": lambda m, x: m.entries(x[:2, :2]),
    "a number and a constant": lambda m, x: m.poly(2.0, x[0], 0.5),
    "one tensor twice": lambda m, x: m.poly(x, x, x),
    "transposed": lambda m, x: m.poly(x.T, 1.0, x[0, 0]),
    "expanded": lambda m, x: m.poly(x[0, :1].expand(3), 1.0, x[0]),
    "strided": lambda m, x: m.poly(x[::2], 1.0, x[:, ::2][::2, :1]),
    "an output and one that is changed": lambda m, x: split_of(m, x[0], x[1]),
    "a list": lambda m, x: m.tie([x[0, 0], x[0, 1], 2.0]),
    "beside constants": lambda m, x: m.weighted(x, 3.0, torch.tensor([1, 2, 3])),
}


def split_of(module, x, high):
    low, high = torch.zeros_like(x.detach()), high * 1
    module.split(x, low, high)
    return low * high


@pytest.mark.parametrize("case", CASES)
def test_gradients_pass_gradcheck(module, case):
    def function(x):
        return CASES[case](module, x)

    assert torch.autograd.gradcheck(function, (doubles(3, 3),), fast_mode=False)


def test_forward_mode_and_batches_of_gradients_pass_gradcheck(module):
    def function(a, x):
        return module.poly(a, 2.0, x)

    assert torch.autograd.gradcheck(
        function, (doubles(), doubles(3)), check_forward_ad=True, check_batched_grad=True
    )


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_a_gradient_has_the_type_of_its_tensor(module, dtype):
    x = torch.tensor([1.0, 2.0, 3.0]).to(dtype).requires_grad_()

    module.square(x).sum().backward()

    assert x.grad.dtype == dtype
    assert x.grad.tolist() == [2, 4, 6]


def test_half_precision_has_gradients(module):
    x = torch.tensor([1.0, 2.0], dtype=torch.float16, requires_grad=True)

    result = module.half_square(x)
    result.backward(torch.ones_like(result))

    assert result.dtype == x.grad.dtype == torch.float16
    assert x.grad.tolist() == [2, 4]


def test_fields_of_a_structure_have_gradients_each(module):
    roughness = torch.tensor([1.0, 2.0], requires_grad=True)
    color = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)

    module.shade({"roughness": roughness, "color": color}).sum().backward()

    assert roughness.grad.tolist() == [1, 4]
    assert color.grad.tolist() == [[1, 1, 0], [2, 1, 0]]


def test_whole_tensors_have_gradients_and_take_them(module):
    x, y = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.zeros(3)

    module.put(weft.grid((3,)), x, y)
    (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()

    assert y.tolist() == [1, 4, 9]
    assert x.grad.tolist() == [2, 40, 600]


def test_a_given_result_is_an_output(module):
    x, to = torch.tensor([1.0, 2.0], requires_grad=True), torch.zeros(2)

    assert module.square(x, _result=to) is None
    to.sum().backward()

    assert type(to.grad_fn).__name__ == "squareBackward"
    assert x.grad.tolist() == [2, 4]


def test_several_results_have_gradients_each(module):
    x, high = doubles(3), doubles(3, seed=2)

    low = module.split(x, None, high.detach().clone())
    low.sum().backward()

    assert torch.allclose(x.grad, 2 * x)


def test_a_gradient_that_nobody_asked_for_is_not_made(module):
    a, x = doubles(), doubles(3).detach()

    module.poly(a, 1.0, x).sum().backward()

    assert torch.allclose(a.grad, (x * x).sum())
    assert x.grad is None


def test_results_of_integers_do_not_require_gradients(module):
    value, count = module.counted(torch.ones(2, requires_grad=True))

    assert value.requires_grad
    assert not count.requires_grad
    assert count.dtype == torch.int32


GRADIENT_MODES = {
    "enabled": torch.enable_grad,
    "no_grad": torch.no_grad,
    "inference_mode": torch.inference_mode,
}


@pytest.mark.parametrize(
    "order", [*itertools.permutations(itertools.product(GRADIENT_MODES, (True, False)), 2)]
)
def test_a_call_is_a_node_only_where_torch_records(module, order):
    for mode, requires in order:
        x = torch.ones(2).requires_grad_(requires)
        with GRADIENT_MODES[mode]():
            result = module.square(x)
        is_recorded = requires and mode == "enabled"
        assert result.requires_grad == is_recorded
        assert (result.grad_fn is not None) == is_recorded


def test_a_function_without_derivative_warns_once_and_returns_values(device):
    name = f"lone_{device.info.type.name}"  # warned of once a process
    text = f"float {name}(float x) {{ return 3 * x; }}"
    function = weft.Module.load_from_source(device, "plain", text).find_function(name)
    x = torch.ones(2, requires_grad=True)

    with pytest.warns(weft.GradientWarning, match=rf"{name} is not \[Differentiable\]"):
        result = function(x)
    assert not result.requires_grad
    assert function(x).tolist() == [3, 3]  # a second warning would be an error


def test_batches_of_a_function_without_derivative_warn_where_gradients_are_asked_for(device):
    name = f"lone_batch_{device.info.type.name}"  # warned of once a process
    text = f"float {name}(float x) {{ return 3 * x; }}"
    function = weft.Module.load_from_source(device, "plain_batch", text).find_function(name)
    rows = torch.ones(2, 2)

    assert torch.func.vmap(function)(rows).tolist() == [[3, 3], [3, 3]]  # a warning is an error
    with pytest.warns(weft.GradientWarning, match=rf"{name} is not \[Differentiable\]"):
        torch.func.vmap(function)(rows.clone().requires_grad_())


def test_torch_func_of_a_function_without_derivative_warns(device):
    name = f"lone_grad_{device.info.type.name}"
    text = f"float {name}(float x) {{ return 3 * x; }}"
    function = weft.Module.load_from_source(device, "plain_grad", text).find_function(name)

    with pytest.warns(weft.GradientWarning, match=rf"{name} is not \[Differentiable\]"):
        slope = torch.func.grad(lambda x: function(x) + x)(torch.ones(()))

    assert slope == 1


def test_writing_a_leaf_is_the_error_of_torch_and_writes_nothing(module):
    to = torch.zeros(2, requires_grad=True)

    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        module.square(torch.ones(2), _result=to)
    assert to.tolist() == [0, 0]


def test_a_saved_input_that_was_changed_is_the_error_of_torch(module):
    x = torch.ones(2, requires_grad=True) * 2
    result = module.square(x)
    module.plain(torch.ones(2), _result=x.detach())

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_a_graph_may_be_walked_twice(module):
    x = doubles(3)
    result = split_of(module, x, doubles(3, seed=2)).sum()

    result.backward(retain_graph=True)
    first = x.grad.clone()
    result.backward()

    assert torch.allclose(x.grad, 2 * first)


def test_second_derivatives_are_refused_and_never_wrong(module):
    x = doubles(3)
    (slope,) = torch.autograd.grad(module.poly(1.0, 2.0, x).sum(), x, create_graph=True)

    assert torch.allclose(slope, 2 * x + 2)
    with pytest.raises(weft.ArgumentError, match="poly: torch asks for the derivative of its"):
        slope.sum().backward()


def test_a_tensor_with_a_history_is_not_written_where_the_function_chooses(module):
    with pytest.raises(weft.ArgumentError, match=r"put: parameter 'y'.*would be lost"):
        module.put(weft.grid((2,)), torch.ones(3), torch.ones(3, requires_grad=True) * 1)


def test_another_kind_of_result_leaves_torch_out_of_it(module):
    x = torch.ones(2, requires_grad=True)

    assert isinstance(module.square(x, _result="tensor"), weft.Tensor)
    assert module.square(x, _result="numpy").tolist() == [1, 1]


def test_a_structure_as_a_result_is_refused_while_torch_records(device):
    source = """
        struct Two : IDifferentiable { float a; float b; }
        [Differentiable] Two both(float x) { Two t; t.a = x; t.b = x * x; return t; }
    """
    module = weft.Module.load_from_source(device, "both", source)

    with pytest.raises(weft.ArgumentError, match="both: its result is a structure"):
        module.both(torch.ones(2, requires_grad=True))
    with torch.no_grad():
        assert module.both(torch.ones(2, requires_grad=True))["b"].tolist() == [1, 1]


def test_an_edited_source_has_no_derivative_for_older_calls(device, tmp_path):
    path = tmp_path / "edited.slang"
    path.write_text("[Differentiable] float f(float x) { return 2 * x; }")
    module = weft.Module.load_from_file(device, str(path))
    x = torch.ones(2, requires_grad=True)
    result = module.f(x).sum()

    path.write_text("[Differentiable] float f(float x) { return 5 * x; }")
    module.reload()

    with pytest.raises(weft.ArgumentError, match="f: its source was edited"):
        result.backward()
    module.f(x).sum().backward()
    assert x.grad.tolist() == [5, 5]


def test_functional_transforms(module):
    x = doubles(3).detach()

    def f(t):
        return module.poly(1.0, 2.0, t)

    expected = torch.diag(2 * x + 2)
    assert torch.allclose(torch.func.grad(lambda t: f(t).sum())(x), 2 * x + 2)
    assert torch.allclose(torch.func.vjp(f, x)[1](torch.ones_like(x))[0], 2 * x + 2)
    assert torch.allclose(torch.func.jvp(f, (x,), (torch.ones_like(x),))[1], 2 * x + 2)
    assert torch.allclose(torch.func.jacrev(f)(x), expected)
    assert torch.allclose(torch.func.jacfwd(f)(x), expected)
    rows = torch.rand(4, 3, dtype=torch.float64)
    assert torch.allclose(torch.func.vmap(f)(rows), f(rows))


def test_checkpoints_and_hooks_of_saved_tensors(module):
    x = doubles(3)
    packed = []

    def pack(tensor):
        packed.append(tensor.shape)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = module.poly(1.0, 2.0, x)
    result.sum().backward()
    assert packed

    y = doubles(3)
    torch.utils.checkpoint.checkpoint(
        lambda t: module.poly(1.0, 2.0, t), y, use_reentrant=False
    ).sum().backward()
    assert torch.allclose(y.grad, x.grad)


def test_optimisers_of_torch_train_through_slang(module):
    weight = torch.nn.Parameter(torch.tensor(3.0, dtype=torch.float64))
    optimiser = torch.optim.Adam([weight], lr=0.1)
    x = torch.linspace(0, 1, 8, dtype=torch.float64)

    for _ in range(200):
        optimiser.zero_grad()
        loss = (module.poly(weight, 0.0, x) - 0.5 * x * x).square().mean()
        loss.backward()
        optimiser.step()

    assert abs(weight.item() - 0.5) < 0.02
