# SPDX-License-Identifier: GPL-3.0-or-later
"""Enumerations as menus: what their cases are called, and which one a value is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .naming import title_of, unique_labels

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Cases = Sequence[tuple[str, int]]

MENU = "NodeSocketMenu"


def case_labels(names: Iterable[str]) -> list[str]:
    """Return what people read of the names of cases, no two of them equal.

    >>> case_labels(["Soft", "veryHard"])
    ['Soft', 'Very Hard']
    """
    return unique_labels(title_of(name) for name in names)


def find_case(cases: Cases, value: object) -> int | None:
    """Return the place of a case.

    Args:
        cases: Names and values, as declared.
        value: A number; a name with or without that of the enumeration (``Mode.Soft``), or what
            people read.

    Returns:
        ``None``: there is no such case.
    """
    if isinstance(value, str):
        name = value.rpartition(".")[2]
        names = [entry for entry, _ in cases]
        if name in names:
            return names.index(name)
        labels = case_labels(names)
        return labels.index(value) if value in labels else None
    if isinstance(value, (int, float)):
        values = [number for _, number in cases]
        return values.index(int(value)) if value in values else None
    return None
