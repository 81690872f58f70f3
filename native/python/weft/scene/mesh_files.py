# SPDX-License-Identifier: Apache-2.0
"""Meshes from Wavefront OBJ and Stanford PLY files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, ArgumentNotFoundError
from weft.scene.geometry import Mesh

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

PLY_TYPES = {
    "char": "i1",
    "uchar": "u1",
    "short": "i2",
    "ushort": "u2",
    "int": "i4",
    "uint": "u4",
    "float": "f4",
    "double": "f8",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "float32": "f4",
    "float64": "f8",
}
PLY_UVS = (("u", "v"), ("s", "t"), ("texture_u", "texture_v"))


def load_mesh(path: str | os.PathLike[str]) -> Mesh:
    """Read a mesh from an ``.obj`` or ``.ply`` file. Polygons become fans of triangles.

    Axes and units are those of the file. OBJ: positions, UVs, normals, and ``usemtl`` as material
    slots in the order of first use. PLY, text or binary: positions, and normals, UVs and colours
    (8 bits are divided by 255) of vertices.

    Args:
        path: The file.

    Returns:
        The mesh, named after the file; UV set ``"UVMap"`` and colour attribute ``"Color"`` if there
        are any.

    Raises:
        FileNotFoundError: There is no such file.
        ArgumentError: The ending is another, or the file is damaged.
    """
    file = Path(path)
    readers = {".obj": _read_obj, ".ply": _read_ply}
    if file.suffix.lower() not in readers:
        raise ArgumentError(
            f"load_mesh: '{file.name}' ends in '{file.suffix}', .obj or .ply is expected; export "
            "one of them"
        )
    if not file.is_file():
        raise ArgumentNotFoundError(f"load_mesh: there is no file '{file}'; check the path")
    try:
        return readers[file.suffix.lower()](file)
    except (ValueError, IndexError, KeyError) as error:
        raise ArgumentError(
            f"load_mesh: '{file}' is damaged ({' '.join(str(error).split())}); export it again"
        ) from error


def _fans(corners: list[list[tuple[int, ...]]], width: int) -> NDArray[Any]:
    """Return the corners of all triangles of polygons, `width` numbers each."""
    out: list[tuple[int, ...]] = []
    for polygon in corners:
        for k in range(1, len(polygon) - 1):
            out += [polygon[0], polygon[k], polygon[k + 1]]
    return np.array(out, np.int64).reshape(-1, width)


def _read_obj(file: Path) -> Mesh:
    values: dict[str, list[list[float]]] = {"v": [], "vt": [], "vn": []}
    polygons: list[list[tuple[int, ...]]] = []
    slots: list[int] = []
    materials: dict[str, int] = {}
    slot = 0
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in values:
            wanted = 2 if words[0] == "vt" else 3
            values[words[0]].append([float(word) for word in words[1 : 1 + wanted]])
        elif words[0] == "usemtl":
            slot = materials.setdefault(" ".join(words[1:]), len(materials))
        elif words[0] == "f":
            polygons.append([_obj_corner(word, values) for word in words[1:]])
            slots += [slot] * (len(words) - 3)
    corners = _fans(polygons, 3)
    extra = _obj_attributes(corners, values)
    if materials:
        extra["slots"] = np.array(slots, np.uint32)
    positions: NDArray[Any] = np.array(values["v"]).reshape(-1, 3)
    return Mesh(positions, corners[:, 0].reshape(-1, 3), name=file.stem, **extra)


def _obj_attributes(corners: NDArray[Any], values: dict[str, list[list[float]]]) -> dict[str, Any]:
    """Return UVs and normals of corners, where all of them have some."""
    extra: dict[str, Any] = {}
    if len(corners) and (corners[:, 1] >= 0).all():
        extra["uvs"] = {"UVMap": np.array(values["vt"])[corners[:, 1]]}
    if len(corners) and (corners[:, 2] >= 0).all():
        extra["normals"] = np.array(values["vn"])[corners[:, 2]]
    return extra


def _obj_corner(word: str, values: dict[str, list[list[float]]]) -> tuple[int, ...]:
    """Return the numbers of position, UV and normal from 0; -1: not given."""
    parts = [*word.split("/"), "", ""][:3]
    out = []
    for part, kind in zip(parts, ("v", "vt", "vn"), strict=True):
        number = int(part) if part else 0
        out.append(number - 1 if number >= 0 else len(values[kind]) + number)
    return tuple(out)


def _ply_header(content: bytes) -> tuple[str, list[tuple[str, int, list[list[str]]]], int]:
    """Return the format, the elements with their properties, and where the data begins."""
    end = content.index(b"end_header")
    start = content.index(b"\n", end) + 1
    kind = ""
    elements: list[tuple[str, int, list[list[str]]]] = []
    lines = content[:end].decode("ascii").splitlines()
    if lines[0].strip() != "ply":
        raise ValueError("it does not begin with 'ply'")
    for line in lines[1:]:
        words = line.split()
        if words[:1] == ["format"]:
            kind = words[1]
        elif words[:1] == ["element"]:
            elements.append((words[1], int(words[2]), []))
        elif words[:1] == ["property"]:
            elements[-1][2].append(words[1:])
    if kind not in ("ascii", "binary_little_endian", "binary_big_endian"):
        raise ValueError(f"its format is '{kind}'")
    return kind, elements, start


class _PlyData:
    """The numbers of a PLY file, taken one after the other."""

    def __init__(self, content: bytes, kind: str, start: int) -> None:
        self.order = ">" if kind == "binary_big_endian" else "<"
        self.words = content[start:].split() if kind == "ascii" else None
        self.content, self.at = content, start if self.words is None else 0

    def take(self, kind: str, count: int) -> NDArray[Any]:
        """Return `count` numbers of a type."""
        dtype = np.dtype(self.order + PLY_TYPES[kind])
        if self.words is not None:
            part = self.words[self.at : self.at + count]
            self.at += count
            if len(part) < count:
                raise ValueError("it ends too early")
            return np.array([float(word) for word in part]).astype(dtype)
        values = np.frombuffer(self.content, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def polygons(
        self, element: str, properties: list[list[str]], count: int
    ) -> list[list[tuple[int, ...]]]:
        """Take an element with lists; return the vertices of polygons, if it has those."""
        out: list[list[tuple[int, ...]]] = []
        for _ in range(count):
            for words in properties:
                if words[0] != "list":
                    self.take(words[0], 1)
                    continue
                numbers = self.take(words[2], int(self.take(words[1], 1)[0]))
                if element == "face" and words[3] in ("vertex_indices", "vertex_index"):
                    out.append([(int(number),) for number in numbers])
        return out

    def table(self, properties: list[list[str]], count: int) -> dict[str, NDArray[Any]]:
        """Return the columns of an element without lists."""
        if self.words is not None:
            rows = self.take("double", count * len(properties)).reshape(count, len(properties))
            return {words[1]: rows[:, k] for k, words in enumerate(properties)}
        dtype = np.dtype([(words[1], self.order + PLY_TYPES[words[0]]) for words in properties])
        rows = np.frombuffer(self.content, dtype, count, self.at)
        self.at += rows.nbytes
        return {words[1]: rows[words[1]] for words in properties}


def _read_ply(file: Path) -> Mesh:
    content = file.read_bytes()
    kind, elements, start = _ply_header(content)
    data = _PlyData(content, kind, start)
    columns: dict[str, NDArray[Any]] = {}
    types: dict[str, str] = {}
    polygons: list[list[tuple[int, ...]]] = []
    for name, count, properties in elements:
        if any(words[0] == "list" for words in properties):
            polygons += data.polygons(name, properties, count)
            continue
        table = data.table(properties, count)
        if name == "vertex":
            columns, types = table, {words[1]: words[0] for words in properties}
    positions = _stacked(columns, ("x", "y", "z"))
    if positions is None:
        raise ValueError("its vertices have no x, y, z")
    return Mesh(
        positions,
        _fans(polygons, 1).reshape(-1, 3),
        _stacked(columns, ("nx", "ny", "nz")),
        _ply_uvs(columns),
        _ply_colors(columns, types),
        name=file.stem,
    )


def _stacked(columns: dict[str, NDArray[Any]], names: tuple[str, ...]) -> NDArray[Any] | None:
    if not all(name in columns for name in names):
        return None
    return np.stack([np.asarray(columns[name], np.float64) for name in names], axis=1)


def _ply_uvs(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    pairs = (_stacked(columns, pair) for pair in PLY_UVS)
    return next(({"UVMap": found} for found in pairs if found is not None), {})


def _ply_colors(columns: dict[str, NDArray[Any]], types: dict[str, str]) -> dict[str, NDArray[Any]]:
    colors = _stacked(columns, ("red", "green", "blue"))
    if colors is None:
        return {}
    return {"Color": colors / 255 if types["red"] in ("uchar", "uint8") else colors}
