# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of attributes and sockets as a function takes them, and its results as attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft.colors import LUMINANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .plan import Value

_COLOR = 4


def as_taken(given: Any, value: Value) -> NDArray[Any]:  # noqa: ANN401
    """Return numbers as a function takes them, converted as links of Blender convert.

    Args:
        given: One value, or one for each element: shape ``(n,)`` or ``(n, width)``.
        value: What they are for.
    """
    return convert(given, value.scalar, value.shape)


def convert(given: Any, scalar: str, shape: tuple[int, ...] = ()) -> NDArray[Any]:  # noqa: ANN401
    """Return numbers of another type and width, converted as links of Blender convert.

    Args:
        given: One number or truth, a tuple of a vector or color, or one for each element: shape
            ``(n,)`` or ``(n, width)``.
        scalar: numpy's name of the numbers that are wanted.
        shape: Of one value: ``()``, ``(width,)``; a matrix keeps the shape that it has.

    Returns:
        ``shape`` for one value, ``(n, *shape)`` for many.
    """
    array = np.asarray(given)
    width = shape[0] if len(shape) == 1 else 0
    # One vector and many numbers have one shape: a tuple is the vector.
    is_one = isinstance(given, tuple) or array.ndim == 0
    if len(shape) <= 1:
        array = array if not is_one else array.reshape(1, *array.shape)
        if scalar == "bool" and array.ndim > 1 and array.shape[1] < _COLOR:
            array = np.asarray(array.any(axis=1))
        array = _of_width(array, width)
        array = array[0] if is_one else array
    return _of_scalar(array, scalar)


def _of_width(rows: NDArray[Any], width: int) -> NDArray[Any]:
    """Return rows of another width; 0: plain numbers."""
    if rows.ndim == 1:
        if not width:
            return rows
        wide = np.repeat(rows[:, None], width, axis=1)
        if width == _COLOR:
            wide[:, -1] = 1
        return wide
    own = rows.shape[1]
    if not width:
        weights = np.array(LUMINANCE, np.float32)
        return np.asarray(rows[:, :3] @ weights if own == _COLOR else rows.mean(axis=1))
    if own >= width:
        return rows[:, :width]
    fill = np.zeros((len(rows), width - own), rows.dtype)
    if width == _COLOR:
        fill[:, -1] = 1
    return np.hstack([rows, fill])


def _of_scalar(array: NDArray[Any], scalar: str) -> NDArray[Any]:
    if scalar == "bool":
        return array if array.dtype == np.bool_ else array > 0
    if array.dtype == np.dtype(scalar):
        return array
    if "int" in scalar and array.dtype.kind == "f":
        # Integers from fields of vectors, and from numbers that a person types.
        whole = np.nan_to_num(np.trunc(array), nan=0, posinf=0, neginf=0)
        return np.asarray(whole, scalar)
    return array.astype(scalar)


def as_attribute(found: NDArray[Any], value: Value, count: int) -> NDArray[Any]:
    """Return results as an attribute holds them: ``(count,)`` or ``(count, width)``, contiguous.

    Args:
        found: One for each element, or one for all of them.
        value: What they are.
        count: Of the elements.
    """
    rows = np.asarray(found)
    kind = value.attribute
    dtype: Any = {"BOOLEAN": np.bool_, "INT": np.int32}.get(kind, np.float32)
    if value.scalar in ("uint32", "int64", "uint64"):
        rows = rows.astype(np.int64).astype(np.int32)  # wraps as 32 bits do
    if rows.shape == value.shape:
        rows = np.broadcast_to(rows, (count, *value.shape))
    width = {"FLOAT_VECTOR": 3, "FLOAT_COLOR": _COLOR}.get(kind, 0)
    if kind != "FLOAT4X4" and width:
        rows = _of_width(rows, width)
    return np.ascontiguousarray(rows, dtype)


def first_bad(rows: NDArray[Any]) -> tuple[int, int]:
    """Return how many elements are NaN or infinite, and the first of them; ``(0, -1)``: none."""
    if rows.dtype.kind != "f" or not rows.size:
        return 0, -1
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(rows.sum(dtype=np.float64)):
            return 0, -1
    bad = ~np.isfinite(rows.reshape(len(rows), -1)).all(axis=1)
    return int(bad.sum()), int(bad.argmax())
