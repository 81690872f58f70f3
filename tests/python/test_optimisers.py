# SPDX-License-Identifier: Apache-2.0
"""SGD, Adam and AdamW against the formulas of their papers, written anew in numpy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import weft
from weft import Tensor, optim

STEPS = 7


def reference_sgd(x, gradients, rate, momentum=0.0, nesterov=False, weight_decay=0.0):
    velocity = np.zeros_like(x)
    for gradient in gradients:
        g = gradient + weight_decay * x
        velocity = momentum * velocity + g
        x = x - rate * (g + momentum * velocity if nesterov else velocity)
    return x


def reference_adam(
    x, gradients, rate, betas=(0.9, 0.999), epsilon=1e-8, weight_decay=0.0, decoupled=False
):
    m, v = np.zeros_like(x), np.zeros_like(x)
    for t, gradient in enumerate(gradients, start=1):
        g = gradient if decoupled else gradient + weight_decay * x
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        update = m / (1 - betas[0] ** t) / (np.sqrt(v / (1 - betas[1] ** t)) + epsilon)
        x = x - rate * update - (rate * weight_decay * x if decoupled else 0)
    return x


CASES = {
    "plain": (optim.SGD, reference_sgd, {}),
    "decay": (optim.SGD, reference_sgd, {"weight_decay": 0.1}),
    "momentum": (optim.SGD, reference_sgd, {"momentum": 0.9, "weight_decay": 0.01}),
    "nesterov": (optim.SGD, reference_sgd, {"momentum": 0.8, "nesterov": True}),
    "adam": (optim.Adam, reference_adam, {}),
    "adam decay": (optim.Adam, reference_adam, {"weight_decay": 0.2, "betas": (0.5, 0.9)}),
    "adam epsilon": (optim.Adam, reference_adam, {"epsilon": 0.3}),
    "adamw": (optim.AdamW, reference_adam, {"weight_decay": 0.2}),
}


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def run_steps(optimiser, device, gradients):
    for gradient in gradients:
        optimiser.step(gradients=[Tensor.from_numpy(device, gradient)])


@pytest.mark.parametrize("case", CASES)
def test_double_follows_the_papers_to_rounding(device, rng, case):
    kind, reference, options = CASES[case]
    x = rng.normal(size=(4, 5))
    gradients = rng.normal(size=(STEPS, 4, 5))
    parameter = Tensor.from_numpy(device, x)

    run_steps(kind([parameter], 0.05, **options), device, gradients)

    if kind is optim.AdamW:
        options = {**options, "decoupled": True}
    np.testing.assert_allclose(
        parameter.numpy(), reference(x, gradients, 0.05, **options), rtol=1e-12, atol=1e-14
    )


@pytest.mark.parametrize(
    ("dtype", "gradient_dtype", "tolerance"),
    [
        ("float", np.float32, 2e-6),
        ("float", np.float64, 2e-6),
        ("half", np.float16, 4e-3),
        ("half", np.float32, 4e-3),
        ("float3", np.float32, 2e-6),
        ("half4", np.float16, 4e-3),
        ("float2x2", np.float32, 2e-6),
        ("float[3]", np.float32, 2e-6),
    ],
)
def test_any_float_dtype_follows_adam(device, rng, dtype, gradient_dtype, tolerance):
    parameter = Tensor.zeros(device, (6, 2), dtype)
    shape = parameter.to_numpy().shape
    # Steps of the size of the rate, which float16 holds to 1e-3 around 1.
    x = rng.uniform(0.5, 1, shape).astype(parameter.to_numpy().dtype)
    gradients = rng.normal(size=(STEPS, *shape)).astype(gradient_dtype)
    parameter.copy_from_numpy(x)

    run_steps(optim.Adam([parameter], 0.05), device, gradients)

    expected = reference_adam(x.astype(np.float64), gradients.astype(np.float64), 0.05)
    np.testing.assert_allclose(parameter.numpy(), expected, atol=tolerance)


def test_moments_of_half_are_float(device):
    parameter = Tensor.ones(device, (3,), "half")
    optimiser = optim.Adam([parameter])

    optimiser.step([Tensor.full(device, (3,), 1e-4, "half")])

    second = optimiser.state_dict()["second_moment/0"]
    assert second.dtype == np.float32
    assert np.all(second > 0)


def test_views_are_changed_in_place_and_their_surroundings_are_not(device, rng):
    x = rng.normal(size=(8, 10)).astype(np.float32)
    g = rng.normal(size=(8, 10)).astype(np.float32)
    whole, gradient = Tensor.from_numpy(device, x), Tensor.from_numpy(device, g)
    view = whole[1:7:2, ::3]
    optimiser = optim.SGD([view], 1.0, momentum=0.5)

    for _ in range(3):
        optimiser.step([gradient.T.T[0:3, 1:5]])

    expected = x.copy()
    expected[1:7:2, ::3] = reference_sgd(x[1:7:2, ::3], [g[0:3, 1:5]] * 3, 1.0, momentum=0.5)
    np.testing.assert_allclose(whole.numpy(), expected, atol=1e-5)


@given(
    st.lists(st.lists(st.integers(0, 5), max_size=3).map(tuple), min_size=1, max_size=4),
    st.integers(0, 2**32 - 1),
)
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_lists_of_any_shapes_move_as_each_alone(device, shapes, seed):
    rng = np.random.default_rng(seed)
    x = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    g = [rng.normal(size=shape).astype(np.float32) for shape in shapes]
    parameters = [Tensor.from_numpy(device, array) for array in x]
    gradients = [Tensor.from_numpy(device, array) for array in g]
    optimiser = optim.SGD(parameters, 0.5)

    # The second step records, the third repeats the recording.
    for _ in range(3):
        optimiser.step(gradients)

    for parameter, before, gradient in zip(parameters, x, g, strict=True):
        np.testing.assert_allclose(parameter.numpy(), before - 1.5 * gradient, atol=1e-5)


def test_a_repeated_step_sees_new_gradients_and_new_rates(device):
    parameter, gradient = Tensor.zeros(device, (3,)), Tensor.ones(device, (3,))
    optimiser = optim.SGD([parameter], lambda step: [1.0, 2.0, 4.0, 8.0][step])

    for scale in (1, 10, 100, 1000):
        gradient.fill(scale)
        optimiser.step([gradient])

    assert parameter.numpy().tolist() == [-8421.0] * 3


def test_other_gradient_tensors_take_over_from_recorded_ones(device):
    parameter = Tensor.zeros(device, (2,))
    first, second = Tensor.ones(device, (2,)), Tensor.full(device, (2,), 100.0)
    optimiser = optim.SGD([parameter], 1.0)

    for gradient in (first, first, first, second, second, first):
        optimiser.step([gradient])

    assert parameter.numpy().tolist() == [-204.0] * 2


def test_learning_rates_may_differ_by_parameter(device):
    names = ("a", "b", "c")
    parameters = {name: Tensor.zeros(device, (2,)) for name in names}
    gradients = {name: Tensor.ones(device, (2,)) for name in names}

    optim.SGD(parameters, {"a": 1.0, "b": lambda step: 2.0, "c": 0}).step(gradients)

    assert [parameters[name].numpy()[0] for name in names] == [-1.0, -2.0, 0.0]


@pytest.mark.parametrize("dtype", ["float", "double", "float3"])
def test_bounds_hold_after_every_step(device, rng, dtype):
    parameter = Tensor.zeros(device, (50,), dtype)
    optimiser = optim.Adam(parameter, 2.0, bounds=(-0.25, 0.75))

    for _ in range(3):
        optimiser.step(Tensor.from_numpy(device, rng.normal(size=parameter.to_numpy().shape)))
        values = parameter.numpy()
        assert (values.min(), values.max()) == (-0.25, 0.75)


def test_bounds_may_be_arrays_and_leave_a_side_open(device):
    a, b, c = (Tensor.zeros(device, (2, 2)) for _ in range(3))
    down = Tensor.full(device, (2, 2), 10.0)
    bounds = {"a": (np.array([-1.0, -2.0]), None), "b": (None, np.full((2, 1), -20.0))}

    optim.SGD({"a": a, "b": b, "c": c}, 1.0, bounds=bounds).step([down, down, down])

    assert a.numpy().tolist() == [[-1.0, -2.0], [-1.0, -2.0]]
    assert b.numpy().tolist() == [[-20.0, -20.0], [-20.0, -20.0]]
    assert c.numpy().tolist() == [[-10.0, -10.0], [-10.0, -10.0]]


def test_a_nan_reaches_the_parameter_through_bounds_and_clipping(device):
    for options in ({"clip_value": 1.0}, {"clip_norm": 1.0}, {}):
        parameter = Tensor.zeros(device, (2,))

        optim.SGD([parameter], 1.0, bounds=(-1, 1), **options).step(
            [Tensor.from_numpy(device, np.array([np.nan, 1.0], np.float32))]
        )

        assert np.isnan(parameter.numpy()[0])


def test_clipping_by_value_limits_each_element(device):
    parameter = Tensor.zeros(device, (4,))
    gradient = Tensor.from_numpy(device, np.array([-5, -0.25, 0.25, 5], np.float32))

    optim.SGD([parameter], 1.0, clip_value=0.5).step([gradient])

    assert parameter.numpy().tolist() == [0.5, 0.25, -0.25, -0.5]


@pytest.mark.parametrize(
    "kinds", [["float"] * 3, ["half", "float", "float"], ["double", "float", "half"]]
)
def test_clipping_by_norm_scales_all_gradients_alike(device, rng, kinds):
    shapes = [(3,), (5000, 3), (7, 2)]
    g = [rng.normal(size=shape).astype(np.float16) for shape in shapes]
    parameters = [Tensor.zeros(device, s, k) for s, k in zip(shapes, kinds, strict=True)]
    gradients = [
        Tensor.from_numpy(device, array).astype(kind) for array, kind in zip(g, kinds, strict=True)
    ]
    # A transposed view takes the way through a contiguous copy.
    gradients[2] = Tensor.from_numpy(device, np.ascontiguousarray(gradients[2].numpy().T)).T
    optimiser = optim.SGD(parameters, 1.0, clip_norm=2.0)
    norm = np.sqrt(sum((array.astype(np.float64) ** 2).sum() for array in g))

    for _ in range(3):
        optimiser.step(gradients)

    for parameter, array in zip(parameters, g, strict=True):
        expected = -3 * array.astype(np.float64) * 2.0 / norm
        tolerance = 2e-3 if parameter.dtype.name == "half" else 1e-5
        np.testing.assert_allclose(parameter.numpy(), expected, rtol=tolerance, atol=1e-4)


def test_gradients_below_the_norm_stay_as_they_are(device):
    parameter = Tensor.zeros(device, (2,))
    gradient = Tensor.from_numpy(device, np.array([3, 4], np.float32))

    optim.SGD([parameter], 1.0, clip_norm=5.0).step([gradient])

    assert parameter.numpy().tolist() == [-3.0, -4.0]


def test_adam_reaches_the_minimum_of_a_bowl(device, rng):
    minimum = rng.normal(size=32).astype(np.float32)
    parameter = Tensor.zeros(device, (32,))
    module = weft.Module.load_from_source(
        device, "bowl", "float slope(float x, float minimum) { return 2 * (x - minimum); }"
    )
    gradient, target = Tensor.empty(device, (32,)), Tensor.from_numpy(device, minimum)
    optimiser = optim.Adam([parameter], optim.cosine_rate(0.1, 300))

    for _ in range(300):
        module.slope(parameter, target, _result=gradient)
        optimiser.step([gradient])

    np.testing.assert_allclose(parameter.numpy(), minimum, atol=1e-4)


def make_run(device, kind, options):
    rng = np.random.default_rng(3)
    dtypes = {"weights": "float", "offsets": "double", "colors": "half4"}
    tensors = {name: Tensor.zeros(device, (9, 4), dtype) for name, dtype in dtypes.items()}
    for tensor in tensors.values():
        tensor.copy_from_numpy(rng.normal(size=tensor.to_numpy().shape))
    gradients = [
        {
            name: Tensor.from_numpy(device, rng.normal(size=t.to_numpy().shape))
            for name, t in tensors.items()
        }
        for _ in range(6)
    ]
    return tensors, gradients, kind(tensors, optim.exponential_rate(0.1, 0.9), **options)


def test_states_of_the_release_before_are_taken(device):
    x = weft.Tensor.ones(device, (3,)).with_grads()
    state = optim.Adam(x).state_dict()
    state["optimiser"] = state.pop("optimizer")

    optim.Adam(x).load_state_dict(state)

    with pytest.raises(weft.ArgumentError, match="the state is of Adam"):
        optim.SGD(x, 0.1).load_state_dict(state)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (optim.SGD, {}),
        (optim.SGD, {"momentum": 0.9, "clip_norm": 0.1}),
        (optim.Adam, {"clip_norm": 0.3}),
        (optim.AdamW, {}),
    ],
)
def test_a_restored_state_goes_on_bit_for_bit(device, tmp_path, kind, options):
    tensors, gradients, optimiser = make_run(device, kind, options)
    for gradient in gradients[:3]:
        optimiser.step(gradient)
    np.savez(tmp_path / "state.npz", **optimiser.state_dict())
    middle = {name: tensor.to_numpy() for name, tensor in tensors.items()}
    for gradient in gradients[3:]:
        optimiser.step(gradient)

    others, gradients, other = make_run(device, kind, options)
    for name, array in middle.items():
        others[name].copy_from_numpy(array)
    with np.load(tmp_path / "state.npz") as state:
        other.load_state_dict(state)
    for gradient in gradients[3:]:
        other.step(gradient)

    assert other.step_count == 6
    for name, tensor in tensors.items():
        assert tensor.to_numpy().tobytes() == others[name].to_numpy().tobytes()


def test_runs_are_equal_bit_for_bit(device):
    results = []
    for _ in range(3):
        tensors, gradients, optimiser = make_run(device, optim.Adam, {"clip_norm": 0.5})
        for gradient in gradients:
            optimiser.step(gradient)
        results.append(b"".join(tensor.to_numpy().tobytes() for tensor in tensors.values()))

    assert results[0] == results[1] == results[2]


def test_zero_grad_leaves_parameters_without_gradients_alone(device):
    parameter = Tensor.ones(device, (2,))

    optim.SGD([parameter], 1.0).zero_grad()

    assert parameter.numpy().tolist() == [1.0, 1.0]


def test_constant_rate():
    assert [optim.constant_rate(0.5)(step) for step in (0, 1000)] == [0.5, 0.5]


def test_step_rate():
    schedule = optim.step_rate(1.0, every=3, factor=0.5)

    assert [schedule(step) for step in range(8)] == [1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25]


def test_exponential_rate():
    assert optim.exponential_rate(2.0, 0.5)(3) == 0.25


def test_cosine_rate_warms_up_and_falls():
    schedule = optim.cosine_rate(1.0, 14, warm_up=4, final=0.2)

    assert [schedule(step) for step in range(5)] == [0.25, 0.5, 0.75, 1.0, 1.0]
    assert schedule(9) == pytest.approx(0.6)
    assert schedule(14) == schedule(99) == pytest.approx(0.2)


def test_the_old_name_of_the_base_class_warns():
    with pytest.warns(DeprecationWarning, match=r"weft\.optim\.Optimizer"):
        old = optim.Optimiser

    assert old is optim.Optimizer
    with pytest.raises(AttributeError, match="Optimism"):
        _ = optim.Optimism
