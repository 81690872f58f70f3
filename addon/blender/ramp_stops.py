# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops of colour ramps as if they were sockets, such as ``color_ramp.elements[0].color``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import bpy

_ADDRESS = re.compile(r"color_ramp\.elements\[(\d+)\]\.(position|color|alpha)")


@dataclass
class RampStop:
    """A number of a stop, read and written as sockets are.

    Args:
        node: A Color Ramp.
        number: Of the stop, from 0.
        what: ``position``, ``color`` or ``alpha``.
    """

    node: bpy.types.Node
    number: int
    what: str

    @property
    def id_data(self) -> bpy.types.ID:
        """The tree."""
        return self.node.id_data

    @property
    def default_value(self) -> float | tuple[float, ...]:
        """The number; a colour with its alpha."""
        element = self.node.color_ramp.elements[self.number]
        if self.what == "color":
            return tuple(element.color)
        return float(element.alpha if self.what == "alpha" else element.position)

    @default_value.setter
    def default_value(self, value: float | tuple[float, ...]) -> None:
        setattr(self.node.color_ramp.elements[self.number], self.what, value)


def find_stop(node: bpy.types.Node, address: str) -> RampStop | None:
    """Return what an address means; ``None``: it is no stop of this node."""
    found = _ADDRESS.fullmatch(address)
    ramp = getattr(node, "color_ramp", None)
    if found is None or ramp is None or int(found[1]) >= len(ramp.elements):
        return None
    return RampStop(node, int(found[1]), found[2])
