# SPDX-License-Identifier: GPL-3.0-or-later
"""How large a planned fit is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from weft.fit import TextureParameter
from weft.scene import Texture
from weft.scene.changes import inputs_of
from weft.scene.materials import textures_of
from weft.scene.parameter_ref import owner_of

from .estimate import FitSize, iterations_of

if TYPE_CHECKING:
    from .plan import FitPlan


def size_of_plan(plan: FitPlan) -> FitSize:
    """Return what the cost of a plan depends on."""
    scene, settings = plan.scene, plan.settings
    names = {entry.name for entry in plan.parameters if isinstance(entry, TextureParameter)}
    texels = sum(
        value.pixels.size
        for name, value in inputs_of(scene).items()
        if name in names and isinstance(value, Texture)
    )
    sky = plan.environment
    texels += 0 if sky is None else 3 * sky.width * sky.height
    shown = [t for material in scene.materials() for t in textures_of(material.surface)]
    all_texels = sum(entry.pixels.size for entry in {id(t): t for t in shown}.values())
    numbers: Counter[str] = Counter()
    for name, binding in plan.numbers.items():
        numbers[owner_of(name)] += np.size(binding.value)
    return FitSize(
        tuple(target.image.shape[0] * target.image.shape[1] for target in plan.targets),
        settings.samples,
        settings.bounces,
        numbers.total(),
        max(numbers.values(), default=0),
        1 + len(plan.lights),
        texels,
        max(all_texels - texels, 0),
        sum(len(mesh.triangles) for mesh in scene.meshes()),
        iterations_of(
            settings.max_iterations, settings.texture_iterations, has_textures=texels > 0
        ),
        any(entry.volume is not None and entry.name in numbers for entry in scene.materials()),
    )
