# SPDX-License-Identifier: Apache-2.0
"""Spheres in and out of view."""

from __future__ import annotations

import pytest
from addon.core.frustum import is_in_view

from weft.scene import Camera

VIEW = Camera.look_at((0, -5, 0), (0, 0, 0))
LENS = Camera(64, 48, fov=0.8, transform=VIEW, near=0.1, far=50)
PARALLEL = Camera(64, 48, "orthographic", scale=4.0, transform=VIEW, far=50)


@pytest.mark.parametrize(
    ("camera", "centre", "radius", "is_seen"),
    [
        (LENS, (0, 0, 0), 0.1, True),
        (LENS, (1.9, 0, 0), 0.1, True),
        (LENS, (3, 0, 0), 0.1, False),
        (LENS, (3, 0, 0), 1.0, True),
        (LENS, (0, -8, 0), 0.5, False),
        (LENS, (0, -5.2, 0), 0.5, True),
        (LENS, (0, 60, 0), 0.5, False),
        (LENS, (0, 45.3, 0), 0.5, True),
        (LENS, (0, 44.7, 0), 0.5, True),
        (LENS, (0, 45.7, 0), 0.5, False),
        (LENS, (0, -4.95, 0), 0.02, False),
        (LENS, (0, -4.95, 0), 0.06, True),
        (PARALLEL, (0, 45.3, 0), 0.5, True),
        (PARALLEL, (0, 45.7, 0), 0.5, False),
        (PARALLEL, (0, -5.2, 0), 0.1, False),
        (LENS, (0, 0, 2), 0.1, False),
        (PARALLEL, (1.9, 40, 0), 0.1, True),
        (PARALLEL, (2.5, 40, 0), 0.1, False),
        (Camera(64, 32, "equirectangular"), (9, 9, 9), 0.1, True),
    ],
)
def test_a_sphere_is_seen_where_the_film_reaches(camera, centre, radius, is_seen):
    assert is_in_view(camera, centre, radius) == is_seen
