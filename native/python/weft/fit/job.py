# SPDX-License-Identifier: Apache-2.0
"""Fits that a file describes: scene, targets, parameters and settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from weft._native import ArgumentError, Device
from weft.fit.exposure import Exposure
from weft.fit.fit import Fit
from weft.fit.job_file import JobText, read_job_text
from weft.fit.job_lights import read_lighting
from weft.fit.lights import LightParameter
from weft.fit.parameters import Parameter
from weft.fit.settings import FitSettings
from weft.fit.target import Target
from weft.fit.target_files import resample
from weft.fit.texture_parameters import TextureParameter
from weft.fit.unknown_environment import EnvironmentParameter
from weft.scene import Scene, Texture, with_inputs
from weft.scene.changes import inputs_of
from weft.scene.parameter_ref import ParameterRef, find_name, names_near

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from weft.scene.values import Value


T = TypeVar("T")
FitParameter = Parameter | TextureParameter | Exposure | LightParameter | EnvironmentParameter
KINDS_OF_PARAMETERS: Mapping[str, Callable[..., FitParameter]] = MappingProxyType(
    {
        "parameters": Parameter,
        "exposures": Exposure,
        "lights": LightParameter,
        "environment": EnvironmentParameter,
    }
)
"""By the tables that describe them; those of textures change the scene, too."""


@dataclass
class Job:
    """What a job asks for, ready to be fitted.

    Args:
        path: Of the file.
        scene: With textures of the wanted resolutions.
        targets: Pictures.
        parameters: What may change.
        settings: How.
        report_samples: Paths a pixel of the report's pictures; ``None``: chosen.
    """

    path: Path
    scene: Scene
    targets: list[Target]
    parameters: list[FitParameter]
    settings: FitSettings
    report_samples: int | None = None

    def create_fit(
        self,
        device: Device | None = None,
        *,
        seed: int | None = None,
        time_limit: float | None = None,
    ) -> Fit:
        """Return the fit.

        Args:
            device: Where; ``None``: the default device.
            seed: Instead of that of the job.
            time_limit: Seconds, instead of those of the job.

        Raises:
            ArgumentError: A parameter, a camera or a picture does not fit the scene.
        """
        changes: dict[str, Any] = {"seed": seed, "time_limit": time_limit}
        given = {key: value for key, value in changes.items() if value is not None}
        settings = replace(self.settings, **given)
        return Fit(self.scene, self.targets, self.parameters, settings, device=device)


def load_job(path: str | os.PathLike[str], *, trust: bool = False) -> Job:
    """Read a job and the files that it names.

    Args:
        path: A TOML file; paths in it are relative to its folder.
        trust: As of Scene.load(): run the Slang functions of a scene that this user did not save.

    Raises:
        FileNotFoundError: The job, the scene or an image is not there.
        ArgumentError: A key is unknown or has a wrong value, an entry does not fit the scene, or
            the scene carries functions of others, and `trust` is not set.
        ImageError: An image is damaged.
    """
    text = read_job_text(path)
    folder = text.path.parent
    scene = Scene.load(folder / text.top["scene"], trust=trust)
    targets = [
        _target(text, folder, scene, number) for number in range(len(text.tables["targets"]))
    ]
    parameters: list[FitParameter] = []
    for table, kind in KINDS_OF_PARAMETERS.items():
        for number, entry in enumerate(text.tables[table]):
            parameters.append(_made(text, table, number, kind, entry))
    for number, entry in enumerate(text.tables["textures"]):
        own = dict(entry)
        extras = {key: own.pop(key, None) for key in ("resolution", "start", "wrap")}
        parameters.append(_made(text, "textures", number, TextureParameter, own))
        scene = _with_texture(text, scene, number, entry["name"], **extras)
    if not parameters:
        raise ArgumentError(
            f"{text.path}: there is neither [[parameters]] nor [[textures]]; add what may change"
        )
    settings, report = ((text.tables[name] or [{}])[0] for name in ("settings", "report"))
    return Job(
        text.path,
        scene,
        targets,
        parameters,
        _made(text, "settings", 0, FitSettings, settings),
        report.get("samples"),
    )


def _made(
    text: JobText, table: str, number: int, kind: Callable[..., T], entry: dict[str, Any]
) -> T:
    """Return an object of the entry's keys; lists become tuples."""
    given = {
        key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
    }
    try:
        return kind(**given)
    except ArgumentError as error:
        raise ArgumentError(f"{text.place(table, number)}: {error}") from None


def _target(text: JobText, folder: Path, scene: Scene, number: int) -> Target:
    given = dict(text.tables["targets"][number])
    image = folder / given.pop("image")
    camera = given.pop("camera", 0)
    if "mask" in given:
        given["mask"] = folder / given["mask"]
    if given.pop("resize", False):
        given["size"] = scene.camera(camera)
    try:
        given |= read_lighting(folder, scene.camera(camera), given)
    except ArgumentError as error:
        raise ArgumentError(f"{text.place('targets', number)}: {error}") from None
    return Target.from_file(image, camera, **given)


def _with_texture(
    text: JobText,
    scene: Scene,
    number: int,
    name: str,
    *,
    resolution: Sequence[int] | None,
    start: float | Sequence[float] | None,
    wrap: Any,  # noqa: ANN401  (checked by Texture)
) -> Scene:
    """Return a scene whose input is driven by a texture as the job wants it."""
    where = text.place("textures", number)
    inputs = inputs_of(scene)
    found = find_name(name, inputs)
    if found is None:
        raise ArgumentError(
            f"{where}: the scene has no input {name!r}; there are {names_near(name, inputs)}"
        )
    _require_uvs(where, scene, found)
    value = inputs[found]
    given = value if isinstance(value, Texture) else None
    if given is not None and resolution is None and start is None and wrap is None:
        return scene
    extent = _extent(where, name, given, resolution)
    pixels = _start_pixels(where, name, value, extent, start)
    texture = Texture(pixels, name=re.sub(r"\W+", "_", name))
    if given is not None:
        texture = replace(given, pixels=pixels)
    if wrap is not None:
        texture = replace(texture, wrap=wrap)
    return with_inputs(scene, {found: texture})


def _extent(
    where: str, name: str, given: Texture | None, resolution: Sequence[int] | None
) -> Sequence[int]:
    """Return width and height of a texture: as the job says, or those of the one that is there."""
    if resolution is None:
        if given is None:
            raise ArgumentError(
                f"{where}: no texture drives {name!r}; give resolution = [width, height]"
            )
        resolution = given.pixels.shape[1::-1]
    if min(resolution) < 1:
        raise ArgumentError(f"{where}: resolution must be at least 1 x 1, got {resolution}")
    return resolution


def _start_pixels(
    where: str,
    name: str,
    value: Value,
    size: Sequence[int],
    start: float | Sequence[float] | None,
) -> np.ndarray[Any, np.dtype[np.float32]]:
    if start is None and isinstance(value, Texture):
        return resample(value.pixels, (size[0], size[1]))
    if isinstance(value, Texture):
        channels = value.channels
    elif isinstance(value, (int, float, list, tuple, np.ndarray)):
        channels = int(np.size(value))
        start = value if start is None else start
    else:
        raise ArgumentError(
            f"{where}: {name!r} is driven by a {type(value).__name__}, which no texture replaces; "
            "choose another input"
        )
    color = np.asarray(start, np.float32).ravel()
    if color.size not in (1, channels):
        raise ArgumentError(f"{where}: start must be {channels} numbers, got {start}")
    return np.broadcast_to(color, (size[1], size[0], channels)).astype(np.float32)


def _require_uvs(where: str, scene: Scene, name: ParameterRef) -> None:
    material = name.owner
    for entry in scene.objects:
        if any(own.name == material for own in entry.materials) and not entry.mesh.uvs:
            raise ArgumentError(
                f"{where}: object '{entry.name}' has material {material!r} and no UV set, which "
                "textures need; unwrap it"
            )
