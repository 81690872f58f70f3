# SPDX-License-Identifier: Apache-2.0
"""From a scene to the tables that kernels read (shaders/weft/render/scene_view.slang).

Start reading at SceneTables. What was there for a scene before is taken from KeptParts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import SceneGeometry, build_light_table
from weft.layouts import LightWord
from weft.render.bsdf_tables import bsdf_tables
from weft.render.emissive_triangles import (
    EmissiveTriangles,
    GlowingTriangles,
    emissive_triangles,
)
from weft.render.environment_table import EnvironmentTable, environment_table
from weft.render.keeping import Identity, KeptParts, upload
from weft.render.light_rows import NONE, lamp_rows
from weft.render.light_tree import FEWEST_LIGHTS, LightSampling, checked_sampling
from weft.render.material_table import MaterialTable, material_table
from weft.render.media import has_glowing_media, media_view
from weft.render.scene_traits import scene_traits
from weft.render.texture_table import texture_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import Device, LightTable, Tensor
    from weft.scene import Scene

__all__ = ["MaterialTable", "SceneTables", "material_table"]


class SceneTables:
    """A scene on a device.

    Args:
        device: Where to.
        scene: What. Later changes of it do not show.
        light_sampling: As a Renderer takes it.
        kept: Parts of other tables that are taken where they fit; ``None``: there are none.
        lit: Tables of a scene that differs in its lights, its world, or what shines; materials and
            media are the same memory.
    """

    values: Tensor

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
        self.device = device
        self.kept = KeptParts(device) if kept is None else kept
        self.geometry = SceneGeometry(self.kept, scene)
        self._set_materials(lit)
        checked_sampling(light_sampling)
        emissive = self._set_lights(scene, light_sampling)
        textures = texture_table(self.materials.textures, self.kept)
        self.texels, self.texture_records = textures.texels, textures.records
        self.view: dict[str, Any] = {
            "geometry": self._geometry_view(emissive),
            "materials": self._material_view(),
            "textures": {
                "texels": self.texels,
                "tangents": self.texels,
                "gradients": self.texels,
                "hasTangents": 0,
                "hasGradients": 0,
                "records": self._upload("texture records", textures.records),
            },
            "lights": self._light_view(self._build_lights(), self._environment),
            "media": media_view(scene, self._fresh) if lit is None else lit.view["media"],
            "tables": self.kept.get("BSDFs", None, lambda: bsdf_tables(device)),
        }

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
        self.values[:] = upload(self.device, self.materials.values)
        fresh = texture_table(self.materials.textures, KeptParts(self.device))
        self.texels[:] = fresh.texels

    def _set_materials(self, lit: SceneTables | None) -> None:
        """Take the materials of the scene."""
        self.materials = material_table(self.geometry)
        if lit is not None:
            keys = [program.key for program in lit.materials.programs]
            assert [program.key for program in self.materials.programs] == keys
            if np.array_equal(self.materials.values, lit.materials.values):
                self.materials, self.values = lit.materials, lit.values
                return
        self.values = self._fresh(self.materials.values)

    def _set_lights(self, scene: Scene, light_sampling: LightSampling) -> EmissiveTriangles:
        """Take the lights of a scene."""
        rows, self._profiles = lamp_rows(scene.lights, self.geometry.extent)
        emissive = emissive_triangles(self.geometry, len(rows), self.kept)
        environment = (
            None if scene.environment is None else environment_table(scene.environment, self.kept)
        )
        self._environment = environment
        self._light_rows = rows + emissive.rows
        self._lamp_count = len(rows)
        self._light_materials = np.append(
            np.full(len(rows), NONE, np.int64), emissive.materials(scene)
        )
        programs_of_glow = self.materials.records[self._light_materials[emissive.glowing], 0]
        self.glowing = GlowingTriangles(
            emissive.glowing, emissive.places, programs_of_glow.astype(np.int64)
        )
        near = emissive.object_count + int(np.count_nonzero(rows.is_near & (rows.powers > 0)))
        self.has_light_tree = near > 0 and (
            light_sampling == "tree" or (light_sampling == "auto" and near >= FEWEST_LIGHTS)
        )
        lights = self._build_lights()
        programs = self.materials.programs
        self.may_shine = (
            bool((self._light_rows.powers > 0).any())
            or environment is not None
            or any(program.shines for program in programs)
            or has_glowing_media(scene)
        )
        self.light_count = len(self._light_rows) + (lights.environment_light != NONE)
        words = lights.records.view(np.uint32)[: self.light_count, LightWord.kind]
        kinds = set(np.unique(words).tolist())
        self.traits = replace(
            scene_traits(
                scene,
                self.geometry,
                self.materials,
                kinds,
                has_profiles=len(self._profiles) > 1,
            ),
            has_glow=len(emissive.glowing) > 0,
            has_light_tree=self.has_light_tree,
        )
        return emissive

    def _geometry_view(self, emissive: EmissiveTriangles) -> dict[str, Any]:
        """Return GeometryView of scene_view.slang."""
        geometry, meshes = self.geometry, emissive.meshes
        has_tangents = any(program.has_tangents for program in self.materials.programs)
        # What is placed has the lights of all triangles, else those of objects that shine.
        key = (Identity(meshes), geometry.triangle_count, geometry.first_triangles.tobytes())
        self._light_of_triangle = self.kept.get(
            "lights of triangles",
            key if geometry.is_placed else (Identity(meshes),),
            lambda: geometry.lights_of_triangles(meshes),
        )
        return {
            **geometry.tensors(self.kept, has_tangents=has_tangents),
            "transforms": self._upload("transforms", geometry.transforms),
            "instances": self._upload("instances", geometry.instances(meshes)),
            "slotMaterials": self._upload("materials of slots", geometry.slot_materials),
            "hiddenFrom": self._upload("hidden objects", geometry.hidden_from),
            "terminators": self._upload("terminators", geometry.terminators),
            "lightOfTriangle": self.kept.upload(
                "lights of triangles", self._light_of_triangle, Identity(self._light_of_triangle)
            ),
            "triangleCount": geometry.triangle_count,
        }

    def _material_view(self) -> dict[str, Any]:
        return {
            "records": self._upload("materials", self.materials.records),
            "parameters": {
                "values": self.values,
                "tangents": self.values,
                "gradients": self.values,
                "firstTangent": 0,
            },
        }

    def _build_lights(self, left_out: NDArray[np.bool_] | None = None) -> LightTable:
        environment = self._environment
        return build_light_table(
            self._light_rows,
            None if environment is None else environment.power(self.geometry.extent),
            left_out,
            has_tree=self.has_light_tree,
        )

    def _choice_view(self, lights: LightTable) -> dict[str, Any]:
        """Return what a light is drawn by."""
        return {
            "records": self._upload("lights", lights.records),
            "alias": self._upload("light alias", lights.alias),
            "tree": self._upload("light tree", lights.tree),
            "treeShare": lights.tree_share,
        }

    def view_without_lights(self, materials: Sequence[int]) -> dict[str, Any]:
        """Return the view of a scene where bounces alone find the light of some materials."""
        left_out = np.isin(self._light_materials, np.asarray(materials))
        if not left_out.any():
            return self.view
        lights = self._build_lights(left_out)
        numbers = self._light_of_triangle.copy()
        is_light = numbers != NONE
        numbers[is_light] = np.where(left_out[numbers[is_light]], NONE, numbers[is_light])
        view = dict(self.view)
        view["geometry"] = view["geometry"] | {
            "lightOfTriangle": self._upload("lights of triangles", numbers)
        }
        view["lights"] = (
            view["lights"]
            | self._choice_view(lights)
            | {
                "count": self.light_count if lights.can_be_drawn else 0,
            }
        )
        return view

    def set_glow(self, means: NDArray[np.float64]) -> None:
        """Draw lights that vary by what they give off.

        Args:
            means: Luminance of each, in front and behind, shape ``(n, 2)``.
        """
        glowing = self.glowing.lights
        powers = self._light_rows.areas[glowing] * np.pi * means.sum(axis=1)
        # Other tables may have the rows, too.
        self._light_rows = self._light_rows.with_powers(glowing, powers)
        lights = self._build_lights()
        self.view["lights"].update(self._choice_view(lights))

    def _upload(self, name: str, array: NDArray[Any]) -> Tensor:
        """Return a flat tensor of the array's numbers, which nobody writes to."""
        return self.kept.upload(name, array)

    def _fresh(self, array: NDArray[Any]) -> Tensor:
        """Return a flat tensor of these tables' own."""
        return upload(self.device, array)

    def _light_view(
        self, lights: LightTable, environment: EnvironmentTable | None
    ) -> dict[str, Any]:
        black = np.zeros(3, np.float32)
        placement = None if environment is None else environment.placement
        return self._choice_view(lights) | {
            "profiles": self._upload("profiles", self._profiles),
            "environment": self._upload("environment", black)
            if environment is None
            else self.kept.upload("environment", environment.texels, Identity(environment.texels)),
            "environmentAlias": self._upload("environment alias", black)
            if environment is None
            else self.kept.upload(
                "environment alias", environment.alias, Identity(environment.alias)
            ),
            "environmentToWorld": np.eye(3, dtype=np.float32).tolist()
            if placement is None
            else placement.rotation.tolist(),
            "environmentWidth": 1 if environment is None else environment.texels.shape[2],
            "environmentHeight": 1 if environment is None else environment.texels.shape[1],
            "environmentLayers": [0] * 7 if placement is None else list(placement.layers),
            "environmentLight": lights.environment_light,
            "environmentStrength": (0.0, 0.0, 0.0)
            if placement is None
            else tuple(map(float, placement.strength)),
            "count": self.light_count,
            "lampCount": self._lamp_count,
        }
