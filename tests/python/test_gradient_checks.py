# SPDX-License-Identifier: Apache-2.0
"""check_gradients of devices: what reverse mode gets wrong is an error, and nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import weft
from weft import Tensor

# Derivatives of its own, spelt so that nobody takes them for intent: the compiler
# will not be wrong for ever.
WRONG = """
#define OWN(name) [Backward##Derivative(name##_bwd), Forward##Derivative(name##_fwd)]
typealias Pair = DifferentialPair<float>;
void halved_bwd(inout Pair x, float d) { x = diffPair(x.p, .5f * d * 3 * x.p * x.p); }
Pair halved_fwd(Pair x) { return diffPair(x.p * x.p * x.p, 3 * x.p * x.p * x.d); }
OWN(halved) float halved(float x) { return x * x * x; }
void lost_bwd(inout Pair x, float d) { x = diffPair(x.p, x.p > .7f ? 0.f : d); }
Pair lost_fwd(Pair x) { return x; }
OWN(lost) float lost(float x) { return x; }
void nearly_bwd(inout Pair x, float d) { x = diffPair(x.p, 1.003f * d); }
Pair nearly_fwd(Pair x) { return x; }
OWN(nearly) float nearly(float x) { return x; }
void only_bwd(inout Pair x, float d) { x = diffPair(x.p, d); }
#define ONLY [Backward##Derivative(only_bwd)]
ONLY float only(float x) { return x; }
[Differentiable] float blind(float x) { float y[1] = { x }; return only(y[0]); }
[Differentiable] float half_of(float x) { float y[1] = { x }; return halved(y[0]) + x; }
[Differentiable] float far(float x) { float y[1] = { x }; return lost(y[0]); }
[Differentiable] float close(float x) { float y[1] = { x }; return nearly(y[0]); }
[Differentiable] float weighed(float3 weights, float x) { return halved(weights[1]) * x; }
[Differentiable] void stored(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y)
{
    y[i] = halved(x[i]);
}
"""

RIGHT = """
[Differentiable] float powers(float x, int count)
{
    float product = 1.f;
    [MaxIters(8)]
    for (int i = 0; i < count; i++)
        product *= x;
    return product;
}
[Differentiable] float kink(float x) { float y[2] = { x, 0.f }; return max(y[0], y[1]); }
[Differentiable] float steps(float x)
{
    float y[2] = { x, 0.f };
    return no_diff(floor(8 * y[0])) + y[0];
}
[Differentiable] float chaos(float x)
{
    [MaxIters(80)]
    for (int i = 0; i < 80; i++)
        x = 3.9f * x * (1.f - x);
    return x;
}
[Differentiable] float steep(float x) { float y[1] = { x }; return tanh(1e6f * (y[0] - .5f)); }
[Differentiable] float root(float x) { float y[1] = { x }; return sqrt(y[0]); }
[Differentiable] float large(float x) { float y[1] = { x }; return y[0] * 1e20f * y[0] * 1e-20f; }
[Differentiable] float cancel(float x) { float y[1] = { x }; return (y[0] + 1e6f) - 1e6f; }
[Differentiable] float noise(float x, float r) { float y[1] = { x }; return y[0] * r; }
[Differentiable] float fixedPart(float x) { float y[1] = { x }; return detach(y[0]) * y[0]; }
struct Paint : IDifferentiable { float3 color; float weight; int layer; }
[Differentiable] float energy(Paint p)
{
    float y[1] = { p.weight };
    return dot(p.color, p.color) * y[0];
}
[Differentiable] float look(int i, IDiffTensor<float, 1> x) { return x[i] * x[0]; }
[Differentiable] void write(int i, IDiffTensor<float, 1> x, IWDiffTensor<float, 1> y)
{
    y[i] = x[i] * x[i];
}
[Differentiable] void inc(float a, inout float v) { float y[1] = { v }; v = y[0] * 3 + a * a; }
[Differentiable] double cube(double x) { double y[1] = { x }; return y[0] * y[0] * y[0]; }
[Differentiable] half twice(half x) { half y[1] = { x }; return y[0] + y[0]; }
[Differentiable] void in_place(int i, IRWDiffTensor<float, 1> x) { x[i] = x[i] * x[i]; }
[Differentiable] float pointed(int i, no_diff float* p, float x) { return p[i] * x; }
"""


@pytest.fixture
def checked(device):
    """The device with its checks on; the other tests' switch is put back."""
    before = device.check_gradients
    device.check_gradients = True
    yield device
    device.check_gradients = before


@pytest.fixture
def module(device):
    """A module of its own for each test: each kernel is looked at once."""
    return weft.Module.load_from_source(device, "gradient_checks", RIGHT)


def held(device, values, dtype=np.float32):
    return Tensor.from_numpy(device, np.asarray(values, dtype)).with_grads()


def ones(device, shape, dtype=np.float32):
    """A result whose gradient is 1."""
    result = held(device, np.zeros(shape), dtype)
    result.grad.copy_from_numpy(np.ones(shape, dtype))
    return result


def outcome(function, *arguments, **options):
    """The line of explain() on the check, once that is done."""
    function.bwds(*arguments, **options)
    function.device.wait_for_gradient_checks()
    lines = function.bwds.explain(*arguments, **options).splitlines()
    return next((line for line in lines if "against forward mode" in line), "")


X = np.linspace(0.1, 0.9, 50).astype(np.float32)


def test_right_gradients_are_found_right(checked, module):
    found = outcome(module.powers, held(checked, X), 5, _result=ones(checked, 50))

    assert "right at 4 elements" in found


@pytest.mark.parametrize("name", ["kink", "steps", "steep", "root", "large", "cancel", "chaos"])
@pytest.mark.parametrize(
    "values", [X, np.zeros(50), -X, 1e30 * X, np.full(50, np.nan), np.full(50, 0.5)]
)
def test_edges_chaos_and_rounding_are_no_fault(checked, module, name, values):
    found = outcome(getattr(module, name), held(checked, values), _result=ones(checked, 50))

    assert "right at" in found or "undecided" in found or found == ""


def test_random_arguments_and_detached_values_are_no_fault(checked, module):
    x = held(checked, X)

    noise = outcome(module.noise, x, weft.rand_float(seed=3), _result=ones(checked, 50))
    fixed = outcome(module.fixedPart, x, _result=ones(checked, 50))

    assert "right at" in noise
    assert "right at" in fixed


def test_every_kind_of_argument_is_looked_at(checked, module):
    random = np.random.default_rng(0)
    color = random.random((50, 3), np.float32)
    whole = Tensor.from_numpy(
        checked,
        {"color": color, "weight": X, "layer": np.zeros(50, np.int32)},
        module.Paint,
    ).with_grads()
    y = held(checked, np.zeros(50))
    y.grad.copy_from_numpy(X)
    v = held(checked, X)
    v.grad.copy_from_numpy(X)

    for found in (
        outcome(module.energy, {"color": held(checked, color), "weight": 2.0, "layer": 1},
                _result=ones(checked, 50)),
        outcome(module.energy, whole, _result=ones(checked, 50)),
        outcome(module.look, weft.grid((50,)), held(checked, X), _result=ones(checked, 50)),
        outcome(module.write, weft.grid((50,)), held(checked, X), y),
        outcome(module.inc, X, v),
        outcome(module.powers, held(checked, X.reshape(5, 10)), np.arange(1, 6)[:, None],
                _result=ones(checked, (5, 10))),
        outcome(module.powers, weft.diffPair(X), 2, _result=weft.diffPair(X, X)),
        outcome(module.powers, held(checked, 2.0), 3, _result=ones(checked, (4,))),
    ):  # fmt: skip
        assert "right at" in found


def test_doubles_are_looked_at_and_halves_left_out(checked, module):
    if checked.info.features.float64:
        found = outcome(
            module.cube, held(checked, X, np.float64), _result=ones(checked, 50, np.float64)
        )
        assert "right at" in found
    if checked.info.features.float16:
        found = outcome(
            module.twice, held(checked, X, np.float16), _result=ones(checked, 50, np.float16)
        )
        assert "left out, no float or double has a gradient" in found


def test_what_cannot_be_looked_at_says_why(checked, module):
    x = Tensor.ones(checked, (5,)).with_grads(
        grad_in=Tensor.ones(checked, (5,)), grad_out=Tensor.zeros(checked, (5,))
    )
    in_place = outcome(module.in_place, weft.grid((5,)), x)
    pointed = outcome(
        module.pointed, weft.grid((5,)), Tensor.ones(checked, (5,)), held(checked, X[:5]),
        _result=ones(checked, 5),
    )  # fmt: skip

    assert "left out, it reads and writes one tensor" in in_place
    assert "left out, it takes a pointer" in pointed


def test_functions_without_loops_and_indices_are_not_looked_at(checked):
    plain = weft.Module.load_from_source(
        checked, "plain_functions", "[Differentiable] float square(float x) { return x * x; }"
    )

    assert outcome(plain.square, held(checked, X), _result=ones(checked, 50)) == ""


def test_derivatives_of_the_users_own_may_differ(checked):
    own = weft.Module.load_from_source(
        checked,
        "own_derivatives",
        """
        void through_bwd(inout DifferentialPair<float> x, float d) { x = diffPair(x.p, d); }
        [BackwardDerivative(through_bwd)] float through(float x) { return round(x); }
        [Differentiable] float rounded(float x) { float y[1] = { x }; return through(y[0]); }
        """,
    )

    assert outcome(own.rounded, held(checked, X), _result=ones(checked, 50)) == ""


def test_the_switches_of_device_and_module_turn_it_off(checked):
    source = "[Differentiable] float f(float x) { float y[1] = { x }; return y[0]; }"
    one = weft.Module.load_from_source(checked, "unchecked_module", source)
    one.check_gradients = False
    other = weft.Module.load_from_source(checked, "unchecked_device", source)

    assert outcome(one.f, held(checked, X), _result=ones(checked, 50)) == ""
    checked.check_gradients = False
    assert outcome(other.f, held(checked, X), _result=ones(checked, 50)) == ""


def test_later_changes_of_the_arguments_do_not_matter(checked, module):
    x = held(checked, X + 1)

    module.powers.bwds(x, 3, _result=ones(checked, 50))
    x.fill(np.nan)

    checked.wait_for_gradient_checks()
    assert "right at" in module.powers.bwds.explain(x, 3, _result=ones(checked, 50))


def test_a_check_begins_with_the_first_call_only(checked):
    module = weft.Module.load_from_source(
        checked,
        "first_calls",
        "[Differentiable] float f(float x) { float y[1] = { x }; return y[0]; }",
    )
    x, result = held(checked, X), ones(checked, 50)
    module.f.bwds(x, _result=result)
    checked.wait_for_gradient_checks()
    before = checked.compiler_statistics

    for count in range(5, 50):
        module.f.bwds(held(checked, X[:count]), _result=ones(checked, count))
    checked.wait_for_gradient_checks()

    assert checked.compiler_statistics["kernel_misses"] - before["kernel_misses"] < 10


@pytest.fixture
def wrong(checked):
    """A module of its own for each test: it remembers what was found."""
    return weft.Module.load_from_source(checked, "wrong_gradients", WRONG)


def test_wrong_gradients_are_an_error_of_the_next_call(checked, wrong):
    x, result = held(checked, X), ones(checked, 50)
    wrong.half_of.bwds(x, _result=result)
    while "under way" in wrong.half_of.bwds.explain(x, _result=result):
        time.sleep(0.05)

    for _ in range(2):  # every backward call
        with pytest.raises(weft.GradientError) as caught:
            wrong.half_of.bwds(x, _result=result)
    assert "half_of.bwds: its gradients are wrong: at element (" in str(caught.value)
    assert "in reverse mode, and" in str(caught.value)
    assert "check_gradients=False" in str(caught.value)
    assert np.allclose(wrong.half_of(X).numpy(), X**3 + X)  # values are right
    assert isinstance(caught.value, ArithmeticError)
    assert isinstance(caught.value, weft.Error)


def test_wrong_gradients_are_an_error_of_the_call_of_the_function_itself_once(checked, wrong):
    wrong.half_of.bwds(held(checked, X), _result=ones(checked, 50))
    with pytest.raises(weft.GradientError):
        checked.wait_for_gradient_checks()
    wrong.half_of(X)

    other = weft.Module.load_from_source(checked, "wrong_gradients_again", WRONG)
    x, result = held(checked, X), ones(checked, 50)
    other.half_of.bwds(x, _result=result)
    while "under way" in other.half_of.bwds.explain(x, _result=result):
        time.sleep(0.05)
    with pytest.raises(weft.GradientError):
        other.half_of(X)
    other.half_of(X)


def test_wrong_gradients_are_an_error_of_wait(checked, wrong):
    x, result = held(checked, X), ones(checked, 50)
    wrong.half_of.bwds(x, _result=result)
    while "under way" in wrong.half_of.bwds.explain(x, _result=result):
        time.sleep(0.05)

    with pytest.raises(weft.GradientError, match="half_of"):
        checked.wait()
    checked.wait()


def test_the_worst_element_is_named(checked, wrong):
    with pytest.raises(weft.GradientError, match=r"far.*at element \(49,\)"):
        outcome(wrong.far, held(checked, X), _result=ones(checked, 50))


def test_gradients_of_shared_arguments_and_tensors_are_looked_at(checked, wrong):
    with pytest.raises(weft.GradientError, match="weighed"):
        outcome(wrong.weighed, held(checked, [1, 2, 3]), X, _result=ones(checked, 50))
    y = held(checked, np.zeros(50))
    y.grad.copy_from_numpy(X)
    with pytest.raises(weft.GradientError, match="stored"):
        outcome(wrong.stored, weft.grid((50,)), held(checked, X), y)
    pair = weft.diffPair(X), weft.diffPair(X, X)
    with pytest.raises(weft.GradientError, match="half_of"):
        outcome(wrong.half_of, pair[0], _result=pair[1])


def test_a_difference_within_the_tolerance_is_no_fault(checked, wrong):
    assert "right at" in outcome(wrong.close, held(checked, X), _result=ones(checked, 50))


def test_forward_mode_that_is_wrong_itself_is_no_proof(checked, wrong):
    """Forward mode has no value where a function has a backward derivative only."""
    assert "undecided" in outcome(wrong.blind, held(checked, X), _result=ones(checked, 50))


def test_a_reload_forgets_what_was_wrong(checked, tmp_path):
    path = tmp_path / "reloaded.slang"
    path.write_text(WRONG)
    module = weft.Module.load_from_file(checked, path, hot_reload=False)
    x, result = held(checked, X), ones(checked, 50)
    module.half_of.bwds(x, _result=result)
    with pytest.raises(weft.GradientError):
        checked.wait_for_gradient_checks()

    path.write_text(WRONG.replace(".5f * d", "d"))
    module.reload()

    assert "right at" in outcome(module.half_of, x, _result=result)


def test_switched_off_nothing_is_raised(checked, wrong):
    x, result = held(checked, X), ones(checked, 50)
    wrong.half_of.bwds(x, _result=result)
    with pytest.raises(weft.GradientError):
        checked.wait_for_gradient_checks()

    checked.check_gradients = False
    wrong.half_of.bwds(x, _result=result)
    checked.check_gradients = True
    wrong.check_gradients = False
    wrong.half_of.bwds(x, _result=result)


SCRIPT = """
import weft, numpy as np
device = weft.create_device({options})
module = weft.Module.load_from_source(device, "m", '''{source}''')
x = weft.Tensor.from_numpy(device, np.linspace(.1, .9, 50).astype(np.float32)).with_grads()
r = weft.Tensor.zeros(device, (50,)).with_grads()
r.grad.fill(1.0)
module.f.bwds(x, _result=r)
{rest}
"""


def run_script(rest, options="", source=None, **environment):
    source = source or "[Differentiable] float f(float x) { float y[1] = { x }; return y[0]; }"
    text = textwrap.dedent(SCRIPT).format(options=options, source=source, rest=rest)
    settings = {**os.environ, "WEFT_CHECK_GRADIENTS": "1", **environment}
    return subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env=settings, timeout=300
    )


@pytest.mark.parametrize(
    "rest", ["", "device.close()", "del device, module, x, r", "device.wait()"]
)
def test_a_process_ends_cleanly_in_the_middle_of_a_check(rest):
    start = time.monotonic()

    ended = run_script(rest)

    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert time.monotonic() - start < 200


def test_what_nobody_heard_of_is_a_warning_at_exit():
    ended = run_script(
        "import time\nwhile 'under way' in module.f.bwds.explain(x, _result=r): time.sleep(.05)",
        source=WRONG.replace("half_of", "f"),
    )

    assert ended.returncode == 0
    assert "GradientWarning: f.bwds: its gradients are wrong: at element (" in ended.stderr


def test_the_environment_turns_it_off():
    ended = run_script(
        "device.wait_for_gradient_checks()\n"
        "print(device.check_gradients, 'forward mode' in module.f.bwds.explain(x, _result=r))",
        WEFT_CHECK_GRADIENTS="0",
    )

    assert ended.stdout.split() == ["False", "False"]
