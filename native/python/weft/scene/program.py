# SPDX-License-Identifier: Apache-2.0
"""From materials to Slang: one program a shape of material.

Materials that differ in numbers and images only share a program; numbers and images' places are
its parameters. native/scene/material_program.hpp says what a program holds.
"""

from __future__ import annotations

from weft._native import MaterialParameter as Slot
from weft._native import MaterialProgram as Program
from weft._native import print_program

__all__ = ["Program", "Slot", "print_program"]
