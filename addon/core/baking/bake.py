# SPDX-License-Identifier: GPL-3.0-or-later
"""A function over the UV maps of surfaces, as images.

`bake` covers an image with triangles (raster.py), computes at the texels' places what drives the
function's inputs (values.py) and the function itself (wrapper.py), and fills a margin (margin.py).
`bake_corners` computes it at the corners of meshes. Neither knows Blender; both run in any thread.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from weft import ArgumentError
from weft.scene import Attribute

from .margin import rings
from .raster import MAX_LAYERS, cover, is_finite, is_stretched, layers_of, weights_of
from .surfaces import Points, parts_in
from .values import Evaluation, parts_of
from .wrapper import ENTRY

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from weft.scene.values import Value

    from ..graph.compile import AttributeRequest
    from .programs import Programs
    from .surfaces import Surface
    from .wrapper import Wrapper

    Pixels = NDArray[np.float32]

CHUNK = 1 << 20
"""Points that are computed at a time."""

FIRST_TILE = 1001
MAX_TILES = 100

MAX_BYTES = 8 << 30
"""Of pixels of all tiles together: Blender holds them, too."""

ROUNDING = 1e-4
"""Beyond the square from 0 to 1: unwrapping gives 1.0000001, which is no reason to wrap around."""


class BakeCancelled(Exception):
    """Ends a bake whose result is not wanted any more."""


@dataclass(frozen=True, eq=False)
class Task:
    """What is baked.

    Args:
        title: What people call the node.
        source: Text of the function, with that of the wrapper behind it.
        wrapper: Of the function.
        values: What drives the inputs, by the name of the socket.
        requests: What they read of meshes.
        surfaces: On which.
        folders: In which the source's imports are looked for.
        source_title: What messages call the source.
        state: Differs whenever what the source imports may have changed.
        uv_map: That images are laid out by; "": the active one.
        margin: Width of the margin in texels.
        is_tiled: Each unit square of the UV map is an image of its own.
    """

    title: str
    source: str
    wrapper: Wrapper
    values: Mapping[str, Value]
    requests: Sequence[AttributeRequest]
    surfaces: Sequence[Surface]
    folders: Sequence[Path] = ()
    source_title: str = "function.slang"
    state: object = None
    uv_map: str = ""
    margin: int = 16
    is_tiled: bool = False


@dataclass(frozen=True)
class BadTexel:
    """Where a function gave no number.

    Args:
        count: Of texels, or corners.
        first: What people call the first one.
    """

    count: int = 0
    first: str = ""


@dataclass(frozen=True)
class Report:
    """What was found while baking.

    Args:
        covered: Share of the images that surfaces cover.
        crowded: Share of the covered texels that several objects share.
        folded: Share of them that parts of one object share.
        bad: Where the function gave NaN or infinity.
        tiles: Numbers of the tiles.
        gaps: Tiles between the first and the last one that no surface lies on.
        outside: Triangles that lie in no tile.
        stretched: Triangles that reach over too many images to be baked.
        without: Objects that have no UV map of the name.
        objects: How many were baked.
    """

    covered: float = 0.0
    crowded: float = 0.0
    folded: float = 0.0
    bad: BadTexel = field(default_factory=BadTexel)
    tiles: tuple[int, ...] = ()
    gaps: tuple[int, ...] = ()
    outside: int = 0
    stretched: int = 0
    without: tuple[str, ...] = ()
    objects: int = 0


@dataclass(frozen=True, eq=False)
class Baked:
    """Images of a function.

    Args:
        tiles: Images by the number of the tile, 0 where there are none; of each image the pixels,
            shape ``(height, width, 4)``, the lowest row first.
        wraps: The images go on at their other sides.
        report: What was found.
    """

    tiles: Mapping[int, tuple[Pixels, ...]]
    wraps: bool
    report: Report


def bake(
    task: Task, size: int, programs: Programs, cancelled: threading.Event | None = None
) -> Baked:
    """Compute the images of a task.

    Args:
        task: What.
        size: Texels along each side.
        programs: Of the device.
        cancelled: Ends it early.

    Raises:
        ArgumentError: No object has the UV map, no face lies on it, or it repeats its image.
        CompileError: The function does not compile.
        DeviceError: The device fails.
        BakeCancelled: It was ended.
    """
    surfaces, without = _with_uvs(task)
    uvs = _joined([surface.rows["uv", task.uv_map] for surface in surfaces], 2)
    owners = _owners(surfaces)
    _require_faces(task, uvs)
    if not task.is_tiled:
        inside = uvs if is_finite(uvs) else uvs[np.isfinite(uvs).all((1, 2))]
        wraps = bool((inside < -ROUNDING).any() or (inside > 1 + ROUNDING).any())
        images, found, bad = _image(task, surfaces, uvs, owners, size, programs, cancelled, wraps)
        report = _report(found, bad, size, (), without, surfaces)
        stretched = int(is_stretched(inside).sum())
        return Baked({0: images}, wraps, replace(report, stretched=stretched))
    tiles, outside = tiles_of(uvs)
    if not tiles:
        message = (
            f"bake: '{task.title}': no face lies in a tile: those are squares from 0 to 10 along U "
            "and from 0 to 10 along V; move the UV map there, or bake one image"
        )
        raise ArgumentError(message)
    _require_room(task, len(tiles), size)
    made: dict[int, tuple[Pixels, ...]] = {}
    totals, bads = np.zeros(3), BadTexel()
    low, high = uvs.min(axis=1), uvs.max(axis=1)
    for tile in tiles:
        corner = np.array([(tile - FIRST_TILE) % 10, (tile - FIRST_TILE) // 10], np.float32)
        inside = ((low < corner + 1) & (high > corner)).all(axis=1)
        parts = parts_in(surfaces, inside)
        images, found, bad = _image(
            task,
            parts,
            uvs[inside] - corner,
            owners[inside],
            size,
            programs,
            cancelled,
            wraps=False,
        )
        if bad.count:
            first = bads.first or f"{bad.first} of tile {tile}"
            bads = BadTexel(bads.count + bad.count, first)
        made[tile] = images
        totals += found
    report = _report(totals, bads, size, tiles, without, surfaces)
    return Baked(made, False, replace(report, outside=outside))


def _require_room(task: Task, tiles: int, size: int) -> None:
    needed = 16 * size * size * tiles * task.wrapper.images
    if needed > MAX_BYTES:
        message = (
            f"bake: '{task.title}': {tiles} tiles of {size} texels are {needed / 1e9:.0f} GB, of "
            f"{MAX_BYTES / 1e9:.0f} that are baked at once; choose a smaller size"
        )
        raise ArgumentError(message)


def _require_faces(task: Task, uvs: NDArray[np.float32]) -> None:
    if not len(uvs):
        message = f"bake: '{task.title}': its material is on no face; give it to one"
        raise ArgumentError(message)
    layers = layers_of(uvs)
    if layers > MAX_LAYERS * (MAX_TILES if task.is_tiled else 1):
        message = (
            f"bake: '{task.title}': the UV map covers its image {layers:.0f} times over, so that "
            "one texel stands for many places; unwrap without repeats, or bake a color attribute"
        )
        raise ArgumentError(message)


def _with_uvs(task: Task) -> tuple[list[Surface], tuple[str, ...]]:
    """Return the surfaces that have the UV map, each once, and the names of those without."""
    found, without = [], []
    seen = set()
    is_placed = asks_world(task.values.values())
    for surface in task.surfaces:
        # Instances of a mesh share texels because they are alike.
        key = (surface.identity, surface.matrix.tobytes() if is_placed else b"")
        if not has_uvs(surface, task.uv_map):
            without.append(surface.name)
        elif surface.identity is None or key not in seen:
            seen.add(key)
            found.append(surface)
    if not found:
        named = f"named '{task.uv_map}'" if task.uv_map else "at all"
        names = ", ".join(sorted(without)) or "none"
        message = (
            f"bake: '{task.title}': none of its objects has a UV map {named} (objects: {names}); "
            "unwrap them, or bake a color attribute"
        )
        raise ArgumentError(message)
    return found, tuple(sorted(without))


def asks_world(values: Iterable[Value]) -> bool:
    """Return whether values depend on where an object stands."""
    world_space = (Attribute.POSITION, Attribute.NORMAL, Attribute.GEOMETRIC_NORMAL)
    parts = (part for value in values for part in parts_of(value))
    return any(isinstance(part, Attribute) and part in world_space for part in parts)


def has_uvs(surface: Surface, name: str) -> bool:
    """Return whether a surface has a UV map; "": any."""
    return name in surface.uv_maps if name else bool(surface.uv_maps)


def _joined(parts: Sequence[NDArray[np.float32]], width: int) -> NDArray[np.float32]:
    return np.concatenate([np.zeros((0, 3, width), np.float32), *parts])


def _owners(surfaces: Sequence[Surface]) -> NDArray[np.int32]:
    counts = [len(surface.positions) for surface in surfaces]
    return np.repeat(np.arange(len(surfaces), dtype=np.int32), counts)


def tiles_of(uvs: NDArray[np.float32]) -> tuple[tuple[int, ...], int]:
    """Return the UDIM tiles that triangles lie in, and how many lie in none."""
    middles = uvs.mean(axis=1)
    fine = np.isfinite(middles).all(axis=1) & (middles >= 0).all(1) & (middles < 10).all(1)
    cells = np.floor(middles[fine]).astype(int)
    found = np.unique(FIRST_TILE + cells[:, 0] + 10 * cells[:, 1])
    return tuple(int(number) for number in found), int((~fine).sum())


def gaps_of(tiles: Sequence[int]) -> tuple[int, ...]:
    """Return the tiles that are missing between others of their row."""
    found = []
    for number in tiles:
        row = [own for own in tiles if (own - FIRST_TILE) // 10 == (number - FIRST_TILE) // 10]
        found += [k for k in range(min(row), max(row)) if k not in row]
    return tuple(sorted(set(found)))


def _report(
    totals: NDArray[np.float64],
    bad: BadTexel,
    size: int,
    tiles: tuple[int, ...],
    without: tuple[str, ...],
    surfaces: Sequence[Surface],
) -> Report:
    covered, crowded, folded = (float(number) for number in totals)
    whole = size * size * max(len(tiles), 1)
    return Report(
        covered / whole,
        crowded / max(covered, 1),
        folded / max(covered, 1),
        bad,
        tiles,
        gaps_of(tiles),
        without=without,
        objects=len(surfaces),
    )


def _image(
    task: Task,
    surfaces: Sequence[Surface],
    uvs: NDArray[np.float32],
    owners: NDArray[np.int32],
    size: int,
    programs: Programs,
    cancelled: threading.Event | None,
    wraps: bool,
) -> tuple[tuple[Pixels, ...], NDArray[np.float64], BadTexel]:
    """Return the images over [0, 1], how many texels are covered, crowded and folded, and NaN."""
    extent = (size, size)
    found = cover(uvs, owners, extent, wraps=wraps)
    ring, beside, outer, inner = rings(found, task.margin, wraps=wraps)
    texels = np.concatenate([found.texels, ring])
    triangles = np.concatenate([found.triangles, found.triangles[beside]])
    canvases = [np.zeros((size * size, 4), np.float32) for _ in range(task.wrapper.images)]
    for canvas in canvases:
        canvas[:, 3] = 1
    bad = BadTexel()
    lost: list[NDArray[np.int64]] = []
    for start in range(0, len(texels), CHUNK):
        if cancelled is not None and cancelled.is_set():
            raise BakeCancelled
        part = slice(start, start + CHUNK)
        at, on = texels[part], triangles[part]
        points = Points(surfaces, on, weights_of(uvs, extent, at, on, wraps=wraps))
        wrong = _write(canvases, at, evaluate(task, points, programs))
        if wrong.any():
            places = start + np.flatnonzero(wrong)
            is_inside = places < len(found.texels)
            bad = _with_bad(bad, texels[places[is_inside]], size)
            lost.append(places[~is_inside] - len(found.texels))
    for canvas in canvases:
        for beyond in lost:  # the function ends where the face does: its last texel goes on
            canvas[ring[beyond]] = canvas[found.texels[beside[beyond]]]
        canvas[outer] = canvas[ring[inner]]
    totals = np.array([len(found.texels), found.crowded, found.folded], np.float64)
    images = tuple(canvas.reshape(size, size, 4) for canvas in canvases)
    return images, totals, bad


def _write(
    canvases: Sequence[Pixels], at: NDArray[np.int64], colors: Iterable[Pixels]
) -> NDArray[np.bool_]:
    """Write the colours of texels, 0 for what is no number; return where that is."""
    wrong = np.zeros(len(at), bool)
    for canvas, rows in zip(canvases, colors, strict=True):
        if not is_finite(rows):
            wrong |= ~np.isfinite(rows).all(axis=1)
            rows = np.where(np.isfinite(rows), rows, 0)
        canvas[at] = rows
    return wrong


def _with_bad(bad: BadTexel, texels: NDArray[np.int64], size: int) -> BadTexel:
    """Return what is known of texels without a number, and some more of them."""
    if not len(texels):
        return bad
    y, x = divmod(int(texels[0]), size)
    return BadTexel(bad.count + len(texels), bad.first or f"texel ({x}, {y})")


def evaluate(task: Task, points: Points, programs: Programs) -> Iterator[Pixels]:
    """Return what a function gives at points, for each image rows of four numbers."""
    evaluation = Evaluation(points, task.requests, programs)
    arguments = {
        task.wrapper.arguments[name]: evaluation.value(value) for name, value in task.values.items()
    }
    found = programs.run(
        ENTRY,
        task.source,
        arguments,
        len(points),
        task.folders,
        task.source_title,
        task.state,
    )
    for number in range(task.wrapper.images):
        yield found[f"weftImage{number}"]


def bake_corners(
    task: Task, surface: Surface, corners: int, programs: Programs
) -> tuple[tuple[Pixels, ...], BadTexel]:
    """Compute a function at the corners of a mesh.

    Args:
        task: What.
        surface: Of the mesh, which has ``corners``.
        corners: How many the mesh has.
        programs: Of the device.

    Returns:
        Rows of four numbers for each image; corners of faces with other materials are black.
    """
    assert surface.corners is not None
    triangles, places = np.divmod(np.arange(3 * len(surface.corners), dtype=np.int32), 3)
    weights = np.eye(3, dtype=np.float32)[places][:, 1:]
    points = Points([surface], triangles, np.ascontiguousarray(weights))
    made = []
    bad = BadTexel()
    numbers = surface.corners.ravel()
    for rows in evaluate(task, points, programs):
        if not is_finite(rows):
            wrong = ~np.isfinite(rows).all(axis=1)
            rows = np.where(np.isfinite(rows), rows, 0)
            first = bad.first or f"corner {int(numbers[wrong].min())} of '{surface.name}'"
            bad = BadTexel(bad.count + len(np.unique(numbers[wrong])), first)
        canvas = np.zeros((corners, 4), np.float32)
        canvas[:, 3] = 1
        canvas[numbers] = rows
        made.append(canvas)
    return tuple(made), bad
