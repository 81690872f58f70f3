# SPDX-License-Identifier: Apache-2.0
"""Meshes from files."""

import struct

import numpy as np
import pytest

import weft
from weft.scene import load_mesh

OBJ = """
# a square and a triangle
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
vt 0 0
vt 1 0
vt 1 1
vn 0 0 1
usemtl red paint
f 1/1/1 2/2/1 3/3/1 4/1/1
usemtl blue
f -4/1/1 -3/2/1 -2/3/1
"""

HEADER = """ply
format {kind} 1.0
comment made by hand
element vertex 4
property float x
property float y
property float z
property float s
property float t
property uchar red
property uchar green
property uchar blue
element face 1
property list uchar int vertex_indices
end_header
"""
ROWS = [(0, 0, 0, 0, 0), (1, 0, 0, 1, 0), (1, 1, 0, 1, 1), (0, 1, 0, 0, 1)]


def ply(kind):
    header = HEADER.format(kind=kind).encode()
    if kind == "ascii":
        lines = [" ".join(map(str, (*row, 255, 0, 51))) for row in ROWS]
        return header + "\n".join([*lines, "4 0 1 2 3", ""]).encode()
    order = ">" if kind == "binary_big_endian" else "<"
    body = b"".join(struct.pack(f"{order}5f3B", *row, 255, 0, 51) for row in ROWS)
    return header + body + struct.pack(f"{order}B4i", 4, 0, 1, 2, 3)


def test_an_obj_file_keeps_uvs_normals_and_materials(tmp_path):
    (tmp_path / "square.obj").write_text(OBJ)

    mesh = load_mesh(tmp_path / "square.obj")

    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2]]
    assert mesh.uvs["UVMap"][1].tolist() == [[0, 0], [1, 1], [0, 0]]
    assert np.allclose(mesh.normals, (0, 0, 1))
    assert mesh.slots.tolist() == [0, 0, 1]
    assert mesh.name == "square"


@pytest.mark.parametrize("kind", ["ascii", "binary_little_endian", "binary_big_endian"])
def test_a_ply_file_keeps_uvs_and_colours(tmp_path, kind):
    (tmp_path / "square.ply").write_bytes(ply(kind))

    mesh = load_mesh(tmp_path / "square.ply")

    assert mesh.triangles.tolist() == [[0, 1, 2], [0, 2, 3]]
    assert mesh.positions.tolist() == [list(row[:3]) for row in ROWS]
    assert mesh.uvs["UVMap"][0].tolist() == [[0, 0], [1, 0], [1, 1]]
    assert mesh.colors["Color"][0, 0] == pytest.approx([1, 0, 0.2])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.stl", b"", [".obj or .ply", "'.stl'"]),
        ("a.ply", b"", ["damaged"]),
        ("a.ply", ply("ascii")[:-20], ["damaged", "too early"]),
        ("a.ply", ply("binary_little_endian")[:-30], ["damaged"]),
        ("a.ply", ply("ascii").replace(b"property float x", b"property float q"), ["no x, y, z"]),
        ("a.obj", b"v 0 0 zero", ["damaged", "zero"]),
        ("a.obj", b"v 0 0 0\nf 1 2 3", ["vertices", "has 1"]),
    ],
)
def test_damaged_files_are_refused(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)

    with pytest.raises(weft.ArgumentError) as caught:
        load_mesh(tmp_path / name)

    assert [word for word in words if word not in str(caught.value)] == []


def test_an_absent_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        load_mesh(tmp_path / "a.obj")
