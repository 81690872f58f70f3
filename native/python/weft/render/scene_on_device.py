# SPDX-License-Identifier: Apache-2.0
"""A scene on a device: its tables, its triangles, and the kernels that shade them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft.scene.containment import require_contained

if TYPE_CHECKING:
    from weft._native import Device, FilmTracer, SceneModules, TracedMeshes, Tracer
    from weft.render.upload import SceneTables
    from weft.scene.kernel_text import SceneTraits


class SceneOnDevice:
    """What stages of paths know of a scene.

    Attributes:
        device: Where.
        tables: Of the scene.
        tracer: Of its triangles.
        traits: What its kernels leave out.
        modules: Its kernels.
        sorts_paths: Launches serve the paths of one program only.
        native: Launches the stages.
    """

    device: Device
    tables: SceneTables
    tracer: Tracer
    traits: SceneTraits
    modules: SceneModules
    sorts_paths: bool
    native: FilmTracer
    _traced: TracedMeshes

    def require_contained(self) -> None:
        """Refuse functions of the scene that only a flag trusts.

        Raises:
            ArgumentError: One that only a flag trusts could reach memory of this process.
        """
        if self.device.info.features.is_software:
            programs = self.tables.materials.programs
            require_contained([item for program in programs for item in program.origins.items()])
