# SPDX-License-Identifier: Apache-2.0
"""The Slang function around a kernel that says where a thread stands."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import weft

if TYPE_CHECKING:
    from weft import FunctionInfo, Parameter


class Mode(enum.Enum):
    """What is launched: the kernel itself or one of its derivatives."""

    PLAIN = ""
    FORWARD = "fwd_diff"
    REVERSE = "bwd_diff"
    NOTED = "noted"  # the kernel itself; it notes which DiffTensorViews it writes


NAME = "slangtorch_launch"


def launcher_source(path: str, kernel: FunctionInfo, mode: Mode) -> str:
    """Return a module with one entry point that calls a kernel.

    Numbers of a differentiated kernel are constants: they have no gradients.

    Args:
        path: Of the kernel's file, absolute.
        kernel: Its reflection.
        mode: What to call.
    """
    lines, arguments = [], []
    for parameter in kernel.parameters:
        if mode in (Mode.FORWARD, Mode.REVERSE) and takes_pair(parameter):
            pair = f"slangtorch_{parameter.name}"
            zero = f"{parameter.type.full_name}.dzero()"
            lines.append(f"    var {pair} = diffPair({parameter.name}, {zero});")
            arguments.append(pair)
        else:
            arguments.append(parameter.name)
    is_derivative = mode in (Mode.FORWARD, Mode.REVERSE)
    called = f"{mode.value}({kernel.name})" if is_derivative else kernel.name
    declared = declarations(kernel)
    if mode is Mode.NOTED:
        declared = f", uint* slangtorch_notes{declared}"
    return "\n".join(
        [
            *imports(path),
            "[numthreads(1, 1, 1)]",
            f"void {NAME}(uint3 slangtorch_thread : SV_GroupThreadID, "
            f"uint3 slangtorch_block : SV_GroupID, uint3 slangtorch_size{declared})",
            "{",
            "    weft_place_thread(slangtorch_thread, slangtorch_block, slangtorch_size);",
            *(["    weft_keep_values();"] if mode is Mode.REVERSE else []),
            *(["    weft_note_writes(slangtorch_notes);"] if mode is Mode.NOTED else []),
            *lines,
            f"    {called}({', '.join(arguments)});",
            "}",
        ]
    )


def takes_pair(parameter: Parameter) -> bool:
    """Return whether the derivative of a kernel takes a pair for a parameter."""
    return (
        parameter.type.is_differentiable
        and not parameter.is_no_diff
        and parameter.type.kind != weft.TypeKind.pointer
    )


def imports(path: str) -> tuple[str, str]:
    """Return the first lines of a module that calls a function of a file."""
    quoted = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'import "{quoted}";', "import slangtorch;"


def declarations(function: FunctionInfo) -> str:
    """Return a function's parameters as Slang declares them, each behind a comma."""
    return "".join(f", {each.type.full_name} {each.name}" for each in function.parameters)
