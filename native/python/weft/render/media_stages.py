# SPDX-License-Identifier: Apache-2.0
"""The coefficients of a scene's media, computed on the device from its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor, grid

if TYPE_CHECKING:
    from weft.render.scene_on_device import SceneOnDevice
    from weft.render.upload import SceneTables


def evaluate_media(
    renderer: SceneOnDevice, tables: SceneTables, scene: dict[str, Any] | None = None
) -> None:
    """Compute the coefficients of a scene's media from its parameters.

    Args:
        renderer: With the kernels.
        tables: Of the scene.
        scene: View of it with other parameters; ``None``: that of the tables.
    """
    view = scene or tables.view
    for number, module in enumerate(renderer.modules.programs):
        if not tables.materials.programs[number].medium:
            continue
        own = np.flatnonzero(tables.materials.records[:, 0] == number).astype(np.uint32)
        materials = Tensor.from_numpy(renderer.device, own)
        module.programMedium(grid((len(own),)), view, materials, view["media"]["coefficients"])
