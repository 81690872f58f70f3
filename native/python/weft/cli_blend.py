# SPDX-License-Identifier: Apache-2.0
"""The command ``weft fit-blend``; Blender itself is reached by the package ``weft_blender``."""

from __future__ import annotations

import json
import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._native import ArgumentError
from weft.cli_fit import CANCELLED, DONE, cancel_by_interrupt, make_folder

if TYPE_CHECKING:
    import argparse


def add_fit_blend_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``weft fit-blend`` to the commands of a parser."""
    fit = commands.add_parser(
        "fit-blend",
        help="find materials of a Blender file from pictures",
        epilog="Needs the Python module bpy, or runs inside Blender. Ctrl-C ends the fit and keeps "
        "the best so far. Exit codes as of weft fit.",
    )
    fit.add_argument("scene", type=Path, help="the .blend file; it stays as it is")
    fit.add_argument(
        "--target",
        action="append",
        required=True,
        metavar="CAMERA=FILE",
        help="a picture and the camera that took it; repeatable",
    )
    fit.add_argument(
        "--parameter",
        action="append",
        required=True,
        metavar="NAME",
        help="'Material.Input', 'texture:Material.Input@512', 'light:Name' or 'exposure:Camera'; "
        "repeatable",
    )
    fit.add_argument("--out", type=Path, required=True, help="the .blend file to write")
    fit.add_argument("--report", type=Path, metavar="FOLDER", help="write report and pictures here")
    fit.add_argument(
        "--extension", type=Path, metavar="ZIP", help="the extension, if Blender does not have it"
    )
    fit.add_argument(
        "--trust", action="store_true", help="run the scripts and Python drivers of the file"
    )
    fit.add_argument("--samples", type=int, help="paths a pixel and iteration")
    fit.add_argument("--time-limit", type=float, metavar="SECONDS", help="end after so long")
    fit.add_argument("--seed", type=int, help="equal seeds give equal fits")
    fit.add_argument("--json", action="store_true", help="print the result as JSON")
    fit.add_argument("--quiet", action="store_true", help="no progress")
    fit.set_defaults(run=run_fit_blend)


def parse_targets(texts: list[str]) -> dict[str, Path]:
    """Return picture files by camera.

    Raises:
        ArgumentError: One is not written ``Camera=file``, or a camera comes twice.
    """
    targets: dict[str, Path] = {}
    for text in texts:
        camera, equals, file = text.rpartition("=")
        if not equals or not camera or not file:
            raise ArgumentError(f"fit-blend: --target must be CAMERA=FILE, got {text!r}")
        if camera in targets:
            raise ArgumentError(f"fit-blend: camera {camera!r} has two pictures; give it one")
        targets[camera] = Path(file)
    return targets


def show_progress(update: Any) -> None:  # noqa: ANN401  (of the extension)
    """Draw the loss and the time left on the error stream."""
    left = f"{update.seconds_left:5.1f} s left" if math.isfinite(update.seconds_left) else ""
    loss = update.losses[-1] if update.losses else math.nan
    sys.stderr.write(f"\riteration {update.iterations}  loss {loss:9.2e}  at most {left} ")
    sys.stderr.flush()


def run_fit_blend(arguments: argparse.Namespace) -> int:
    """Fit a Blender file and write the result.

    Returns:
        The exit code.

    Raises:
        Error: A file, an argument, Blender or the device does not allow it.
    """
    from weft_blender.batch import fit_blend

    if arguments.report is not None:
        make_folder(arguments.report)
    names = ("samples", "time_limit", "seed")
    settings = {name: getattr(arguments, name) for name in names}
    with cancel_by_interrupt() as cancel:
        report = fit_blend(
            arguments.scene,
            arguments.out,
            targets=parse_targets(arguments.target),
            parameters=arguments.parameter,
            extension=arguments.extension,
            trust=arguments.trust,
            progress=None if arguments.quiet else show_progress,
            cancel=cancel,
            **{name: value for name, value in settings.items() if value is not None},
        )
    if not arguments.quiet:
        sys.stderr.write("\n")
    if arguments.report is not None:
        report.save_report(arguments.report)
    _print_result(arguments, report)
    return leave(CANCELLED if report.reason == "cancelled" else DONE)


def _print_result(arguments: argparse.Namespace, report: Any) -> None:  # noqa: ANN401  (of the extension)
    if arguments.json:
        print(json.dumps(summary_of(report, arguments.out)))
    elif not arguments.quiet:
        print("\n".join([*lines_of(report), str(arguments.out)]))


def leave(code: int) -> int:
    """Return an exit code; with Blender in this process, end it, which bpy may not manage."""
    if "bpy" in sys.modules and sys.modules["bpy"].app.module:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    return code


def summary_of(report: Any, out: Path) -> dict[str, Any]:  # noqa: ANN401
    """Return what ``--json`` prints; errors that are not known are null."""
    errors = {
        name: [float(error) if math.isfinite(error) else None for error in found.ravel()]
        for name, found in report.errors.items()
    }
    return {
        "output": str(out),
        "reason": report.reason,
        "iterations": len(report.losses),
        "draws": len(report.losses),  # the name of the release before
        "values": {name: found.ravel().tolist() for name, found in report.values.items()},
        "errors": errors,
        "undetermined": dict(report.undetermined),
        "problems": list(report.problems),
        "verdict": report.verdict.as_dict(),
    }


def lines_of(report: Any) -> list[str]:  # noqa: ANN401
    """Return the result for people: a line a parameter."""
    lines = [f"{report.reason} after {len(report.losses)} iterations: {report.verdict.sentence}"]
    for name, value in report.values.items():
        pairs = zip(value.ravel(), report.errors[name].ravel(), strict=True)
        lines.append(
            f"{name}  " + ", ".join(f"{number:.4g} ± {error:.1g}" for number, error in pairs)
        )
    lines += [
        f"{name}  {pixels.shape[1]} x {pixels.shape[0]} texels"
        for name, pixels in report.textures.items()
    ]
    lines += [f"undetermined: {name}: {why}" for name, why in report.undetermined.items()]
    return lines + [f"left out: {problem}" for problem in report.problems]
