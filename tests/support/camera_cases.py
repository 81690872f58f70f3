# SPDX-License-Identifier: Apache-2.0
"""Cameras in a box whose walls shine with their position. Needs numpy alone."""

from __future__ import annotations

import numpy as np

BOX = np.array([[-3.0, -4.0, -2.0], [5.0, 3.0, 4.0]])
"""Lowest and highest corner, metres."""

ORIGIN, TARGET = (1.0, -2.0, 1.5), (0.2, 1.0, 0.3)
WIDE, TALL = (16, 10), (10, 16)

# What Weft's Camera takes; Blender has the same names, but for `scale` (ortho_scale).
CASES = {
    "wide": {"size": WIDE, "fov": 0.9},
    "tall": {"size": TALL, "fov": 0.9},
    "horizontal": {"size": TALL, "fov": 0.9, "sensor_fit": "horizontal", "shift": (0.3, -0.2)},
    "vertical": {"size": WIDE, "fov": 0.9, "sensor_fit": "vertical", "shift": (0.3, -0.2)},
    "shifted": {"size": TALL, "fov": 1.6, "shift": (-0.1, 0.4)},
    "orthographic": {"size": WIDE, "kind": "orthographic", "scale": 2.5},
    "orthographic_tall": {
        "size": TALL,
        "kind": "orthographic",
        "scale": 2.5,
        "shift": (0.1, -0.2),
    },
    "equirectangular": {"size": (16, 8), "kind": "equirectangular"},
}

GAIN, OFFSET = 0.05, 0.5
"""Of positions, so that no wall shines below zero."""


def wall_positions(origins, directions):
    """Return where rays from inside leave the box."""
    with np.errstate(divide="ignore"):
        t = (np.where(directions > 0, BOX[1], BOX[0]) - origins) / directions
    return origins + directions * t.min(axis=-1, keepdims=True)
