# SPDX-License-Identifier: Apache-2.0
"""Gradients that are known in closed form; sums over calls; numbers that are not finite."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import weft
from weft import Tensor

SOURCE = """
[Differentiable] float same(float x) { return x; }
[Differentiable] float product(float x[6])
{
    float result = 1.f;
    [ForceUnroll]
    for (int i = 0; i < 6; ++i)
        result *= x[i];
    return result;
}
[Differentiable] float rosenbrock(int i, IDiffTensor<float, 1> x)
{
    const float curve = x[i + 1] - x[i] * x[i];
    const float ahead = 1.f - x[i];
    return 100.f * curve * curve + ahead * ahead;
}
[Differentiable] float cross_entropy(int row, IDiffTensor<float, 2> scores, int wanted)
{
    float most = no_diff(scores[row, 0]);
    [MaxIters(16)]
    for (int i = 1; i < scores.shape[1]; ++i)
        most = max(most, no_diff(scores[row, i]));
    float sum = 0.f;
    [MaxIters(16)]
    for (int i = 0; i < scores.shape[1]; ++i)
        sum += exp(scores[row, i] - most);
    return log(sum) + most - scores[row, wanted];
}
[Differentiable] float residual(int row, IDiffTensor<float, 2> a, IDiffTensor<float, 1> x, float b)
{
    float sum = -b;
    [MaxIters(16)]
    for (int i = 0; i < a.shape[1]; ++i)
        sum += a[row, i] * x[i];
    return 0.5f * sum * sum;
}
[Differentiable] float square(float x) { return x * x; }
[Differentiable] float scaled(float x, float weight) { return x * weight; }
[Differentiable] float root(float x) { return sqrt(x); }
[Differentiable] float power(float x, float y) { return pow(x, y); }
[Differentiable] float rest(float x, float y) { return fmod(x, y); }
[Differentiable] float logarithm(float x) { return log(x); }
[Differentiable] float look_up(int entry, IDiffTensor<float, 1> table) { return table[entry]; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "closed_forms", SOURCE)


def held(device, values):
    return Tensor.from_numpy(device, np.asarray(values, np.float32)).with_grads()


def result_with(device, gradient):
    made = Tensor.zeros(device, np.shape(gradient)).with_grads()
    made.grad.copy_from_numpy(np.asarray(gradient, np.float32))
    return made


@hypothesis.given(shape=st.lists(st.integers(1, 40), min_size=1, max_size=4))
@hypothesis.settings(deadline=None, max_examples=25)
def test_the_gradient_of_a_sum_counts_the_calls(device, module, shape):
    one, each = held(device, 3.0), held(device, np.ones(shape))

    module.same.bwds(one, _result=result_with(device, np.ones(shape)))
    module.same.bwds(each, _result=result_with(device, np.ones(shape)))

    assert one.grad.numpy() == np.prod(shape)
    assert np.array_equal(each.grad.numpy(), np.ones(shape))


@pytest.mark.parametrize("zeros", [(), (2,), (1, 4)])
def test_the_gradient_of_a_product_is_the_product_of_the_others(device, module, zeros):
    x = np.random.default_rng(0).uniform(0.5, 2.0, (100, 6)).astype(np.float32)
    x[:, zeros] = 0.0
    factors = held(device, x)

    module.product.bwds(factors, _result=result_with(device, np.ones(100)))

    others = [np.delete(x, i, 1).astype(np.float64).prod(1) for i in range(6)]
    assert np.allclose(factors.grad.numpy(), np.stack(others, 1), rtol=1e-5, atol=1e-6)


def test_rosenbrock_in_many_dimensions_and_at_its_minimum(device, module):
    x = np.random.default_rng(1).uniform(-1.5, 1.5, 400).astype(np.float32)
    point, minimum = held(device, x), held(device, np.ones(400))

    for tensor in (point, minimum):
        module.rosenbrock.bwds(weft.grid((399,)), tensor, _result=result_with(device, np.ones(399)))

    x = x.astype(np.float64)
    curve = x[1:] - x[:-1] ** 2
    expected = np.zeros(400)
    expected[:-1] += -400 * curve * x[:-1] - 2 * (1 - x[:-1])
    expected[1:] += 200 * curve
    assert np.allclose(point.grad.numpy(), expected, rtol=1e-5, atol=1e-3)
    assert np.array_equal(minimum.grad.numpy(), np.zeros(400))


@pytest.mark.parametrize("offset", [0.0, 200.0])
def test_softmax_cross_entropy_gives_probabilities_less_the_truth(device, module, offset):
    random = np.random.default_rng(2)
    x = (random.uniform(-4, 4, (300, 10)) + offset).astype(np.float32)
    wanted = random.integers(0, 10, 300).astype(np.int32)
    scores, losses = held(device, x), result_with(device, np.ones(300))

    module.cross_entropy.bwds(weft.grid((300,)), scores, wanted, _result=losses)

    powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    shares = powers / powers.sum(1, keepdims=True)
    truth = np.eye(10)[wanted]
    assert np.allclose(losses.numpy(), -np.log((shares * truth).sum(1)), rtol=1e-4, atol=1e-4)
    assert np.allclose(scores.grad.numpy(), shares - truth, atol=1e-5)
    assert np.allclose(scores.grad.numpy().sum(1), 0, atol=1e-5)


def test_least_squares_gives_the_normal_equations(device, module):
    random = np.random.default_rng(3)
    a, x, b = random.standard_normal((500, 7)), random.standard_normal(7), np.ones(500)
    rows, unknowns, right = held(device, a), held(device, x), held(device, b)

    module.residual.bwds(
        weft.grid((500,)), rows, unknowns, right, _result=result_with(device, np.ones(500))
    )

    difference = a @ x - b
    assert np.allclose(unknowns.grad.numpy(), a.T @ difference, rtol=1e-4, atol=1e-3)
    assert np.allclose(rows.grad.numpy(), np.outer(difference, x), rtol=1e-4, atol=1e-4)
    assert np.allclose(right.grad.numpy(), -difference, rtol=1e-4, atol=1e-4)


@hypothesis.given(
    calls=st.lists(st.sampled_from(["square", "scaled", "same"]), min_size=1, max_size=6),
    count=st.integers(1, 300),
    is_shared=st.booleans(),
)
@hypothesis.settings(deadline=None, max_examples=25)
def test_calls_of_any_functions_add_to_what_is_there(device, module, calls, count, is_shared):
    random = np.random.default_rng(count)
    x = random.uniform(0.5, 1.5, 1 if is_shared else count).astype(np.float32)
    start = random.uniform(-1, 1, x.shape).astype(np.float32)
    given = random.uniform(-1, 1, count).astype(np.float32)
    tensor = held(device, x)
    tensor.grad.copy_from_numpy(start)
    slopes = {"square": 2 * x, "scaled": 4.0 + 0 * x, "same": 1 + 0 * x}

    for name in calls:
        more = (4.0,) if name == "scaled" else ()
        getattr(module, name).bwds(tensor, *more, _result=result_with(device, given))

    total = given.astype(np.float64).sum() if is_shared else given
    expected = start + sum(slopes[name] * total for name in calls)
    assert np.allclose(tensor.grad.numpy(), expected, rtol=1e-4, atol=1e-3)


def test_a_cleared_gradient_starts_again(device, module):
    x = held(device, [1.0, 2.0])
    module.square.bwds(x, _result=result_with(device, [1.0, 1.0]))

    x.grad.clear()
    module.square.bwds(x, _result=result_with(device, [1.0, 1.0]))

    assert np.array_equal(x.grad.numpy(), [2.0, 4.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_reaches_every_gradient_that_depends_on_it(device, module, bad):
    count = 5000
    given = np.ones(count, np.float32)
    given[17] = bad
    x, weight = held(device, np.ones(count)), held(device, 2.0)
    row = held(device, np.ones(100))
    table, entries = held(device, np.zeros(64)), (np.arange(count) % 64).astype(np.int32)

    module.scaled.bwds(x, weight, _result=result_with(device, given))
    module.scaled.bwds(
        np.ones((50, 100), np.float32), row, _result=result_with(device, given.reshape(50, 100))
    )
    index = Tensor.from_numpy(device, entries)
    module.look_up.bwds(index, table, _result=result_with(device, given))

    for gradient, place in ((x.grad, 17), (row.grad, 17), (table.grad, 17)):
        values = gradient.numpy()
        assert np.array_equal(values[place], bad, equal_nan=True)
        assert np.all(np.isfinite(np.delete(values, place)))
    assert np.array_equal(weight.grad.numpy(), bad, equal_nan=True)


def test_infinite_slopes_are_infinite_but_slang_bounds_that_of_sqrt(device, module):
    x, y = held(device, [0.0, 4.0]), held(device, [0.0, 4.0])

    module.logarithm.bwds(x, _result=result_with(device, [1.0, 1.0]))
    module.root.bwds(y, _result=result_with(device, [1.0, 1.0]))

    assert np.array_equal(x.grad.numpy(), [np.inf, 0.25])
    # Slang differentiates sqrt(x) as 0.5 / sqrt(max(x, 1e-7)).
    assert np.allclose(y.grad.numpy(), [0.5 / np.sqrt(1e-7), 0.25], rtol=1e-4)


def test_slang_takes_powers_of_tiny_numbers_and_divisors_of_fmod_for_constants(device, module):
    base, exponent = held(device, [1e-7, 4.0]), held(device, [0.5, 0.5])
    value, divisor = held(device, [7.0]), held(device, [2.0])

    module.power.bwds(base, exponent, _result=result_with(device, [1.0, 1.0]))
    module.rest.bwds(value, divisor, _result=result_with(device, [1.0]))

    assert np.allclose(base.grad.numpy(), [0, 0.25], rtol=1e-4)
    assert np.allclose(exponent.grad.numpy(), [0, 2 * np.log(4)], rtol=1e-4)
    assert (value.grad.numpy(), divisor.grad.numpy()) == ([1], [0])


def test_infinities_of_both_signs_make_a_nan(device, module):
    weight = held(device, 2.0)

    module.scaled.bwds(
        np.array([np.inf, -np.inf], np.float32), weight, _result=result_with(device, np.ones(2))
    )

    assert np.isnan(weight.grad.numpy())
