# SPDX-License-Identifier: Apache-2.0
"""The coefficients of a scene's media, computed on the device from its parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft import _native

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
    _native.evaluate_media(renderer.modules, tables.native, view, view["media"]["coefficients"])
