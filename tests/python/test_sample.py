# SPDX-License-Identifier: Apache-2.0
"""t.sample(): between the elements of tensors, against a reference in numpy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import weft
from weft import Tensor

MODES = ("clamp", "repeat", "mirror")
SOURCE = (
    "\n".join(
        f"""
[Differentiable]
float image_{mode}(float2 uv, IDiffTensor<float, 2> t) {{ return t.sample(uv, TensorWrap.{mode}); }}
[Differentiable]
float3 volume_{mode}(float3 uvw, IDiffTensor<float3, 3> t)
{{
    return t.sample(uvw, TensorWrap.{mode});
}}
float plain_{mode}(float2 uv, ITensor<float, 2> t) {{ return t.sample(uv, TensorWrap.{mode}); }}
float plain_volume_{mode}(float3 uvw, Tensor<float, 3> t)
{{
    return t.sample(uvw, TensorWrap.{mode});
}}
"""
        for mode in MODES
    )
    + """
[Differentiable] float by_default(float2 uv, IDiffTensor<float, 2> t) { return t.sample(uv); }
[Differentiable] double doubles(float2 uv, IDiffTensor<double, 2> t) { return t.sample(uv); }
float2 flow(float2 uv, IRWTensor<float2, 2> t) { return t.sample(uv); }
struct Paint : IInterpolable
{
    float3 color;
    float weight;
    [Differentiable] static Paint interpolate(Paint low, Paint high, float at)
    {
        return { lerp(low.color, high.color, at), lerp(low.weight, high.weight, at) };
    }
}
[Differentiable]
float paint(float2 uv, IDiffTensor<Paint, 2> t)
{
    const Paint p = t.sample(uv);
    return p.weight + p.color.y;
}
[Differentiable]
float sum_of_steps(float2 uv, IDiffTensor<float, 2> t)
{
    float sum = 0;
    [MaxIters(4)]
    for (int i = 0; i < 4; i++)
        sum += t.sample(uv + 0.1f * i, TensorWrap.mirror);
    return sum;
}
"""
)


@pytest.fixture(scope="module")
def module(device):
    return weft.Module.load_from_source(device, "sampling", SOURCE)


def wrapped(index, count, mode):
    """Indices inside, as numpy.pad understands the modes."""
    if mode == "clamp":
        return np.clip(index, 0, count - 1)
    if mode == "repeat":
        return index % count
    folded = index % (2 * count)
    return np.where(folded < count, folded, 2 * count - 1 - folded)


def reference(values, coordinates, mode):
    """Interpolated values, x along the last dimension, and the weight of each texel."""
    rank = coordinates.shape[1]
    places = coordinates[:, ::-1] * np.array(values.shape[:rank]) - 0.5
    low = np.floor(places).astype(int)
    result, weights = 0, np.zeros((len(coordinates), *values.shape[:rank]))
    for corner in itertools.product((0, 1), repeat=rank):
        index = tuple(
            wrapped(low[:, axis] + corner[axis], values.shape[axis], mode) for axis in range(rank)
        )
        part = places - low
        weight = np.prod(np.where(corner, part, 1 - part), axis=1)
        np.add.at(weights, (np.arange(len(coordinates)), *index), weight)
        result = result + values[index] * weight.reshape(-1, *[1] * (values.ndim - rank))
    return result, weights


def away_from_kinks(random, count, shape):
    """Coordinates from -1 to 2 that are at least 0.05 texels from a centre."""
    extents = np.array(shape[::-1])
    texels = random.integers(-extents, 2 * extents, (count, len(shape)))
    return (texels + 0.5 + random.uniform(0.05, 0.95, texels.shape)) / extents


@pytest.mark.parametrize("mode", MODES)
def test_values_agree_with_numpy(device, module, mode):
    random = np.random.default_rng(0)
    image, volume = random.random((5, 7)), random.random((3, 4, 5, 3))
    uv, uvw = random.uniform(-1, 2, (200, 2)), random.uniform(-1, 2, (200, 3))

    flat = getattr(module, f"image_{mode}")(uv, image.astype(np.float32)).numpy()
    plain = getattr(module, f"plain_{mode}")(uv, image.astype(np.float32)).numpy()
    deep = getattr(module, f"volume_{mode}")(uvw, volume.astype(np.float32)).numpy()
    scalars = getattr(module, f"plain_volume_{mode}")(uvw, volume[..., 0].astype(np.float32))

    assert np.allclose(flat, reference(image, uv, mode)[0], atol=2e-5)
    assert np.allclose(plain, flat, atol=1e-6)
    assert np.allclose(deep, reference(volume, uvw, mode)[0], atol=2e-5)
    assert np.allclose(scalars.numpy(), deep[:, 0], atol=1e-6)


@pytest.mark.parametrize("mode", MODES)
def test_texels_get_the_weights_with_which_they_were_read(device, module, mode):
    random = np.random.default_rng(1)
    image = Tensor.from_numpy(device, random.random((5, 7)).astype(np.float32)).with_grads()
    uv, given = random.uniform(-1, 2, (300, 2)), random.random(300).astype(np.float32)
    result = Tensor.zeros(device, (300,)).with_grads(Tensor.from_numpy(device, given))

    getattr(module, f"image_{mode}").bwds(uv, image, _result=result)

    weights = reference(image.numpy(), uv, mode)[1]
    assert np.allclose(image.grad.numpy(), np.tensordot(given, weights, 1), atol=1e-3)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("mode", MODES)
def test_gradients_by_coordinates_and_texels_hold(module, mode):
    random = np.random.default_rng(2)
    image, volume = random.random((5, 7)), random.random((3, 4, 5, 3))

    flat = weft.check_gradients(
        getattr(module, f"image_{mode}"), away_from_kinks(random, 20, (5, 7)), image, wrt=(0, 1)
    )
    deep = weft.check_gradients(
        getattr(module, f"volume_{mode}"),
        away_from_kinks(random, 20, (3, 4, 5)), volume, wrt=(0, 1),
    )  # fmt: skip

    assert flat.passed, flat.differences
    assert deep.passed, deep.differences


def test_a_texel_has_its_value_at_its_centre(device, module):
    image = np.arange(6, dtype=np.float32).reshape(2, 3)
    centres = np.array([[(x + 0.5) / 3, (y + 0.5) / 2] for y in range(2) for x in range(3)])

    assert np.allclose(module.by_default(centres, image).numpy(), image.ravel(), atol=1e-5)
    assert module.by_default([9.0, 0.0], image) == 2  # clamped


def test_far_and_undefined_coordinates_stay_inside(device, module):
    image = np.ones((3, 4), np.float32)
    far = np.array([[1e30, -1e30], [np.nan, np.inf], [3e9, -3e9]])

    for mode in MODES:
        assert getattr(module, f"plain_{mode}")(far, image).numpy().shape == (3,)


def test_doubles_structures_and_read_write_tensors_are_sampled(device, module):
    image = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert np.isclose(module.doubles([0.5, 0.5], Tensor.from_numpy(device, image)), 2.5)
    check = weft.check_gradients(
        module.doubles, np.array([[0.4, 0.6]]), Tensor.from_numpy(device, image)
    )
    flow = Tensor.from_numpy(device, np.ones((2, 2, 2), np.float32))
    paints = Tensor.zeros(device, (2, 2), module.Paint).with_grads()
    result = Tensor.zeros(device, (1,)).with_grads(Tensor.ones(device, (1,)))

    module.paint.bwds(np.array([[0.5, 0.25]]), paints, _result=result)

    assert check.passed, check.differences
    assert np.allclose(module.flow([0.3, 0.3], flow), (1, 1))
    assert np.allclose(paints.grad.numpy()["weight"], [[0.5, 0.5], [0, 0]])
    assert np.allclose(paints.grad.numpy()["color"][..., 1], [[0.5, 0.5], [0, 0]])


def test_sampling_in_a_loop_is_differentiable(module):
    random = np.random.default_rng(3)

    check = weft.check_gradients(
        module.sum_of_steps, np.array([[0.31, 0.47]]), random.random((4, 4)), wrt=(0, 1), step=1e-4
    )

    assert check.passed, check.differences
