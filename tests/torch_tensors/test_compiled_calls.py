# SPDX-License-Identifier: Apache-2.0
"""Plain calls of Slang functions where torch traces: torch.compile, torch.export, make_fx."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
import time

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch._dynamo.testing import CompileCounter  # noqa: E402
from torch._subclasses import FakeTensorMode  # noqa: E402
from torch.fx.experimental.proxy_tensor import make_fx  # noqa: E402

pytestmark = [
    # torch's own parts use what other parts call deprecated.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.skipif(
        torch.__version__ < "2.13", reason="plain calls break graphs of torch before 2.13"
    ),
]

SOURCE = """
struct Material : IDifferentiable { float roughness; float3 color; }
struct Pair { float a; float b; }
struct Scale { float by; [Differentiable] float apply(float x) { return by * x; } }
[Differentiable] float poly(float a, float b, float x) { return a * x * x + b * x; }
[Differentiable] float3 shade(Material m, float3 n) { return m.roughness * m.color * n; }
[Differentiable]
float split(float x, out float low, inout float high)
{
    low = x * x;
    high = high * x;
    return 3 * x;
}
[Differentiable]
void put(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y) { y[i] = x[i] * x[i]; }
Pair pair(float x) { Pair p; p.a = x; p.b = 2 * x; return p; }
float over(float x) { return x; }
float over(float2 x) { return x.x + 10; }
int entry(int i) { return 2 * i; }
float plain(float x) { return x + 1; }
uniform float offset;
float moved(float x) { return x + offset; }
namespace inner { [Differentiable] float cube(float x) { return x * x * x; } }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "torch_compiled", SOURCE)


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


def numbers(*shape, seed=1):
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) + 0.5


CALLS = {
    "numbers and tensors": lambda m, x: m.poly(2.0, 3, x * 2) + 1,
    "tensors": lambda m, x: m.poly(x, x + 1, x * 2) + 1,
    "keywords": lambda m, x: m.poly(x=x * 2, a=x, b=1.0) + 1,
    "a structure": lambda m, x: m.shade({"roughness": 2.0, "color": x}, x.sin()),
    "lists": lambda m, x: m.poly([1.0, 2.0, 3.0], 0.0, x),
    "a result of torch": lambda m, x: m.poly(x, x, x, _result="torch") + 1,
    "a namespace": lambda m, x: m.inner.cube(x * 2) + 1,
    "no derivative": lambda m, x: m.plain(x.detach()),
}


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("call", CALLS)
def test_a_call_stands_in_one_graph_forward_and_backward(module, call, backend):
    function = CALLS[call]
    compiled = torch.compile(lambda x: function(module, x), backend=backend, fullgraph=True)
    x, y = numbers(3).requires_grad_(), numbers(3).requires_grad_()

    found, wanted = compiled(x), function(module, y)

    assert torch.allclose(found, wanted)
    assert found.requires_grad == wanted.requires_grad
    if wanted.requires_grad:
        found.square().sum().backward()
        wanted.square().sum().backward()
        assert torch.allclose(x.grad, y.grad)


@pytest.mark.skipif(shutil.which("c++") is None, reason="inductor needs a C++ compiler")
def test_the_default_backend_compiles_a_call(module):
    x, y = numbers(3).requires_grad_(), numbers(3).requires_grad_()

    torch.compile(lambda t: module.poly(t, 1.0, 2 * t) + 1, fullgraph=True)(x).sum().backward()
    (module.poly(y, 1.0, 2 * y) + 1).sum().backward()

    assert torch.allclose(x.grad, y.grad)


def test_sizes_that_change_share_one_graph(module):
    count = CompileCounter()
    compiled = torch.compile(
        lambda x: module.poly(1.0, x[0], x) + 1, backend=count, fullgraph=True, dynamic=True
    )

    for size in (3, 4, 7):
        assert compiled(torch.ones(size)).tolist() == [3.0] * size
    assert count.frame_count == 1


def test_tensors_that_a_call_writes_are_written(module):
    x, low, high = numbers(3), torch.zeros(3), torch.full((3,), 2.0)

    def call(x, low, high):
        return module.split(x, low, high) + high

    found = torch.compile(call, backend="aot_eager", fullgraph=True)(x, low, high)

    assert torch.allclose(low, x * x)
    assert torch.allclose(high, 2 * x)
    assert torch.allclose(found, 5 * x)


BREAKS = {
    "a result that is a structure": lambda m, x, own: m.pair(x * 1)["b"] + 1,
    "several overloads": lambda m, x, own: m.over(x * 1) + 1,
    "a grid": lambda m, x, own: m.entry(weft.grid((3,)), _result="torch") + x,
    "a tensor of Weft": lambda m, x, own: m.poly(own, 1.0, x) + 1,
    "a result of numpy": lambda m, x, own: torch.from_numpy(m.poly(1.0, 1.0, x, _result="numpy")),
    "a method": lambda m, x, own: m.Scale.apply.bind({"by": 2.0})(x * 1) + 1,
    "a mapped function": lambda m, x, own: m.poly.map(a=(0,), x=(0,))(a=x, b=1.0, x=x * 1) + 1,
    "a uniform": lambda m, x, own: m.moved.set(offset=2.0)(x * 1) + 1,
}


@pytest.mark.filterwarnings("ignore:Dynamo does not know:UserWarning")
@pytest.mark.parametrize("call", BREAKS)
def test_what_no_operator_can_do_breaks_the_graph_and_is_right(module, device, call):
    own = weft.Tensor.from_numpy(device, numbers(3).numpy())
    x = numbers(3)

    found = torch.compile(lambda x: BREAKS[call](module, x, own), backend="eager")(x)

    assert torch.allclose(found, BREAKS[call](module, x, own))


def test_edited_code_is_traced_again(device, tmp_path):
    path = tmp_path / "edited.slang"
    path.write_text("float f(float x) { return x + 1; }")
    module = weft.Module.load_from_file(device, path)
    count = CompileCounter()
    compiled = torch.compile(lambda x: module.f(x), backend=count, fullgraph=True)
    assert compiled(torch.ones(2)).tolist() == [2, 2]

    path.write_text("float2 f(float x) { return float2(x, x + 2); }")
    end = time.monotonic() + 30
    while module.f(torch.ones(1)).dim() == 1 and time.monotonic() < end:
        time.sleep(0.1)

    assert compiled(torch.ones(2)).tolist() == [[1, 3], [1, 3]]
    assert count.frame_count == 2


def test_a_layer_of_a_plain_function_compiles_without_a_break(module):
    layer = weft.torch.Module(module.poly, parameters={"a": 2.0, "b": 1.0})

    torch.compile(layer, backend="aot_eager", fullgraph=True)(x=numbers(3)).sum().backward()

    assert torch.allclose(layer.b.grad, numbers(3).sum())


def test_tensors_that_stand_for_others_give_their_kind(module):
    with FakeTensorMode() as mode:
        x = torch.empty(4, 3)
        found = module.shade({"roughness": 1.0, "color": x}, x)
        assert found.fake_mode is mode
    assert (found.shape, found.dtype) == ((4, 3), torch.float32)

    graph = make_fx(lambda x: module.poly(2.0, 1.0, x))(torch.ones(2))
    assert graph(torch.full((2,), 2.0)).tolist() == [10, 10]
    graph = make_fx(lambda x: module.poly(x, x, x), tracing_mode="symbolic")(torch.ones(2))
    assert graph(torch.ones(5)).tolist() == [2] * 5


@pytest.mark.parametrize("strict", [False, True])
def test_a_program_that_calls_is_exported(module, strict):
    class Net(torch.nn.Module):
        def forward(self, x):
            return module.poly(x, 1.0, x) + 1

    size = torch.export.Dim("size", min=2)
    program = torch.export.export(
        Net(), (torch.ones(3),), dynamic_shapes={"x": {0: size}}, strict=strict
    )

    assert program.module()(torch.full((5,), 2.0)).tolist() == [11] * 5


def test_what_cannot_be_traced_is_no_silent_constant(module):
    with pytest.raises(weft.ArgumentError, match=r"torch traces this call.*more than one tensor"):
        make_fx(lambda x: module.pair(x)["a"])(torch.ones(2))
    with pytest.raises(weft.ArgumentError, match=r"torch traces this call.*overloads"):
        make_fx(lambda x: module.over(x))(torch.ones(2))
    with pytest.raises(weft.ArgumentError, match=r"torch traces this call.*no tensor of torch"):
        make_fx(lambda x: module.poly(weft.grid((2,)), 1.0, x))(torch.ones(2))


def test_derivatives_and_mapped_functions_are_no_operators(module):
    for changed in (module.poly.bwds, module.poly.fwds, module.poly.map(x=(0,))):
        with pytest.raises(weft.ArgumentError, match=r"op: poly was changed by bwds"):
            weft.torch.op(changed, name="torch_compiled::changed")


def test_the_call_that_torch_reads_is_the_call(module, device):
    assert module.poly.__call__(1.0, 2.0, torch.ones(2)).tolist() == [3, 3]
    assert type(module.poly).__call__(module.poly, 1.0, 2.0, 3.0) == 15
    text = f"""
        import sys, weft
        device = weft.create_device(type="{device.info.type.name}")
        module = weft.Module.load_from_source(device, "m", "float f(float x) {{ return x + 1; }}")
        assert module.f.__call__(1.0) == 2.0
        assert "torch" not in sys.modules
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(text)], check=True, timeout=240)
