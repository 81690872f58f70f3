# SPDX-License-Identifier: Apache-2.0
"""Pictures of functions that place or rank points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.gallery.results import number_of
from weft.gallery.shading import INK, PAPER
from weft.gallery.subject import PLACES, attribute

if TYPE_CHECKING:
    from weft.gallery.shading import Array
    from weft.gallery.subject import Subject


def draw_points(subject: Subject, pixels: int) -> Array:
    """Draw a disc a point.

    A function of an index places as many points as the extent; one of a place is asked at the
    middles of square cells, as many along a side as the extent.
    """
    count = max(int(subject.extent), 1)
    indices = [p for p in subject.info.parameters if attribute(p, "Source") == ["Index"]]
    if subject.info.parameters[0].type.name in PLACES:
        return _of_cells(subject, pixels, count)
    if not indices:
        raise subject.error(
            '[Preview] of kind Points needs a place, or an index: [Source("Index")]'
        )
    index = np.arange(count)
    given = {indices[0].name: index.astype(np.int32)}
    if indices[0].type.name == "float":
        given = {indices[0].name: index.astype(np.float32)}
    result = np.asarray(subject.function(**subject.values, **given, _result="numpy"))
    place = np.asarray(result["position"] if result.dtype.names else result, np.float64)
    width = float(np.abs(place[:, :2]).max()) * 2.15
    share = index / count
    blue, warm = np.array([0.1, 0.35, 0.75]), INK
    tint = warm + share[:, None] * (blue - warm)
    radius = np.full(count, pixels * 0.36 / np.sqrt(count))
    return discs(place[:, :2] / max(width, 1e-9), radius, tint, pixels)


def _of_cells(subject: Subject, pixels: int, count: int) -> Array:
    place = subject.place()
    along = np.arange(count) + 0.5
    x, y = np.meshgrid(along, along)
    points = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3)
    found = subject.evaluate(**{place.name: subject.places(place, points)})
    keep = found.get("keep")
    at = found["position"][:, :2] if "position" in found else points[:, :2]
    ranks = found["rank"] if "rank" in found else number_of(found)
    radius = np.full(len(points), pixels / count * 0.3)
    tint = np.tile(INK, (len(points), 1))
    if keep is not None and "position" in found:
        tint = np.where(keep[:, None] > 0, INK, np.array([0.07, 0.09, 0.13]))
        radius = np.where(keep > 0, radius, radius * 0.6)
    else:
        radius = radius * (1.5 - 1.2 * ranks)
        tint = ranks[:, None] * (np.array([0.1, 0.35, 0.75]) - INK) + INK
    return discs(at / count - 0.5, radius, tint, pixels)


def discs(places: Array, radii: Array, tints: Array, pixels: int) -> Array:
    """Draw discs at places (N, 2) of a square from -0.5 to 0.5; radii in samples."""
    picture = np.tile(PAPER, (pixels, pixels, 1))
    for (x, y), radius, tint in zip(places, radii, tints, strict=True):
        column, row = (x + 0.5) * pixels, (0.5 - y) * pixels
        left, right = max(int(column - radius), 0), min(int(column + radius) + 2, pixels)
        top, bottom = max(int(row - radius), 0), min(int(row + radius) + 2, pixels)
        if left >= right or top >= bottom:
            continue
        rows, columns = np.ogrid[top:bottom, left:right]
        inside = (rows + 0.5 - row) ** 2 + (columns + 0.5 - column) ** 2 < radius * radius
        picture[top:bottom, left:right][inside] = tint
    return picture
