# SPDX-License-Identifier: Apache-2.0
"""From a scene to the tables that kernels read (shaders/weft/render/scene_view.slang)."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Device, Tensor
from weft.render.emissive_triangles import (
    EmissiveTriangles,
    GlowingTriangles,
    emissive_triangles,
)
from weft.render.instance_table import instance_rows, lifts_light_rays, slot_materials_of
from weft.render.light_profiles import PROFILED, profile_table
from weft.render.light_table import (
    ENVIRONMENT,
    NONE,
    EnvironmentTable,
    LightTable,
    build_light_table,
    environment_table,
    lamp_row,
)
from weft.render.light_tree import (
    FEWEST_LIGHTS,
    NODE_WIDTH,
    LightSampling,
    checked_sampling,
)
from weft.render.media import has_glowing_media, has_media, media_view
from weft.render.parameter_range import ParameterRange
from weft.render.path_limits import has_limits
from weft.render.tangents import tangent_sets
from weft.render.texture_table import texture_table
from weft.scene.kernel_text import SceneTraits
from weft.scene.materials import parts_of_material, textures_of
from weft.scene.parameter_ref import ParameterRef, quoted
from weft.scene.program import Program, print_program
from weft.scene.ray_kinds import hidden_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.scene import Material, Mesh, Scene
    from weft.scene.texture import Texture


@dataclass
class MaterialTable:
    """Programs, parameters and textures of a scene."""

    programs: list[Program]
    records: NDArray[np.uint32]  # program, first parameter
    values: NDArray[np.float32]
    ranges: dict[ParameterRef, ParameterRange]
    textures: list[Texture]
    texture_slots: dict[ParameterRef, int]  # texture of each input that has one
    fixed_textures: frozenset[int] = frozenset()  # that drive normals


def material_table(materials: list[Material]) -> MaterialTable:
    """Print the programs of materials and lay out their parameters."""
    programs: dict[object, tuple[int, Program]] = {}
    records: list[tuple[int, int]] = []
    values: list[float] = []
    ranges: dict[ParameterRef, ParameterRange] = {}
    texture_slots: dict[ParameterRef, int] = {}
    textures = list(
        {
            id(t): t for m in materials for part in parts_of_material(m) for t in textures_of(part)
        }.values()
    )
    numbers = {id(texture): number for number, texture in enumerate(textures)}
    for material in materials:
        program = print_program(material)
        number, _ = programs.setdefault(program.key, (len(programs), program))
        records.append((number, len(values)))
        owner = quoted(material.name)
        for slot in program.slots:
            if slot.texture is not None:
                values.append(float(numbers[id(slot.texture)]))
                place = f"{owner}.{slot.name}".removesuffix(".texture")
                texture_slots[ParameterRef(place)] = numbers[id(slot.texture)]
                continue
            ranges[ParameterRef(f"{owner}.{slot.name}")] = ParameterRange.of(slot, len(values))
            values.extend(slot.values)
    return MaterialTable(
        [program for _, program in programs.values()],
        np.array(records, np.uint32).reshape(-1, 2),
        np.array(values or [0.0], np.float32),
        ranges,
        textures,
        texture_slots,
        frozenset(
            numbers[id(slot.texture)]
            for _, program in programs.values()
            for slot in program.slots
            if slot.texture is not None and slot.is_fixed
        ),
    )


@dataclass
class GeometryTable:
    """Triangles and instances of a scene on the host."""

    meshes: list[Mesh]
    first_triangle: dict[int, int]  # by id of the mesh
    transforms: NDArray[np.float32]  # (instances, 3, 4)
    mesh_of_instance: NDArray[np.uint32]
    extent: float  # radius of the scene, metres
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)

    def is_placed(self, scene: Scene) -> bool:
        """Return whether every mesh is placed once and not mirrored."""
        matrices = self.transforms[:, :, :3]
        is_once = len(self.meshes) == len(scene.objects)
        return is_once and not has_media(scene) and bool(np.all(np.linalg.det(matrices) > 0))


def _sets(meshes: list[Mesh], kind: str, width: int) -> NDArray[np.float32]:
    """Return attribute sets, one block of all triangles a set; zero where a mesh has fewer."""
    count = max([len(getattr(mesh, kind)) for mesh in meshes] + [1])
    triangles = sum(len(mesh.triangles) for mesh in meshes)
    out = np.zeros((count, triangles, 3, width), np.float32)
    first = 0
    for mesh in meshes:
        for number, values in enumerate(getattr(mesh, kind).values()):
            out[number, first : first + len(mesh.triangles)] = values
        first += len(mesh.triangles)
    return out


def geometry_table(scene: Scene) -> GeometryTable:
    """Gather triangles, attributes and instances."""
    meshes = scene.meshes()
    number = {id(mesh): index for index, mesh in enumerate(meshes)}
    starts = np.cumsum([0] + [len(mesh.triangles) for mesh in meshes])
    first = {id(mesh): int(start) for mesh, start in zip(meshes, starts, strict=False)}
    transforms = np.array([entry.transform for entry in scene.objects], np.float32).reshape(
        -1, 3, 4
    )
    corners = [mesh.corner_positions() for mesh in meshes]
    low, high = np.full(3, np.inf), np.full(3, -np.inf)
    for entry in scene.objects:
        if len(entry.mesh.positions):
            assert entry.transform is not None
            points = entry.mesh.positions @ entry.transform[:, :3].T + entry.transform[:, 3]
            low, high = np.minimum(low, points.min(axis=0)), np.maximum(high, points.max(axis=0))
    extent = float(np.linalg.norm(high - low) / 2) if np.isfinite(low).all() else 1.0
    table = GeometryTable(
        meshes,
        first,
        transforms,
        np.array([number[id(entry.mesh)] for entry in scene.objects], np.uint32),
        max(extent, 1e-6),
    )
    empty = np.zeros((1, 3, 3), np.float32)
    table.arrays["positions"] = np.concatenate([*corners, empty])
    table.arrays["normals"] = np.concatenate([*(mesh.corner_normals() for mesh in meshes), empty])
    table.arrays["uvs"] = _sets(meshes, "uvs", 2)
    table.arrays["colors"] = _sets(meshes, "colors", 3)
    slots = [
        np.zeros(len(mesh.triangles), np.uint32) if mesh.slots is None else mesh.slots
        for mesh in meshes
    ]
    table.arrays["slots"] = np.concatenate([*slots, np.zeros(1, np.uint32)])
    return table


class SceneTables:
    """A scene on a device.

    Args:
        device: Where to.
        scene: What. Later changes of it do not show.
        tables: Of the BSDFs.
        light_sampling: As a Renderer takes it.
    """

    def __init__(
        self,
        device: Device,
        scene: Scene,
        tables: Tensor,
        light_sampling: LightSampling = "auto",
    ) -> None:
        """Build all tables and upload them."""
        self.device = device
        self.geometry = geometry_table(scene)
        self._own_materials = scene.materials()
        self.materials = material_table(self._own_materials)
        checked_sampling(light_sampling)
        emissive = self._set_lights(scene, light_sampling)
        arrays = self.geometry.arrays
        arrays["transforms"] = self.geometry.transforms
        has_tangents = any(program.has_tangents for program in self.materials.programs)
        arrays["tangents"] = (
            tangent_sets(self.geometry.meshes) if has_tangents else np.zeros(4, np.float32)
        )
        instances = instance_rows(scene, self.geometry, emissive)
        slot_materials = slot_materials_of(scene)
        arrays["instances"], arrays["slotMaterials"] = instances, slot_materials
        arrays["hiddenFrom"] = np.array(
            [hidden_bits(entry.hidden_from) for entry in scene.objects] or [0], np.uint32
        )
        arrays["terminators"] = np.array(
            [entry.shadow_terminator_geometry_offset for entry in scene.objects] or [0], np.float32
        )
        if self.traits.is_placed:
            self._place(scene, instances, slot_materials)
        arrays["lightOfTriangle"] = self._light_of_triangle(scene, emissive, instances)
        self.values = self._upload(self.materials.values)
        textures = texture_table(self.materials.textures)
        self.texels = self._upload(textures.texels)
        self.texture_records = textures.records
        self.view: dict[str, Any] = {
            "geometry": {key: self._upload(array) for key, array in arrays.items()}
            | {"triangleCount": len(arrays["slots"]) - 1},
            "materials": self._material_view(),
            "textures": {
                "texels": self.texels,
                "tangents": self.texels,
                "gradients": self.texels,
                "hasTangents": 0,
                "hasGradients": 0,
                "records": self._upload(textures.records),
            },
            "lights": self._light_view(self._build_lights(), self._environment),
            "media": media_view(scene, self._upload),
            "tables": tables,
        }

    def _set_lights(self, scene: Scene, light_sampling: LightSampling) -> EmissiveTriangles:
        """Take the lights of a scene."""
        materials = scene.materials()
        rows = [lamp_row(light, self.geometry.extent) for light in scene.lights]
        emissive = emissive_triangles(scene, self.geometry, len(rows))
        self._environment = (
            environment_table(scene.environment) if scene.environment is not None else None
        )
        environment = self._environment
        self._profiles = profile_table(scene.lights, rows)
        self._light_rows = rows + emissive.rows
        self._lamp_count = len(rows)
        known = {id(material): k for k, material in enumerate(materials)}
        self._light_materials = np.array(
            [NONE] * len(rows) + [known[id(material)] for material in emissive.materials], np.int64
        )
        self.glowing = self._find_glowing(scene, emissive)
        shining = sum(first != NONE for first in emissive.first_of_instance)
        near = shining + sum(row.bounds is not None and row.power > 0 for row in rows)
        self.has_light_tree = near > 0 and (
            light_sampling == "tree" or (light_sampling == "auto" and near >= FEWEST_LIGHTS)
        )
        lights = self._build_lights()
        is_lit = lights.environment_light != NONE
        self.may_shine = (
            any(row.power > 0 for row in self._light_rows)
            or environment is not None
            or any(program.shines for program in self.materials.programs)
            or has_glowing_media(scene)
        )
        self.light_count = len(self._light_rows) + is_lit
        kinds = {int(word) for word in lights.records.view(np.uint32)[: self.light_count, 0]}
        if environment is not None:
            kinds.add(ENVIRONMENT)
        if len(self._profiles) > 1:
            kinds.add(PROFILED)
        has_hidden = any(entry.hidden_from for entry in scene.objects)
        self.traits = SceneTraits(
            sum(1 << kind for kind in kinds),
            self.geometry.is_placed(scene),
            is_see_through=has_hidden
            or has_media(scene)
            or any(p.passes or p.wanders for p in self.materials.programs),
            has_glow=len(emissive.varying) > 0,
            has_cones=any(texture.filter == "mipmap" for texture in self.materials.textures),
            has_bumps=any(program.has_bumps for program in self.materials.programs),
            has_light_tree=self.has_light_tree,
            has_kinds=has_hidden
            or any(light.hidden_from for light in scene.lights)
            or any(program.reads_ray for program in self.materials.programs)
            or (environment is not None and any(environment.layers)),
            has_hidden=has_hidden,
            has_terminators=any(lifts_light_rays(entry) for entry in scene.objects),
            has_media=has_media(scene),
            has_limits=has_limits(scene),
            has_walks=any(program.wanders for program in self.materials.programs),
            has_lamp_rules=any(
                light.hidden_from or not light.casts_shadow for light in scene.lights
            ),
        )
        return emissive

    def relit(self, scene: Scene, light_sampling: LightSampling) -> SceneTables:
        """Return the tables of a scene that differs in its lights, its world, or what shines.

        All that is the same lies in the same memory.

        Args:
            scene: With the same objects, and materials of the same programs and textures.
            light_sampling: As a Renderer takes it.
        """
        out = copy(self)
        emissive = out._set_lights(scene, light_sampling)
        out.view = dict(self.view)
        own = scene.materials()
        is_same = all(one is other for one, other in zip(own, self._own_materials, strict=True))
        materials = self.materials if is_same else material_table(own)
        assert [p.key for p in materials.programs] == [p.key for p in self.materials.programs]
        if not np.array_equal(materials.values, self.materials.values):
            out.materials, out._own_materials = materials, own
            out.values = self._upload(materials.values)
            out.view["materials"] = out._material_view()
        if emissive.rows or len(self._light_rows) > self._lamp_count:
            instances = instance_rows(scene, self.geometry, emissive)
            changed = {
                "instances": instances,
                "lightOfTriangle": self._light_of_triangle(scene, emissive, instances),
            }
            out.geometry = replace(self.geometry, arrays=self.geometry.arrays | changed)
            out.view["geometry"] = self.view["geometry"] | {
                key: self._upload(array) for key, array in changed.items()
            }
        out.view["lights"] = out._light_view(out._build_lights(), out._environment)
        return out

    def _material_view(self) -> dict[str, Any]:
        return {
            "records": self._upload(self.materials.records),
            "parameters": {
                "values": self.values,
                "tangents": self.values,
                "gradients": self.values,
                "firstTangent": 0,
            },
        }

    def _find_glowing(self, scene: Scene, emissive: EmissiveTriangles) -> GlowingTriangles:
        """Return the lights that vary."""
        numbers = {id(material): k for k, material in enumerate(scene.materials())}
        table = np.array(emissive.varying, np.int64).reshape(-1, 3)
        programs = []
        for _, primitive, instance in emissive.varying:
            entry = scene.objects[instance]
            slot = 0 if entry.mesh.slots is None else int(entry.mesh.slots[primitive])
            programs.append(int(self.materials.records[numbers[id(entry.materials[slot])], 0]))
        return GlowingTriangles(
            table[:, 0], table[:, 1:].astype(np.uint32), np.array(programs, np.int64)
        )

    def _build_lights(self, left_out: NDArray[np.bool_] | None = None) -> LightTable:
        return build_light_table(
            self._light_rows,
            self._lamp_count,
            self._environment,
            self.geometry.extent,
            left_out,
            has_tree=self.has_light_tree,
        )

    def _choice_view(self, lights: LightTable) -> dict[str, Any]:
        """Return what a light is drawn by."""
        nodes = np.zeros((1, NODE_WIDTH), np.float32) if lights.tree is None else lights.tree.nodes
        return {
            "records": self._upload(lights.records),
            "alias": self._upload(lights.alias),
            "tree": self._upload(nodes),
            "treeShare": 0.0 if lights.tree is None else lights.tree.share,
        }

    def view_without_lights(self, materials: Sequence[int]) -> dict[str, Any]:
        """Return the view of a scene where bounces alone find the light of some materials."""
        left_out = np.isin(self._light_materials, np.asarray(materials))
        if not left_out.any():
            return self.view
        lights = self._build_lights(left_out)
        numbers = self.geometry.arrays["lightOfTriangle"].copy()
        is_light = numbers != NONE
        numbers[is_light] = np.where(left_out[numbers[is_light]], NONE, numbers[is_light])
        view = dict(self.view)
        view["geometry"] = view["geometry"] | {"lightOfTriangle": self._upload(numbers)}
        view["lights"] = (
            view["lights"]
            | self._choice_view(lights)
            | {
                "count": self.light_count if lights.records[:, 1].any() else 0,
            }
        )
        return view

    def set_glow(self, means: NDArray[np.float64]) -> None:
        """Draw lights that vary by what they give off.

        Args:
            means: Luminance of each, in front and behind, shape ``(n, 2)``.
        """
        for light, sides in zip(self.glowing.lights, means, strict=True):
            row = self._light_rows[light]
            row.power = float(row.area * np.pi * sides.sum())
        lights = self._build_lights()
        self.view["lights"].update(self._choice_view(lights))

    def _place(
        self, scene: Scene, instances: NDArray[np.uint32], slot_materials: NDArray[np.uint32]
    ) -> None:
        """Bring triangles to world space, and give each its material."""
        arrays = self.geometry.arrays
        for entry, (start, first_slot, _, _) in zip(scene.objects, instances, strict=False):
            part = slice(int(start), int(start) + len(entry.mesh.triangles))
            assert entry.transform is not None
            matrix, origin = entry.transform[:, :3], entry.transform[:, 3]
            arrays["positions"][part] = arrays["positions"][part] @ matrix.T + origin
            normals = arrays["normals"][part] @ np.linalg.inv(matrix)
            length = np.linalg.norm(normals, axis=-1, keepdims=True)
            arrays["normals"][part] = normals / np.where(length > 0, length, 1)
            if arrays["tangents"].ndim > 1:
                tangents = arrays["tangents"][:, part, :, :3] @ matrix.T
                length = np.linalg.norm(tangents, axis=-1, keepdims=True)
                arrays["tangents"][:, part, :, :3] = tangents / np.where(length > 0, length, 1)
            arrays["slots"][part] = slot_materials[first_slot + arrays["slots"][part]]

    def _light_of_triangle(
        self, scene: Scene, emissive: EmissiveTriangles, instances: NDArray[np.uint32]
    ) -> NDArray[np.uint32]:
        """Return the lights of triangles, where kernels look for them."""
        flat = np.concatenate([*emissive.light_of_triangle, np.full(1, NONE, np.uint32)])
        if not self.traits.is_placed:
            return flat
        lights = np.full(len(self.geometry.arrays["slots"]), NONE, np.uint32)
        for entry, (start, _, first, _) in zip(scene.objects, instances, strict=False):
            count = len(entry.mesh.triangles)
            if first != NONE:
                lights[int(start) : int(start) + count] = flat[int(first) : int(first) + count]
        return lights

    def _upload(self, array: NDArray[Any]) -> Tensor:
        """Return a flat tensor of the array's numbers; one zero if there are none."""
        flat = np.ascontiguousarray(array).ravel()
        return Tensor.from_numpy(self.device, flat if flat.size else np.zeros(1, flat.dtype))

    def _light_view(
        self, lights: LightTable, environment: EnvironmentTable | None
    ) -> dict[str, Any]:
        black = np.zeros(3, np.float32)
        return self._choice_view(lights) | {
            "profiles": self._upload(self._profiles),
            "environment": self._upload(black if environment is None else environment.texels),
            "environmentAlias": self._upload(black if environment is None else environment.alias),
            "environmentToWorld": (
                np.eye(3, dtype=np.float32) if environment is None else environment.rotation
            ).tolist(),
            "environmentWidth": 1 if environment is None else environment.texels.shape[2],
            "environmentHeight": 1 if environment is None else environment.texels.shape[1],
            "environmentLayers": [0] * 7 if environment is None else list(environment.layers),
            "environmentLight": lights.environment_light,
            "environmentStrength": (0.0, 0.0, 0.0)
            if environment is None
            else tuple(map(float, environment.strength)),
            "count": self.light_count,
            "lampCount": lights.lamp_count,
        }
