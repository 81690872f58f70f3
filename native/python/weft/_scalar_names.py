# SPDX-License-Identifier: Apache-2.0
"""Scalar types by their names in Slang; a module of its own, as they hide Python's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from weft.types import bool_, float16, float32, float64, int32, uint32

if TYPE_CHECKING:
    from weft._native import Type

bool: Final[Type] = bool_
int: Final[Type] = int32
uint: Final[Type] = uint32
half: Final[Type] = float16
float: Final[Type] = float32
double: Final[Type] = float64
