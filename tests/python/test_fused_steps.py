# SPDX-License-Identifier: Apache-2.0
"""Many small tensors move in few launches, and as each would alone."""

from __future__ import annotations

import numpy as np
import pytest

from weft import Tensor, optim
from weft.optim.fused import MAX_FUSED_ELEMENTS, SLOTS, FusedSteps

SHAPES = [
    (1,),
    (3, 5),
    (0,),
    (1024,),
    (1025,),
    (7, 300),
    (MAX_FUSED_ELEMENTS,),
    (MAX_FUSED_ELEMENTS + 1,),
] * 4
OPTIMISERS = {
    "plain": lambda tensors, **more: optim.SGD(tensors, 0.1, **more),
    "momentum": lambda tensors, **more: optim.SGD(tensors, 0.1, momentum=0.9, **more),
    "adam": lambda tensors, **more: optim.Adam(tensors, 0.1, **more),
    "adamw": lambda tensors, **more: optim.AdamW(tensors, 0.1, weight_decay=0.1, **more),
}
LION = """
module own_lion;
__exported import "weft/optimisers";
public struct LionStep<W : __BuiltinFloatingPointType> { public W rate; }
public void lion<P : IStored, G : IStored, W>(inout P parameter, G gradient, LionStep<W> step,
    GradientLimits<W> limits, W lower, W upper)
    where W : IStored where W : __BuiltinFloatingPointType
{
    const W g = limits.apply(gradient.read<W>());
    const W direction = g > W(0) ? W(1) : (g < W(0) ? W(-1) : W(0));
    parameter = project(parameter.read<W>() - step.rate * direction, lower, upper).read<P>();
}
"""


def arrays(seed, shapes=SHAPES):
    random = np.random.default_rng(seed)
    return [random.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]


def tensors(device, values, dtype=np.float32):
    return [Tensor.from_numpy(device, value.astype(dtype)) for value in values]


@pytest.fixture
def launches(monkeypatch):
    """Counts the launches of steps: ("alone", 1) or ("fused", number of tensors)."""
    seen = []
    alone, fused = optim.Optimizer._launch_alone, FusedSteps.launch
    monkeypatch.setattr(
        optim.Optimizer, "_launch_alone", lambda *a: (seen.append(("alone", 1)), alone(*a))
    )
    monkeypatch.setattr(
        FusedSteps, "launch", lambda *a: (seen.append(("fused", len(a[1]))), fused(*a))
    )
    return seen


@pytest.mark.parametrize("kind", OPTIMISERS)
def test_a_list_moves_as_each_tensor_alone(device, launches, kind):
    together, apart = tensors(device, arrays(0)), tensors(device, arrays(0))
    one = OPTIMISERS[kind](together, clip_value=0.8)
    each = [OPTIMISERS[kind]([tensor], clip_value=0.8) for tensor in apart]

    for step in range(4):
        gradients = tensors(device, arrays(step + 1))
        one.step(gradients)
        count = len(launches)
        for optimiser, gradient in zip(each, gradients, strict=True):
            optimiser.step([gradient])
        assert launches[:count] == [("alone", 1)] * 4 + [("fused", 16), ("fused", 8)]
        launches.clear()

    for a, b in zip(together, apart, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize(
    ("dtype", "gradient_dtype"),
    [(np.float16, np.float16), (np.float16, np.float32), (np.float64, np.float64)],
)
def test_other_types_move_as_well(device, launches, dtype, gradient_dtype):
    values, slopes = arrays(0, [(5,), (6, 7)]), arrays(1, [(5,), (6, 7)])
    together, apart = tensors(device, values, dtype), tensors(device, values, dtype)
    gradients = tensors(device, slopes, gradient_dtype)

    optim.Adam(together, 0.125).step(gradients)
    assert launches == [("fused", 2)]
    for tensor, gradient in zip(apart, gradients, strict=True):
        optim.Adam([tensor], 0.125).step([gradient])

    for a, b in zip(together, apart, strict=True):
        np.testing.assert_allclose(
            a.numpy(), b.numpy(), rtol=1e-3 if dtype == np.float16 else 1e-12
        )


def test_types_are_launched_apart(device, launches):
    parameters = tensors(device, arrays(0, [(4,)] * 3)) + tensors(
        device, arrays(0, [(4,)] * 2), np.float64
    )

    optim.Adam(parameters, 0.1).step(tensors(device, arrays(1, [(4,)] * 5)))

    assert launches == [("fused", 3), ("fused", 2)]


def test_gaps_and_bounds_of_arrays_take_a_launch_of_their_own(device, launches):
    wide = Tensor.zeros(device, (8, 8))
    parameters = [wide[:, ::2], *(Tensor.zeros(device, (4,)) for _ in range(3))]
    bounds = [(None, None), (np.array([0, -1, -2, -3.0]), None), (-0.5, 0.25), (None, None)]
    gradients = [Tensor.ones(device, tensor.shape) for tensor in parameters]
    gradients[2].copy_from_numpy(np.array([1, 1, -1, -1], np.float32))

    optim.SGD(parameters, 1.0, bounds=bounds).step(gradients)

    assert sorted(launches) == [("alone", 1), ("alone", 1), ("fused", 2)]
    assert np.array_equal(wide.numpy()[:, ::2], -np.ones((8, 4)))
    assert np.array_equal(wide.numpy()[:, 1::2], np.zeros((8, 4)))
    assert np.array_equal(parameters[1].numpy(), [0, -1, -1, -1])
    assert np.array_equal(parameters[2].numpy(), [-0.5, -0.5, 0.25, 0.25])
    assert np.array_equal(parameters[3].numpy(), -np.ones(4))


def test_rates_and_clipping_by_norm_reach_every_tensor(device):
    parameters = [Tensor.zeros(device, (2,)) for _ in range(20)]
    gradients = [Tensor.full(device, (2,), 3.0) for _ in range(20)]

    optim.SGD(parameters, [0.5 * i for i in range(20)], clip_norm=1.0).step(gradients)

    unit = 1 / np.sqrt(40)
    for i, tensor in enumerate(parameters):
        assert np.allclose(tensor.numpy(), -0.5 * i * unit, rtol=1e-5)


def test_repeated_steps_are_recorded_and_see_new_gradients(device):
    parameters = [Tensor.zeros(device, (3,)) for _ in range(SLOTS + 2)]
    gradients = [Tensor.zeros(device, (3,)) for _ in parameters]
    optimiser = optim.SGD(parameters, 1.0)

    for value in range(1, 5):
        for gradient in gradients:
            gradient.fill(float(value))
        optimiser.step(gradients)

    for tensor in parameters:
        assert np.array_equal(tensor.numpy(), [-10, -10, -10])


def test_an_optimiser_of_ones_own_is_fused_too(device, launches, tmp_path):
    (tmp_path / "own_lion.slang").write_text(LION)

    class Lion(optim.Optimizer):
        source = tmp_path / "own_lion.slang"
        update = "lion"
        structure = "LionStep"
        moments = ()

        def settings(self, step, rates):
            return {"rate": rates}

    parameters = [Tensor.zeros(device, (3,)) for _ in range(3)]
    gradient = Tensor.from_numpy(device, np.array([2.0, 0.0, -0.1], np.float32))
    Lion(parameters, 0.25).step([gradient] * 3)

    assert launches == [("fused", 3)]
    assert np.array_equal(parameters[2].numpy(), [-0.25, 0, 0.25])
