# SPDX-License-Identifier: Apache-2.0
"""Boxes that hold media, seen from above."""

from __future__ import annotations

import numpy as np

import weft
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object

CLEAR = Closure("transparent", color=(1.0, 1.0, 1.0))


def box(low, high):
    """Return a closed box, faces outward."""
    x = np.array([[(low, high)[k >> axis & 1][axis] for axis in range(3)] for k in range(8)])
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [t for a, b, c, d in faces for t in ((a, b, c), (a, c, d))]
    return Mesh(x.astype(np.float32), np.array(triangles, np.uint32))


def slab(name, volume, low=(-5, -5, 0), high=(5, 5, 1), surface=CLEAR):
    """Return an object of one medium."""
    return Object(box(low, high), [Material(name, surface, volume=volume)])


def look_down(objects, light=1.0, z=4.0, lights=()):
    """Return a scene whose camera looks straight down, orthographic."""
    view = Camera.look_at((0, 0, z), (0, 0, z - 1), up=(0, 1, 0))
    camera = Camera(8, 8, kind="orthographic", scale=0.5, transform=view)
    world = Environment(np.full(3, light, np.float32)) if light else None
    return weft.Scene(objects, list(lights), [camera], world)
