# SPDX-License-Identifier: Apache-2.0
"""What triangles whose light varies give off, measured on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import Tensor
from weft.render.keeping import Identity, digest
from weft.scene.kernel_text import print_program_module

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.render.scene_on_device import SceneOnDevice
    from weft.render.upload import SceneTables


def measure_lights(renderer: SceneOnDevice, tables: SceneTables) -> None:
    """Draw triangles whose light varies by what they give off: their mean over 16 places.

    Args:
        renderer: With the kernels.
        tables: Of the scene, under one of its lights.
    """
    glowing, view = tables.glowing, tables.view
    programs, known = renderer.modules.programs, tables.materials.programs
    modules = {int(k): programs[k] for k in np.unique(glowing.programs)}
    # Tensors that are the same have the same numbers: nobody writes to them.
    tensors = [
        entry
        for part in (view["geometry"], view["textures"], {"": view["materials"]["records"]})
        for entry in part.values()
        if isinstance(entry, Tensor)
    ]
    key = (
        *map(Identity, tensors),
        *(print_program_module(known[k], renderer.traits) for k in modules),
        digest(tables.materials.values),
        digest(glowing.places),
        digest(glowing.programs),
    )

    def measure() -> NDArray[np.float64]:
        means = np.zeros((len(glowing.lights), 2))
        for program, module in modules.items():
            mine = np.flatnonzero(glowing.programs == program)
            places = np.ascontiguousarray(glowing.places[mine])
            found = module.programMeasure(view, places, _result="numpy")
            means[mine] = found.reshape(-1, 2)
        return means

    means = tables.kept.get("mean emission", key, measure)
    tables.set_glow(np.nan_to_num(means.clip(0, None)))
