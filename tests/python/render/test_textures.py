# SPDX-License-Identifier: Apache-2.0
"""Texture lookups against numpy, with gradients to texels and places."""

import numpy as np
import pytest

import weft
from weft.render.keeping import KeptParts
from weft.render.texture_table import texture_table
from weft.scene import Texture
from weft.scene.texture import WRAPS

HEIGHT, WIDTH = 5, 7
PIXELS = np.random.default_rng(0).random((HEIGHT, WIDTH, 4)).astype(np.float32)
# Between texels, outside the square, and far away.
PLACES = np.random.default_rng(1).uniform(-2.5, 3.5, (200, 2)).astype(np.float32)


@pytest.fixture(scope="module")
def lookups(device):
    return weft.Module.load_from_source(
        device,
        "lookups",
        """
        import weft.render;
        [Differentiable] float look1(no_diff TexturesView t, float2 uv)
        { return sampleTexture1(t, 0, uv); }
        [Differentiable] float3 look3(no_diff TexturesView t, float2 uv)
        { return sampleTexture3(t, 0, uv); }
        [Differentiable] float4 look4(no_diff TexturesView t, float2 uv)
        { return sampleTexture4(t, 0, uv); }

        // A sum of lookups: what gradients and tangents of texels are tested with.
        void slope(no_diff TexturesView t, float2 uv, float2 du, out float4 value)
        { value = fwd_diff(look4)(t, diffPair(uv, du)).d; }
        void pull(no_diff TexturesView t, float2 uv, float4 upstream, out float2 gradient)
        {
            var pair = diffPair(uv);
            bwd_diff(look4)(t, pair, upstream);
            gradient = pair.d;
        }
        """,
    )


def view_of(device, texture, tangents=None, gradients=None):
    table = texture_table([texture], KeptParts(device))
    texels = table.texels
    return {
        "texels": texels,
        "tangents": texels if tangents is None else tangents,
        "gradients": texels if gradients is None else gradients,
        "hasTangents": int(tangents is not None),
        "hasGradients": int(gradients is not None),
        "records": weft.Tensor.from_numpy(device, table.records.ravel()),
    }


def wrapped(index, size, wrap):
    """Texel numbers, and whether they lie inside."""
    if wrap == "extend":
        return index.clip(0, size - 1), np.ones(index.shape, bool)
    if wrap == "clip":
        return index.clip(0, size - 1), (index >= 0) & (index < size)
    if wrap == "mirror":
        folded = index % (2 * size)
        return np.where(folded < size, folded, 2 * size - 1 - folded), np.ones(index.shape, bool)
    return index % size, np.ones(index.shape, bool)


def expected(pixels, uv, wrap, filter_):
    """Lookups in numpy: the footprint's weights over all pixels, then the values."""
    height, width = pixels.shape[:2]
    at = uv.astype(np.float64) * (width, height) - (0.5 if filter_ == "linear" else 0)
    base = np.floor(at).astype(int)
    f = at - base if filter_ == "linear" else np.zeros_like(at)
    weights = np.zeros((len(uv), height, width))
    for dx in (0, 1):
        for dy in (0, 1):
            x, inside_x = wrapped(base[:, 0] + dx, width, wrap)
            y, inside_y = wrapped(base[:, 1] + dy, height, wrap)
            share = (f[:, 0] if dx else 1 - f[:, 0]) * (f[:, 1] if dy else 1 - f[:, 1])
            weights[np.arange(len(uv)), height - 1 - y, x] += share * inside_x * inside_y
    return weights


@pytest.mark.parametrize("filter_", ["linear", "closest"])
@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("channels", [1, 3, 4])
def test_lookups_equal_numpy(device, lookups, wrap, filter_, channels):
    pixels = PIXELS[..., :channels]
    function = getattr(lookups, f"look{channels}")

    result = function(view_of(device, Texture(pixels, wrap, filter_)), PLACES, _result="numpy")

    weights = expected(pixels, PLACES, wrap, filter_)
    assert np.allclose(
        result.reshape(len(PLACES), -1), np.einsum("nhw,hwc->nc", weights, pixels), atol=1e-5
    )


@pytest.mark.parametrize("wrap", WRAPS)
def test_slopes_along_uv_are_differences(device, lookups, wrap):
    view = view_of(device, Texture(PIXELS, wrap))
    step = 1e-4
    # Not across the line between two texels, where the slope jumps.
    at = (PLACES * (WIDTH, HEIGHT) - 0.5) % 1
    smooth = PLACES[(np.abs(at - 0.5) < 0.45).all(axis=1)]
    du = np.array([0.6, -0.8], np.float32)

    slopes = lookups.slope(view, smooth, du, _result="numpy")
    sides = [
        np.einsum("nhw,hwc->nc", expected(PIXELS, smooth + s * step * du, wrap, "linear"), PIXELS)
        for s in (1, -1)
    ]

    assert np.allclose(slopes, (sides[0] - sides[1]) / (2 * step), atol=2e-2)


@pytest.mark.parametrize("wrap", WRAPS)
def test_gradients_of_texels_are_the_weights_of_the_lookups(device, lookups, wrap):
    gradients = weft.Tensor.zeros(device, (HEIGHT * WIDTH * 4,))
    view = view_of(device, Texture(PIXELS, wrap), gradients=gradients)
    upstream = np.random.default_rng(2).normal(size=(len(PLACES), 4)).astype(np.float32)

    pulled = lookups.pull(view, PLACES, upstream, _result="numpy")

    weights = expected(PIXELS, PLACES, wrap, "linear")
    result = gradients.to_numpy().reshape(HEIGHT, WIDTH, 4)[::-1]
    assert np.allclose(result, np.einsum("nhw,nc->hwc", weights, upstream), atol=1e-4)
    # <J v, w> = <v, J^T w> along a direction of uv.
    du = np.array([0.6, -0.8], np.float32)
    along = lookups.slope(view_of(device, Texture(PIXELS, wrap)), PLACES, du, _result="numpy")
    assert (pulled @ du).sum() == pytest.approx((along * upstream).sum(), rel=1e-3)


def test_tangents_of_texels_are_looked_up_like_texels(device, lookups):
    texture = Texture(PIXELS, "repeat")
    directions = np.random.default_rng(3).normal(size=PIXELS.shape).astype(np.float32)
    tangents = weft.Tensor.from_numpy(device, directions[::-1].ravel().copy())

    result = lookups.slope(
        view_of(device, texture, tangents), PLACES, np.zeros(2, np.float32), _result="numpy"
    )

    weights = expected(PIXELS, PLACES, "repeat", "linear")
    assert np.allclose(result, np.einsum("nhw,hwc->nc", weights, directions), atol=1e-4)
