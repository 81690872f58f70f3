# SPDX-License-Identifier: Apache-2.0
"""A scene: objects, lights and cameras. Plain data; nothing of it lives on a device."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from weft._native import ArgumentError

if TYPE_CHECKING:
    import os

    from weft.scene.camera import Camera
    from weft.scene.geometry import Mesh, Object
    from weft.scene.light_paths import LightPaths
    from weft.scene.lights import Environment, Light
    from weft.scene.materials import Material
    from weft.scene.problem import Problem


@dataclass(eq=False)
class Scene:
    """Everything that a picture depends on.

    World space is right-handed with z up, in metres; light is linear Rec.709.

    Args:
        objects: Meshes in the world.
        lights: Point, spot, sun and area lights; meshes with an emissive material shine as well.
        cameras: Views.
        environment: Light from everywhere.
        problems: What it has not, or has otherwise, as the scene that it was made from. Results of
            fits repeat them.
        light_paths: Limits of paths beside their number of bounces; ``None``: none.
    """

    objects: list[Object] = field(default_factory=list)
    lights: list[Light] = field(default_factory=list)
    cameras: list[Camera] = field(default_factory=list)
    environment: Environment | None = None
    problems: list[Problem] = field(default_factory=list)
    light_paths: LightPaths | None = None

    def meshes(self) -> list[Mesh]:
        """Return each mesh once, in the order of first use."""
        return list({id(entry.mesh): entry.mesh for entry in self.objects}.values())

    def materials(self) -> list[Material]:
        """Return each material once, in the order of first use.

        Raises:
            ArgumentError: Two materials have one name.
        """
        materials = list({id(m): m for entry in self.objects for m in entry.materials}.values())
        names = [material.name for material in materials]
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(
                    f"Scene: {names.count(name)} materials are called '{name}'; rename one"
                )
        return materials

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to one file; an existing file is replaced in one step.

        The Slang functions of its materials become this user's own: files that carry no others load
        without `trust`.

        Args:
            path: The file, usually ``*.weft``: a zip archive of JSON and ``.npy`` members.

        Raises:
            ArgumentError: An object holds something that is no part of a scene.
            FileNotFoundError: The folder does not exist.
        """
        from weft.scene.files import save_scene

        save_scene(self, path)

    @staticmethod
    def load(path: str | os.PathLike[str], *, trust: bool = False) -> Scene:
        """Read a file that save() has written.

        Args:
            path: The file.
            trust: Take Slang functions that this user has not saved, and arrays of any size. What
                they say is compiled and runs with the user's rights, see docs/security.md.

        Raises:
            FileNotFoundError: There is no such file.
            ArgumentError: The file is no scene, is damaged, was written by a newer Weft, or carries
                functions of others, and `trust` is not set.
        """
        from weft.scene.files import load_scene

        return Scene(**load_scene(path, trust=trust))

    def hash(self) -> str:
        """Return 64 hexadecimal digits that equal scenes share: SHA-256 of what pictures show."""
        from weft.scene.files import describe

        shown = replace(self, problems=[])
        return hashlib.sha256(describe(shown)[0].encode()).hexdigest()

    def camera(self, which: str | int | Camera = 0) -> Camera:
        """Return a camera by number or name.

        Raises:
            ArgumentError: There is no such camera.
        """
        if not isinstance(which, (str, int)):
            return which
        if isinstance(which, int) and -len(self.cameras) <= which < len(self.cameras):
            return self.cameras[which]
        for camera in self.cameras:
            if camera.name == which:
                return camera
        known = ", ".join(repr(camera.name) for camera in self.cameras) or "none"
        raise ArgumentError(f"Scene.camera: there is no camera {which!r}; the scene has {known}")
