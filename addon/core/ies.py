# SPDX-License-Identifier: GPL-3.0-or-later
"""Measured light of luminaires: files of the Illuminating Engineering Society (IESNA LM-63).

They are read as Cycles reads them, which forgives much.

Angles are degrees: vertical ones from straight down, 0, to straight up, 180; horizontal ones go
around.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

COLUMNS, ROWS = 720, 361
CANDELA = 0.0706650768394
"""Cycles' watts a candela: 4 pi over 177.83 lumens a watt, those of daylight."""

TYPE_C, TYPE_B, TYPE_A = 1, 2, 3


@dataclass(frozen=True)
class Table:
    """What a file says.

    Args:
        vertical: Angles, degrees, shape ``(n,)``.
        horizontal: Angles, degrees, shape ``(m,)``.
        strength: Watts times 4 pi a steradian, shape ``(m, n)``.
    """

    vertical: NDArray[np.float64]
    horizontal: NDArray[np.float64]
    strength: NDArray[np.float64]


def read_ies(text: str) -> Table | None:
    """Return what a file says, all around; ``None``: it cannot be read.

    Args:
        text: Of the file.
    """
    start = text.find("\nTILT=")
    if start < 0:
        return None
    first, _, rest = text[start + 1 :].partition("\n")
    try:
        numbers = [float(word) for word in rest.replace(",", " ").split()]
        if first.startswith("TILT=INCLUDE"):
            numbers = numbers[2 + 2 * int(numbers[1]) :]
        return _all_around(numbers)
    except (ValueError, IndexError):
        return None


def _all_around(numbers: list[float]) -> Table | None:
    """Return the table of the numbers after the line of tilts."""
    factor = numbers[2] * numbers[10] * numbers[11] * CANDELA
    rows, columns, kind = (int(value) for value in numbers[3:6])
    if rows < 1 or columns < 1 or kind not in (TYPE_A, TYPE_B, TYPE_C):
        return None
    data = np.array(numbers[13:], np.float64)
    vertical, horizontal = data[:rows], data[rows : rows + columns]
    strength = factor * data[rows + columns :][: rows * columns].reshape(columns, rows)
    if kind == TYPE_B:
        # Its poles lie on the horizon: a light that is turned shows it as measured.
        up, turned = _shifted(horizontal, strength.T)
        around, whole = _shifted(vertical, turned.T)
        return Table(up, around, whole.T)
    if kind == TYPE_A:
        return Table(vertical + 90, *_turned(horizontal, strength))
    return Table(vertical, *_mirrored(horizontal, strength))


def _is_close(angle: float, other: float) -> bool:
    return abs(angle - other) < 1e-4


def _shifted(
    angles: NDArray[np.float64], strength: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return angles from 0 to 180 and strengths over the last axis; half a range is mirrored."""
    if not _is_close(angles[0], 0):
        return angles + 90, strength
    whole = np.concatenate([90 - angles[:0:-1], 90 + angles])
    return whole, np.concatenate([strength[:, :0:-1], strength], axis=1)


def _turned(
    angles: NDArray[np.float64], strength: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return type A's horizontal angles as type C's: -90 to 90 is 270 to 90."""
    whole, rows = 180 - angles[::-1], strength[::-1]
    if not _is_close(angles[0], 0):
        return whole, rows
    return np.concatenate([whole, 180 + angles[1:]]), np.concatenate([rows, strength[1:]])


def _mirrored(
    angles: NDArray[np.float64], strength: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return type C's horizontal angles all around; one, a quarter or a half stands for all."""
    if _is_close(angles[0], 90):
        angles = angles - 90
    if len(angles) == 1:
        return np.array((0.0, 360.0)), np.repeat(strength, 2, axis=0)
    for middle in (90.0, 180.0):
        if _is_close(angles[-1], middle):
            angles = np.concatenate([angles, 2 * middle - angles[-2::-1]])
            strength = np.concatenate([strength, strength[-2::-1]])
    gap = 360 - angles[-1]
    steps = (angles[-1] - angles[-2], angles[1] - angles[0])
    if _is_close(angles[0], 0) and gap > 1e-4 and any(_is_close(step, gap) for step in steps):
        return np.append(angles, 360.0), np.concatenate([strength, strength[:1]])
    return angles, strength


@lru_cache(maxsize=8)
def ies_image(text: str, *, ends_dark: bool) -> NDArray[np.float32] | None:
    """Return strengths by vertical angle (rows, 0 to 180) and horizontal one (columns, 0 to 360).

    Shape ``(ROWS, COLUMNS, 1)``, pixels in the middle of even steps; ``None``: the file cannot be
    read. Between measured angles lie cubic curves, beyond them nothing.

    Args:
        text: Of the file.
        ends_dark: Curves come from and end in darkness where nothing more is measured, as before
            Blender 5.0; in later ones a neighbor stands there.
    """
    table = read_ies(text)
    if table is None or len(table.vertical) < 2:
        return None
    up = (np.arange(ROWS) + 0.5) * 180 / ROWS
    around = (np.arange(COLUMNS) + 0.5) * 360 / COLUMNS
    vertical, horizontal = table.vertical, table.horizontal
    # Cycles means to go on past straight up and around the circle, too, but compares with less than
    # its numbers can tell apart.
    rows = _with_ends(table.strength.T, table.strength.T[[0, -1]], ends_dark)
    if _is_close(vertical[0], 0):
        rows[0] = table.strength[:, 1]
    values = _cubic(vertical, rows, up).T
    # Not the last of the circle but the one before it stands beyond its end.
    found = _cubic(horizontal, _with_ends(values, values[[0, -2]], ends_dark), around)
    return np.maximum(found.T[..., None], 0).astype(np.float32)


def _with_ends(
    values: NDArray[np.float64], ends: NDArray[np.float64], is_dark: bool
) -> NDArray[np.float64]:
    """Return values with one before the first and one after the last."""
    first, last = ends * (not is_dark)
    return np.concatenate([first[None], values, last[None]])


def _cubic(
    angles: NDArray[np.float64], values: NDArray[np.float64], wanted: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return Catmull and Rom's curve at angles, shape ``(wanted, others)``; 0 beyond the ends.

    Args:
        angles: Rising, shape ``(n,)``.
        values: With one more before the first and one after the last, shape ``(n + 2, others)``.
        wanted: Where.
    """
    at = np.clip(np.searchsorted(angles, wanted, side="left") - 1, 0, len(angles) - 2)
    x = ((wanted - angles[at]) / np.maximum(angles[at + 1] - angles[at], 1e-9))[:, None]
    a, b, c, d = (values[at + k] for k in range(4))
    curve = b + x / 2 * (c - a + x * (2 * a - 5 * b + 4 * c - d + x * (3 * (b - c) + d - a)))
    inside = (wanted >= angles[0]) & (wanted < angles[-1])
    return np.asarray(curve * inside[:, None])
