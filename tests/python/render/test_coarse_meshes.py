# SPDX-License-Identifier: Apache-2.0
"""Smooth normals of coarse meshes: sharp lobes stay lit where they lean away from the viewer."""

import numpy as np
import pytest

from weft.render import PathSettings, Renderer
from weft.scene import Camera, Environment, Mesh, Object, Scene, principled

# Cycles 5.0.1, 4096 samples, no bounces, box filter: an icosphere of radius 1 with 20 faces, shaded
# smooth, white metal of roughness 0.3, under white light; the terminator offsets of the object are
# 0. 16 x 16 pixels, means of blocks of 4 x 4.
CYCLES = [
    [1.0, 0.9632, 0.9815, 1.0],
    [0.9724, 0.9867, 0.9922, 0.9562],
    [0.9603, 0.9951, 0.9854, 0.9709],
    [1.0, 0.9799, 0.9557, 1.0],
]
RINGS = [(0.7236, 0.52572), (-0.276385, 0.85064), (-0.894425, 0.0)]


def icosahedron() -> Mesh:
    x, y = np.array(RINGS).T
    lower = np.array([[x[0], -y[0]], [x[1], -y[1]], [x[2], 0], [x[1], y[1]], [x[0], y[0]]])
    upper = np.array([[-x[1], -y[1]], [-x[0], -y[0]], [-x[0], y[0]], [-x[1], y[1]], [-x[2], 0]])
    height = 0.447215
    points = [
        [0, 0, -1],
        *([*p, -height] for p in lower),
        *([*p, height] for p in upper),
        [0, 0, 1],
    ]
    faces = [
        *([0, 1, 2], [1, 0, 5], [0, 2, 3], [0, 3, 4], [0, 4, 5], [1, 5, 10], [2, 1, 6]),
        *([3, 2, 7], [4, 3, 8], [5, 4, 9], [1, 10, 6], [2, 6, 7], [3, 7, 8], [4, 8, 9]),
        *([5, 9, 10], [6, 10, 11], [7, 6, 11], [8, 7, 11], [9, 8, 11], [10, 9, 11]),
    ]
    return Mesh(points, faces, normals=np.array(points))


def test_a_coarse_smooth_metal_equals_that_of_cycles(device):
    metal = principled("m", base_color=(1.0, 1.0, 1.0), roughness=0.3, metallic=1.0)
    look = Camera.look_at((0, -5, 0), (0, 0, 0))
    camera = Camera(16, 16, fov=0.5, transform=look)
    scene = Scene([Object(icosahedron(), [metal])], [], [camera], Environment(np.ones(3)))

    settings = PathSettings(samples=1024, bounces=1)
    picture = Renderer(device, scene).render(settings=settings)

    blocks = picture[..., 0].reshape(4, 4, 4, 4).mean(axis=(1, 3))
    assert blocks == pytest.approx(np.array(CYCLES), abs=0.01)
