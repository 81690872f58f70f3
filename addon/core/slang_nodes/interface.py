# SPDX-License-Identifier: GPL-3.0-or-later
"""The sockets of a node, from a function's declaration and the attributes of weft.node."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .bundles import item_labels
from .matching import converted, shown_case
from .menus import MENU, find_case
from .naming import title_of, unique_labels

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from weft import FunctionInfo
    from weft._native import Parameter
    from weft.lowering import Socket

    from ..evaluation.plan import Plan

    Plain = float | tuple[float, ...] | None

SUBTYPES = {
    "NodeSocketFloat": frozenset(
        "FACTOR PERCENTAGE ANGLE TIME DISTANCE COLOR_TEMPERATURE FREQUENCY WAVELENGTH".split()
    ),
    "NodeSocketInt": frozenset({"FACTOR", "PERCENTAGE"}),
    "NodeSocketVector": frozenset(
        "FACTOR PERCENTAGE TRANSLATION DIRECTION VELOCITY ACCELERATION EULER XYZ".split()
    ),
}
SOURCES = {"position": "POSITION", "normal": "NORMAL", "index": "INDEX", "id": "ID_OR_INDEX"}
RESULT = "Result"


@dataclass(frozen=True)
class SocketSpec:
    """A socket of a node.

    Args:
        name: What it is matched by: the parameter's, with the path of what it holds of it
            (``cell.place``); ``Result``.
        label: What people read; unique among the inputs, or the outputs.
        type: Blender's: ``NodeSocketFloat``, ...
        tooltip: One sentence, or "".
        default: Of new nodes: a number, or three.
        minimum: Of the slider; people may type other values, except in modifiers.
        maximum: The same.
        subtype: Blender's unit.
        panel: In which it stands, "": in none.
        is_panel_closed: At first.
        hides_value: It is there to be linked.
        source: What it carries unlinked, in geometry trees: Blender's ``default_input``.
        was_named: What its parameter was called.
        cases: Of an enumeration, names and values. A menu shows them; other sockets hold a value.
        is_panel_toggle: It switches its panel, in whose heading it stands.
        items: Of a bundle, called as their fields; their labels are what Blender finds them by.
        is_internal: Modifiers do not show it.
        attribute: What it carries at first in a modifier: of an output, where it goes.
        domain: Of an output in a modifier.
    """

    name: str
    label: str
    type: str
    tooltip: str = ""
    default: Plain = None
    minimum: float | None = None
    maximum: float | None = None
    subtype: str = "NONE"
    panel: str = ""
    is_panel_closed: bool = False
    hides_value: bool = False
    source: str = "VALUE"
    was_named: str = ""
    cases: tuple[tuple[str, int], ...] = ()
    is_panel_toggle: bool = False
    items: tuple[SocketSpec, ...] = ()
    # Not in the hash of a node, which other forms have without these.
    is_internal: bool = field(default=False, repr=False)
    attribute: str = field(default="", repr=False)
    domain: str = field(default="", repr=False)

    def shown(self, value: Plain | bool | str) -> float | tuple[float, ...] | bool | str:
        """Return a value as the socket has it: of an enumeration a case, else a number or three."""
        if self.cases:
            place = find_case(self.cases, value)
            if place is None:
                place = find_case(self.cases, self.default)
            return shown_case(self.cases, place or 0, self.type)
        assert value is not None
        return 0.0 if isinstance(value, str) else converted(value, self.type)


@dataclass(frozen=True)
class BuildProperty:
    """A parameter whose value is part of the tree.

    Args:
        name: The parameter's.
        label: What people read.
        kind: ``int``, ``float``, ``bool``, ``enum`` or ``text``: any Slang.
        value: As Slang spells it.
        choices: Of an enumeration, as Slang spells them.
        tooltip: One sentence, or "".
    """

    name: str
    label: str
    kind: str
    value: str
    choices: tuple[str, ...] = ()
    tooltip: str = ""


@dataclass(frozen=True)
class ImageSpec:
    """An image that the tree holds.

    Args:
        name: The parameter's, or what ``sampleImage`` is given.
        label: What people read.
        tooltip: One sentence, or "".
    """

    name: str
    label: str
    tooltip: str = ""


@dataclass(frozen=True)
class Interface:
    """What a function is as a node."""

    title: str
    category: str
    tooltip: str
    inputs: tuple[SocketSpec, ...]
    outputs: tuple[SocketSpec, ...]
    properties: tuple[BuildProperty, ...]
    images: tuple[ImageSpec, ...] = ()


def text_of(owner: FunctionInfo | Parameter, attribute: str) -> str:
    """Return the text of an attribute, "" without it."""
    for entry in owner.attributes:
        if entry.name == attribute and entry.arguments:
            return str(entry.arguments[0])
    return ""


def has(owner: FunctionInfo | Parameter, attribute: str) -> bool:
    """Return whether a function or parameter has an attribute."""
    return any(entry.name == attribute for entry in owner.attributes)


def title(function: FunctionInfo) -> str:
    """Return what people call a function."""
    return text_of(function, "Label") or title_of(function.name)


def signature(function: FunctionInfo) -> str:
    """Return a function with the types of its parameters, which tell overloads apart."""
    types = ", ".join(str(entry.type).removeprefix("weft.") for entry in function.parameters)
    return f"{function.name}({types})"


def describe(
    function: FunctionInfo,
    inputs: Sequence[Socket],
    outputs: Sequence[Socket],
    build: Mapping[str, str],
    *,
    has_integers: bool,
    has_menus: bool,
    has_toggles: bool,
    images: Sequence[str] = (),
) -> Interface:
    """Describe a function as a node.

    Args:
        function: The declaration.
        inputs: Sockets of the lowered tree, or shader.
        outputs: The same.
        build: Parameters that are part of the tree, with their values.
        images: Names of those that the tree holds.
        has_integers: Sockets of the kind of tree may be integers and booleans.
        has_menus: They may be menus.
        has_toggles: Booleans that switch a panel may be booleans, whatever others are.
    """
    parameters = {entry.name: entry for entry in function.parameters}
    kinds = _kinds_of_tree(has_integers=has_integers, has_menus=has_menus, has_toggles=has_toggles)
    specs = [_input(parameters, socket, kinds) for socket in inputs]
    results = [_output(parameters, socket) for socket in outputs]
    return Interface(
        title(function),
        text_of(function, "Node"),
        text_of(function, "Tooltip") or first_sentence(function.documentation),
        _with_unique_labels(specs),
        _with_unique_labels(results),
        tuple(
            _property(parameters[name], value)
            for name, value in build.items()
            if name in parameters
        ),
        tuple(ImageSpec(name, *_image_words(parameters, name)) for name in images),
    )


def _kinds_of_tree(*, has_integers: bool, has_menus: bool, has_toggles: bool) -> Mapping[str, str]:
    """Return the sockets of types that a kind of tree has sockets of their own for."""
    return {
        **(_KINDS if has_integers else {}),
        **({"enum": MENU} if has_menus else {}),
        **({"toggle": "NodeSocketBool"} if has_toggles else {}),
    }


GEOMETRY, DATA, CARRIER, CARRIED = "<geometry>", "<data>", "<carrier>", "<carried>"
"""Sockets of nodes that the engine evaluates, beside those of the function."""


def with_geometry(interface: Interface, plan: Plan) -> Interface:
    """Return the interface of a function that the engine evaluates.

    Args:
        interface: Of its parameters and results.
        plan: How it is evaluated.
    """
    attributes = {entry.value.name: entry.attribute for entry in plan.inputs}
    return replace(
        interface,
        inputs=(
            SocketSpec(GEOMETRY, "Geometry", "NodeSocketGeometry"),
            *(
                replace(spec, attribute=attributes[spec.name], source="VALUE")
                for spec in interface.inputs
            ),
            _internal(DATA, "Data", "NodeSocketString"),
            _internal(CARRIER, "Carrier", "NodeSocketObject"),
            _internal(CARRIED, "Is Carried", "NodeSocketBool"),
        ),
        outputs=(
            SocketSpec(GEOMETRY, "Geometry", "NodeSocketGeometry"),
            *(
                replace(spec, attribute=default_attribute(spec), domain=plan.domain)
                for spec in interface.outputs
            ),
        ),
    )


def _internal(name: str, label: str, kind: str) -> SocketSpec:
    return SocketSpec(
        name,
        label,
        kind,
        "Set by Weft: where the results are",
        panel="Slang Evaluate",
        is_panel_closed=True,
        is_internal=True,
    )


def default_attribute(spec: SocketSpec) -> str:
    """Return the name that a modifier gives the attribute of an output at first."""
    return re.sub(r"\W+", "_", spec.label).strip("_").lower()


def first_sentence(documentation: str) -> str:
    """Return the first sentence of a comment, without its markers."""
    text = " ".join(documentation.split("@")[0].split())
    end = re.search(r"\.(\s|$)", text)
    return text if end is None else text[: end.start()]


def _image_words(parameters: Mapping[str, Parameter], name: str) -> tuple[str, str]:
    """Return what an image is called and its tooltip: not all are parameters."""
    parameter = parameters.get(name)
    if parameter is None:
        return name, ""
    text = text_of(parameter, "Tooltip") or first_sentence(parameter.documentation)
    return text_of(parameter, "Label") or title_of(name), text


def _input(
    parameters: Mapping[str, Parameter], socket: Socket, kinds: Mapping[str, str]
) -> SocketSpec:
    if socket.type == "NodeSocketImage":
        label, tooltip = _image_words(parameters, socket.name)
        return SocketSpec(socket.name, label, socket.type, tooltip)
    parameter = parameters[_root(socket.name)]
    is_whole = socket.name == parameter.name
    label = text_of(parameter, "Label") or title_of(parameter.name)
    cases = tuple(socket.cases.items())
    default = _default(parameter, socket) if is_whole else socket.default
    kind = _kind("enum" if cases else parameter.type.name if is_whole else "", socket.type, kinds)
    closed = text_of(parameter, "ClosedPanel")
    toggled = text_of(parameter, "PanelToggle") if is_whole else ""
    is_toggle = bool(toggled) and parameter.type.name == "bool"
    if is_toggle:
        kind = kinds.get("toggle", kind)
        is_toggle = kind == "NodeSocketBool"
        label = toggled if is_toggle else label
    panel = toggled or text_of(parameter, "Panel") or closed
    low, high = _slider(parameter, socket)
    return SocketSpec(
        socket.name,
        label if is_whole else title_of(socket.name[len(parameter.name) :]),
        kind,
        _tooltip(parameter, socket, kind),
        cases[0][1] if cases and default is None else default,
        low,
        high,
        _subtype(parameter, kind),
        panel or ("" if is_whole else label),
        bool(closed),
        has(parameter, "Hidden"),
        SOURCES.get(text_of(parameter, "Source").lower(), "VALUE"),
        text_of(parameter, "WasNamed"),
        cases,
        is_toggle,
        _items(socket),
    )


def _items(socket: Socket) -> tuple[SocketSpec, ...]:
    """Return the items of a bundle."""
    labels = item_labels(item.name for item in socket.items)
    return tuple(
        SocketSpec(
            item.name,
            label,
            item.type,
            default=item.default,
            cases=tuple(item.cases.items()),
            items=_items(item),
        )
        for label, item in zip(labels, socket.items, strict=True)
    )


def _output(parameters: Mapping[str, Parameter], socket: Socket) -> SocketSpec:
    parameter = parameters.get(_root(socket.name))
    if parameter is None:  # what is returned, or a field of it
        field = socket.name.removeprefix(RESULT)
        label = title_of(field) if field else RESULT
        return SocketSpec(socket.name, label, socket.type, items=_items(socket))
    is_whole = socket.name == parameter.name
    label = text_of(parameter, "Label") or title_of(parameter.name)
    rest = "" if is_whole else f" {title_of(socket.name[len(parameter.name) :])}"
    return SocketSpec(
        socket.name,
        label + rest,
        socket.type,
        _tooltip(parameter, socket, socket.type),
        was_named=text_of(parameter, "WasNamed"),
        items=_items(socket),
    )


def _root(name: str) -> str:
    return re.split(r"[.\[]", name, maxsplit=1)[0]


_KINDS = {"int": "NodeSocketInt", "uint": "NodeSocketInt", "bool": "NodeSocketBool"}


def _kind(name: str, kind: str, kinds: Mapping[str, str]) -> str:
    """Return a socket's type: where numbers are floats, others may be sockets nevertheless.

    Args:
        name: Of the parameter's type; ``enum`` of all enumerations, "" of fields.
        kind: Of the socket of the tree.
        kinds: What others there may be, by such names.
    """
    return kinds.get(name, kind) if kind == "NodeSocketFloat" else kind


def _slider(parameter: Parameter, socket: Socket) -> tuple[float | None, float | None]:
    """Return the range of a slider; of an enumeration that is a number, that of its cases."""
    for entry in parameter.attributes:
        if entry.name == "SoftRange":
            low, high = entry.arguments
            return float(low), float(high)
    if socket.minimum is None and socket.cases:
        return min(socket.cases.values()), max(socket.cases.values())
    return socket.minimum, socket.maximum


def _tooltip(parameter: Parameter, socket: Socket, kind: str) -> str:
    text = text_of(parameter, "Tooltip") or first_sentence(parameter.documentation)
    if socket.cases and kind != MENU:
        listed = ", ".join(f"{number}: {name}" for name, number in socket.cases.items())
        return f"{text}. {listed}" if text else listed
    return text


def _subtype(parameter: Parameter, kind: str) -> str:
    wanted = text_of(parameter, "Subtype").upper().replace(" ", "_")
    return wanted if wanted in SUBTYPES.get(kind, ()) else "NONE"


_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?[fFhHlLuU]*$")
_CALL = re.compile(
    r"(?:(?P<type>(?:float|half|int|uint|bool)[234]?)\s*\((?P<in>[^()]*)\)|\{(?P<list>[^{}]*)\})$"
)


def numbers_of(text: str) -> tuple[float, ...] | None:
    """Return the numbers of ``1, 2``, ``float3(1, 2, 3)``, ``float3(0)`` or ``{1, 2}``.

    Returns:
        ``None``: it is another expression.
    """
    call = _CALL.match(text.strip())
    inner = text if call is None else call.group("in") or call.group("list") or ""
    parts = [part.strip() for part in inner.split(",")]
    if not all(_NUMBER.match(part) for part in parts):
        return None
    numbers = tuple(float(part.rstrip("fFhHlLuU")) for part in parts)
    if call is not None and call.group("type") and len(numbers) == 1:
        width = call.group("type")[-1]
        return numbers * int(width) if width.isdigit() else numbers
    return numbers


def _default(parameter: Parameter, socket: Socket) -> Plain:
    text = text_of(parameter, "Default")
    if socket.default is not None and not text:
        return socket.default if isinstance(socket.default, tuple) else float(socket.default)
    text = text or parameter.default_text
    cases = tuple(socket.cases.items())
    place = find_case(cases, text)
    if place is not None:
        return float(cases[place][1])
    numbers = numbers_of(text) if text else None
    if numbers is None:
        return None
    return numbers[0] if len(numbers) == 1 else numbers


def _property(parameter: Parameter, value: str) -> BuildProperty:
    cases = parameter.type.enumerators
    name = parameter.type.name
    kind = {"int": "int", "uint": "int", "bool": "bool", "float": "float"}.get(name, "text")
    return BuildProperty(
        parameter.name,
        text_of(parameter, "Label") or title_of(parameter.name),
        "enum" if cases else kind,
        value,
        tuple(f"{name}.{case}" for case in cases),
        text_of(parameter, "Tooltip") or first_sentence(parameter.documentation),
    )


def _with_unique_labels(specs: Sequence[SocketSpec]) -> tuple[SocketSpec, ...]:
    # Sockets of different panels may have one name: people tell them apart by the panel.
    found: list[SocketSpec] = list(specs)
    for panel in {spec.panel for spec in specs}:
        places = [place for place, spec in enumerate(specs) if spec.panel == panel]
        labels = unique_labels(specs[place].label for place in places)
        for place, label in zip(places, labels, strict=True):
            found[place] = replace(specs[place], label=label)
    return tuple(found)
