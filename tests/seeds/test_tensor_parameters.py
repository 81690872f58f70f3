# SPDX-License-Identifier: Apache-2.0
"""Documented uses of tensors as parameters, without gradients."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from support.tensor_functions import SOURCE

OWN = """
float polynomial(float a, float b, float c, float x) { return a * x * x + b * x + c; }
"""


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "seed_tensors", SOURCE + OWN)


def test_a_polynomial_is_evaluated_over_a_grid_of_indices(device, module):
    x = weft.Tensor.from_numpy(device, np.array([1, 2, 3, 4], dtype=np.float32))
    result = weft.Tensor.empty(device, x.shape, weft.float32)

    module.quadratic(idx=weft.grid(x.shape), a=2, b=8, c=-1, x=x, result=result)

    assert np.array_equal(result.to_numpy(), [9, 23, 41, 63])


def test_a_tensor_is_changed_in_place(device, module):
    x = weft.Tensor.from_numpy(device, np.array([1, 2, 3, 4], dtype=np.float32))

    module.doubled_in_place(idx=weft.grid(x.shape), data=x)

    assert np.array_equal(x.to_numpy(), [2, 4, 6, 8])


def test_a_dense_layer_runs_over_its_outputs(device, module):
    rng = np.random.default_rng(0)
    weight_init, bias_init, batch = (
        rng.random(shape, dtype=np.float32) for shape in ((5, 3), (5,), (3,))
    )
    weights = weft.Tensor.from_numpy(device, weight_init)
    bias = weft.Tensor.from_numpy(device, bias_init)
    x = weft.Tensor.from_numpy(device, batch)
    y = weft.Tensor.empty(device, shape=(5,), dtype=float)

    module.dense(weft.grid(shape=(5,)), weights, bias, x, y)

    assert np.allclose(y.to_numpy(), weight_init @ batch + bias_init, rtol=1e-5)


def test_named_scalars_and_a_tensor_make_a_tensor(device, module):
    x = weft.Tensor.from_numpy(device, np.array([1, 2, 3, 4], dtype=np.float32))

    result = module.polynomial(a=2, b=8, c=-1, x=x)

    assert np.array_equal(result.to_numpy(), [9, 23, 41, 63])


def test_tensor_contents_are_replaced_from_numpy(device):
    gradient = weft.Tensor.ones(device, shape=(4,), dtype=float)

    gradient.copy_from_numpy(np.full(4, 3, dtype=np.float32))

    assert np.array_equal(gradient.to_numpy(), np.full(4, 3))


def test_devices_are_named_by_type_and_d3d12_names_the_alternatives():
    with pytest.raises(weft.ArgumentError, match=r"d3d12.*vulkan"):
        weft.create_device(type=weft.DeviceType.d3d12)


def test_compile_time_constants_come_from_defines(device, tmp_path):
    path = tmp_path / "march.slang"
    path.write_text(
        "static const uint kMaxSteps = MAX_STEPS;\n"
        "float march<let N : int>(float x) { for (int i = 0; i < N; i++) x += 1; return x; }\n"
        "float render(float x) { return march<kMaxSteps>(x); }\n"
    )

    short = device.load_module(path, {"defines": {"MAX_STEPS": 20}})
    long = device.load_module(path, {"defines": {"MAX_STEPS": 50}})

    assert (short.render(0.0), long.render(0.0)) == (20.0, 50.0)


def test_an_image_filter_reads_neighbours_of_its_own_index(device):
    module = weft.Module.load_from_source(
        device,
        "box",
        """
        float boxAt(ITensor<float, 2> image, int[2] at)
        {
            float sum = 0;
            int count = 0;
            int2 size = int2(image.shape[0], image.shape[1]);
            int2 last = min(int2(at[0], at[1]) + 1, size - 1);
            for (int row = max(at[0] - 1, 0); row <= last[0]; ++row)
                for (int column = max(at[1] - 1, 0); column <= last[1]; ++column)
                {
                    sum += image[row, column];
                    ++count;
                }
            return sum / count;
        }
        """,
    )
    image = np.arange(20, dtype=np.float32).reshape(4, 5)

    result = module.boxAt(weft.Tensor.from_numpy(device, image), weft.grid((4, 5))).numpy()

    assert result[1, 1] == image[:3, :3].mean()
    assert result[0, 0] == image[:2, :2].mean()
    assert result[3, 4] == image[2:, 3:].mean()
