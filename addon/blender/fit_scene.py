# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's scene and pictures of it to the plan of a fit."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.fitting.plan import FitPlan, build_plan, find_kept
from ..core.fitting.request import FitRequest
from .cameras import WHOLE, export_camera
from .fit_targets import make_target
from .picture_lights import PictureLights
from .picture_size import picture_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    import bpy

    import weft
    from weft.fit import FitSettings, Target

    from ..core.fitting.request import Request
    from ..core.problems import Problem
    from ..core.steps import Steps
    from .export import ExportedScene, SceneExporter
    from .fit_targets import Picture


def plan_fit(
    depsgraph: bpy.types.Depsgraph,
    exporter: SceneExporter,
    pictures: Sequence[Picture],
    parameters: Sequence[Request],
    settings: FitSettings,
) -> Steps[tuple[FitPlan, ExportedScene]]:
    """Make the plan of a fit of the evaluated scene, in steps: one a picture, an object, ....

    The scene must not change between steps.

    Args:
        depsgraph: The evaluated scene.
        exporter: Keeps what did not change since the last fit.
        pictures: Of the scene.
        parameters: What may change.
        settings: How.

    Returns:
        The plan, and the scene that it was made from.

    Raises:
        ArgumentError: A picture, a camera or a parameter is missing or does not fit.
        ImageError: A file cannot be read.
    """
    made = []
    for picture, name in zip(pictures, target_names(pictures), strict=True):
        made.append(make_target(picture, name, depsgraph))
        yield
    request = FitRequest([target for target, _camera in made], parameters, settings)
    store = yield from exporter.compile_steps(depsgraph)
    store.keep(*find_kept(request, store.compiled.values()))
    exported = yield from exporter.export_steps(depsgraph, cameras=[], materials=store)
    yield
    scene = replace(exported.scene, cameras=[camera for _target, camera in made])
    exported.problems += camera_problems([picture.camera for picture in pictures], depsgraph)
    targets, own = light_pictures(depsgraph, exporter, exported, pictures, request.targets)
    request = replace(request, targets=targets)
    materials = list(exported.materials.values())
    return build_plan(request, scene, materials, light_names(depsgraph, scene) | own), exported


def light_pictures(
    depsgraph: bpy.types.Depsgraph,
    exporter: SceneExporter,
    exported: ExportedScene,
    pictures: Sequence[Picture],
    targets: Sequence[Target],
) -> tuple[list[Target], dict[str, str]]:
    """Return targets with the lights of their pictures, and the names of those that they bring.

    Raises:
        ArgumentError: What a picture names as a light is none.
    """
    lights = PictureLights(depsgraph, exporter, exported, pictures)
    lit = []
    for picture, target in zip(pictures, targets, strict=True):
        found = lights.find(picture, target.name)
        lit.append(replace(target, lights=found.lights, world=found.world))
    exported.problems += lights.problems
    return lit, lights.names


def find_problems(
    depsgraph: bpy.types.Depsgraph,
    exporter: SceneExporter,
    cameras: Sequence[bpy.types.Object | None],
) -> list[Problem]:
    """Return what of the evaluated scene a fit would not see as Cycles does."""
    found = exporter.export(depsgraph, cameras=[]).problems
    return found + camera_problems(cameras, depsgraph)


def camera_problems(
    cameras: Sequence[bpy.types.Object | None], depsgraph: bpy.types.Depsgraph
) -> list[Problem]:
    """Return what of some cameras is replaced."""
    found = []
    for camera in dict.fromkeys(entry for entry in cameras if entry is not None):
        size = picture_size(depsgraph.scene_eval)
        found += export_camera(camera.evaluated_get(depsgraph), size, WHOLE)[1]
    return found


def target_names(pictures: Sequence[Picture]) -> list[str]:
    """Return a name for each picture: its own or its camera's, with a number where it repeats."""
    names: list[str] = []
    for picture in pictures:
        camera = picture.camera.name if picture.camera is not None else "camera"
        name = plain = picture.name or camera
        number = 1
        while name in names:
            number += 1
            name = f"{plain} {number}"
        names.append(name)
    return names


def light_names(depsgraph: bpy.types.Depsgraph, scene: weft.Scene) -> dict[str, str]:
    """Return the names in a scene of Blender's lights and of its world, by Blender's."""
    names = {light.name: light.name for light in scene.lights}
    world = depsgraph.scene.world
    if world is not None and scene.environment is not None:
        names[world.name] = scene.environment.name
    return names
