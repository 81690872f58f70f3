# SPDX-License-Identifier: Apache-2.0
"""Scenes are checked data."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, quad
from weft.scene import Camera, Closure, Environment, Material, Mesh, Object, Scene, Texture


def test_values_at_vertices_become_values_at_corners():
    mesh = quad()

    assert mesh.uvs["UVMap"].shape == (2, 3, 2)
    assert mesh.uvs["UVMap"][1, 2].tolist() == [0, 1]


def test_a_mesh_without_normals_is_flat():
    assert np.allclose(quad().corner_normals(), (0, 0, 1))


def test_meshes_and_materials_are_listed_once_in_the_order_of_first_use():
    mesh, red, blue = quad(), lambert(name="red"), lambert(name="blue")
    scene = Scene([Object(mesh, [red]), Object(mesh, [blue]), Object(mesh, [red])])

    assert scene.meshes() == [mesh]
    assert scene.materials() == [red, blue]


def test_integer_pixels_are_divided_by_their_largest_value():
    assert Texture(np.full((1, 1, 3), 255, np.uint8)).pixels.tolist() == [[[1, 1, 1]]]


TRIANGLE = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Mesh(TRIANGLE, [[0, 1, 3]], name="m"), ["Mesh 'm'", "triangle 0", "[0, 1, 3]"]),
        (lambda: Mesh([[0, 0]], [[0, 0, 0]]), ["positions", "(n, 3)", "(1, 2)"]),
        (lambda: Mesh([[0, 0, np.nan]], [[0, 0, 0]]), ["vertex 0", "not finite", "repair"]),
        (lambda: Mesh(TRIANGLE, [[0, 1, 2]], uvs={"a": [[0, 0]]}), ["UV set 'a'", "(3, 2)"]),
        (lambda: Mesh(TRIANGLE, [[0, 1, 2]], normals=[[0, 0, 1]]), ["normals", "(1, 3, 3)"]),
        (lambda: Mesh(TRIANGLE, [[0, 1, 2]], slots=[0, 1]), ["slots", "(1,)", "(2,)"]),
        (lambda: Object(quad(), []), ["uses 1 material slots", "got 0"]),
        (lambda: Object(quad(), [lambert()], np.zeros((3, 4))), ["flattens", "extent"]),
        (
            lambda: Object(quad(), [lambert()], shadow_terminator_geometry_offset=1.5),
            ["shadow_terminator_geometry_offset", "0 to 1", "1.5"],
        ),
        (lambda: Object(quad(), [lambert()], np.eye(3)), ["transform", "(3, 3)"]),
        (lambda: Closure("felt"), ["'felt'", "diffuse", "principled"]),
        (lambda: Closure("diffuse", colour=(1, 1, 1)), ["'colour'", "color"]),
        (lambda: Closure("diffuse", color=(1, 1)), ["'color'", "3 numbers", "got 2"]),
        (lambda: Material("", Closure("none")), ["Material", "name is needed"]),
        (lambda: Texture(np.zeros((2, 2, 2))), ["channels", "(2, 2, 2)"]),
        (lambda: Texture([[[0.0], [np.inf]]]), ["row 0, column 1", "replace"]),
        (lambda: Texture(np.zeros((1, 1, 1)), wrap="tile"), ["repeat", "'tile'"]),
        (lambda: Camera(0, 4), ["pixels", "0 x 4"]),
        (lambda: Camera(4, 4, kind="fisheye"), ["equirectangular", "'fisheye'"]),
        (lambda: Camera(4, 4, fov=4.0), ["fov", "pi", "got 4"]),
        (lambda: Camera(4, 4, transform=np.eye(2)), ["transform", "(2, 2)"]),
        (lambda: Camera.look_at((0, 0, 1), (0, 0, 0)), ["up", "parallel", "choose"]),
        (lambda: Environment(np.zeros((2, 2))), ["(height, width, 3)", "(2, 2)"]),
        (lambda: Environment(-np.ones((2, 2, 3))), ["not negative", "repair"]),
        (lambda: Scene().camera("top"), ["'top'", "none"]),
        (
            lambda: Scene([Object(quad(), [lambert()]), Object(quad(), [lambert()])]).materials(),
            ["2 materials", "'lambert'", "rename"],
        ),
    ],
)
def test_what_cannot_work_is_refused_with_a_reason(make, words):
    with pytest.raises(weft.ArgumentError) as caught:
        make()

    assert [word for word in words if word not in str(caught.value)] == []
