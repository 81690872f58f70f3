# SPDX-License-Identifier: Apache-2.0
"""The lights and the world of a target in a job."""

from __future__ import annotations

from dataclasses import fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from weft import image
from weft._native import ArgumentError
from weft._shown import shown
from weft.scene.camera_lights import at_camera
from weft.scene.lights import LIGHT_CLASSES, Environment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from weft.scene import Camera
    from weft.scene.lights import Light

KINDS: Mapping[str, type[Light]] = MappingProxyType(
    {kind.__name__.removesuffix("Light").lower(): kind for kind in LIGHT_CLASSES}
)
WORLD_KEYS = ("image", "strength", "rotation", "name")


def read_lighting(folder: Path, camera: Camera, entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return `lights` and `world` of a target as Target takes them; what is absent stays absent.

    Args:
        folder: That files are relative to.
        camera: Of the target, for lights with ``space = "camera"``.
        entry: Of the job.

    Raises:
        FileNotFoundError: There is no such image.
        ArgumentError: A key is unknown, absent, or of a wrong kind.
    """
    out: dict[str, Any] = {}
    if "lights" in entry:
        out["lights"] = [
            own if isinstance(own, str) else _light(own, camera) for own in entry["lights"]
        ]
    if "world" in entry:
        out["world"] = entry["world"] is not False and _world(folder, entry["world"])
    return out


def _light(entry: Mapping[str, Any], camera: Camera) -> Light:
    """Return a light of the target's own."""
    given = dict(entry)
    kind, space = given.pop("kind", None), given.pop("space", "world")
    if kind not in KINDS:
        raise ArgumentError(
            f"a light in lights needs kind, one of {', '.join(KINDS)}, got {shown(kind)}"
        )
    if space not in ("world", "camera"):
        raise ArgumentError(f"space must be 'world' or 'camera', got {shown(space)}")
    names = [own.name for own in fields(KINDS[kind])]
    for key in given:
        if key not in names:
            raise ArgumentError(
                f"a light of kind '{kind}' has no key '{key}'; it has kind, space, "
                f"{', '.join(names)}"
            )
    try:
        light = KINDS[kind](**given)
        return at_camera(light, camera) if space == "camera" else light
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"a light of kind '{kind}' cannot be made: {error}") from None


def _world(folder: Path, entry: str | Mapping[str, Any]) -> Environment:
    """Return an environment from an equirectangular image."""
    given = {"image": entry} if isinstance(entry, str) else dict(entry)
    for key in given:
        if key not in WORLD_KEYS:
            raise ArgumentError(f"world has no key '{key}'; it has {', '.join(WORLD_KEYS)}")
    if not isinstance(given.get("image"), str):
        raise ArgumentError(
            f"world needs image, the name of a file, got {shown(given.get('image'))}"
        )
    file = folder / given.pop("image")
    is_linear = file.suffix.lower() in (".exr", ".hdr")
    pixels = image.read(file, encoding="linear" if is_linear else "srgb")
    if pixels.shape[2] < 3:
        pixels = pixels[..., :1].repeat(3, axis=2)
    return Environment(pixels[..., :3], **given)
