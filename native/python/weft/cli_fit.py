# SPDX-License-Identifier: Apache-2.0
"""The command ``weft fit``."""

from __future__ import annotations

import json
import math
import signal
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import weft
from weft._native import ArgumentError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from weft.fit import Fit, FitResult, Progress

DONE, CANCELLED = 0, 130
BAR = 24
SECONDS_BETWEEN_CHECKPOINTS = 30.0


def add_fit_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``weft fit`` to the commands of a parser."""
    fit = commands.add_parser(
        "fit",
        help="find materials from pictures",
        epilog="Ctrl-C ends the fit and keeps the best so far; a second one ends the command. "
        "Exit codes: 0 fitted, 1 it failed, 2 wrong arguments, 130 cancelled (with a report).",
    )
    fit.add_argument("job", type=Path, help="TOML file: scene, targets, parameters, settings")
    fit.add_argument(
        "--out", type=Path, required=True, help="folder for the report; made if absent"
    )
    fit.add_argument("--time-limit", type=float, metavar="SECONDS", help="end after so long")
    fit.add_argument("--seed", type=int, help="equal seeds give equal fits")
    fit.add_argument(
        "--device", metavar="TYPE[:N]", help="vulkan, cuda, or one of several: vulkan:1"
    )
    fit.add_argument(
        "--checkpoint",
        type=Path,
        metavar="FILE",
        help="go on from this file if it is there; written every half minute and at the end",
    )
    add_trust_option(fit)
    fit.add_argument("--json", action="store_true", help="print the result as JSON")
    fit.add_argument("--quiet", action="store_true", help="no progress")
    fit.set_defaults(run=run_fit)


def add_trust_option(command: argparse.ArgumentParser) -> None:
    """Add ``--trust`` to a command that reads a scene."""
    command.add_argument(
        "--trust",
        action="store_true",
        help="run the Slang functions of a scene that you did not save",
    )


def create_device(text: str | None) -> weft.Device:
    """Return the device that ``--device`` names; ``None``: the default one.

    Raises:
        ArgumentError: It is not written ``type`` or ``type:number``.
        DeviceError: There is none.
    """
    if text is None:
        return weft.create_device()
    kind, colon, number = text.partition(":")
    if colon and not number.isdigit():
        raise ArgumentError(f"fit: --device must be TYPE or TYPE:NUMBER, got {text!r}")
    return weft.create_device(type=kind, adapter=int(number) if colon else None)


@contextmanager
def cancel_by_interrupt() -> Iterator[threading.Event]:
    """Give an event that the first Ctrl-C sets; the second one raises KeyboardInterrupt."""
    cancel = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield cancel
        return

    def interrupted(number: int, frame: object) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    previous = signal.signal(signal.SIGINT, interrupted)
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, previous)


def report_progress(fit: Fit) -> Callable[[Progress], None]:
    """Return a function that draws a bar, the loss and the time left on the error stream."""

    def draw(progress: Progress) -> None:
        bar = ("#" * int(BAR * progress.fraction)).ljust(BAR, ".")
        left = progress.seconds_left
        words = f"about {left:5.1f} s left" if math.isfinite(left) else ""
        sys.stderr.write(
            f"\r[{bar}] iteration {progress.iterations}  loss {progress.loss:9.2e}  {words} "
        )
        sys.stderr.flush()

    return draw


def keep_checkpoint(fit: Fit, path: Path) -> Callable[[Progress], None]:
    """Return a function that writes a checkpoint from time to time."""
    written = time.monotonic()

    def keep(progress: Progress) -> None:
        nonlocal written
        if time.monotonic() - written >= SECONDS_BETWEEN_CHECKPOINTS:
            fit.save_checkpoint(path)
            written = time.monotonic()

    return keep


def run_fit(arguments: argparse.Namespace) -> int:
    """Fit what a job describes and write the report.

    Returns:
        The exit code.

    Raises:
        Error: The job, a file or the device does not allow it.
    """
    from weft.fit.job import load_job
    from weft.fit.report import write_report

    job = load_job(arguments.job, trust=arguments.trust)
    make_folder(arguments.out)
    fit = job.create_fit(
        create_device(arguments.device), seed=arguments.seed, time_limit=arguments.time_limit
    )
    if arguments.checkpoint is not None:
        _resume(fit, arguments.checkpoint)
    steps = [] if arguments.quiet else [report_progress(fit)]
    if arguments.checkpoint is not None:
        steps.append(keep_checkpoint(fit, arguments.checkpoint))
    with cancel_by_interrupt() as cancel:
        result = fit.run(lambda progress: [step(progress) for step in steps], cancel)
    if arguments.checkpoint is not None:
        fit.save_checkpoint(arguments.checkpoint)
    if not arguments.quiet:
        sys.stderr.write("\n")
    report = write_report(fit, result, arguments.out, samples=job.report_samples)
    if not arguments.quiet:
        sys.stderr.writelines(f"left out: {line}\n" for line in report["left_out"])
    _print_result(arguments, report, result)
    return CANCELLED if result.reason == "cancelled" else DONE


def _resume(fit: Fit, checkpoint: Path) -> None:
    """Go on where a checkpoint was written, if there is one; its folder is there then."""
    make_folder(checkpoint.parent)
    if checkpoint.exists():
        fit.resume(checkpoint)


def _print_result(arguments: argparse.Namespace, report: dict[str, Any], result: FitResult) -> None:
    if arguments.json:
        print(json.dumps(summary_of(report, arguments.out)))
    elif not arguments.quiet:
        print("\n".join([*lines_of(result), str(arguments.out / "report.json")]))


def make_folder(folder: Path) -> None:
    """Make a folder before the work whose results it shall hold.

    Raises:
        ArgumentError: It is a file, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(
            f"fit: the folder '{folder}' cannot be made ({error.strerror}); choose another"
        ) from None


def summary_of(report: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return what ``--json`` prints: the report without its history."""
    short = {key: value for key, value in report.items() if key not in ("history", "settings")}
    return {"output": str(folder), "report": str(folder / "report.json")} | short


def lines_of(result: FitResult) -> list[str]:
    """Return the result for people: a line a parameter."""
    iterations = len(result.history)
    seconds = result.history[-1].seconds if iterations else 0.0
    names = [*result.values, *result.textures]
    wide = max([len(name) for name in names], default=0)
    lines = [f"{result.reason} after {iterations} iterations, {seconds:.1f} s"]
    for name, value in result.values.items():
        numbers = [
            f"{number:.4g} ± {error:.1g}" if math.isfinite(error) else f"{number:.4g} ± ?"
            for number, error in zip(value, result.errors[name], strict=True)
        ]
        lines.append(f"{name.ljust(wide)}  {', '.join(numbers)}")
    for name, texture in result.textures.items():
        height, width = texture.pixels.shape[:2]
        lines.append(f"{name.ljust(wide)}  {width} x {height} texels")
    lines.append(f"{result.verdict.level}: {result.verdict.sentence}")
    lines += [f"problem: {problem}" for problem in result.problems]
    lines += [f"undetermined: {name}: {why}" for name, why in result.undetermined.items()]
    return lines
