# SPDX-License-Identifier: Apache-2.0
"""The command ``weft gallery``: pictures of Slang functions, without Blender."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


def add_gallery_command(commands: argparse._SubParsersAction[Any]) -> None:
    """Add ``weft gallery`` to the parser's commands."""
    gallery = commands.add_parser("gallery", help="draw pictures of Slang functions")
    gallery.add_argument("source", type=Path, nargs="?", help="a .slang file")
    gallery.add_argument("function", nargs="?", help="its name (default: the file's node)")
    gallery.add_argument("--templates", action="store_true", help="draw all of Weft's templates")
    gallery.add_argument("--out", type=Path, required=True, help="folder of the .png files")
    gallery.add_argument("--size", type=int, default=256, help="pixels along a side (default: 256)")
    gallery.add_argument("--device", help="vulkan or cuda (default: the first that is there)")
    gallery.add_argument("--quiet", action="store_true", help="print no names of files")
    gallery.set_defaults(run=run_gallery, json=False)


def run_gallery(arguments: argparse.Namespace) -> int:
    """Draw pictures into a folder.

    Returns:
        The exit code.

    Raises:
        Error: A file or an argument does not allow it; pictures before it have been written.
    """
    import weft
    from weft.gallery import draw_subject, find_subject
    from weft.image import write

    if arguments.templates == (arguments.source is not None):
        message = "gallery: name a .slang file, or pass --templates"
        raise weft.ArgumentError(message)
    files = [arguments.source]
    if arguments.templates:
        files = sorted((Path(weft.__file__).parent / "node_templates").glob("*/*.slang"))
    device = weft.create_device(arguments.device) if arguments.device else weft.create_device()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for file in files:
        subject = find_subject(file, arguments.function, device, {})
        if subject.is_chosen:
            sys.stderr.write(
                f"weft: '{subject.name}' has no [Preview]: drawn as {subject.kind}, "
                f"{subject.extent:g} across\n"
            )
        name = f"{file.parent.name}_{file.stem}" if arguments.templates else subject.name
        output = arguments.out / f"{name}.png"
        write(output, draw_subject(subject, arguments.size), encoding="linear")
        if not arguments.quiet:
            print(output)
    return 0
