# SPDX-License-Identifier: Apache-2.0
"""From a scene to the tables that kernels read (native/render/scene_tables.hpp)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from weft._native import SceneTables as NativeTables
from weft._native import build_lit_tables
from weft.render.keeping import KeptParts
from weft.render.material_table import MaterialTable, material_table, read_table
from weft.scene.kernel_text import SceneTraits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import Device, SceneGeometry, Tensor
    from weft.render.light_tree import LightSampling
    from weft.scene import Scene

__all__ = ["MaterialTable", "SceneTables", "build_tables", "material_table"]


class SceneTables:
    """A scene on a device.

    Args:
        device: Where to.
        scene: What. Later changes of it do not show.
        light_sampling: As a Renderer takes it.
        kept: Parts of other tables that are taken where they fit; ``None``: there are none.
        lit: Tables of a scene that differs in its lights, its world, or what shines; materials and
            media are the same memory.

    Attributes:
        geometry: Its objects, and where their triangles lie.
        values: Scalar parameters of all materials.
        texels: Of all textures.
        texture_records: TextureWord of each texture.
        has_light_tree: Lights at finite distance are drawn from a tree.
        light_count: Lights, emissive triangles, and the environment if it is drawn.
        has_light: Some light may reach a camera.
        traits: What kernels may leave out.
    """

    def __init__(
        self,
        device: Device,
        scene: Scene,
        light_sampling: LightSampling = "auto",
        *,
        kept: KeptParts | None = None,
        lit: SceneTables | None = None,
    ) -> None:
        """Build all tables and upload what is not there."""
        own = KeptParts(device) if kept is None else kept
        native = NativeTables(own, scene, light_sampling, None if lit is None else lit.native)
        self._take(device, own, native, lit)

    @classmethod
    def of(
        cls, device: Device, kept: KeptParts, native: NativeTables, lit: SceneTables | None = None
    ) -> Self:
        """Return tables that were built already; arguments as above."""
        out = cls.__new__(cls)
        out._take(device, kept, native, lit)
        return out

    def _take(
        self, device: Device, kept: KeptParts, native: NativeTables, lit: SceneTables | None
    ) -> None:
        self.device, self.kept, self.native = device, kept, native
        self.geometry: SceneGeometry = native.geometry
        self.values: Tensor = native.values
        self.texels: Tensor = native.texels
        self.texture_records = native.texture_records
        self.has_light_tree, self.light_count = native.has_light_tree, native.light_count
        self.has_light = native.has_light
        self.traits = SceneTraits(**native.traits)
        if lit is not None and self.values is lit.values:
            self.materials = lit.materials

    @cached_property
    def materials(self) -> MaterialTable:
        """Programs, parameters and textures."""
        return read_table(self.native.materials)

    @cached_property
    def view(self) -> dict[str, Any]:
        """SceneView of scene_view.slang, as it is when it is first asked for."""
        return self.native.view

    def relit(self, scene: Scene, light_sampling: LightSampling) -> SceneTables:
        """Return the tables of a scene that differs in its lights, its world, or what shines.

        All that is the same lies in the same memory.

        Args:
            scene: With the same objects, and materials of the same programs and textures.
            light_sampling: As a Renderer takes it.
        """
        return SceneTables(self.device, scene, light_sampling, kept=self.kept, lit=self)

    def restore_values(self) -> None:
        """Write the scene's own scalars and texels again, which a fit may have written over."""
        self.native.restore_values()

    def view_without_lights(self, materials: Sequence[int]) -> dict[str, Any]:
        """Return the view of a scene where bounces alone find the light of some materials."""
        return self.native.view_without_lights(list(materials))

    @property
    def light_powers(self) -> NDArray[Any]:
        """Watts of each light but the environment, lights first."""
        return self.native.light_powers


def build_tables(
    device: Device,
    scene: Scene,
    lit_by: Sequence[Scene],
    light_sampling: LightSampling,
    before: KeptParts | None = None,
) -> tuple[SceneTables, dict[int, SceneTables]]:
    """Return the tables of a scene, and of it under other lights by id of their scene.

    Args:
        device: Where to.
        scene: What.
        lit_by: It, under other lights.
        light_sampling: As a Renderer takes it.
        before: Parts of the tables that they replace.
    """
    kept = KeptParts(device, before)
    first, *others = build_lit_tables(kept, [scene, *lit_by], light_sampling)
    own = SceneTables.of(device, kept, first)
    relit = {
        id(entry): SceneTables.of(device, kept, native, own)
        for entry, native in zip(lit_by, others, strict=True)
    }
    return own, relit
