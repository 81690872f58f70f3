# SPDX-License-Identifier: Apache-2.0
"""Meshes and objects of Python as the engine reads them, and the parts that it keeps."""

import numpy as np
import pytest

import weft
from support.render_scenes import lambert, placed, quad
from weft._native import SceneGeometry
from weft.layouts import InstanceWord, RayKind
from weft.render.keeping import Chunk, Identity, KeptParts, digest, zeros_chunk
from weft.scene import Closure, Material, Mesh, Object, Scene

NONE = 0xFFFFFFFF


def triangle(**arrays):
    return Mesh(np.eye(3), np.array([[0, 1, 2]]), **arrays)


def scene_of(mesh, **kwargs):
    return Scene([Object(mesh, [lambert(name="m")], **kwargs)])


@pytest.fixture
def kept(device):
    return KeptParts(device)


def test_records_of_instances_have_the_words_of_the_kernels(kept):
    emitter = Material("emitter", Closure("emission"))
    square = quad()
    scene = Scene(
        [
            placed(square, lambert(name="a")),
            Object(square, [emitter], np.eye(4), hidden_from=("shadow", "camera")),
        ]
    )
    geometry = SceneGeometry(kept, scene)
    emissive = geometry.emissive_meshes(kept, 5)
    rows = geometry.instances(emissive)

    assert rows.shape == (2, InstanceWord.end)
    assert rows[:, InstanceWord.first_triangle].tolist() == [0, 0]
    assert rows[:, InstanceWord.first_slot].tolist() == [0, 1]
    assert rows[:, InstanceWord.first_light].tolist() == [NONE, 0]
    assert rows[:, InstanceWord.object].tolist() == [0, 1]
    assert geometry.hidden_from.tolist() == [0, RayKind.shadow | RayKind.camera]
    assert geometry.lights_of_triangles(emissive).tolist() == [5, 6, NONE]
    (part,) = emissive.parts
    assert (part.instance, part.slot, part.first_light) == (1, 0, 5)


@pytest.mark.parametrize("kind", ["diffuse", "glossy", "transmission"])
def test_a_mesh_hidden_from_what_a_bounce_sends_is_no_light(kept, kind):
    emitter = Material("emitter", Closure("emission"))
    scene = Scene([Object(quad(), [emitter], hidden_from=(kind,))])

    assert SceneGeometry(kept, scene).emissive_meshes(kept, 0).parts == []


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("positions", np.zeros((3, 2), np.float32), r"positions must have shape \(n, 3\)"),
        ("positions", None, "positions must have shape"),
        ("positions", "abc", "positions must have shape"),
        ("positions", np.full((3, 3), np.nan, np.float32), "vertex 0 is not finite"),
        ("triangles", np.array([[0, 1, 7]], np.uint32), "names vertices"),
        ("triangles", np.array([[0, 1, -1]]), "names vertices"),
        ("triangles", np.zeros(3, np.uint32), r"triangles must have shape \(n, 3\)"),
        ("normals", np.zeros((2, 3, 3), np.float32), "normals must be 9 numbers"),
        ("normals", np.zeros((1, 3), np.float32), r"normals must have shape \(n, 3, 3\)"),
        ("uvs", {"map": np.zeros((4, 3, 2), np.float32)}, "UV set 'map' must be 6 numbers"),
        ("colors", {"c": np.zeros((1, 3, 4))}, r"colour 'c' must have shape \(n, 3, 3\)"),
        ("slots", np.zeros((1, 1), np.uint32), r"slots must have shape \(n,\)"),
    ],
)
def test_arrays_that_were_replaced_by_what_does_not_fit_are_named(kept, name, value, message):
    mesh = triangle(name="thing")
    setattr(mesh, name, value)

    with pytest.raises(weft.ArgumentError, match=f"Mesh 'thing': .*{message}"):
        SceneGeometry(kept, scene_of(mesh))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.zeros((3, 4)), "flattens the object"),
        (np.full((3, 4), np.nan), "must be finite"),
        (np.eye(3), r"finite \(4, 4\) or \(3, 4\) matrix, got \(3, 3\)"),
        (None, "matrix, got"),
    ],
)
def test_transforms_that_were_replaced_are_checked(kept, value, message):
    scene = scene_of(triangle(), name="thing")
    scene.objects[0].transform = value

    with pytest.raises(weft.ArgumentError, match=f"Object 'thing': .*{message}"):
        SceneGeometry(kept, scene)


def test_lists_and_other_kinds_of_numbers_are_read_as_arrays(kept):
    mesh = triangle()
    mesh.positions = np.eye(3)[::-1].tolist()
    mesh.triangles = np.array([[0, 1, 2]], np.int64)

    tensors = SceneGeometry(kept, scene_of(mesh)).tensors(kept, has_tangents=False)

    assert tensors["positions"].to_numpy()[:9].reshape(3, 3).tolist() == np.eye(3)[::-1].tolist()


def test_what_was_written_into_an_array_since_is_refused_not_read(kept):
    mesh = triangle(slots=np.zeros(1, np.uint32))
    geometry = SceneGeometry(kept, scene_of(mesh))
    mesh.triangles[0, 1] = 1 << 30

    with pytest.raises(weft.ArgumentError, match="triangle 0 names vertices"):
        geometry.tensors(kept, has_tangents=False)
    mesh.triangles[0, 1] = 1
    mesh.slots[0] = 1 << 30
    with pytest.raises(weft.ArgumentError, match="is in slot 1073741824"):
        geometry.tensors(kept, has_tangents=False)


def test_a_mesh_is_the_same_while_its_arrays_are(device):
    mesh = triangle()
    scene = scene_of(mesh)
    before = KeptParts(device)
    own = SceneGeometry(before, scene).tensors(before, has_tangents=True)

    same = KeptParts(device, before)
    again = SceneGeometry(same, scene).tensors(same, has_tangents=True)
    mesh.positions = mesh.positions * 2
    other = KeptParts(device, same)
    moved = SceneGeometry(other, scene).tensors(other, has_tangents=True)

    assert all(again[name] is own[name] for name in own)
    assert moved["positions"] is not own["positions"]
    assert moved["positions"].to_numpy()[0] == 2


def test_parts_are_found_by_identity_and_value(device, kept):
    array, twin = np.ones(3), np.ones(3)
    made = []

    def make():
        made.append(None)
        return object()

    part = kept.get("x", (Identity(array), "a", 1, 2.0, b"b", None), make)
    assert kept.get("x", (Identity(array), "a", 1, 2.0, b"b", None), make) is part
    for key in ((Identity(twin), "a", 1, 2.0, b"b", None), ("a",), 1, 1.0, "1", b"1", None, ()):
        kept.get("x", key, make)
    assert len(made) == 9
    assert KeptParts(device, kept).get("x", 1, make) is kept.get("x", 1, make)
    with pytest.raises(weft.ArgumentError, match=r"a key is made of tuples, .* got \{\}"):
        kept.get("x", {}, make)
    with pytest.raises(ZeroDivisionError):
        kept.get("y", None, lambda: 1 // 0)


def test_digests_tell_shape_type_and_numbers(kept):
    array = np.arange(6, dtype=np.float32)
    others = [array + 1, array.astype(np.float64), array.reshape(2, 3), array.view(np.uint32)]

    assert digest(array) == digest(array.copy()) == kept.digest_of(kept, array)
    assert len({digest(entry) for entry in [array, *others]}) == 5


def test_chunks_are_written_once_and_checked(device, kept):
    calls = []
    chunk = Chunk(("a", 1), 2, lambda: calls.append(1) or [1, 2])
    first = kept.assemble("t", [chunk, zeros_chunk(1)])
    other = KeptParts(device, kept)
    second = other.assemble("t", [zeros_chunk(2), chunk])

    assert first.to_numpy().tolist() == [1, 2, 0]
    assert second.to_numpy().tolist() == [0, 0, 1, 2]
    assert calls == [1]
    with pytest.raises(weft.ArgumentError, match="a chunk of 3 numbers"):
        kept.assemble("u", [Chunk("b", 3, lambda: [1, 2])])
    with pytest.raises(weft.ArgumentError, match="dtype must be of 4 bytes"):
        kept.assemble("u", [chunk], np.float64)
