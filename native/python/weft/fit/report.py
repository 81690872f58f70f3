# SPDX-License-Identifier: Apache-2.0
"""What a fit has found, as a folder of files: numbers, curves, pictures, textures and the scene.

Each file is written beside its place and renamed; report.json comes last and names the others.
"""

from __future__ import annotations

import json
import math
import os
import platform
import re
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weft import image
from weft._native import ArgumentError
from weft._replacing import replacing
from weft.fit.comparison import compare
from weft.fit.exposure import Exposure, view_gains
from weft.fit.lights import LightParameter, scaled_scene
from weft.fit.loss_curve import draw_loss_curve
from weft.fit.parameters import Parameter, build_unknowns
from weft.fit.seeds import mix_seeds
from weft.fit.unknown_environment import without_box
from weft.render.path_settings import PathSettings
from weft.render.renderer import Renderer
from weft.scene.changes import plain_value, with_images, with_inputs

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from weft.fit.comparison import Comparison
    from weft.fit.exposure import ViewGain
    from weft.fit.fit import Fit, FitResult, Progress
    from weft.fit.target import Target
    from weft.fit.texture_parameters import FittedTexture
    from weft.scene import Environment, Scene

VERSION = 1
MOST_PATHS = 1 << 22  # of a picture, unless told otherwise
MOST_LETTERS = 80  # of a name in a file name


def scene_with_result(
    scene: Scene,
    values: Mapping[str, ArrayLike],
    images: Mapping[str, NDArray[np.float32]],
    parameters: Sequence[object],
    elsewhere: Collection[str] = (),
) -> Scene:
    """Return a scene with other values of parameters, those that are tied included.

    Args:
        scene: Which; it stays as it is.
        values: Numbers by name; what is no parameter of the scene, such as an exposure, is left
            out.
        images: Pixels of textures by name.
        parameters: Of the fit.
        elsewhere: Names of lights that the scene need not have: pictures have their own of them.
    """
    given: dict[str, float | list[float]] = {}
    for entry in parameters:
        if isinstance(entry, Parameter) and entry.name in values:
            value = plain_value(values[entry.name])
            given |= dict.fromkeys((entry.name, *entry.tied), value)
    changed = with_images(with_inputs(scene, given), images)
    return scaled_scene(changed, values, parameters, elsewhere)


def write_report(
    fit: Fit,
    result: FitResult,
    folder: str | os.PathLike[str],
    *,
    samples: int | None = None,
    settings: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Write a report of a fit.

    Args:
        fit: Which.
        result: Of it.
        folder: Where to; made if absent. Files of an earlier report are replaced.
        samples: Paths a pixel of the pictures; ``None``: 64, fewer for large targets.
        settings: More entries for ``settings`` in the report.

    Returns:
        The contents of ``report.json``.

    Raises:
        ArgumentError: `folder` is a file, or `samples` is below 1.
        ImageError: A file cannot be written.
    """
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise ArgumentError(f"write_report: '{place}' is a file; name a folder")
    if samples is not None and samples < 1:
        raise ArgumentError(f"write_report: samples must be at least 1, got {samples}")
    place.mkdir(parents=True, exist_ok=True)
    fitted = result.apply()
    fitted.save(place / "scene.weft")
    curve = draw_loss_curve([entry.loss for entry in result.history])
    image.write(place / "loss.png", curve.pixels(), encoding="linear")
    write_text(place / "loss.svg", curve.svg())
    report = {
        "weft": "fit report",
        "version": VERSION,
        **_summary(fit, result),
        "settings": asdict(fit.settings) | dict(settings or {}),
        "parameters": _parameters(fit, result),
        "textures": _write_textures(place, result.textures),
        "environment": _write_environment(place, result.environment),
        "targets": _write_targets(place, fit, result, samples),
        "scene": "scene.weft",
        "loss_curve": "loss.png",
        "history": [_entry(entry) for entry in result.history],
    }
    write_text(place / "report.json", json.dumps(report, indent=1, allow_nan=False))
    return report


def _summary(fit: Fit, result: FitResult) -> dict[str, Any]:
    info = fit.renderer.device.info
    latest = result.history[-1] if result.history else None
    return {
        "versions": {"python": platform.python_version(), "numpy": np.__version__}
        | {"weft": _installed_version()},
        "device": info.name,
        "device_type": info.type.name,
        "verdict": result.verdict.as_dict(),
        "problems": [problem.as_dict() for problem in result.problems],
        "reason": result.reason,
        "draws": 0 if latest is None else latest.iterations,
        "seconds": 0.0 if latest is None else latest.seconds,
        "loss": None if latest is None else _finite(latest.loss),
        "undetermined": dict(result.undetermined),
    }


def _installed_version() -> str | None:
    try:
        return metadata.version("weft")
    except metadata.PackageNotFoundError:
        return None  # a build that was not installed


def _finite(value: ArrayLike) -> float | list[float | None] | None:
    """Return numbers as JSON has them: what is not finite becomes null."""
    numbers = [
        float(entry) if math.isfinite(entry) else None for entry in np.ravel(np.asarray(value))
    ]
    return numbers[0] if np.ndim(value) == 0 else numbers


def _entry(progress: Progress) -> dict[str, Any]:
    return {
        "draws": progress.iterations,
        "seconds": progress.seconds,
        "loss": _finite(progress.loss),
        "values": {name: _finite(value) for name, value in progress.values.items()},
        "errors": {name: _finite(value) for name, value in progress.errors.items()},
    }


def start_values(fit: Fit) -> dict[str, NDArray[np.float64]]:
    """Return where the numbers, exposures and lights of a fit began, by name."""
    numbers = [entry for entry in fit.parameters if isinstance(entry, Parameter)]
    lights = [entry for entry in fit.parameters if isinstance(entry, LightParameter)]
    unknowns = build_unknowns(fit.renderer.tables, numbers, _gains(fit), lights)
    values = unknowns.values(unknowns.start)
    return {block.name: values[block.part] for block in unknowns.blocks}


def _gains(fit: Fit) -> list[ViewGain]:
    exposures = [entry for entry in fit.parameters if isinstance(entry, Exposure)]
    return view_gains(exposures, fit.targets)


def _parameters(fit: Fit, result: FitResult) -> dict[str, Any]:
    start = start_values(fit) | dict(result.start)
    tied = {
        entry.name: list(entry.tied) for entry in fit.parameters if isinstance(entry, Parameter)
    }
    return {
        name: {
            "value": _finite(value),
            "error": _finite(result.errors[name]),
            "start": _finite(start[name]) if name in start else None,
            "tied": tied.get(name, []),
            "undetermined": result.undetermined.get(name),
        }
        for name, value in result.values.items()
    }


def file_name(name: str, taken: set[str]) -> str:
    """Return a name for a file, of letters that all systems take, and note it."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)[:MOST_LETTERS].strip("._") or "unnamed"
    chosen, number = plain, 2
    while chosen.lower() in taken:
        chosen, number = f"{plain}_{number}", number + 1
    taken.add(chosen.lower())
    return chosen


def _write_textures(place: Path, textures: Mapping[str, FittedTexture]) -> dict[str, Any]:
    taken: set[str] = set()
    out = {}
    for name, texture in textures.items():
        file = f"texture_{file_name(name, taken)}.exr"
        image.write(place / file, texture.pixels, encoding="linear")
        errors = f"errors_{file.removeprefix('texture_')}"
        image.write(place / errors, texture.errors, encoding="linear")
        out[name] = {
            "file": file,
            "errors": errors,
            "width": texture.pixels.shape[1],
            "height": texture.pixels.shape[0],
            "channels": texture.pixels.shape[2],
            "known_share": float(texture.known.mean()),
            "told_share": texture.told,
        }
    return out


def _write_environment(place: Path, environment: Environment | None) -> dict[str, Any] | None:
    if environment is None:
        return None
    image.write(place / "environment.exr", environment.image, encoding="linear")
    height, width = environment.image.shape[:2]
    return {"file": "environment.exr", "width": width, "height": height}


def compare_targets(
    fit: Fit, result: FitResult, samples: int | None = None
) -> Iterator[tuple[Target, Comparison]]:
    """Yield each target with before, after and difference beside it, under its lights.

    Args:
        fit: Which.
        result: Of it.
        samples: Paths a pixel of the pictures; ``None``: 64, fewer for large targets.
    """
    start = start_values(fit) | dict(result.start)
    names = {gain.view: gain.name for gain in _gains(fit)}
    pictures = LitPictures(fit, result, start)
    for number, target in enumerate(fit.targets):
        before, after = (
            _picture(fit, entry, target, number, samples) for entry in pictures.renderers(number)
        )
        if number in names:
            before = (before * start[names[number]]).astype(np.float32)
            after = (after * result.values[names[number]]).astype(np.float32)
        yield target, compare(target, before, after)


def _write_targets(
    place: Path, fit: Fit, result: FitResult, samples: int | None
) -> list[dict[str, Any]]:
    taken: set[str] = set()
    out = []
    for target, shown in compare_targets(fit, result, samples):
        file = f"target_{file_name(target.name, taken)}.png"
        image.write(place / file, shown.pixels, encoding="linear")
        camera = fit.renderer.scene.camera(target.camera)
        assert target.mask is not None
        out.append(
            {
                "name": target.name,
                "camera": camera.name,
                "width": camera.width,
                "height": camera.height,
                "counted_pixels": int((target.mask > 0).sum()),
                "picture": file,
                "exposure": shown.exposure,
                "difference_scale": shown.difference_scale,
                "relative_error_before": shown.errors[0],
                "relative_error_after": shown.errors[1],
            }
        )
    return out


class LitPictures:
    """Renderers of the scene as each target saw it, before and after a fit.

    Args:
        fit: Which.
        result: Of it.
        start: Values before, by name.
    """

    def __init__(
        self, fit: Fit, result: FitResult, start: Mapping[str, NDArray[np.float64]]
    ) -> None:
        """Upload the scene with both values."""
        scenes = {id(entry): entry for entry in (fit.renderer.scene, *fit.lighting.scenes)}
        images = {name: texture.pixels for name, texture in result.textures.items()}
        self._keys = [id(entry) for entry in fit.lighting.scenes]
        self._sides = []
        none: dict[str, NDArray[np.float32]] = {}
        for values, textures, sky in (
            (start, none, None),
            (result.values, images, result.environment),
        ):
            changed = {
                key: self._changed(fit, entry, values, textures, sky)
                for key, entry in scenes.items()
            }
            own, *others = changed.values()
            self._sides.append((Renderer(fit.renderer.device, own, lit_by=others), changed))

    @staticmethod
    def _changed(
        fit: Fit,
        scene: Scene,
        values: Mapping[str, NDArray[np.float64]],
        textures: Mapping[str, NDArray[np.float32]],
        sky: Environment | None,
    ) -> Scene:
        """Return a scene with other values."""
        own = scene_with_result(scene, values, textures, fit.parameters, fit.lighting.names)
        return own if fit.unknown is None else without_box(own, fit.unknown, sky)

    def renderers(self, number: int) -> list[Renderer]:
        """Return those of a target: before, and after."""
        key = self._keys[number]
        return [renderer.relit(changed[key]) for renderer, changed in self._sides]


def _picture(
    fit: Fit, renderer: Renderer, target: Target, number: int, samples: int | None
) -> NDArray[np.float32]:
    camera = renderer.scene.camera(target.camera)
    chosen = samples or min(max(MOST_PATHS // (camera.width * camera.height), 4), 64)
    settings = PathSettings(
        samples=chosen,
        bounces=fit.settings.bounces,
        seed=mix_seeds(fit.settings.seed, 0xFFFF, number),
        filter=target.filter,
        filter_width=target.filter_width,
    )
    return renderer.render(camera, settings)


def write_text(file: Path, text: str) -> None:
    """Write a text file; an existing one is replaced in one step."""
    with replacing(file) as temporary:
        temporary.write_text(text, encoding="utf-8")
