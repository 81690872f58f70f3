# SPDX-License-Identifier: GPL-3.0-or-later
"""Under which lights, emissive surfaces and world each picture was taken.

Start reading at PictureLights.find.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import bpy
import numpy as np
from mathutils import Matrix

from weft import ArgumentError
from weft.fit.target_checks import LIGHTS
from weft.scene.light_changes import emissions_of

from .instances import ObjectInstance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from weft.scene.lights import Environment, Light

    from ..core.problems import Problem
    from .export import ExportedScene, SceneExporter
    from .fit_targets import Picture

World = "Environment | Literal[False] | None"


@dataclass(frozen=True, eq=False)
class Lit:
    """The light of a picture, as ``weft.fit.Target`` takes it."""

    lights: list[str | Light] | None = None
    world: Environment | Literal[False] | None = None


class PictureLights:
    """The lights of the pictures of a fit.

    A light that is the flash of one picture is dark in those that do not name it.

    Args:
        depsgraph: The evaluated scene.
        exporter: Of worlds.
        exported: The scene.
        pictures: All of the fit.

    Attributes:
        names: What the scene calls lights that pictures bring, by Blender's names.
        problems: What of them is left out or replaced.
    """

    def __init__(
        self,
        depsgraph: bpy.types.Depsgraph,
        exporter: SceneExporter,
        exported: ExportedScene,
        pictures: Sequence[Picture],
    ) -> None:
        """Look at the lights that the scene has."""
        self.names: dict[str, str] = {}
        self.problems: list[Problem] = []
        self._depsgraph, self._exporter = depsgraph, exporter
        scene = exported.scene
        self._materials = {
            blender: entry.material.name
            for blender, entry in exported.materials.items()
            if emissions_of(entry.material)
        }
        shown = {entry.name for entry in scene.materials()}
        self._materials = {b: name for b, name in self._materials.items() if name in shown}
        self._instances = {entry.name: entry for entry in exported.lights}
        owners = [(light.name, self._object_of(light.name)) for light in scene.lights]
        self._lights: dict[str, list[str]] = {}  # of the scene, by the names of objects
        for name, owner in owners:
            self._lights.setdefault(owner, []).append(name)
        self._suns = self._lights.pop("", [])
        self._flashes = {p.flash.name for p in pictures if p.flash is not None}
        self._own: dict[str, Light | None] = {}
        self._worlds: dict[int, tuple[Environment | None, list[Light]]] = {}
        own_world = depsgraph.scene.world
        self._world = 0 if own_world is None else own_world.session_uid

    def find(self, picture: Picture, name: str) -> Lit:
        """Return the light of a picture.

        Args:
            picture: Which.
            name: What messages call it.

        Raises:
            ArgumentError: A light is none, is not in the scene, or a camera is missing.
        """
        world, suns = self._find_world(picture)
        if picture.lights is not None:
            lights = self._named(picture.lights, name)
        elif picture.flash is None and world is None and not self._flashes & set(self._lights):
            return Lit()
        else:
            lights = [
                entry
                for owner, entries in self._lights.items()
                if owner not in self._flashes
                for entry in entries
            ]
            lights += list(self._materials.values())
        if picture.flash is not None:
            lights += self._flash(picture, name)
        return Lit(
            list({id(e) if not isinstance(e, str) else e: e for e in lights + suns}.values()), world
        )

    def _object_of(self, name: str) -> str:
        """Return the object that a light of the scene comes from; "": it is the world's sun."""
        if name in self._instances:
            return name
        start, _, number = name.rpartition(" ")  # further instances have numbers
        return start if number.isdigit() and start in self._instances else ""

    def _find_world(self, picture: Picture) -> tuple[World, list[str | Light]]:
        """Return the world of a picture, ``None`` for that of the scene, and the suns of it."""
        if picture.world is False:
            return False, []
        if picture.world is None or picture.world.session_uid == self._world:
            return None, list(self._suns)
        key = picture.world.session_uid
        if key not in self._worlds:
            found, suns, problems = self._exporter.export_world(picture.world)
            self.problems += problems
            if found is not None:
                found = replace(found, name=f"World '{picture.world.name_full}'")
                self.names[picture.world.name] = found.name
            self._worlds[key] = found, list(suns)
        environment, own_suns = self._worlds[key]
        return (environment if environment is not None else False), list(own_suns)

    def _named(self, given: Iterable[object], name: str) -> list[str | Light]:
        """Return the lights that a picture names."""
        out: list[str | Light] = []
        for entry in given:
            found = _look_up(entry, name) if isinstance(entry, str) else entry
            if isinstance(found, bpy.types.Collection):
                for member in found.all_objects:
                    out += self._of_object(member)
            elif isinstance(found, bpy.types.Object):
                lights = self._of_object(found)
                if not lights and found.type != "LIGHT":
                    raise ArgumentError(
                        f"fit: object '{found.name}' among the lights of picture '{name}' gives "
                        "no light; name a light, or an object with an emissive material"
                    )
                out += lights
            elif isinstance(found, bpy.types.Material):
                if found.name_full not in self._materials:
                    raise ArgumentError(
                        f"fit: material '{found.name}' among the lights of picture '{name}' does "
                        "not emit light anywhere in the scene; leave it out"
                    )
                out.append(self._materials[found.name_full])
            elif isinstance(found, LIGHTS):
                out.append(found)
            else:
                raise ArgumentError(
                    f"fit: the lights of picture '{name}' must be lights, collections, materials "
                    f"or names of them, got {entry!r}"
                )
        return out

    def _of_object(self, entry: bpy.types.Object) -> list[str | Light]:
        """Return the lights that an object is: a light, or its emissive materials."""
        if entry.type != "LIGHT":
            slots = [slot.material for slot in entry.material_slots if slot.material is not None]
            names = [self._materials.get(material.name_full) for material in slots]
            return [name for name in dict.fromkeys(names) if name is not None]
        if entry.name in self._lights:
            return list(self._lights[entry.name])
        if entry.name not in self._own:
            evaluated = self._evaluated(entry)
            self._own[entry.name] = self._export(entry, np.array(evaluated.matrix_world))
        light = self._own[entry.name]
        return [] if light is None else [light]

    def _evaluated(self, entry: bpy.types.Object) -> bpy.types.Object:
        """Return an object as it stands in the scene."""
        evaluated = entry.evaluated_get(self._depsgraph)
        if not evaluated.is_evaluated:
            raise ArgumentError(
                f"fit: light '{entry.name}' is not in the view layer, so that nobody knows where "
                "it stands; show it in viewports and hide it in renders instead"
            )
        return evaluated

    def _export(self, entry: bpy.types.Object, matrix: np.ndarray) -> Light | None:
        """Return a light at a place of its own; ``None`` if it is dark."""
        data = entry.evaluated_get(self._depsgraph).data
        known = self._instances.get(entry.name) or ObjectInstance(entry.name, data, matrix)
        light, problems = self._exporter.export_light(replace(known, matrix=matrix))
        self.problems += problems
        if light is not None:
            self.names[entry.name] = light.name
        return light

    def _flash(self, picture: Picture, name: str) -> list[str | Light]:
        """Return the light that stands to the picture's camera as it does to its own."""
        flash = picture.flash
        own = _camera_above(flash) or self._depsgraph.scene.camera
        if own is None:
            raise ArgumentError(
                f"fit: the flash '{flash.name}' of picture '{name}' stands to no camera; make a "
                "camera its parent"
            )
        matrix = self._evaluated(flash).matrix_world
        relative = _frame(self._evaluated(own)).inverted() @ matrix
        moved = _frame(picture.camera.evaluated_get(self._depsgraph)) @ relative
        light = self._export(flash, np.array(moved))
        return [] if light is None else [light]


def _look_up(name: str, picture: str) -> object:
    """Return what of the file has a name: an object, a collection or a material."""
    for entries in (bpy.data.objects, bpy.data.collections, bpy.data.materials):
        found = next((entry for entry in entries if entry.name_full == name), None)
        if found is not None:
            return found
    lights = ", ".join(repr(entry.name) for entry in bpy.data.objects if entry.type == "LIGHT")
    raise ArgumentError(
        f"fit: picture '{picture}' names the light {name!r}, and no object, collection or "
        f"material is called so; the lights are {lights or 'none'}"
    )


def _camera_above(entry: bpy.types.Object) -> bpy.types.Object | None:
    """Return the nearest camera among the parents of an object."""
    parent = entry.parent
    while parent is not None and parent.type != "CAMERA":
        parent = parent.parent
    return parent


def _frame(camera: bpy.types.Object) -> Matrix:
    """Return where a camera stands and looks; its scale changes nothing of what it sees."""
    place, turn, _scale = camera.matrix_world.decompose()
    return Matrix.LocRotScale(place, turn, None)
