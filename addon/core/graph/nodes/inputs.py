# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes that hold a number."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..spec import NodeSpec

if TYPE_CHECKING:
    from weft.scene.values import Value

    from ..context import NodeContext


def _constant(context: NodeContext, output: str) -> Value:
    return context.number_of_output(output)


ENTRIES: Mapping[str, NodeSpec] = MappingProxyType(
    {
        "ShaderNodeValue": NodeSpec("Value", _constant),
        "ShaderNodeRGB": NodeSpec("Color", _constant),
    }
)
