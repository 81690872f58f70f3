# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the node templates: central differences, forward mode, random broadcasts."""

from __future__ import annotations

from pathlib import Path

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

import weft

TEMPLATES = Path(weft.__file__).parent / "node_templates"

seeds = st.integers(0, 10_000)
shapes = st.lists(st.integers(1, 6), min_size=1, max_size=3)
masks = st.integers(0, 7)

# The surface clamps the cosine between the normal and the half vector to 1. Central differences
# move a normal by 1e-3: one of length 1 along the half vector would cross the clamp, and its
# difference would be wrong.
SHORT = 0.99


@pytest.fixture(scope="module")
def surface(device):
    path = TEMPLATES / "shader" / "microfacet.slang"
    return weft.Module.load_from_file(device, path).microfacetSurface


@pytest.fixture(scope="module")
def noise(device):
    path = TEMPLATES / "texture" / "fractal_noise.slang"
    return weft.Module.load_from_file(device, path).fractalNoise


def unit(random, shape):
    """Directions at most 60 degrees from +z: away from the horizon, where the surface ends."""
    way = random.normal(size=(*shape, 3)) * 0.4
    way[..., 2] = 1.0
    return way / np.linalg.norm(way, axis=-1, keepdims=True)


def broadcast(shape, mask):
    return tuple(1 if mask >> i & 1 else extent for i, extent in enumerate(shape))


@pytest.mark.slow
@hypothesis.given(seed=seeds, shape=shapes, mask=st.tuples(masks, masks, masks))
@hypothesis.example(seed=862, shape=[6], mask=(0, 0, 0))  # a normal along the half vector
@hypothesis.settings(deadline=None, max_examples=10)
def test_a_surface_is_differentiable_by_everything(surface, seed, shape, mask):
    random = np.random.default_rng(seed)
    arguments = [
        SHORT * unit(random, shape),
        unit(random, broadcast(shape, mask[0])),
        unit(random, ()),
        random.uniform(0.1, 0.9, (*broadcast(shape, mask[1]), 3)),
        random.uniform(0.3, 0.9, broadcast(shape, mask[2])),
        random.uniform(0.1, 0.9, ()),
        random.uniform(0.5, 3.0, (3,)),
    ]

    check = weft.check_gradients(surface, *arguments, wrt=range(7), samples=6)

    assert check.passed, check.differences


@pytest.mark.slow
@hypothesis.given(seed=seeds, shape=shapes, mask=st.tuples(masks, masks))
@hypothesis.example(seed=10_000, shape=[1], mask=(0, 0))  # octaves cancel: all is rounding
@hypothesis.settings(deadline=None, max_examples=10)
def test_noise_is_differentiable_by_place_scale_and_gain(noise, seed, shape, mask):
    random = np.random.default_rng(seed)
    arguments = [
        random.uniform(-2, 2, (*shape, 2)),
        random.uniform(1.0, 2.0, broadcast(shape, mask[0])),
        3,
        2.0,
        random.uniform(0.3, 0.7, broadcast(shape, mask[1])),
    ]

    check = weft.check_gradients(noise, *arguments, wrt=("position", "scale", "gain"), samples=6)

    assert check.passed, check.differences
