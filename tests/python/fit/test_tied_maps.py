# SPDX-License-Identifier: Apache-2.0
"""What pictures do not tell of maps of one material, in words; how they move: tests/native/fit."""

import numpy as np
import pytest

from weft.fit.map_errors import TiedMaps, name_untold
from weft.fit.texture_parameters import FittedTexture, TextureParameter

SIDE = 24


def uncertain(maps, errors, correlation):
    """Return roughness and metallic of a material that all pictures show."""
    return TiedMaps(
        [TextureParameter(f"m.{name}", smoothness=0.0) for name in ("roughness", "metallic")],
        [slice(0, 1), slice(1, 2)],
        maps,
        np.broadcast_to(np.array(errors), (SIDE, SIDE, 2)),
        np.array([[1.0, correlation], [correlation, 1.0]]),
        [np.ones((SIDE, SIDE), bool)] * 2,
    )


def test_maps_that_are_not_told_are_named_with_their_partners():
    random = np.random.default_rng(1)
    maps = random.uniform(0.2, 0.8, (SIDE, SIDE, 2))

    named = name_untold(uncertain(maps, [0.3, 0.3], 0.95))

    assert set(named) == {"m.roughness", "m.metallic"}
    assert "cannot be told apart from metallic of 'm'" in named["m.roughness"]
    assert name_untold(uncertain(maps, [0.003, 0.003], 0.01)) == {}


def test_a_map_that_differs_less_than_its_errors_is_named():
    maps = np.random.default_rng(1).uniform(0.2, 0.8, (SIDE, SIDE, 2))
    maps[..., 1] = 0.5 + 0.02 * (maps[..., 1] - 0.5)

    named = name_untold(uncertain(maps, [0.09, 0.09], 0.01))

    assert set(named) == {"m.metallic"}
    assert "one value explains the pictures about as well" in named["m.metallic"]
    assert "only 0% of" in named["m.metallic"]


def test_a_share_of_the_differences_is_certain():
    pixels = np.array([[[0.2], [0.4]], [[0.9], [0.4]]], np.float32)
    errors = np.array([[[0.1], [0.1]], [[np.inf], [0.1]]], np.float32)
    known = np.array([[1, 1], [0, 1]], np.float32)

    found = FittedTexture(pixels, known, errors)

    variance = np.var([0.2, 0.4, 0.4])
    assert found.told == pytest.approx(variance / (variance + 0.01), rel=1e-5)
    assert FittedTexture(pixels, np.zeros_like(known), errors).told == 0
