# SPDX-License-Identifier: Apache-2.0
"""Slang functions as operators of torch.library: traced, compiled, exported, batched."""

from __future__ import annotations

import shutil

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

from weft.torch import bridge  # noqa: E402

# torch's own parts use what other parts call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

SOURCE = """
struct Material : IDifferentiable { float roughness; float3 color; }
[Differentiable] float poly(float a, float b, float x) { return a * x * x + b * x; }
[Differentiable]
float split(float x, out float low, inout float high)
{
    low = x * x;
    high = high * x;
    return 3 * x;
}
[Differentiable]
void put(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y) { y[i] = x[i] * x[i]; }
[Differentiable] float3 shade(Material m, float3 n) { return m.roughness * m.color * n; }
T squared<T : __BuiltinFloatingPointType>(T x) { return x * x; }
float plain(float x) { return x + 1; }
[Differentiable] float counted(float x, out int n) { n = 2; return x * x; }
float defaulted(float x, float gain = 2.5) { return gain * x; }
int2 corner(int2 at) { return at + 1; }
[Differentiable] float entry(float2x2 m) { return m[0][0] * m[1][1] - m[0][1]; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "torch_operator", SOURCE)


@pytest.fixture(scope="module")
def ops(module, device):
    names = "poly split put shade squared plain counted defaulted corner entry".split()
    library = f"weft_{device.info.type.name}"
    return {name: weft.torch.op(getattr(module, name), name=f"{library}::{name}") for name in names}


def numbers(*shape, seed=1, **options):
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(shape, generator=generator) + 0.5).requires_grad_(**options)


SAMPLES = {
    "poly": lambda: (numbers(), torch.tensor(2.0), numbers(3)),
    "split": lambda: (numbers(3), numbers(3, seed=2)),
    "put": lambda: (torch.arange(3), numbers(3), torch.zeros(4)),
    "shade": lambda: (numbers(4), numbers(4, 3), torch.ones(2, 4, 3)),
    "squared": lambda: (torch.rand(3, dtype=torch.float64),),
    "counted": lambda: (numbers(2),),
    "corner": lambda: (torch.tensor([[1, 2], [3, 4], [5, 6]], dtype=torch.int32),),
    "entry": lambda: (numbers(3, 2, 2),),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_all_utilities_of_opcheck_pass(ops, name):
    assert set(torch.library.opcheck(ops[name].overload, SAMPLES[name]()).values()) == {"SUCCESS"}


@pytest.mark.parametrize("name", SAMPLES)
def test_an_operator_gives_what_the_function_gives(module, ops, name):
    tensors = [tensor.detach() for tensor in SAMPLES[name]()]
    fake = ops[name].overload(*(tensor.to("meta") for tensor in tensors))
    real = ops[name].overload(*tensors)

    for made, known in zip(flat(real), flat(fake), strict=True):
        assert (made.shape, made.dtype) == (known.shape, known.dtype)
    if name not in ("put", "shade", "split"):
        assert torch.equal(flat(real)[0], flat(getattr(module, name)(*tensors))[0])


def flat(value):
    return value if isinstance(value, tuple) else (value,)


def test_arguments_are_those_of_the_function(ops):
    x, high = numbers(3, requires_grad=False), numbers(3, seed=2, requires_grad=False)
    before, low = high.clone(), torch.zeros(3)

    result = ops["split"](x, low=low, high=high)

    assert torch.allclose(result, 3 * x)
    assert torch.allclose(low, x * x)
    assert torch.allclose(high, before * x)
    assert ops["poly"](1, 2.0, [1.0, 2.0]).tolist() == [3, 8]
    assert ops["defaulted"](x=2.0).item() == 5
    assert ops["defaulted"](2.0, 3.0).item() == 6
    assert ops["shade"]({"roughness": 2.0, "color": [1.0, 2.0, 3.0]}, torch.ones(3)).shape == (3,)
    place = torch.zeros(2)
    assert ops["poly"](1.0, 0.0, torch.ones(2), _result=place) is None
    assert place.tolist() == [1, 1]


def test_gradients_are_those_of_the_formula(ops):
    x, high = numbers(3), numbers(3, seed=2)

    written = high * 1
    result, low = ops["split"](x, None, written)
    (result + low + written).sum().backward()

    assert torch.allclose(x.grad, 3 + 2 * x + high)
    assert torch.allclose(high.grad, x)


def compiled_sum(ops):
    def function(x, high):
        result, low = ops["split"](x * 2, None, high)
        lit = ops["shade"]({"roughness": x, "color": torch.ones(3)}, [1.0, 2.0, 3.0])
        return ops["poly"](1.0, 2.0, x * 2) + result + low + lit.sum()

    return function


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled_without_a_break_for_any_size(ops, backend):
    torch._dynamo.reset()
    run = torch.compile(compiled_sum(ops), backend=backend, fullgraph=True, dynamic=True)

    for size in (3, 5):
        x, high = numbers(size), torch.ones(size)
        run(x, high).sum().backward()
        t = x.detach().clone().requires_grad_()
        u = 2 * t
        value = u * u + 2 * u + 3 * u + u * u + 6 * t.sum()
        value.sum().backward()
        assert torch.allclose(x.grad, t.grad, rtol=1e-5)
        assert torch.allclose(high, u)


@pytest.mark.full
@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a C++ compiler")
def test_compiled_by_inductor(ops):
    torch._dynamo.reset()
    run = torch.compile(lambda x: ops["poly"](1.0, 2.0, x * 2) + 1, fullgraph=True)
    x = numbers(5)

    run(x).sum().backward()

    assert torch.allclose(x.grad, 2 * (2 * (2 * x) + 2), rtol=1e-5)


def test_exported_and_traced(ops):
    class Layer(torch.nn.Module):
        def forward(self, x):
            return ops["poly"](1.0, 2.0, x) + 1

    sizes = ({0: torch.export.Dim("n")},)
    program = torch.export.export(Layer(), (torch.rand(4),), dynamic_shapes=sizes)
    traced = make_fx(lambda x: ops["poly"](1.0, 2.0, x), tracing_mode="symbolic")(torch.rand(3))

    assert torch.allclose(program.module()(torch.ones(6)), torch.full((6,), 4.0))
    assert "poly.default" in program.graph_module.code
    assert torch.allclose(traced(torch.ones(5)), torch.full((5,), 3.0))


def test_functional_transforms(ops):
    x = numbers(4, requires_grad=False)

    def f(t):
        return ops["poly"](1.0, 2.0, t)

    assert torch.allclose(torch.func.grad(lambda t: f(t).sum())(x), 2 * x + 2)
    assert torch.allclose(torch.func.jvp(f, (x,), (torch.ones(4),))[1], 2 * x + 2)
    assert torch.allclose(torch.func.jacrev(f)(x), torch.diag(2 * x + 2))
    assert torch.allclose(torch.func.jacfwd(f)(x), torch.diag(2 * x + 2))


def test_a_batch_is_one_call(module, ops, monkeypatch):
    rows, scale = numbers(5, 3, requires_grad=False), torch.arange(5.0)
    calls = []
    kernels = weft.torch.kernels
    pull = kernels.Kernels._batched
    monkeypatch.setattr(
        kernels.Kernels, "_batched", lambda *given: calls.append(given) or pull(*given)
    )

    found = torch.func.vmap(lambda a, x: ops["poly"](a, 1.0, x))(scale, rows)
    lit = torch.func.vmap(
        lambda c, n: ops["shade"]({"roughness": 1.0, "color": c}, n), in_dims=(1, None)
    )(rows[:3].T.contiguous(), torch.ones(2, 3))

    assert len(calls) == 2
    assert torch.allclose(found, scale[:, None] * rows**2 + rows)
    assert torch.allclose(lit, rows[:3, None].expand(3, 2, 3))


def test_a_batch_of_whole_tensors_is_a_call_each(ops):
    rows = numbers(2, 3, requires_grad=False)

    found = torch.func.vmap(lambda x: ops["put"].overload(torch.arange(3), x, torch.zeros(3)))(rows)

    assert torch.allclose(found, rows**2)


def test_second_derivatives_and_lost_histories_are_refused(ops):
    x = numbers(3)
    (slope,) = torch.autograd.grad(ops["poly"](1.0, 2.0, x).sum(), x, create_graph=True)

    with pytest.raises(weft.ArgumentError, match="poly: torch asks for the derivative of its"):
        slope.sum().backward()
    with pytest.raises(weft.ArgumentError, match=r"put: parameter 'y'.*would be lost"):
        ops["put"](torch.arange(3), x, x * 1)


def test_a_function_without_derivative_warns(ops, monkeypatch):
    monkeypatch.setattr(bridge, "_warned", set())  # once a process, and the devices share it
    with pytest.warns(weft.GradientWarning, match=r"plain is not \[Differentiable\]"):
        assert not ops["plain"](numbers(2)).requires_grad


REFUSED = {
    "float two(float x) { return x; } int two(int x) { return x; }": ("two", "2 overloads"),
    "struct S { float a; };\nS made(float a) { S s; s.a = a; return s; }": (
        "made",
        "more than one tensor",
    ),
    "float at(float* x) { return *x; }": ("at", "ITensor or IRWTensor"),
    "void nothing(float x) {}": ("nothing", "at least one tensor"),
    "vector<float, N> wide<let N : int>(vector<float, N> x) { return x; }": ("wide", "fixed"),
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_cannot_be_an_operator_is_refused(device, source):
    name, message = REFUSED[source]
    module = weft.Module.load_from_source(device, f"refused_{name}", source)

    with pytest.raises(weft.ArgumentError, match=f"op: .*{message}"):
        weft.torch.op(getattr(module, name), name=f"refused::{name}")


def test_wrong_names_and_arguments_are_refused(module, ops):
    for name in ("poly", "a::b::c", "a-b::c", 3):
        with pytest.raises(weft.ArgumentError, match="name must be 'library::name'"):
            weft.torch.op(module.poly, name=name)
    with pytest.raises(weft.ArgumentTypeError, match="must be a function of a module"):
        weft.torch.op(lambda x: x, name="refused::lambda")
    with pytest.raises(weft.ArgumentTypeError, match="argument 'c' is none of its parameters"):
        ops["poly"](1.0, 2.0, c=3.0)
    with pytest.raises(weft.ArgumentTypeError, match=r"argument 'x'.*got nothing"):
        ops["poly"](1.0, 2.0)
    with pytest.raises(weft.ArgumentTypeError, match="takes 3 arguments, got 4"):
        ops["poly"](1.0, 2.0, 3.0, 4.0)
    with pytest.raises(weft.ArgumentError, match=r"needs a tensor of shape \(..., 2, 2\)"):
        ops["entry"](torch.ones(3, 3, device="meta"))


def test_an_edited_declaration_needs_a_new_operator(device, tmp_path):
    path = tmp_path / "edited_operator.slang"
    path.write_text("[Differentiable] float f(float x) { return 2 * x; }")
    module = weft.Module.load_from_file(device, str(path))
    operator = weft.torch.op(module.f, name="edited::f")
    x = numbers(2)
    result = operator(x).sum()

    path.write_text("[Differentiable] float f(float x) { return 5 * x; }")
    module.reload()
    with pytest.raises(weft.ArgumentError, match="f: its source was edited"):
        result.backward()
    assert torch.allclose(operator(x), 5 * x)

    path.write_text("float f(float x, float y) { return 5 * x; }")
    module.reload()
    with pytest.raises(weft.ArgumentError, match="its declaration was edited"):
        operator(x)
