# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's nodes as a Slang function: the way back from a graph to code.

Nodes are compiled by core/graph, as for the engine; what that gives is printed. Numbers of inputs
become literals, links from outside parameters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from weft import ArgumentError
from weft.scene import Constant, SlangCall
from weft.scene.values import Value

from ..graph.compile import AttributeTable, Compiler, Scope
from ..graph.model import Graph, Node, Socket
from ..graph.values import SIZES

TYPES = {1: "float", 3: "float3"}
Link = tuple[str, str]


@dataclass(frozen=True)
class Parameter:
    """A link from outside.

    Args:
        name: In the function.
        link: Node and output that drive it.
        kind: Of the sockets that it drives.
    """

    name: str
    link: Link
    kind: str


@dataclass(frozen=True)
class Result:
    """An output of the function: that of one of the nodes."""

    name: str
    link: Link
    kind: str


@dataclass(frozen=True)
class CopiedFunction:
    """A function that does what nodes do.

    Args:
        text: The source.
        parameters: In order; the node of the function has an input for each.
        results: The first is returned, the others are ``out`` parameters.
    """

    text: str
    parameters: tuple[Parameter, ...]
    results: tuple[Result, ...]


def copy_as_function(graph: Graph, chosen: Collection[str], name: str) -> CopiedFunction:
    """Return nodes as a function.

    Args:
        graph: The tree.
        chosen: Names of its nodes.
        name: Of the function.

    Raises:
        ArgumentError: A node has no function in Slang, and why; none has an output with a number.
    """
    nodes = {key: node for key, node in graph.nodes.items() if key in chosen}
    results = _results(graph, nodes)
    if not results:
        message = "copy as Slang: none of the selected nodes gives a number, a vector or a color"
        raise ArgumentError(message)
    parameters = _parameters(nodes)
    cut = replace(graph, nodes=_cut_off(graph, nodes))
    compiler = Compiler(name, {}, AttributeTable())
    scope = Scope(cut, f"Tree '{graph.name}'")
    contents = [
        compiler.output(scope, cut.nodes[entry.link[0]], entry.link[1]) for entry in results
    ]
    if compiler.problems:
        problem = compiler.problems[0]
        message = f"copy as Slang: {problem.where}: {problem.message}"
        raise ArgumentError(message)
    printer = _Printer(_names_of_constants(compiler, nodes, scope.tree, parameters))
    values = [
        printer.value(_number(entry.content if entry is not None else None), SIZES[result.kind])
        for entry, result in zip(contents, results, strict=True)
    ]
    text = _function_text(name, graph.name, parameters, results, printer, values)
    return CopiedFunction(text, parameters, results)


def _number(content: object) -> Value:
    if content is None or not isinstance(content, (Constant, SlangCall, int, float, tuple)):
        message = (
            "copy as Slang: a shader, an image, a normal or the place of a point is no number of "
            "the nodes: leave out what gives it, and link it to the new node"
        )
        raise ArgumentError(message)
    return content


def _results(graph: Graph, nodes: Mapping[str, Node]) -> tuple[Result, ...]:
    """Return outputs that leave the chosen nodes; without one, those of the last nodes."""
    inside, leaving = _links_from(graph, nodes)
    known = _outputs_with_numbers(nodes)
    wanted = [link for link in leaving if link in known] or [
        link for link in known if link[0] not in inside
    ]
    names = _unique(_identifier(known[link].name) for link in wanted)
    return tuple(
        Result(name, link, known[link].kind) for name, link in zip(names, wanted, strict=True)
    )


def _links_from(graph: Graph, nodes: Mapping[str, Node]) -> tuple[set[str], list[Link]]:
    """Return which of the chosen nodes give others of them something, and what links leave."""
    inside: set[str] = set()
    leaving: list[Link] = []
    for key, node in graph.nodes.items():
        for socket in node.inputs:
            if socket.link is None or socket.link[0] not in nodes:
                continue
            if key in nodes:
                inside.add(socket.link[0])
            elif socket.link not in leaving:
                leaving.append(socket.link)
    return inside, leaving


def _outputs_with_numbers(nodes: Mapping[str, Node]) -> dict[Link, Socket]:
    return {
        (key, socket.identifier): socket
        for key, node in nodes.items()
        for socket in node.outputs
        if socket.is_enabled and socket.kind in SIZES
    }


def _parameters(nodes: Mapping[str, Node]) -> tuple[Parameter, ...]:
    """Return links from outside; one that drives several inputs of a kind is one parameter."""
    found: dict[tuple[Link, str], str] = {}
    for node in nodes.values():
        for socket in node.inputs:
            if socket.link is not None and socket.link[0] not in nodes and socket.kind in SIZES:
                found.setdefault((socket.link, socket.kind), socket.name)
    names = _unique(_identifier(name) for name in found.values())
    return tuple(
        Parameter(name, link, kind) for name, (link, kind) in zip(names, found, strict=True)
    )


def _cut_off(graph: Graph, nodes: Mapping[str, Node]) -> dict[str, Node]:
    """Return the chosen nodes with links from outside taken away."""

    def alone(socket: Socket) -> Socket:
        if socket.link is None or socket.link[0] in nodes:
            return socket
        value = 0.0 if SIZES.get(socket.kind) == 1 else (0.0, 0.0, 0.0)
        return replace(socket, link=None, value=value if socket.kind in SIZES else socket.value)

    return {
        key: replace(node, inputs=tuple(alone(socket) for socket in node.inputs))
        for key, node in nodes.items()
    }


def _names_of_constants(
    compiler: Compiler, nodes: Mapping[str, Node], tree: str, parameters: Sequence[Parameter]
) -> dict[int, str]:
    """Return the parameter of each constant that stands for a link from outside."""
    names = {(entry.link, entry.kind): entry.name for entry in parameters}
    found = {}
    for node in nodes.values():
        for socket in node.inputs:
            key = None if socket.link is None else (socket.link, socket.kind)
            constant = compiler.constants.get((tree, node.name, socket.identifier))
            if key in names and constant is not None:
                found[id(constant)] = names[key]
    return found


@dataclass(eq=False)
class _Printer:
    parameters: Mapping[int, str]
    lines: list[str] = field(default_factory=list)
    modules: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    known: dict[int, str] = field(default_factory=dict)

    def value(self, value: Value, size: int) -> str:
        """Return an expression of a value; calls get a line each."""
        if isinstance(value, Constant):
            name = self.parameters.get(id(value))
            return name or _literal(value.numbers[:size])
        if isinstance(value, SlangCall):
            return self.call(value)
        numbers = value if isinstance(value, tuple) else (value,)
        return _literal([float(entry) for entry in numbers])

    def call(self, call: SlangCall) -> str:
        for entry in _inner_first(call):
            if id(entry) not in self.known:
                self.known[id(entry)] = self.new_call(entry)
        return self.known[id(call)]

    def new_call(self, call: SlangCall) -> str:
        arguments = []
        for entry in call.arguments.values():
            if isinstance(entry, SlangCall):
                arguments.append(self.known[id(entry)])
            else:
                number = _number(entry)
                size = len(number.numbers) if isinstance(number, Constant) else 3
                arguments.append(self.value(number, size))
        if call.module:
            if call.module not in self.modules:
                self.modules.append(call.module)
        elif call.source not in self.sources:
            self.sources.append(call.source)
        name = f"v{len(self.known)}"
        kind = f"float{call.size}" if call.size > 1 else "float"
        self.lines.append(f"    {kind} {name} = {call.function}({', '.join(arguments)});")
        return name


def _inner_first(call: SlangCall) -> list[SlangCall]:
    """Return a call after those that it needs, without nesting: chains may be long."""
    order: list[SlangCall] = []
    seen: set[int] = set()
    stack: list[tuple[SlangCall, bool]] = [(call, False)]
    while stack:
        entry, is_done = stack.pop()
        if is_done:
            order.append(entry)
        elif id(entry) not in seen:
            seen.add(id(entry))
            stack.append((entry, True))
            inner = [own for own in entry.arguments.values() if isinstance(own, SlangCall)]
            stack += [(own, False) for own in reversed(inner)]
    return order


def _literal(numbers: Sequence[float]) -> str:
    texts = [f"{number:.9g}" for number in numbers]
    texts = [text if re.search(r"[.en]", text) else f"{text}.0" for text in texts]
    joined = ", ".join(f"{text}f" for text in texts)
    return joined if len(texts) == 1 else f"float{len(texts)}({joined})"


def _function_text(
    name: str,
    tree: str,
    parameters: Sequence[Parameter],
    results: Sequence[Result],
    printer: _Printer,
    values: Sequence[str],
) -> str:
    if any(printer.sources.count(source) > 1 or "module " in source for source in printer.sources):
        message = "copy as Slang: two of the nodes bring code that cannot stand in one source"
        raise ArgumentError(message)
    head = [
        f"{'[Color] ' if entry.kind == 'RGBA' else ''}{TYPES[SIZES[entry.kind]]} {entry.name}"
        for entry in parameters
    ]
    head += [f"out {TYPES[SIZES[entry.kind]]} {entry.name}" for entry in results[1:]]
    imports = dict.fromkeys(["weft.node", *printer.modules])
    body = [*printer.lines]
    body += [
        f"    {entry.name} = {value};" for entry, value in zip(results[1:], values[1:], strict=True)
    ]
    return "\n".join(
        [
            *(f"import {module};" for module in imports),
            "",
            *printer.sources,
            f"/// Nodes of {tree}.",
            '[Node("Copied")]',
            f"{TYPES[SIZES[results[0].kind]]} {name}({', '.join(head)})",
            "{",
            *body,
            f"    return {values[0]};",
            "}",
            "",
        ]
    )


KEYWORDS = frozenset(
    "float float2 float3 float4 int uint bool half double in out inout return if else for while do "
    "struct enum import module public static const this true false void switch case break normal "
    "vector matrix".split()
)


def _identifier(name: str) -> str:
    words = re.findall(r"[A-Za-z0-9]+", name)
    text = "".join(word if place == 0 else word.capitalize() for place, word in enumerate(words))
    text = text[:1].lower() + text[1:]
    if not text or text[0].isdigit():
        text = f"x{text}"
    return f"{text}Value" if text in KEYWORDS or re.fullmatch(r"v\d+", text) else text


def _unique(names: Iterable[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        unique, number = name, 1
        while unique in found:
            number += 1
            unique = f"{name}{number}"
        found.append(unique)
    return found
