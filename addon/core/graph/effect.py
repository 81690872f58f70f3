# SPDX-License-Identifier: GPL-3.0-or-later
"""Which numbers of a material change what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import weft
from weft.fit.hidden_inputs import find_hiding_input
from weft.scene import Mesh, Object
from weft.scene.materials import constants_of

from .compile import CompiledMaterial, compile_material

if TYPE_CHECKING:
    from .bindings import Binding
    from .model import Graph, Images


def compile_with_effect(
    graph: Graph, images: Images, name: str
) -> tuple[CompiledMaterial, list[Binding]]:
    """Compile a material and return which of its numbers have an effect, alone and as it is now.

    Those that switch something on have one though they are off: Coat Weight has, Coat Roughness
    has none while Coat Weight is 0.

    Args:
        graph: Of the material.
        images: That it uses; of any size.
        name: Blender's.
    """
    plain = compile_material(graph, images, name)
    found = []
    for binding in plain.bindings:
        compiled = plain
        if not _shows(plain, binding):
            compiled = compile_material(graph, images, name, keep=[binding.parameter])
        if _shows(compiled, binding) and _hiding(compiled, binding) is None:
            found.append(binding)
    return plain, found


def _shows(compiled: CompiledMaterial, binding: Binding) -> bool:
    """Return whether a number is in the surface or in what is inside."""
    constant = binding.parameter.within
    material = compiled.material
    parts = [material.surface] if material.volume is None else [material.surface, material.volume]
    return any(entry.name == constant for part in parts for entry in constants_of(part))


def _hiding(compiled: CompiledMaterial, binding: Binding) -> str | None:
    """Return which other input leaves one without effect."""
    triangle = Mesh(np.eye(3, dtype=np.float32), np.arange(3, dtype=np.uint32).reshape(1, 3))
    scene = weft.Scene([Object(triangle, [compiled.material])])
    return find_hiding_input(scene, binding.parameter, {})
