# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions for scripts, which addon/api.py offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from weft import ArgumentError
from weft.fit import FitSettings
from weft.scene.parameter_ref import NamedValues, owner_of

from ..core.fitting.request import ENVIRONMENT, parse_parameter
from .fit_targets import Picture
from .fit_textures import linear_pixels
from .fitting import SceneFit
from .lettering import blender_lettering

if TYPE_CHECKING:
    import os
    import threading
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from weft.fit import FitResult, Verdict

    from ..core.fitting.run import Update


STEP = 0.05  # seconds between two looks whether a fit is still wanted


@dataclass(frozen=True, eq=False)
class FitReport:
    """What a fit has found, by the names that people use.

    Args:
        values: Numbers by name (``"Chrome.Principled BSDF.Roughness"``), shape ``(components,)``.
            Names with dots and the like stand between quotes; they are found without them, too.
        errors: Their standard errors.
        undetermined: Why the pictures do not determine some of them.
        textures: Pixels by label, shape ``(height, width, channels)``, linear, top row first.
        known: Where the pictures show them, shape ``(height, width)``.
        lights: Factors on lights, by name.
        exposures: Factors on pictures, by the picture's name.
        reason: ``converged``, ``iterations``, ``time`` or ``cancelled``.
        losses: One a draw.
        problems: What of the scene and the pictures the fit does not see as it is.
        verdict: Whether the scene explains the pictures; see ``weft.fit.Verdict``.
        environment: Radiance of an environment that was asked for, shape ``(height, width, 3)``,
            equirectangular, top row first; ``None``: none was. ``undetermined["environment"]`` says
            what its brightness cannot be told from.
    """

    values: dict[str, NDArray[np.float64]]
    errors: dict[str, NDArray[np.float64]]
    undetermined: dict[str, str]
    textures: dict[str, NDArray[np.float32]]
    known: dict[str, NDArray[np.float32]]
    lights: dict[str, NDArray[np.float64]]
    exposures: dict[str, NDArray[np.float64]]
    reason: str
    losses: tuple[float, ...]
    problems: tuple[str, ...]
    verdict: Verdict
    environment: NDArray[np.float32] | None
    fit: SceneFit

    def save_report(
        self, folder: str | os.PathLike[str], *, samples: int | None = None
    ) -> dict[str, Any]:
        """Write report.json, pictures and the loss curve, as ``weft.fit.FitResult.save_report``."""
        from weft.fit.report import write_report

        result = self.fit.run.result
        assert result is not None
        assert result.fit is not None
        lettering = blender_lettering()
        return write_report(result.fit, result, folder, samples=samples, lettering=lettering)


def fit(
    context: bpy.types.Context | None = None,
    *,
    targets: Mapping[str, Any] | Sequence[Any],
    parameters: Sequence[Any],
    settings: FitSettings | None = None,
    progress: Callable[[Update], object] | None = None,
    cancel: threading.Event | None = None,
    apply: bool = True,
    **overrides: Any,  # noqa: ANN401  (fields of FitSettings)
) -> FitReport:
    """Fit the open scene to pictures of it, and wait for the end.

    Args:
        context: Blender's; ``None``: the current one.
        targets: Pictures by name of the camera, ``{"Camera": "photo.exr"}``; or a sequence of
            mappings with the arguments of `Picture` (``camera``, ``source``, ``mask``, ...).
        parameters: Names such as ``"Chrome.Roughness"``, ``"texture:Wood.Base Color@512"``,
            ``"light:Key"``, ``"exposure:Camera"``, ``"environment@32x16"``, or mappings with
            ``name`` and more.
        settings: How; ``None``: ``FitSettings()``.
        progress: Called after each draw, in the fit's thread: it must not touch bpy.
        cancel: Ends the fit when it is set; what was found so far is the result.
        apply: Put what is found into the scene; if not, the scene stays as it is.
        **overrides: Fields of the settings: ``samples=8``.

    Raises:
        ArgumentError: A picture, camera or parameter is missing or does not fit.
        ImageError: A file cannot be read.
        DeviceError: There is no device that works.
    """
    context = context or bpy.context
    pictures = [_picture(entry) for entry in _pairs(targets)]
    requests = [parse_parameter(entry) for entry in parameters]
    chosen = settings or FitSettings()
    chosen = replace(chosen, **overrides) if overrides else chosen
    running = SceneFit(context, pictures, requests, chosen, progress)
    while cancel is not None and not running.run.job.wait(STEP):
        if cancel.is_set():
            running.run.stop()
            break
    if apply:
        result = running.conclude()
    else:
        result = running.run.job.result()
    return _report(running, result)


def _pairs(targets: Mapping[str, Any] | Sequence[Any]) -> list[dict[str, Any]]:
    """Return the arguments of the pictures."""
    if hasattr(targets, "items"):
        return [{"camera": camera, "source": source} for camera, source in targets.items()]
    entries = list(targets)
    if not all(hasattr(entry, "items") for entry in entries):
        raise ArgumentError(
            "fit: targets must be a mapping of cameras to pictures, or a sequence of mappings with "
            f"'camera' and 'source', got {targets!r}"
        )
    return [dict(entry) for entry in entries]


def _picture(given: dict[str, Any]) -> Picture:
    """Return a picture; cameras and images may go by name."""
    _require_keys(given)
    given["camera"] = _object(given["camera"], "CAMERA", "camera")
    given["flash"] = _object(given.get("flash"), "LIGHT", "light")
    lights = given.get("lights")
    if lights is not None and (isinstance(lights, str) or not isinstance(lights, Sequence)):
        given["lights"] = [lights]  # one light or collection
    if "world" in given:
        given["world"] = _world(given["world"])
    return Picture(**given)


def _require_keys(given: Mapping[str, Any]) -> None:
    unknown = [key for key in given if key not in Picture.__dataclass_fields__]
    missing = [key for key in ("camera", "source") if key not in given]
    if unknown or missing:
        raise ArgumentError(
            f"fit: a target takes {', '.join(Picture.__dataclass_fields__)}; "
            + (f"it lacks {', '.join(missing)}" if missing else f"got {', '.join(unknown)}")
        )


def _world(given: object) -> object:
    """Return a world, False or None; worlds may go by name."""
    if isinstance(given, str):
        world = bpy.data.worlds.get(given)
        if world is None:
            known = ", ".join(repr(entry.name) for entry in bpy.data.worlds)
            raise ArgumentError(f"fit: there is no world {given!r}; the file has {known or 'none'}")
        return world
    if not (given is None or given is False or isinstance(given, bpy.types.World)):
        raise ArgumentError(
            f"fit: the world of a target is a world, its name, or False for none, got {given!r}"
        )
    return given


def _object(given: object, kind: str, title: str) -> Any:  # noqa: ANN401  (as it was given)
    """Return an object of a kind by its name; what is no name stays as it is."""
    if not isinstance(given, str):
        if isinstance(given, bpy.types.Object) and given.type != kind:
            raise ArgumentError(f"fit: object '{given.name}' is no {title}; name one that is")
        return given
    found = bpy.data.objects.get(given)
    if found is None or found.type != kind:
        known = ", ".join(repr(entry.name) for entry in bpy.data.objects if entry.type == kind)
        raise ArgumentError(f"fit: there is no {title} {given!r}; the file has {known or 'none'}")
    return found


def _report(running: SceneFit, result: FitResult) -> FitReport:
    """Return a result by the names that people use."""
    latest, plan = running.run.latest, running.plan
    labels = {name: binding.label for name, binding in plan.numbers.items()}
    pictures = {
        name: owner_of(name)
        for name in result.values
        if name not in plan.numbers and name not in plan.lights
    }
    every = labels | plan.lights | pictures
    if plan.environment is not None:
        every[plan.environment.name] = ENVIRONMENT
    textures = {plan.textures[name].label: entry for name, entry in result.textures.items()}
    pixels = {
        plan.textures[name].label: linear_pixels(plan.textures[name], entry.pixels)
        for name, entry in result.textures.items()
    }
    sky = result.environment

    def named(names: Mapping[str, str]) -> dict[str, NDArray[np.float64]]:
        return {
            label: value
            for name, label in names.items()
            if (value := result.values.get(name)) is not None
        }

    return FitReport(
        NamedValues(named(labels)),
        NamedValues({every[name]: error for name, error in result.errors.items()}),
        NamedValues(
            {every[name]: note for name, note in result.undetermined.items() if name in every}
        ),
        NamedValues(pixels),
        NamedValues({label: entry.known for label, entry in textures.items()}),
        named(plan.lights),
        named(pictures),
        result.reason,
        () if latest is None else latest.losses,
        tuple(str(problem) for problem in result.problems or plan.scene.problems),
        result.verdict,
        None if sky is None else sky.image[..., :3],
        running,
    )
