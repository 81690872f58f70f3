# SPDX-License-Identifier: GPL-3.0-or-later
"""The open scene as a scene of `weft.scene`.

Start reading at SceneExporter.export.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import weft

from ..core.problems import Problem
from .cameras import export_camera, picture_size
from .lights import export_light
from .materials import compile_blender_material
from .meshes import build_mesh, read_mesh
from .world import export_world

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bpy


@dataclass
class ExportedScene:
    """A scene for the renderer, and where its parts came from.

    Args:
        scene: Objects, lights, cameras, environment.
        materials: Compiled materials by Blender's names; "" is what objects without material get.
        problems: What is left out or replaced.
    """

    scene: weft.Scene
    materials: dict[str, Any] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class SceneExporter:
    """Makes scenes of Blender's; parts that did not change between calls are the same objects."""

    def __init__(self) -> None:
        self._meshes: dict[bytes, weft.scene.Mesh | None] = {}

    def export(
        self,
        depsgraph: bpy.types.Depsgraph,
        *,
        cameras: Sequence[bpy.types.Object] | None = None,
        resolution: tuple[int, int] | None = None,
    ) -> ExportedScene:
        """Return everything that a picture of the scene depends on.

        Args:
            depsgraph: The evaluated scene.
            cameras: Objects that hold cameras; ``None``: the scene's camera.
            resolution: Width and height of all pictures, pixels; ``None``: those of the scene's
                render settings.
        """
        walk = _Walk(self._meshes, depsgraph)
        walk.add_instances()
        self._meshes = walk.used
        walk.add_cameras(cameras, resolution)
        environment, problems = export_world(depsgraph.scene_eval.world)
        walk.out.scene.environment = environment
        walk.out.problems += problems
        return walk.out


class _Walk:
    """One export."""

    def __init__(
        self, known: dict[bytes, weft.scene.Mesh | None], depsgraph: bpy.types.Depsgraph
    ) -> None:
        self.known = known
        self.used: dict[bytes, weft.scene.Mesh | None] = {}
        self.by_pointer: dict[int, weft.scene.Mesh | None] = {}
        self.depsgraph = depsgraph
        self.out = ExportedScene(weft.Scene())

    def add_instances(self) -> None:
        """Add all meshes and lamps that the render shows."""
        for instance in self.depsgraph.object_instances:
            entry = instance.object
            if not instance.show_self or entry.hide_render:
                continue
            if entry.type == "LIGHT":
                light, problems = export_light(entry, instance.matrix_world, entry.name)
                self.out.scene.lights.append(light)
                self.out.problems += problems
            elif entry.type == "MESH":
                self.add_mesh(entry, np.array(instance.matrix_world))

    def add_mesh(self, entry: bpy.types.Object, matrix: np.ndarray) -> None:
        """Add an object that holds a mesh."""
        mesh = self.mesh_of(entry)
        if mesh is None:
            return
        if abs(np.linalg.det(matrix[:3, :3])) == 0:
            self.out.problems.append(
                Problem(f"Object '{entry.name}'", "its scale is zero, it is left out")
            )
            return
        used = 1 if mesh.slots is None else int(mesh.slots.max()) + 1
        slots = [slot.material for slot in entry.material_slots] or [None]
        slots += slots[-1:] * (used - len(slots))
        materials = [self.material_of(material) for material in slots[:used]]
        self.out.scene.objects.append(weft.scene.Object(mesh, materials, matrix, name=entry.name))

    def mesh_of(self, entry: bpy.types.Object) -> weft.scene.Mesh | None:
        """Return the triangles of an object, the same as before if nothing changed."""
        mesh = entry.data
        pointer = mesh.as_pointer()
        if pointer not in self.by_pointer:
            data = read_mesh(mesh, [""], [])
            key = data.digest()
            if key not in self.used:
                self.used[key] = (
                    self.known[key] if key in self.known else build_mesh(mesh.name, mesh, data)
                )
            self.by_pointer[pointer] = self.used[key]
        return self.by_pointer[pointer]

    def material_of(self, material: bpy.types.Material | None) -> weft.scene.Material:
        """Return a compiled material."""
        name = material.name if material else ""
        if name not in self.out.materials:
            compiled = compile_blender_material(material)
            self.out.materials[name] = compiled
            self.out.problems += compiled.problems
        return self.out.materials[name].material

    def add_cameras(
        self, cameras: Sequence[bpy.types.Object] | None, resolution: tuple[int, int] | None
    ) -> None:
        """Add the views."""
        scene = self.depsgraph.scene_eval
        chosen = cameras if cameras is not None else [scene.camera] if scene.camera else []
        for camera in chosen:
            made, problems = export_camera(
                camera.evaluated_get(self.depsgraph), resolution or picture_size(scene)
            )
            self.out.scene.cameras.append(made)
            self.out.problems += problems
