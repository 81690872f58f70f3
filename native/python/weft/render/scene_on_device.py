# SPDX-License-Identifier: Apache-2.0
"""A scene on a device: its tables, its triangles, and the kernels that shade them."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from weft.render.modules import SceneModules

if TYPE_CHECKING:
    from weft._native import Device, Module, Tracer
    from weft.render.traced_meshes import TracedMeshes
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
    """

    device: Device
    tables: SceneTables
    tracer: Tracer
    traits: SceneTraits
    modules: SceneModules
    sorts_paths: bool
    _loaded_modules: dict[str, Module]
    _traced: TracedMeshes

    @cached_property
    def sorting_modules(self) -> SceneModules:
        """The modules whose launches serve the paths of one program only."""
        if self.sorts_paths:
            return self.modules
        programs = self.tables.materials.programs
        traits = replace(self.traits, sorts_paths=True)
        return SceneModules(self.device, programs, traits, self._loaded_modules)
