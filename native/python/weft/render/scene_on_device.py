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

    def load_modules(self, traits: SceneTraits) -> SceneModules:
        """Return the kernels of the scene; what was loaded before is found again.

        Raises:
            CompileError: A Slang function of a material does not compile.
            ArgumentError: One that only a flag trusts could reach memory of this process.
        """
        self.require_contained()
        return self.native.load_modules(self.tables.materials.programs, traits)

    def require_contained(self) -> None:
        """Refuse functions of the scene that only a flag trusts, as load_modules() does."""
        if self.device.info.features.is_software:
            programs = self.tables.materials.programs
            require_contained([item for program in programs for item in program.origins.items()])

    @property
    def sorting_modules(self) -> SceneModules:
        """The modules whose launches serve the paths of one program only."""
        return self.modules.sorting()
