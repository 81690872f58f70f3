# SPDX-License-Identifier: Apache-2.0
"""Looks for NaN and infinity in what calls wrote; used where ``Device.check_nan`` is on."""

from __future__ import annotations

from typing import Any

import numpy as np


def find_not_finite(values: object) -> str | None:
    """Say where the first number that is NaN or infinity lies.

    Args:
        values: An array, also a structured one, numbers, lists, or a dict of such.

    Returns:
        ``"[3, 1] = nan"`` or ``".color[0] = inf"``, and ``None`` if all numbers are finite.
        Integers always are.
    """
    fields: dict[str, object] = values if isinstance(values, dict) else {}
    if not isinstance(values, dict):
        array = np.asarray(values)
        if array.dtype.names is None:
            return _find_in_numbers(array)
        fields = {name: array[name] for name in array.dtype.names}
    for name, value in fields.items():
        found = find_not_finite(value)
        if found is not None:
            return f".{name}{found}"
    return None


def _find_in_numbers(array: np.ndarray[Any, Any]) -> str | None:
    """Find the first one in an array of numbers."""
    if array.dtype.kind != "f":
        return None
    places = np.argwhere(~np.isfinite(array))
    if len(places) == 0:
        return None
    place = tuple(int(axis) for axis in places[0])
    where = f"[{', '.join(str(axis) for axis in place)}]" if place else ""
    return f"{where} = {array[place]}"
