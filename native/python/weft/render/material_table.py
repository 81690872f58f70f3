# SPDX-License-Identifier: Apache-2.0
"""Programs and parameters of a scene's materials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.render.parameter_range import ParameterRange
from weft.scene.materials import parts_of_material, textures_of
from weft.scene.parameter_ref import ParameterRef, quoted
from weft.scene.program import Program, print_program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.scene import Material
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
    fixed_textures: frozenset[int] = frozenset()  # that drive normals


def material_table(materials: list[Material]) -> MaterialTable:
    """Print the programs of materials and lay out their parameters."""
    programs: dict[object, tuple[int, Program]] = {}
    records: list[tuple[int, int]] = []
    values: list[float] = []
    ranges: dict[ParameterRef, ParameterRange] = {}
    texture_slots: dict[ParameterRef, int] = {}
    textures = list(
        {
            id(t): t for m in materials for part in parts_of_material(m) for t in textures_of(part)
        }.values()
    )
    numbers = {id(texture): number for number, texture in enumerate(textures)}
    for material in materials:
        program = print_program(material)
        number, _ = programs.setdefault(program.key, (len(programs), program))
        records.append((number, len(values)))
        owner = quoted(material.name)
        for slot in program.slots:
            if slot.texture is not None:
                values.append(float(numbers[id(slot.texture)]))
                place = f"{owner}.{slot.name}".removesuffix(".texture")
                texture_slots[ParameterRef(place)] = numbers[id(slot.texture)]
                continue
            ranges[ParameterRef(f"{owner}.{slot.name}")] = ParameterRange.of(slot, len(values))
            values.extend(slot.values)
    return MaterialTable(
        [program for _, program in programs.values()],
        np.array(records, np.uint32).reshape(-1, 2),
        np.array(values or [0.0], np.float32),
        ranges,
        textures,
        texture_slots,
        frozenset(
            numbers[id(slot.texture)]
            for _, program in programs.values()
            for slot in program.slots
            if slot.texture is not None and slot.is_fixed
        ),
    )
