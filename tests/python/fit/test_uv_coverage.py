# SPDX-License-Identifier: Apache-2.0
"""Overlaps of UV maps, and how much of a surface pictures show."""

from __future__ import annotations

import numpy as np
import pytest

import weft
from weft.fit.uv_coverage import coverage_of, overlap_of, uv_area, uv_places
from weft.scene import Closure, Material, Mesh, Object

CLAY = Material("Clay", Closure("diffuse"))


def squares(*corners, size=0.5):
    """Squares of the UV map by their lower left corners, as one mesh each."""
    found = []
    for u, v in corners:
        uvs = np.array([[u, v], [u + size, v], [u + size, v + size], [u, v + size]], np.float32)
        places = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
        faces = np.array([[0, 1, 2], [0, 2, 3]], np.uint32)
        found.append(Object(Mesh(places, faces, uvs={"UVMap": uvs}), [CLAY]))
    return weft.Scene(found)


def overlap(scene):
    return overlap_of(uv_places(scene, ["Clay"], 0), uv_area(scene, ["Clay"], 0))


@pytest.mark.parametrize(
    ("corners", "share"),
    [
        ([(0, 0)], 0.0),
        ([(0, 0), (0.5, 0.5)], 0.0),
        ([(0, 0), (0, 0)], 1.0),
        ([(0, 0), (0.25, 0)], 0.5),
        ([(0, 0), (1, 0)], 1.0),  # a tile farther on is the same texels
        ([(0, 0), (0, 0), (0.5, 0.5), (0.5, 0)], 0.5),
    ],
)
def test_the_share_of_surfaces_that_overlap(corners, share):
    assert overlap(squares(*corners)) == pytest.approx(
        share, abs=0.1
    )  # cells at borders are covered in part


def test_instances_of_a_mesh_do_not_overlap():
    scene = squares((0, 0))
    scene.objects.append(Object(scene.objects[0].mesh, [CLAY]))

    assert overlap(scene) < 0.03


def test_coverage_counts_surfaces_and_not_empty_texels():
    points = uv_places(squares((0, 0)), ["Clay"], 0)
    known = np.zeros((8, 8), np.float32)
    known[4:, :2] = 1  # the left half of the lower left quarter; the top row comes first

    assert coverage_of(points, known) == pytest.approx(0.5, abs=0.01)
    assert coverage_of(np.zeros((0, 2)), known) == 8 / 64


def test_other_materials_have_no_part():
    assert len(uv_places(squares((0, 0)), ["Wood"], 0)) == 0
