# SPDX-License-Identifier: Apache-2.0
"""The command ``weft lower``: a Slang function as nodes of Blender."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse

    from weft.lowering import Lowered


def add_lower_command(commands: argparse._SubParsersAction[Any]) -> None:
    """Add ``weft lower`` to the parser's commands."""
    from weft.lowering import FORMS, TREES

    lower = commands.add_parser("lower", help="lower a Slang function to nodes of Blender")
    lower.add_argument("source", type=Path, help="a .slang file")
    lower.add_argument("function", help='for example noise, "noise<3>", "noise(float2)"')
    lower.add_argument("--to", choices=FORMS, default="nodes", help="form (default: nodes)")
    lower.add_argument(
        "--tree", choices=TREES, default="shader", help="kind of tree (default: shader)"
    )
    lower.add_argument("--blender", default="4.5", help="version (default: 4.5)")
    lower.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="fix a parameter, as octaves=5; repeatable",
    )
    lower.add_argument(
        "--include", action="append", default=[], type=Path, metavar="FOLDER", help="of imports"
    )
    lower.add_argument("-o", "--output", type=Path, help="file (default: standard output)")
    lower.add_argument("--quiet", action="store_true", help="no counts on the error stream")
    lower.set_defaults(run=run_lower, json=False)


def run_lower(arguments: argparse.Namespace) -> int:
    """Lower a function and print it.

    Returns:
        The exit code.

    Raises:
        Error: The function cannot be lowered, or an argument is wrong.
    """
    from weft import ArgumentError
    from weft._replacing import replacing
    from weft.lowering import lower

    build = {}
    for setting in arguments.set:
        name, equals, value = setting.partition("=")
        if not equals:
            message = f"lower: --set takes NAME=VALUE, got {setting!r}"
            raise ArgumentError(message)
        build[name] = value
    lowered = lower(
        arguments.source,
        arguments.function,
        to=arguments.to,
        tree=arguments.tree,
        blender=arguments.blender,
        build=build,
        include_paths=arguments.include,
    )
    if arguments.output is None:
        sys.stdout.write(lowered.text)
    else:
        with replacing(arguments.output) as unfinished:
            unfinished.write_text(lowered.text, encoding="utf-8")
    for warning in lowered.warnings:
        sys.stderr.write(f"weft: warning: {warning}\n")
    if not arguments.quiet:
        sys.stderr.write(counts(lowered) + "\n")
    return 0


def counts(lowered: Lowered) -> str:
    """Return what a person wants to know of the result, in one line."""
    nodes = f", {lowered.nodes} nodes" if lowered.tree else ""
    operations = f" {lowered.operations} operations{nodes}," if lowered.operations else ""
    cost = "" if lowered.cost is None else f" about {lowered.cost:.3g} {lowered.cost_unit}"
    return f"{lowered.name}:{operations}{cost}".rstrip(",:")
