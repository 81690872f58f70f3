# SPDX-License-Identifier: Apache-2.0
"""The light of a surface, as lamps are drawn by it."""

import pytest

from weft.render.emission import Emission, emitted_radiance, light_of
from weft.scene import Add, Closure, Constant, Mix, principled

DARK = Closure("diffuse")


def shining(strength, **inputs):
    return Closure("emission", color=(1.0, 0.5, 0.25), strength=strength, **inputs)


@pytest.mark.parametrize(
    ("surface", "red"),
    [
        (shining(4.0), 4),
        (Mix(DARK, shining(4.0), 0.25), 1),
        (Mix(shining(4.0), DARK, 0.25), 3),
        (Mix(shining(4.0), shining(8.0), 0.75), 7),
        (Add(shining(4.0), shining(8.0)), 12),
        (Add(shining(4.0), DARK), 4),
        (Mix(Add(shining(4.0), shining(4.0)), DARK, 0.5), 4),
        (Mix(DARK, shining(4.0), Constant("Share", 0.5)), 2),
    ],
)
def test_light_that_is_the_same_everywhere_is_added_and_mixed(surface, red):
    found = emitted_radiance(surface)

    assert found.radiance == pytest.approx((red, red / 2, red / 4))
    assert light_of(surface) == found


@pytest.mark.parametrize(
    "surface", [DARK, shining(0.0), Mix(shining(4.0), DARK, 1.0), Mix(DARK, shining(4.0), 0.0)]
)
def test_what_does_not_shine_has_no_light_of_its_own(surface):
    assert emitted_radiance(surface) is None


@pytest.mark.parametrize(
    "surface",
    [
        Mix(shining(4.0), shining(4.0, both_sides=0.0), 0.5),
        principled("m", emission_color=(1, 1, 1), emission_strength=2.0, alpha=0.5).surface,
    ],
)
def test_light_that_differs_from_place_to_place_is_looked_up(surface):
    assert emitted_radiance(surface) is None
    assert light_of(surface) == Emission((1.0, 1.0, 1.0), both_sides=True, varies=True)
