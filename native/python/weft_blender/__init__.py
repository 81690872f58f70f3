# SPDX-License-Identifier: Apache-2.0
"""Scripting of the Weft extension, inside Blender or with the Python module bpy.

>>> import bpy, weft_blender  # doctest: +SKIP
>>> report = weft_blender.fit(
...     bpy.context, targets={"Camera": "photo.exr"}, parameters=["Chrome.Roughness"]
... )  # doctest: +SKIP

The functions are forwarded to the extension that is enabled, whatever the name of its repository.
bpy is imported by the functions that need it, not here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft_blender.forwarding import require_api

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    import weft
    from weft.fit import FitSettings

__all__ = ["export_scene", "fit", "render"]


def fit(
    context: Any = None,  # noqa: ANN401  (bpy has no types)
    *,
    targets: Mapping[str, Any] | Sequence[Any],
    parameters: Sequence[Any],
    settings: FitSettings | None = None,
    progress: Callable[[Any], object] | None = None,
    **options: Any,  # noqa: ANN401  (fields of the settings, and what the extension takes)
) -> Any:  # noqa: ANN401
    """Fit materials of the open scene to pictures of it, and put what is found into the scene.

    Args:
        context: Blender's context; ``None``: the current one.
        targets: Pictures by name of the camera, ``{"Camera": "photo.exr"}``; or a sequence of
            mappings with ``camera``, ``source`` and more, such as ``mask`` and ``lights``.
        parameters: Names such as ``"Chrome.Roughness"``, ``"texture:Wood.Base Color@512"``,
            ``"light:Key"``, ``"exposure:Camera"``, ``"environment"``; or mappings with ``name`` and
            more.
        settings: How; ``None``: ``weft.fit.FitSettings()``.
        progress: Called after each draw with ``draws``, ``seconds``, ``losses``, ``seconds_left``;
            in the fit's thread, so it must not touch bpy.
        **options: Fields of the settings, ``samples=8``; ``apply=False`` leaves the scene as it is.

    Returns:
        An object with ``values``, ``errors`` (standard errors), ``undetermined`` (why),
        ``textures`` (linear, shape ``(height, width, channels)``), ``reason``, and
        ``save_report(folder)``.

    Raises:
        ArgumentError: The extension is not enabled; or a picture, camera or parameter is missing
            or does not fit.
        ImageError: A file cannot be read.
        DeviceError: There is no device that works.
    """
    return require_api("fit").fit(
        context,
        targets=targets,
        parameters=parameters,
        settings=settings,
        progress=progress,
        **options,
    )


def export_scene(
    context: Any = None,  # noqa: ANN401
    *,
    cameras: Sequence[Any] | None = None,
    resolution: tuple[int, int] | None = None,
) -> weft.Scene:
    """Return the open scene as the engine sees it. What it leaves out is logged as a warning.

    Args:
        context: Blender's context; ``None``: the current one.
        cameras: Objects that hold cameras; ``None``: the scene's camera.
        resolution: Width and height of pictures, pixels; ``None``: as the scene's settings say.

    Raises:
        ArgumentError: The extension is not enabled.
    """
    scene: weft.Scene = require_api("export_scene").export_scene(
        context, cameras=cameras, resolution=resolution
    )
    return scene


def render(
    context: Any = None,  # noqa: ANN401
    *,
    camera: Any = None,  # noqa: ANN401
    resolution: tuple[int, int] | None = None,
    samples: int | None = None,
    aovs: Iterable[str] = (),
    progress: Callable[[float], None] | None = None,
) -> dict[str, NDArray[np.float32]]:
    """Render the open scene.

    Args:
        context: Blender's context; ``None``: the current one.
        camera: An object that holds a camera; ``None``: the scene's.
        resolution: Width and height, pixels; ``None``: as the scene's settings say.
        samples: Paths a pixel; ``None``: as the engine's settings say, which also give the rest.
        aovs: Names of ``weft.render.AOVS``: ``"albedo"``, ``"normal"``, ``"depth"``, ...
        progress: Called with the share that is done, in (0, 1].

    Returns:
        The picture as ``"color"`` (radiance, linear Rec.709, the top row first), and each AOV,
        shape ``(height, width, channels)``.

    Raises:
        ArgumentError: The extension is not enabled, or the scene has no camera.
        DeviceError: There is no device that works.
    """
    layers: dict[str, NDArray[np.float32]] = require_api("render").render(
        context,
        camera=camera,
        resolution=resolution,
        samples=samples,
        aovs=aovs,
        progress=progress,
    )
    return layers
