# SPDX-License-Identifier: Apache-2.0
"""The command ``weft nodes``; Blender itself is reached by the package ``weft_blender``."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from weft.cli_blend import leave

if TYPE_CHECKING:
    import argparse

FAILED = 1


def add_nodes_command(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``weft nodes`` to the commands of a parser."""
    nodes = commands.add_parser(
        "nodes",
        help="list or refresh the Slang nodes of a Blender file",
        epilog="Needs the Python module bpy, or runs inside Blender. Exit code 1: a source cannot "
        "be used as it is.",
    )
    nodes.add_argument("scene", type=Path, help="the .blend file; it stays as it is")
    work = nodes.add_mutually_exclusive_group()
    work.add_argument("--list", action="store_true", help="list them (default)")
    work.add_argument("--refresh", action="store_true", help="bring them up to date; needs --out")
    nodes.add_argument("--out", type=Path, help="the .blend file to write")
    nodes.add_argument(
        "--extension", type=Path, metavar="ZIP", help="the extension, if Blender does not have it"
    )
    nodes.add_argument(
        "--trust", action="store_true", help="run the scripts and Python drivers of the file"
    )
    nodes.add_argument("--json", action="store_true", help="print the result as JSON")
    nodes.set_defaults(run=run_nodes)


def run_nodes(arguments: argparse.Namespace) -> int:
    """List the nodes of a file, or bring them up to date.

    Returns:
        The exit code.

    Raises:
        Error: A file, an argument or Blender does not allow it.
    """
    from weft import ArgumentError
    from weft_blender.batch import slang_nodes_of

    if arguments.refresh != (arguments.out is not None):
        message = "nodes: --refresh and --out go together: name the file to write"
        raise ArgumentError(message)
    count, found = slang_nodes_of(
        arguments.scene,
        refresh=arguments.refresh,
        out=arguments.out,
        extension=arguments.extension,
        trust=arguments.trust,
    )
    if arguments.json:
        entries = [asdict(entry) for entry in found]
        print(json.dumps({"changed": count, "nodes": entries}))
    else:
        for entry in found:
            build = "".join(f" {name}={value}" for name, value in entry.build.items())
            error = f"  WRONG: {entry.error}" if entry.error else ""
            source = f"{entry.source} {entry.function}{build}"
            print(f"{entry.owner} > {entry.node}: {source}{error}")
        if arguments.refresh:
            print(f"{count} groups changed: {arguments.out}")
    return leave(FAILED if any(entry.error for entry in found) else 0)
