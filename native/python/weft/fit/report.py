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
from weft.fit.lettering import own_lettering
from weft.fit.loss_curve import PLOT_EXTRA, LossCurve, draw, figure_files, plot
from weft.fit.parameters import Parameter
from weft.fit.report_pictures import compare_targets, scene_with_result, start_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from weft.fit.inputs import FitInputs
    from weft.fit.lettering import Lettering
    from weft.fit.progress import Progress
    from weft.fit.result import FitResult
    from weft.fit.texture_parameters import FittedTexture
    from weft.scene import Environment

__all__ = [
    "compare_targets",
    "file_name",
    "scene_with_result",
    "start_values",
    "write_report",
    "write_text",
]

VERSION = 1
NO_TEXT = "captions of pictures: this OpenImageIO draws no text (it was built without FreeType)"
MAX_NAME_LENGTH = 80  # of a name in a file name


def write_report(
    fit: FitInputs,
    result: FitResult,
    folder: str | os.PathLike[str],
    *,
    samples: int | None = None,
    settings: Mapping[str, object] | None = None,
    lettering: Lettering | None = None,
) -> dict[str, Any]:
    """Write a report of a fit.

    Args:
        fit: Which.
        result: Of it.
        folder: Where to; made if absent. Files of an earlier report are replaced.
        samples: Paths a pixel of the pictures; ``None``: 64, fewer for large targets.
        settings: More entries for ``settings`` in the report.
        lettering: Draws text into pictures where matplotlib does not; ``None``: OpenImageIO, and
            where it cannot, as inside Blender, pictures have no text.

    Returns:
        The contents of ``report.json``. Its ``left_out`` says what is missing for want of a
        library, such as ``loss.svg`` without matplotlib.

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
    left_out = [] if lettering or own_lettering() else [NO_TEXT]
    left_out += write_loss_curve(place, LossCurve.from_history(result.history), lettering)
    report = {
        "weft": "fit report",
        "version": VERSION,
        **_summary(fit, result),
        "settings": asdict(fit.settings) | dict(settings or {}),
        "parameters": _parameters(fit, result),
        "textures": _write_textures(place, result.textures),
        "environment": _write_environment(place, result.environment),
        "targets": _write_targets(place, fit, result, samples, lettering),
        "scene": "scene.weft",
        "loss_curve": "loss.png",
        "left_out": left_out,
        "history": [_entry(entry) for entry in result.history],
    }
    write_text(place / "report.json", json.dumps(report, indent=1, allow_nan=False))
    return report


def _summary(fit: FitInputs, result: FitResult) -> dict[str, Any]:
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
        "iterations": 0 if latest is None else latest.iterations,
        "draws": 0 if latest is None else latest.iterations,  # the name of the release before
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
        "iterations": progress.iterations,
        "draws": progress.iterations,  # the name of the release before
        "seconds": progress.seconds,
        "loss": _finite(progress.loss),
        "values": {name: _finite(value) for name, value in progress.values.items()},
        "errors": {name: _finite(value) for name, value in progress.errors.items()},
    }


def _parameters(fit: FitInputs, result: FitResult) -> dict[str, Any]:
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
    plain = re.sub(r"[^A-Za-z0-9._-]+", "_", name)[:MAX_NAME_LENGTH].strip("._") or "unnamed"
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


def _write_targets(
    place: Path, fit: FitInputs, result: FitResult, samples: int | None, lettering: Lettering | None
) -> list[dict[str, Any]]:
    taken: set[str] = set()
    out = []
    for target, shown in compare_targets(fit, result, samples, lettering):
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
                "captions": list(shown.captions),
                "exposure": shown.exposure,
                "difference_scale": shown.difference_scale,
                "relative_error_before": shown.errors[0],
                "relative_error_after": shown.errors[1],
            }
        )
    return out


def write_loss_curve(place: Path, curve: LossCurve, lettering: Lettering | None) -> list[str]:
    """Write loss.png, and loss.svg if matplotlib is installed; return what was left out and why."""
    try:
        png, svg = figure_files(plot(curve))
    except ImportError:
        image.write(place / "loss.png", draw(curve, lettering=lettering), encoding="linear")
        (place / "loss.svg").unlink(missing_ok=True)  # of an earlier report
        return [f"loss.svg, and loss.png is a plain one: {PLOT_EXTRA}"]
    for name, data in (("loss.png", png), ("loss.svg", svg)):
        with replacing(place / name) as temporary:
            temporary.write_bytes(data)
    return []


def write_text(file: Path, text: str) -> None:
    """Write a text file; an existing one is replaced in one step."""
    with replacing(file) as temporary:
        temporary.write_text(text, encoding="utf-8")
