# SPDX-License-Identifier: Apache-2.0
"""The command ``weft``, also ``python -m weft``.

Exit codes: 0 done, 1 it failed (a message says why), 2 wrong arguments, 130 interrupted; a fit that
was interrupted has written what it had found.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import weft
from weft.cli_blend import add_fit_blend_command
from weft.cli_fit import add_fit_command, add_trust_option
from weft.cli_gallery import add_gallery_command
from weft.cli_lower import add_lower_command
from weft.cli_nodes import add_nodes_command
from weft.defaults import BOUNCES, FILTER, FILTER_WIDTH, SAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from weft.render import PathSettings

FAILED, INTERRUPTED = 1, 130


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = argparse.ArgumentParser(
        prog="weft", description="Render scenes, fit them to pictures, and lower Slang to nodes."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    render = commands.add_parser("render", help="render a scene file to an image file")
    render.add_argument("scene", type=Path, help="file written by weft.Scene.save()")
    render.add_argument(
        "-o", "--output", type=Path, required=True, help="image file: .exr, .hdr, .png or .jpg"
    )
    render.add_argument(
        "--spp", type=int, default=SAMPLES, help="paths a pixel (default: %(default)s)"
    )
    render.add_argument(
        "--bounces",
        type=int,
        default=BOUNCES,
        help="surfaces that a path may leave (default: %(default)s)",
    )
    render.add_argument("--seed", type=int, default=0, help="equal seeds give equal pictures")
    render.add_argument("--camera", default="0", help="name or number (default: the first one)")
    render.add_argument(
        "--aov",
        action="append",
        default=[],
        metavar="NAME",
        help="a layer for an .exr file: albedo, normal, depth, uv, object, material; repeatable",
    )
    render.add_argument(
        "--filter",
        default=FILTER,
        help="pixel filter: box, tent or blackman_harris (default: %(default)s)",
    )
    render.add_argument(
        "--filter-width",
        type=float,
        default=FILTER_WIDTH,
        help="of the filter, pixels (default: %(default)s)",
    )
    render.add_argument(
        "--view", default="srgb", help="what .png and .jpg hold: srgb (default) or none"
    )
    render.add_argument("--exposure", type=float, default=0.0, help="stops, for .png and .jpg")
    render.add_argument("--json", action="store_true", help="print the result as JSON")
    add_trust_option(render)
    render.add_argument("--quiet", action="store_true", help="no progress")
    render.set_defaults(run=run_render)
    add_fit_command(commands)
    add_fit_blend_command(commands)
    add_lower_command(commands)
    add_nodes_command(commands)
    add_gallery_command(commands)
    return parser


def report_progress(start: float) -> Callable[[float], None]:
    """Return a function that draws a bar with the time left on the error stream."""

    def draw(share: float) -> None:
        passed = time.monotonic() - start
        bar = ("#" * int(32 * share)).ljust(32, ".")
        end = "\n" if share >= 1 else ""
        left = passed * (1 - share) / share
        sys.stderr.write(f"\r[{bar}] {100 * share:3.0f} %  {left:5.1f} s left{end}")
        sys.stderr.flush()

    return draw


def settings_of(arguments: argparse.Namespace) -> PathSettings:
    """Return how the arguments say that paths are traced."""
    from weft.render import PathSettings

    return PathSettings(
        samples=arguments.spp,
        bounces=arguments.bounces,
        seed=arguments.seed,
        filter=arguments.filter,
        filter_width=arguments.filter_width,
    )


def run_render(arguments: argparse.Namespace) -> int:
    """Render a scene file.

    Returns:
        The exit code.

    Raises:
        Error: A file, an argument or the device does not allow it.
    """
    from weft.render import Renderer, save_picture
    from weft.scene import Scene

    start = time.monotonic()
    settings = settings_of(arguments)
    scene = Scene.load(arguments.scene, trust=arguments.trust)
    camera = int(arguments.camera) if arguments.camera.isdigit() else arguments.camera
    view = scene.camera(camera)
    device = weft.create_device()
    renderer = Renderer(device, scene)
    begun = time.monotonic()
    progress = None if arguments.quiet else report_progress(begun)
    # Enough parts for a bar that moves.
    renderer.batch = max(min(renderer.batch, view.width * view.height * arguments.spp // 16), 4096)
    picture = renderer.render(view, settings, aovs=arguments.aov, progress=progress)
    rendered = time.monotonic()
    save_picture(arguments.output, picture, view=arguments.view, exposure=arguments.exposure)
    result = {
        "output": str(arguments.output),
        "width": view.width,
        "height": view.height,
        "samples": settings.samples,
        "device": device.info.name,
        "scene_hash": scene.hash(),
        "mean": [float(value) for value in picture["color"].mean(axis=(0, 1))],
        "seconds_to_load": begun - start,
        "seconds_to_render": rendered - begun,
    }
    if arguments.json:
        print(json.dumps(result))
    elif not arguments.quiet:
        seconds = rendered - begun
        print(f"{arguments.output}: {view.width} x {view.height}, {seconds:.1f} s")
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Args:
        argv: Arguments; ``None``: those of the process.
    """
    arguments = build_parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        return code
    except KeyboardInterrupt:
        sys.stderr.write("\nweft: interrupted\n")
        return INTERRUPTED
    except (weft.Error, OSError, MemoryError) as error:
        if arguments.json:
            print(json.dumps({"error": type(error).__name__, "message": str(error)}))
        sys.stderr.write(f"weft: {error}\n")
        return FAILED


if __name__ == "__main__":
    raise SystemExit(main())
