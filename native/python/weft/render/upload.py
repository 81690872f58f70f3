# SPDX-License-Identifier: Apache-2.0
"""From a scene to the tables that kernels read (shaders/weft/render/scene_view.slang)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Device, Tensor
from weft.render.emission import light_of
from weft.render.light_table import (
    ENVIRONMENT,
    NONE,
    EnvironmentTable,
    LightRow,
    LightTable,
    build_light_table,
    environment_table,
    lamp_row,
    triangle_rows,
)
from weft.render.light_tree import (
    FEWEST_LIGHTS,
    NODE_WIDTH,
    LightSampling,
    checked_sampling,
    triangle_bounds,
)
from weft.render.tangents import tangent_sets
from weft.render.texture_table import texture_table
from weft.scene.kernel_text import SceneTraits
from weft.scene.materials import textures_of
from weft.scene.program import Program, print_program
from weft.scene.ray_kinds import SCATTERED, hidden_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.scene import Material, Mesh, Scene
    from weft.scene.texture import Texture


@dataclass
class ParameterRange:
    """Where a named parameter lies among all.

    Args:
        first: First float.
        size: Number of floats.
        bounds: Sensible range.
        is_separable: Red acts on red only, and so on.
        is_fixed: No derivative reaches it: it drives a normal.
        is_passing: It says what light passes straight.
    """

    first: int
    size: int
    bounds: tuple[float, float]
    is_separable: bool
    is_fixed: bool = False
    is_passing: bool = False


@dataclass
class MaterialTable:
    """Programs, parameters and textures of a scene."""

    programs: list[Program]
    records: NDArray[np.uint32]  # program, first parameter
    values: NDArray[np.float32]
    ranges: dict[str, ParameterRange]
    textures: list[Texture]
    texture_slots: dict[str, int]  # texture of each input that has one
    fixed_textures: frozenset[int] = frozenset()  # that drive normals


def material_table(materials: list[Material]) -> MaterialTable:
    """Print the programs of materials and lay out their parameters."""
    programs: dict[str, tuple[int, Program]] = {}
    records: list[tuple[int, int]] = []
    values: list[float] = []
    ranges: dict[str, ParameterRange] = {}
    texture_slots: dict[str, int] = {}
    textures = list({id(t): t for m in materials for t in textures_of(m.surface)}.values())
    numbers = {id(texture): number for number, texture in enumerate(textures)}
    for material in materials:
        program = print_program(material)
        number, _ = programs.setdefault(program.text, (len(programs), program))
        records.append((number, len(values)))
        for slot in program.slots:
            if slot.texture is not None:
                values.append(float(numbers[id(slot.texture)]))
                texture_slots[f"{material.name}.{slot.name}".removesuffix(".texture")] = numbers[
                    id(slot.texture)
                ]
                continue
            ranges[f"{material.name}.{slot.name}"] = ParameterRange(
                len(values),
                slot.size,
                slot.bounds,
                slot.is_separable,
                slot.is_fixed,
                slot.is_passing,
            )
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
        return len(self.meshes) == len(scene.objects) and bool(np.all(np.linalg.det(matrices) > 0))


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


@dataclass
class EmissiveTriangles:
    """Lights of emissive meshes, and where instances find them."""

    rows: list[LightRow] = field(default_factory=list)
    first_of_instance: list[int] = field(default_factory=list)
    light_of_triangle: list[NDArray[np.uint32]] = field(default_factory=list)
    varying: list[tuple[int, int, int]] = field(default_factory=list)  # light, primitive, instance
    materials: list[Material] = field(default_factory=list)  # of each row


def emissive_triangles(
    scene: Scene, geometry: GeometryTable, first_light: int
) -> EmissiveTriangles:
    """Return one light for each triangle with an emissive material."""
    out = EmissiveTriangles()
    used = 0
    for instance, entry in enumerate(scene.objects):
        emissions = [light_of(material.surface) for material in entry.materials]
        if SCATTERED & set(entry.hidden_from):
            emissions = []
        if not any(emission is not None for emission in emissions) or not len(entry.mesh.triangles):
            out.first_of_instance.append(NONE)
            continue
        lights = np.full(len(entry.mesh.triangles), NONE, np.uint32)
        assert entry.transform is not None
        corners = entry.mesh.corner_positions() @ entry.transform[:, :3].T
        is_mirrored = bool(np.linalg.det(entry.transform[:, :3]) < 0)
        edges = corners[:, 1:] - corners[:, :1]
        areas = np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1) / 2
        slots = np.zeros(len(lights), np.uint32) if entry.mesh.slots is None else entry.mesh.slots
        for slot, emission in enumerate(emissions):
            if emission is None:
                continue
            mine = np.flatnonzero((slots == slot) & (areas > 0))
            lights[mine] = first_light + len(out.rows) + np.arange(len(mine))
            start = geometry.first_triangle[id(entry.mesh)]
            out.materials += [entry.materials[slot]] * len(mine)
            if emission.varies:
                out.varying += [(int(lights[k]), int(k), instance) for k in mine]
            out.rows += triangle_rows(
                instance,
                mine + start,
                areas[mine],
                np.array(emission.radiance),
                emission.both_sides,
                varies=emission.varies,
                bounds=triangle_bounds(
                    corners[mine] + entry.transform[:, 3],
                    emission.both_sides,
                    is_mirrored=is_mirrored,
                ),
            )
        out.first_of_instance.append(used)
        out.light_of_triangle.append(lights)
        used += len(lights)
    return out


@dataclass
class GlowingTriangles:
    """Lights that vary over their triangle.

    Args:
        lights: Their numbers.
        places: Primitive and instance, shape ``(n, 2)``.
        programs: Of their materials.
    """

    lights: NDArray[np.int64]
    places: NDArray[np.uint32]
    programs: NDArray[np.int64]


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
        materials = scene.materials()
        self.materials = material_table(materials)
        rows = [lamp_row(light, self.geometry.extent) for light in scene.lights]
        emissive = emissive_triangles(scene, self.geometry, len(rows))
        environment = (
            environment_table(scene.environment) if scene.environment is not None else None
        )
        self._light_rows, self._environment = rows + emissive.rows, environment
        self._lamp_count = len(rows)
        known = {id(material): k for k, material in enumerate(materials)}
        self._light_materials = np.array(
            [NONE] * len(rows) + [known[id(material)] for material in emissive.materials], np.int64
        )
        self.glowing = self._find_glowing(scene, emissive)
        sampling = checked_sampling(light_sampling)
        shining = sum(first != NONE for first in emissive.first_of_instance)
        near = shining + sum(row.bounds is not None and row.power > 0 for row in rows)
        self.has_light_tree = near > 0 and (
            sampling == "tree" or (sampling == "auto" and near >= FEWEST_LIGHTS)
        )
        lights = self._build_lights()
        self.may_shine = (
            any(row.power > 0 for row in rows + emissive.rows)
            or environment is not None
            or any(program.shines for program in self.materials.programs)
        )
        self.light_count = len(rows) + len(emissive.rows) + (lights.environment_light != NONE)
        kinds = {int(word) for word in lights.records.view(np.uint32)[: self.light_count, 0]}
        if environment is not None:
            kinds.add(ENVIRONMENT)
        has_hidden = any(entry.hidden_from for entry in scene.objects)
        self.traits = SceneTraits(
            sum(1 << kind for kind in kinds),
            self.geometry.is_placed(scene),
            is_see_through=has_hidden or any(p.passes for p in self.materials.programs),
            has_glow=len(emissive.varying) > 0,
            has_cones=any(texture.filter == "mipmap" for texture in self.materials.textures),
            has_bumps=any(program.has_bumps for program in self.materials.programs),
            has_light_tree=self.has_light_tree,
            has_kinds=has_hidden
            or any(program.reads_ray for program in self.materials.programs)
            or (environment is not None and any(environment.layers)),
            has_hidden=has_hidden,
        )
        numbers = {id(material): number for number, material in enumerate(materials)}
        arrays = self.geometry.arrays
        arrays["transforms"] = self.geometry.transforms
        instances: list[tuple[int, int, int, int]] = []
        slot_materials: list[int] = []
        for number, entry in enumerate(scene.objects):
            start = self.geometry.first_triangle[id(entry.mesh)]
            instances.append(
                (start, len(slot_materials), emissive.first_of_instance[number], number)
            )
            slot_materials += [numbers[id(material)] for material in entry.materials]
        arrays["instances"] = np.array(instances or [(0, 0, NONE, 0)], np.uint32)
        arrays["slotMaterials"] = np.array(slot_materials or [0], np.uint32)
        arrays["lightOfTriangle"] = np.concatenate(
            [*emissive.light_of_triangle, np.full(1, NONE, np.uint32)]
        )
        arrays["hiddenFrom"] = np.array(
            [hidden_bits(entry.hidden_from) for entry in scene.objects] or [0], np.uint32
        )
        has_tangents = any(program.has_tangents for program in self.materials.programs)
        arrays["tangents"] = (
            tangent_sets(self.geometry.meshes) if has_tangents else np.zeros(4, np.float32)
        )
        if self.traits.is_placed:
            self._place(scene, emissive, instances, np.array(slot_materials or [0], np.uint32))
        self.values = self._upload(self.materials.values)
        textures = texture_table(self.materials.textures)
        self.texels = self._upload(textures.texels)
        self.texture_records = textures.records
        self.view: dict[str, Any] = {
            "geometry": {key: self._upload(array) for key, array in arrays.items()}
            | {"triangleCount": len(arrays["slots"]) - 1},
            "materials": {
                "records": self._upload(self.materials.records),
                "parameters": {
                    "values": self.values,
                    "tangents": self.values,
                    "gradients": self.values,
                    "firstTangent": 0,
                },
            },
            "textures": {
                "texels": self.texels,
                "tangents": self.texels,
                "gradients": self.texels,
                "hasTangents": 0,
                "hasGradients": 0,
                "records": self._upload(textures.records),
            },
            "lights": self._light_view(lights, environment),
            "tables": tables,
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
        self,
        scene: Scene,
        emissive: EmissiveTriangles,
        instances: list[tuple[int, int, int, int]],
        slot_materials: NDArray[np.uint32],
    ) -> None:
        """Bring triangles to world space, and give each its material and light."""
        arrays = self.geometry.arrays
        lights = np.full(len(arrays["slots"]), NONE, np.uint32)
        for entry, (start, first_slot, first_light, _) in zip(
            scene.objects, instances, strict=True
        ):
            part = slice(start, start + len(entry.mesh.triangles))
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
            if first_light != NONE:
                count = len(entry.mesh.triangles)
                flat = np.concatenate(emissive.light_of_triangle)
                lights[part] = flat[first_light : first_light + count]
        arrays["lightOfTriangle"] = lights

    def _upload(self, array: NDArray[Any]) -> Tensor:
        """Return a flat tensor of the array's numbers; one zero if there are none."""
        flat = np.ascontiguousarray(array).ravel()
        return Tensor.from_numpy(self.device, flat if flat.size else np.zeros(1, flat.dtype))

    def _light_view(
        self, lights: LightTable, environment: EnvironmentTable | None
    ) -> dict[str, Any]:
        black = np.zeros(3, np.float32)
        return self._choice_view(lights) | {
            "environment": self._upload(black if environment is None else environment.texels),
            "environmentAlias": self._upload(black if environment is None else environment.alias),
            "environmentToWorld": (
                np.eye(3, dtype=np.float32) if environment is None else environment.rotation
            ).tolist(),
            "environmentWidth": 0 if environment is None else environment.texels.shape[2],
            "environmentHeight": 0 if environment is None else environment.texels.shape[1],
            "environmentLayers": [0] * 7 if environment is None else list(environment.layers),
            "environmentLight": lights.environment_light,
            "environmentStrength": (0.0, 0.0, 0.0)
            if environment is None
            else tuple(map(float, environment.strength)),
            "count": self.light_count,
            "lampCount": lights.lamp_count,
        }
