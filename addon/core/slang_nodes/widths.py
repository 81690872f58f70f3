# SPDX-License-Identifier: GPL-3.0-or-later
"""How wide a node has to be for its words to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .menus import MENU, case_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .interface import Interface, SocketSpec

DEFAULT, MOST = 140, 400
"""Widths in Blender's units: of its own group nodes, and of the widest that is made."""
MARGIN = 24
"""What a node has beside its words."""
FIELD = 44
"""What a field has beside its words: its ends, and what keeps label and value apart."""
HEADING = 64
"""What the heading has beside the title: the arrow, and the icon of groups."""
LABEL_SHARE = 0.4
"""Of the width, what Blender leaves a label that stands before its field."""
FIELDS = frozenset({"NodeSocketFloat", "NodeSocketInt"})
SPLIT = frozenset({"NodeSocketColor", "NodeSocketString", MENU})


def width_of(interface: Interface, measure: Callable[[str], float]) -> int:
    """Return the width of a new node.

    Args:
        interface: Its title and sockets.
        measure: Returns the width of a text in Blender's units.

    Returns:
        At least `DEFAULT`, at most `MOST`, in steps of 10.
    """
    needed = max(_needs(interface, measure))
    return min(max(-10 * int(-needed // 10), DEFAULT), MOST)


def _needs(interface: Interface, measure: Callable[[str], float]) -> Iterator[float]:
    yield measure(interface.title) + HEADING
    for spec in interface.outputs:
        yield measure(spec.label) + MARGIN
    for spec in interface.inputs:
        yield _need(spec, measure) + MARGIN
        if spec.panel:
            yield measure(spec.panel) + HEADING


def _need(spec: SocketSpec, measure: Callable[[str], float]) -> float:
    label = measure(spec.label)
    if spec.hides_value or spec.source != "VALUE":
        return label
    if spec.type in FIELDS:
        value = max(measure("10.000"), measure(_shown(spec)))
        return label + value + FIELD
    if spec.type in SPLIT:
        cases = [measure(entry) for entry in case_labels(name for name, _ in spec.cases)]
        field = max(cases, default=0.0) + FIELD
        return max(label / LABEL_SHARE, field / (1 - LABEL_SHARE))
    return label + FIELD  # a box to tick, or a line of its own above the fields


def _shown(spec: SocketSpec) -> str:
    default = spec.default if isinstance(spec.default, int | float) else 0
    return str(int(default)) if spec.type == "NodeSocketInt" else f"{default:.3f}"
