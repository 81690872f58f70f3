# SPDX-License-Identifier: Apache-2.0
"""What a target may be given."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast, get_args

from weft._native import ArgumentError
from weft._shown import shown
from weft.fit.checks import is_number, require_names
from weft.fit.display import DisplayTransform
from weft.render.path_settings import FILTERS
from weft.scene import Camera
from weft.scene.lights import Environment, Light

LIGHTS = get_args(Light)


def require_filter(owner: str, name: object, width: object) -> None:
    """Refuse a pixel filter that is none."""
    is_width = is_number(width) and cast("float", width) > 0
    if not isinstance(name, str) or name not in FILTERS or not is_width:
        raise ArgumentError(
            f"{owner}: filter must be one of {', '.join(FILTERS)} with a width above 0, got "
            f"{name!r}, {width}"
        )


def require_view(owner: str, camera: object, objects: object, display: object) -> None:
    """Refuse a camera, objects and a display that are none."""
    if not isinstance(camera, (str, int, Camera)) or isinstance(camera, bool):
        raise ArgumentError(
            f"{owner}: camera must be the name or number of one of the scene's, or a Camera, "
            f"got {shown(camera)}"
        )
    require_names(owner, "objects", objects)
    if display is not None and not isinstance(display, DisplayTransform):
        raise ArgumentError(
            f"{owner}: display must be a DisplayTransform or None, got {shown(display)}"
        )


def require_lights(owner: str, lights: object, world: object) -> None:
    """Refuse lights and worlds that are none."""
    _require_lamps(owner, lights)
    if not (world is None or world is False or isinstance(world, Environment)):
        raise ArgumentError(f"{owner}: world must be an Environment, False or None, got {world!r}")


def _require_lamps(owner: str, lights: object) -> None:
    given = () if lights is None else lights
    is_list = isinstance(given, Iterable) and not isinstance(given, str)
    entries = list(given) if isinstance(given, Iterable) else []
    wrong = [entry for entry in entries if not isinstance(entry, (str, *LIGHTS))]
    if not is_list or wrong:
        raise ArgumentError(
            f"{owner}: lights must be a list of names and lights, got "
            f"{wrong[0] if is_list else given!r}"
        )
