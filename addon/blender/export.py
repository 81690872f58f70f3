# SPDX-License-Identifier: GPL-3.0-or-later
"""The open scene as a scene of `weft.scene`.

Start reading at SceneExporter.export.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

import weft

from ..core.coincident import CoincidentFaces
from ..core.devices import texel_room
from ..core.graph.view import View
from ..core.problems import Problem
from ..core.steps import last_value
from .cameras import WHOLE, export_camera
from .ignored import scene_problems
from .images import ImageStore
from .instances import take_inventory
from .lights import LightStore, lights_in_view, suns_in_view
from .materials import MaterialStore, material_name
from .mesh_store import MeshStore
from .path_settings import light_paths
from .picture_size import picture_size
from .world import Found, WorldStore

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import bpy

    from weft.scene import Environment, SunLight
    from weft.scene.lights import Light

    from ..core.graph.compile import CompiledMaterial
    from ..core.steps import Steps
    from .instances import ObjectInstance


@dataclass
class ExportedScene:
    """A scene for the renderer, and where its parts came from.

    Args:
        scene: Objects, lights, cameras, environment.
        materials: Compiled materials by Blender's full names; "" is what objects without material
            get.
        problems: What is left out or replaced.
        lights: That shine in it, as they stand.
    """

    scene: weft.Scene
    materials: dict[str, CompiledMaterial] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    lights: list[ObjectInstance] = field(default_factory=list)


class SceneExporter:
    """Makes scenes of Blender's; parts that did not change between calls are the same objects.

    Args:
        device: Returns the device that is to show the scene, asked for worlds of many nodes and
            for large images; ``None``: any, and images may be of any size.
    """

    def __init__(self, device: Callable[[], weft.Device] | None = None) -> None:
        self._images = ImageStore(None if device is None else lambda: texel_room(device()))
        self._meshes = MeshStore()
        self._device = device
        self._worlds: dict[int, WorldStore] = {}
        self._lights = LightStore(device)
        self._coincident = CoincidentFaces()

    def export(
        self,
        depsgraph: bpy.types.Depsgraph,
        *,
        cameras: Sequence[bpy.types.Object] | None = None,
        resolution: tuple[int, int] | None = None,
        keep: Collection[str] = (),
        unwrapped: Collection[str] = (),
        has_same_meshes: bool = False,
    ) -> ExportedScene:
        """Return everything that a picture of the scene depends on; see export_steps()."""
        return last_value(
            self.export_steps(
                depsgraph,
                cameras=cameras,
                resolution=resolution,
                keep=keep,
                unwrapped=unwrapped,
                has_same_meshes=has_same_meshes,
            )
        )

    def export_steps(
        self,
        depsgraph: bpy.types.Depsgraph,
        *,
        cameras: Sequence[bpy.types.Object] | None = None,
        resolution: tuple[int, int] | None = None,
        keep: Collection[str] = (),
        unwrapped: Collection[str] = (),
        has_same_meshes: bool = False,
        materials: MaterialStore | None = None,
    ) -> Steps[ExportedScene]:
        """Export in steps, one an object, between which Blender may draw its windows.

        The scene must not change between steps.

        Args:
            depsgraph: The evaluated scene.
            cameras: Objects that hold cameras; ``None``: the scene's camera.
            resolution: Width and height of all pictures, pixels; ``None``: those of the scene's
                render settings.
            keep: Names of parameters that a fit wants though they have no effect now.
            unwrapped: Blender's full names of materials whose objects bring their active UV map,
                though no node reads it.
            has_same_meshes: As MeshStore.begin() takes it.
            materials: Of compile_steps(), with what the other arguments want; ``None``: none are
                compiled yet.

        Returns:
            Everything that a picture of the scene depends on.
        """
        if materials is None:
            self._images.begin()
            materials = MaterialStore(self._images, keep, unwrapped)
        self._meshes.begin(is_same=has_same_meshes)
        inventory = take_inventory(depsgraph)
        materials.view = _view_of(depsgraph, cameras, resolution)
        scene = weft.Scene(light_paths=light_paths(depsgraph.scene_eval))
        problems = inventory.problems + scene_problems(depsgraph)
        for instance in inventory.meshes:
            yield
            scene.objects += self._export_object(instance, materials, problems)
        yield
        scene.lights, found = self._lights.export(inventory.lights, self._images)
        problems += found
        environment, suns, found = self._light_of(world_of(depsgraph))
        scene.environment, scene.lights = environment, scene.lights + suns
        problems += found + materials.problems() + self._images.problems
        scene.cameras, found = _export_cameras(depsgraph, cameras, resolution)
        problems += found + lights_in_view(inventory.lights, scene.cameras)
        problems += suns_in_view(suns, scene.cameras)
        problems += self._coincident.problems(scene.objects)
        scene.problems = list(dict.fromkeys(problems))
        return ExportedScene(scene, materials.compiled, list(scene.problems), inventory.lights)

    def export_world(
        self, world: bpy.types.World
    ) -> tuple[Environment | None, list[SunLight], list[Problem]]:
        """Return the light of another world than the scene's, and what of it is left out."""
        known = len(self._images.problems)
        environment, suns, problems = self._light_of(world)
        return environment, suns, problems + self._images.problems[known:]

    def export_light(self, instance: ObjectInstance) -> tuple[Light | None, list[Problem]]:
        """Return a light of Blender's as one of `weft.scene`, and what of it is left out.

        ``None`` stands for one that emits nothing.
        """
        known = len(self._images.problems)
        light, problems = self._lights.export_one(instance, self._images)
        return light, problems + self._images.problems[known:]

    def _light_of(self, world: bpy.types.World | None) -> Found:
        """Return light from everywhere, suns, and what is left out."""
        key = 0 if world is None else world.original.session_uid
        store = self._worlds.setdefault(key, WorldStore(self._device))
        return store.export(world, self._images)

    def compile_steps(self, depsgraph: bpy.types.Depsgraph) -> Steps[MaterialStore]:
        """Compile the materials of the scene, as no camera sees them, in steps, one an object."""
        self._images.begin()
        materials = MaterialStore(self._images)
        for instance in take_inventory(depsgraph).meshes:
            for material in instance.materials:
                if material_name(material) not in materials.compiled:
                    yield
                    materials.find(material)
        return materials

    def _export_object(
        self, instance: ObjectInstance, materials: MaterialStore, problems: list[Problem]
    ) -> list[weft.scene.Object]:
        """Return an object; none if there is nothing to see."""
        compiled = [materials.find(material) for material in instance.materials]
        mesh = self._meshes.find(instance, compiled, materials.attributes)
        if mesh is None:
            return []
        if np.linalg.det(instance.matrix[:3, :3]) == 0:
            problems.append(
                Problem(f"Object '{instance.name}'", "it has no extent; scale it", "nothing")
            )
            return []
        used = 1 if mesh.slots is None else int(mesh.slots.max()) + 1
        # Faces beyond the last slot show the last one's material.
        slots = [compiled[min(number, len(compiled) - 1)].material for number in range(used)]
        return [
            weft.scene.Object(
                mesh,
                slots,
                instance.matrix,
                name=instance.name,
                hidden_from=instance.hidden_from,
                shadow_terminator_geometry_offset=instance.terminator,
            )
        ]


def world_of(depsgraph: bpy.types.Depsgraph) -> bpy.types.World | None:
    """Return the world that lights the evaluated scene."""
    override = getattr(depsgraph.view_layer_eval, "world_override", None)
    return override or depsgraph.scene_eval.world


def _chosen(
    scene: bpy.types.Scene, cameras: Sequence[bpy.types.Object] | None
) -> Sequence[bpy.types.Object]:
    if cameras is not None:
        return cameras
    return [scene.camera] if scene.camera else []


def _view_of(
    depsgraph: bpy.types.Depsgraph,
    cameras: Sequence[bpy.types.Object] | None,
    resolution: tuple[int, int] | None,
) -> View | None:
    """Return the camera that nodes see."""
    chosen = _chosen(depsgraph.scene_eval, cameras)
    if len(chosen) != 1:
        return None
    size = resolution or picture_size(depsgraph.scene_eval)
    return View.of(export_camera(chosen[0].evaluated_get(depsgraph), size, WHOLE)[0])


def _export_cameras(
    depsgraph: bpy.types.Depsgraph,
    cameras: Sequence[bpy.types.Object] | None,
    resolution: tuple[int, int] | None,
) -> tuple[list[weft.scene.Camera], list[Problem]]:
    """Return the views and what they do not show."""
    scene = depsgraph.scene_eval
    made, problems = [], []
    for entry in _chosen(scene, cameras):
        camera, found = export_camera(
            entry.evaluated_get(depsgraph), resolution or picture_size(scene), scene.render
        )
        made.append(camera)
        problems += found
    return made, problems
