# SPDX-License-Identifier: Apache-2.0
"""Programs and parameters of a scene's materials."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from weft._native import build_material_table
from weft.render.parameter_range import ParameterRange
from weft.scene.parameter_ref import ParameterRef

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from weft import _native
    from weft.scene import Material
    from weft.scene.program import Program
    from weft.scene.texture import Texture


@dataclass
class MaterialTable:
    """Programs, parameters and textures of a scene."""

    programs: list[Program]
    records: NDArray[np.uint32]  # program, first parameter
    values: NDArray[np.float32]
    ranges: dict[ParameterRef, ParameterRange]
    textures: list[Texture]
    texture_slots: dict[ParameterRef, int]  # texture of each input that has one
    fixed_textures: frozenset[int]  # that drive normals
    native: _native.MaterialTable = field(repr=False)  # the same as the engine has it


def material_table(materials: Sequence[Material]) -> MaterialTable:
    """Print the programs of materials and lay out their parameters."""
    return read_table(build_material_table(materials))


def read_table(fields: dict[str, Any]) -> MaterialTable:
    """Return the table of what native code says of it."""
    return MaterialTable(
        fields["programs"],
        fields["records"],
        fields["values"],
        {ParameterRef(name): ParameterRange(*known) for name, *known in fields["ranges"]},
        fields["textures"],
        {ParameterRef(name): number for name, number in fields["texture_slots"]},
        frozenset(fields["fixed_textures"]),
        fields["native"],
    )
