# SPDX-License-Identifier: GPL-3.0-or-later
"""A user's function as one that takes what sockets carry and gives texels.

What it is written as is appended to the function's own source: lines of messages stay right, and
types, overloads and generic functions are those that the source means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft import ArgumentError

from ..slang_nodes.interface import text_of
from ..slang_nodes.naming import base_name

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft import FunctionInfo
    from weft._native import Parameter
    from weft.lowering import Socket, Variable

ENTRY, RESULT = "weftBakedTexels", "WeftBakedTexels"
FOUND = "weftBakedFound"
"""Names that a source has for nothing else, macros among them: a function may be called `p0`."""

_WIDTHS = {"NodeSocketVector": 3, "NodeSocketColor": 3}
_CASTS = {"bool": "({} != 0.f)", "float": "{}", "half": "half({})"}
_ROOT = re.compile(r"[.\[]")


@dataclass(frozen=True)
class Slot:
    """Where an output stands in the images.

    Args:
        output: Name of the socket.
        image: Number of the image, from 0.
        channel: The first one.
        count: 1 or 3 channels.
    """

    output: str
    image: int
    channel: int
    count: int


def layout(outputs: Sequence[Socket]) -> tuple[Slot, ...]:
    """Return where outputs stand: vectors and colours alone, three numbers share an image."""
    slots = []
    images = 0
    numbers = (0, 3)  # image of the last numbers, and the next channel of it
    for socket in outputs:
        if socket.type in _WIDTHS:
            slots.append(Slot(socket.name, images, 0, 3))
            images += 1
            continue
        image, channel = numbers
        if channel == 3:
            image, channel, images = images, 0, images + 1
        slots.append(Slot(socket.name, image, channel, 1))
        numbers = (image, channel + 1)
    return tuple(slots)


@dataclass(frozen=True)
class Wrapper:
    """The text of a function that gives texels.

    Args:
        text: To be appended to the source.
        arguments: Name of each of its parameters, by the name of the socket.
        slots: Of the outputs.
        sources: What inputs carry unlinked, by the name of the socket: as ``[Source]`` says.
    """

    text: str
    arguments: Mapping[str, str]
    slots: tuple[Slot, ...]
    sources: Mapping[str, str]

    @property
    def images(self) -> int:
        """How many images the outputs fill."""
        return 1 + max((slot.image for slot in self.slots), default=-1)


def wrap(
    function: FunctionInfo,
    spelled: str,
    inputs: Sequence[Socket],
    outputs: Sequence[Socket],
    variables: tuple[Sequence[Variable], Sequence[Variable]],
    build: Mapping[str, str],
) -> Wrapper:
    """Write the function that gives texels.

    Args:
        function: The user's.
        spelled: Its name with the arguments of a generic one.
        inputs: Its sockets.
        outputs: The same.
        variables: What the sockets hold, of the inputs and of the outputs.
        build: Parameters whose value is fixed, as Slang spells it.
    """
    slots = layout(outputs)
    arguments = {socket.name: f"weftInput{number}" for number, socket in enumerate(inputs)}
    lines: list[str] = []
    given, results = _declare(function, build, lines)
    for socket in inputs:
        lines += _assignments(socket, arguments[socket.name], given, variables[0], function)
    call = base_name(spelled) + _generic(spelled)
    order = [build.get(p.name, given.get(p.name, "")) for p in function.parameters]
    has_result = function.return_type.name != "void"
    head = f"{function.return_type.full_name} weftResult = " if has_result else ""
    lines.append(f"{head}{call}({', '.join(order)});")
    if has_result:
        results["Result"] = "weftResult"
    images = 1 + max((slot.image for slot in slots), default=-1)
    lines.append(f"{RESULT} {FOUND};")
    lines += [f"{FOUND}.weftImage{k} = float4(0.f, 0.f, 0.f, 1.f);" for k in range(images)]
    for slot in slots:
        lines += _texels(slot, results, variables[1])
    lines.append(f"return {FOUND};")
    parameters = ", ".join(f"{_kind(socket)} {arguments[socket.name]}" for socket in inputs)
    text = _text(images, parameters, lines)
    return Wrapper(text, arguments, slots, _sources(function, inputs))


def _text(images: int, parameters: str, lines: Sequence[str]) -> str:
    """Return the function that gives texels, and the structure of its result."""
    fields = " ".join(f"public float4 weftImage{k};" for k in range(images))
    body = "\n".join(f"    {line}" for line in lines)
    # Sources that are modules show others nothing else.
    head = f"public struct {RESULT} {{ {fields} }};\npublic {RESULT} {ENTRY}({parameters})"
    return f"\n{head}\n{{\n{body}\n}}\n"


def _sources(function: FunctionInfo, inputs: Sequence[Socket]) -> dict[str, str]:
    """Return what ``[Source]`` names of the vectors among the inputs."""
    vectors = {socket.name for socket in inputs if socket.type in _WIDTHS}
    return {
        parameter.name: text_of(parameter, "Source").lower()
        for parameter in function.parameters
        if parameter.name in vectors and text_of(parameter, "Source")
    }


def _kind(socket: Socket) -> str:
    return "float3" if socket.type in _WIDTHS else "float"


def _generic(spelled: str) -> str:
    start, end = spelled.find("<"), spelled.rfind(">")
    return spelled[start : end + 1] if start >= 0 else ""


def _declare(
    function: FunctionInfo, build: Mapping[str, str], lines: list[str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Declare a variable for each parameter; return those of all, and those of results."""
    given: dict[str, str] = {}
    results: dict[str, str] = {}
    for number, parameter in enumerate(function.parameters):
        if parameter.name in build and str(parameter.direction) == "Direction.in_":
            continue
        given[parameter.name] = f"weftParameter{number}"
        lines.append(f"{parameter.type.full_name} weftParameter{number};")
        if str(parameter.direction) != "Direction.in_":
            results[parameter.name] = f"weftParameter{number}"
    return given, results


def _assignments(
    socket: Socket,
    argument: str,
    given: Mapping[str, str],
    variables: Sequence[Variable],
    function: FunctionInfo,
) -> list[str]:
    """Return lines that give a parameter, or a part of it, what the socket carries."""
    variable = _find(variables, socket.name)
    root = _ROOT.split(socket.name, maxsplit=1)[0]
    target = given[root] + socket.name[len(root) :]
    if socket.type in _WIDTHS:
        # One by one: structures of `float x, y` are vectors, too.
        axes = "xyz"[: variable.components]
        return [f"{target}.{axis} = {argument}.{axis};" for axis in axes]
    if socket.cases:
        parameter = next(own for own in function.parameters if own.name == root)
        kind = _type_at(parameter, socket.name[len(root) :])
        return [f"{target} = {kind}(int({argument}));"]
    cast = _CASTS.get(variable.scalar, f"{variable.scalar}({{}})")
    return [f"{target} = {cast.format(argument)};"]


def _type_at(parameter: Parameter, path: str) -> str:
    """Return the type of what a parameter holds at a path."""
    kind = parameter.type
    for part in re.findall(r"\.\w+|\[\d+\]", path):
        if part.startswith("."):
            kind = next(own.type for own in kind.fields if own.name == part[1:])
        elif kind.element is not None:
            kind = kind.element
    return str(kind.full_name)


def _find(variables: Sequence[Variable], name: str) -> Variable:
    found = next((own for own in variables if own.name == name), None)
    if found is None:  # one of four components, which sockets hold one by one
        found = next((own for own in variables if own.name == name.rpartition(".")[0]), None)
        if found is None:
            message = f"bake: '{name}' is of a type that images cannot hold"
            raise ArgumentError(message)
        return type(found)(name, found.scalar, 1)
    return found


def _texels(slot: Slot, results: Mapping[str, str], variables: Sequence[Variable]) -> list[str]:
    """Return lines that put an output into an image."""
    variable = _find(variables, slot.output)
    root = _ROOT.split(slot.output, maxsplit=1)[0]
    source = results[root] + slot.output[len(root) :]
    if slot.count == 1:
        value = f"({source} ? 1.f : 0.f)" if variable.scalar == "bool" else f"float({source})"
        return [f"{FOUND}.weftImage{slot.image}.{'xyz'[slot.channel]} = {value};"]
    axes = "xyz"[: variable.components]
    return [f"{FOUND}.weftImage{slot.image}.{axis} = {source}.{axis};" for axis in axes]
