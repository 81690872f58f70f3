# SPDX-License-Identifier: Apache-2.0
"""Every kind of argument through torch's own check of gradients: slow mode, batched, forward."""

from __future__ import annotations

import pytest

import weft

torch = pytest.importorskip("torch", reason="torch is not installed")

# torch's own parts use what other parts call deprecated.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")

SOURCE = """
struct Point : IDifferentiable { double2 at; double mass; }
struct Pair : IDifferentiable { Point first; Point second; }
struct Marked : IDifferentiable { double value; no_diff double weight; int power; }
struct Line : IDifferentiable
{
    double slope;
    [Differentiable] double at(double x) { return slope * x * x; }
}
interface IShape : IDifferentiable { [Differentiable] double area(double scale); }
struct Disk : IShape
{
    double radius;
    [Differentiable] double area(double s) { return s * s * radius * radius; }
}

[Differentiable] double cube(double x) { return x * x * x; }
[Differentiable] double mix3(double a, double b, double x) { return a * x * x + b * x; }
[Differentiable] double4 outer(double2 a, double2 b) { return double4(a * b.x, a * b.y); }
[Differentiable] double inner(double3 a, double3 b) { return dot(a, b); }
[Differentiable] double2 turned(double2x2 m, double2 v) { return mul(m, v); }
[Differentiable] double2x3 grown(double2x3 m, double s) { return m * s * s; }
[Differentiable]
double[2] swapped(double x[2]) { double y[2] = {x[1] * x[1], x[0] * x[1]}; return y; }
[Differentiable] double folded(double3 x[2]) { return dot(x[0], x[1]); }
[Differentiable] double moment(Point p) { return p.mass * dot(p.at, p.at); }
[Differentiable]
double apart(Pair p) { return p.first.mass * dot(p.first.at, p.second.at) * p.second.mass; }
[Differentiable] double marked(Marked m) { return m.value * m.value * m.weight * m.power; }
[Differentiable] double held(double x, no_diff double w) { return x * x * w; }
[Differentiable] double branch(double x) { if (x > 1.0) return x * x; return 3.0 * x; }
[Differentiable]
double looped(double x, int n)
{
    double s = 1;
    [MaxIters(4)] for (int i = 0; i < n; i++) s *= x;
    return s;
}
[Differentiable]
void divide(double x, out double low, out double high) { low = x * x; high = x * x * x; }
[Differentiable] double also(double x, out double2 v) { v = double2(x, x * x); return x * x * x; }
[Differentiable] void decay(inout double x, double rate) { x = x * x * rate; }
[Differentiable]
void moved(inout Point p, double by) { p.at = p.at * by; p.mass = p.mass * p.mass; }
[Differentiable] double gathered(int i, IDiffTensor<double, 1> x) { return x[i] * x[(i + 1) % 3]; }
[Differentiable]
double plane(int2 i, IDiffTensor<double, 2> x) { return x[i.x, i.y] * x[i.y, i.x]; }
[Differentiable] double concrete(int i, DiffTensor<double, 1> x) { return x[i] * x[i]; }
[Differentiable]
void scattered(int i, IDiffTensor<double, 1> x, IWDiffTensor<double, 1> y) { y[i] = x[i] * x[i]; }
[Differentiable]
void wrote(int i, IDiffTensor<double, 1> x, WDiffTensor<double, 1> y) { y[i] = x[i] * x[i]; }
[Differentiable] double fixed_of(int i, ITensor<double, 1> w, double x) { return w[i] * x * x; }
[Differentiable] T generic_square<T : __BuiltinFloatingPointType>(T x, T y) { return x * x * y; }
[Differentiable] double shaped<S : IShape>(S s, double scale) { return s.area(scale); }

[Differentiable] [ForwardDerivative(custom_forward)] [BackwardDerivative(custom_backward)]
double custom(double x, double y) { return x * x * y; }
void custom_backward(inout DifferentialPair<double> x, inout DifferentialPair<double> y, double d)
{
    x = diffPair(x.p, 2 * x.p * y.p * d);
    y = diffPair(y.p, x.p * x.p * d);
}
DifferentialPair<double> custom_forward(DifferentialPair<double> x, DifferentialPair<double> y)
{
    return diffPair(x.p * x.p * y.p, 2 * x.p * y.p * x.d + x.p * x.p * y.d);
}
[Differentiable] double slope_of(double x) { return fwd_diff(cube)(diffPair(x, 1.0)).d; }
"""


@pytest.fixture(scope="module")
def module(device):
    if not device.info.features.float64:
        pytest.skip("the device has no double")
    return weft.Module.load_from_source(device, "torch_gradcheck", SOURCE)


def doubles(*shape, seed=1):
    generator = torch.Generator().manual_seed(seed)
    made = torch.rand(shape, dtype=torch.float64, generator=generator) + 0.5
    return made.requires_grad_()


def frozen(*shape, seed=9):
    return doubles(*shape, seed=seed).detach()


def decayed(m, x, rate):
    to = x * 1
    m.decay(to, rate)
    return to


def moved(m, at, mass, by):
    point = {"at": at * 1, "mass": mass * 1}
    m.moved(point, by)
    return point["at"], point["mass"]


def divided(m, x):
    low, high = torch.zeros_like(x.detach()), torch.zeros_like(x.detach())
    m.divide(x, low, high)
    return low, high


def scattered(name):
    def function(m, x):
        to = torch.zeros(3, dtype=torch.float64)
        getattr(m, name)(weft.grid((3,)), x, to)
        return to

    return function


def result_given(m, x):
    to = torch.zeros(3, dtype=torch.float64)
    m.cube(x, _result=to)
    return to


def result_column(m, x):
    to = torch.zeros(3, 2, dtype=torch.float64)
    m.cube(x, _result=to[:, 1])
    return to


def divided_views(m, x):
    to = torch.zeros(3, 2, dtype=torch.float64)
    m.divide(x, to[:, 0], to[:, 1])
    return to


def decayed_view(m, x, rate):
    to = x * 1
    m.decay(to[:, 1], rate)
    return to


def point(at, mass):
    return {"at": at, "mass": mass}


CASES = {
    "a scalar": (lambda m, x: m.cube(x), [()]),
    "one element": (lambda m, x: m.cube(x), [(1,)]),
    "nothing": (lambda m, x: m.cube(x), [(0,)]),
    "three axes": (lambda m, x: m.cube(x), [(2, 1, 2)]),
    "broadcast": (lambda m, a, b, x: m.mix3(a, b, x), [(2, 1), (), (1, 3)]),
    "vectors": (lambda m, a, b: m.outer(a, b), [(2, 2), (2,)]),
    "one vector": (lambda m, a, b: m.inner(a, b), [(3,), (3,)]),
    "matrices": (lambda m, a, v: m.turned(a, v), [(2, 2, 2), (2,)]),
    "a matrix result": (lambda m, a, s: m.grown(a, s), [(2, 3), (2,)]),
    "arrays": (lambda m, x: m.swapped(x), [(3, 2)]),
    "a list": (lambda m, x: m.swapped([x[0], x[1]]), [(2,)]),
    "an array of vectors": (lambda m, x: m.folded(x), [(2, 2, 3)]),
    "a list of vectors": (lambda m, a, b: m.folded([a, b]), [(3,), (3,)]),
    "a structure": (lambda m, at, mass: m.moment(point(at, mass)), [(2, 2), (2,)]),
    "a field that is shared": (lambda m, at, mass: m.moment(point(at, mass)), [(2,), (3,)]),
    "structures nested": (
        lambda m, a, b: m.apart({"first": point(a, b), "second": point(frozen(2), b)}),
        [(2, 2), ()],
    ),
    "fields without gradients": (
        lambda m, x: m.marked({"value": x, "weight": 3.0, "power": 2}),
        [(3,)],
    ),
    "no_diff": (lambda m, x: m.held(x, frozen(3)), [(3,)]),
    "frozen": (lambda m, a, x: m.mix3(a, frozen(3), x), [(), (3,)]),
    "numpy beside": (lambda m, x: m.mix3(frozen(3).numpy(), 2.0, x), [(3,)]),
    "a tensor of Weft beside": (
        lambda m, x: m.mix3(weft.Tensor.from_numpy(m.device, frozen(3).numpy()), 2.0, x),
        [(3,)],
    ),
    "one tensor thrice": (lambda m, x: m.mix3(x, x, x), [(3,)]),
    "two views of one": (lambda m, x: m.mix3(x[:2], x[1:], x[1:]), [(3,)]),
    "transposed": (lambda m, x: m.cube(x.T), [(2, 3)]),
    "strided": (lambda m, x: m.cube(x[::2, 1:]), [(3, 3)]),
    "expanded": (lambda m, x: m.cube(x.expand(3, 2)), [(2,)]),
    "flipped": (lambda m, x: m.cube(x.flip(0)), [(3,)]),
    "negated": (lambda m, x: m.cube(torch._neg_view(x)), [(3,)]),
    "vectors across": (lambda m, x: m.inner(x.T, x.T), [(3, 2)]),
    "branches": (lambda m, x: m.branch(x), [(3,)]),
    "loops": (lambda m, x: m.looped(x, torch.tensor([0, 1, 3])), [(3,)]),
    "outputs given": (divided, [(3,)]),
    "outputs taken": (lambda m, x: m.divide(x), [(3,)]),
    "a result and an output": (lambda m, x: m.also(x), [(3,)]),
    "inout": (decayed, [(3,), ()]),
    "inout of a structure": (moved, [(2, 2), (2,), ()]),
    "a result given": (result_given, [(3,)]),
    "a result given as a view": (result_column, [(3,)]),
    "IDiffTensor": (lambda m, x: m.gathered(weft.grid((3,)), x), [(3,)]),
    "IDiffTensor of two axes": (lambda m, x: m.plane(weft.grid((2, 2)), x), [(2, 2)]),
    "IDiffTensor across": (lambda m, x: m.plane(weft.grid((2, 2)), x.T), [(2, 2)]),
    "DiffTensor": (lambda m, x: m.concrete(weft.grid((3,)), x), [(3,)]),
    "IWDiffTensor": (scattered("scattered"), [(3,)]),
    "WDiffTensor": (scattered("wrote"), [(3,)]),
    "ITensor beside": (lambda m, x: m.fixed_of(weft.grid((3,)), frozen(3), x), [(3,)]),
    "generic": (lambda m, x, y: m.generic_square(x, y), [(3,), ()]),
    "an interface": (lambda m, r, s: m.shaped({"_type": "Disk", "radius": r}, s), [(3,), ()]),
    "a method": (lambda m, k, x: m.Line.at.bind({"slope": k})(x), [(), (3,)]),
    "derivatives of one's own": (lambda m, x, y: m.custom(x, y), [(3,), ()]),
    "forward mode inside": (lambda m, x: m.slope_of(x), [(3,)]),
    "results given as two views": (divided_views, [(3,)]),
    "inout of a view": (decayed_view, [(3, 2), ()]),
    "mapped": (lambda m, a, x: m.mix3.map(a=(0,), x=(1,))(a=a, b=1.0, x=x), [(2,), (3,)]),
    "a list of results": (lambda m, x: (m.cube(x), m.cube(2 * x)), [(2,)]),
}

WITHOUT_TANGENTS = ("DiffTensor", "WDiffTensor")


@pytest.mark.parametrize("case", CASES)
def test_gradients_of_every_kind_of_argument(module, case):
    function, shapes = CASES[case]
    inputs = [doubles(*shape, seed=seed) for seed, shape in enumerate(shapes, 1)]

    assert torch.autograd.gradcheck(
        lambda *tensors: function(module, *tensors),
        inputs,
        fast_mode=False,
        check_forward_ad=case not in WITHOUT_TANGENTS,
        check_batched_grad=True,
        check_undefined_grad=True,
    )


@pytest.mark.parametrize("case", WITHOUT_TANGENTS)
def test_forward_mode_says_where_there_is_no_place_for_tangents(module, case):
    x = doubles(3).detach()

    with pytest.raises(weft.ArgumentError, match=f"declare the parameter as I{case}"):
        torch.func.jvp(lambda t: CASES[case][0](module, t), (x,), (torch.ones_like(x),))
