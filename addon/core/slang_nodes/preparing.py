# SPDX-License-Identifier: GPL-3.0-or-later
"""From a function's source to everything that Blender needs to show it as a node.

`prepare` needs no Blender and may run in any thread; the extension's main thread builds what it
gives (addon/blender/slang_nodes).
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import weft
from weft import lowering

from ..baking.wrapper import Wrapper, wrap
from ..evaluation.plan import Plan, plan_for, require_no_inputs, sockets_of
from .choosing import choose
from .given import asked_input
from .interface import Interface, describe, has, signature, with_geometry
from .offers import offer_of
from .sources import FORMAT, texts_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from weft import FunctionInfo
    from weft.lowering import Lowered, SourceInfo

    from .sources import Source

FORMS = ("AUTOMATIC", "NODES", "OSL", "BAKED")
ENGINE = "ENGINE"
"""The form of nodes that the engine evaluates: see addon/core/evaluation."""
_TREES = {
    "ShaderNodeTree": "shader",
    "GeometryNodeTree": "geometry",
    "CompositorNodeTree": "compositor",
}
_WHOLE = ("int", "uint")
_VERSION = re.compile(r'^  "blender": \[[^\]]*\],\n', re.MULTILINE)
"""The line of a printed tree that says for which Blender it is."""

OLD_CELLS = "\nexport static const bool weft_has_old_cells = true;\n"
"""Has weft.noise compute cells as the nodes of Blender 4 do."""


@dataclass(frozen=True)
class Request:
    """What a node asks for.

    Args:
        source: Its code.
        function: ``f``, ``f<float, 3>``, of an overload ``f(float2, int)``.
        tree: Blender's type of the tree: ``ShaderNodeTree``, ...
        blender: Version.
        build: Values of parameters that are part of the tree, as Slang spells them; those that the
            function fixes anyway have its defaults if they are left out.
        form: One of ``FORMS``, or ``ENGINE``.
        has_osl: The scene runs OSL: Automatic may choose it.
        known: Signature of what the node is so far, which tells overloads apart that were edited.
        domain: On which elements the engine evaluates it.
    """

    source: Source
    function: str
    tree: str
    blender: tuple[int, int]
    build: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    form: str = "AUTOMATIC"
    has_osl: bool = False
    known: str = ""
    domain: str = "POINT"


@dataclass(frozen=True, eq=False)
class Prepared:
    """A function as a node.

    Args:
        request: What was asked for, with the function that was found.
        interface: Its sockets.
        lowered: The tree or the shader; of what is baked, what its sockets are; ``None`` where the
            engine evaluates it.
        form: ``NODES``, ``OSL``, ``BAKED`` or ``ENGINE``.
        hash: Of all that decides what the node computes.
        files: That the source is made of.
        notes: What a person should know: warnings, why a form was not taken.
        signature: Of the function.
        variants: Overloads and specializations that it could be instead; empty: none.
        plan: How the engine evaluates it; ``None``: it does not.
        wrapper: Of what is baked, the function that gives texels.
    """

    request: Request
    interface: Interface
    lowered: Lowered | None
    form: str
    hash: str
    files: tuple[str, ...]
    notes: tuple[str, ...]
    signature: str
    variants: tuple[str, ...]
    plan: Plan | None = None
    wrapper: Wrapper | None = None


def read_source(source: Source) -> SourceInfo:
    """Read what a source declares.

    Raises:
        CompileError: It does not compile.
    """
    with _plain_errors():
        return lowering.source_info(
            source.path, text=source.text, include_paths=source.folders, name=source.title
        )


@contextlib.contextmanager
def _plain_errors() -> Iterator[None]:
    """Have errors leave the engine's own function out, which people did not call."""
    try:
        yield
    except (weft.CompileError, weft.ArgumentError) as error:
        error.args = (str(error).removeprefix("load_module: "),)
        raise


def prepare(request: Request, info: SourceInfo | None = None) -> Prepared:
    """Compile and lower a function.

    Args:
        request: What a node asks for.
        info: Of its source, if it was read just now.

    Raises:
        CompileError: The source does not compile.
        ArgumentError: The function is not there, or cannot be lowered; says why.
    """
    info = info or read_source(request.source)
    choice = choose(request.source, info, request.function, request.known)
    function = choice.function
    request = replace(request, function=choice.spelled)
    if request.form == ENGINE:
        return _prepare_evaluated(request, info, function, choice.variants)
    build = _asked_build(function, request.build)
    notes: list[str] = []
    form = request.form
    wrapper: Wrapper | None = None
    if form == "BAKED":
        lowered, wrapper = _prepare_baked(request, info, function, build)
    else:
        lowered, build, form, notes = _lower_for_blender(request, function, build)
    offer = offer_of(lowered)
    if offer is not None:
        notes.append(offer)
    interface = _interface_of(request, function, lowered, build, form)
    request = replace(request, build=dict(build))
    return Prepared(
        request,
        interface,
        lowered,
        form,
        node_hash(request, interface, text_of(lowered) if wrapper is None else info.hash),
        info.files,
        (*notes, *(lowered.warnings if wrapper is None else ())),
        signature(function),
        choice.variants,
        wrapper=wrapper,
    )


def _lower_for_blender(
    request: Request, function: FunctionInfo, build: dict[str, str]
) -> tuple[Lowered, dict[str, str], str, list[str]]:
    """Lower to nodes, or to a shader where that is asked for, or where nodes cannot do it.

    Returns:
        What it was lowered to, build values, the form, and why it is no nodes.
    """
    notes: list[str] = []
    if request.form != "OSL":
        try:
            return (*_lower_nodes(request, function, build), "NODES", notes)
        except weft.ArgumentError as refusal:
            if request.form == "NODES" or not request.has_osl or request.tree != "ShaderNodeTree":
                raise
            notes.append(f"as nodes: {refusal}")
    lowered = _lower(request, build, to="osl")
    if lowered.images:
        message = (
            f"'{request.function}' looks images up, which Slang nodes do as nodes: choose "
            'Nodes, or take the shader of weft.lower(to="osl") into a Script node'
        )
        raise weft.ArgumentError(message)
    return lowered, build, "OSL", notes


def _interface_of(
    request: Request, function: FunctionInfo, lowered: Lowered, build: Mapping[str, str], form: str
) -> Interface:
    """Return the sockets that a kind of tree and a version of Blender have for a function."""
    return describe(
        function,
        lowered.inputs,
        lowered.outputs,
        build,
        has_integers=form != "OSL" and request.blender >= (5, 2),
        has_menus=form != "BAKED" and request.blender >= (5, 2),
        has_toggles=request.blender >= (5, 2) or request.tree != "CompositorNodeTree",
        images=[entry["name"] for entry in lowered.tree["images"]] if lowered.tree else (),
    )


def _prepare_evaluated(
    request: Request, info: SourceInfo, function: FunctionInfo, variants: tuple[str, ...]
) -> Prepared:
    """Return a function as a node that the engine evaluates."""
    if request.tree != "GeometryNodeTree":
        message = (
            f"'{request.function}': the engine evaluates functions on geometry: use it in a "
            "tree of geometry nodes"
        )
        raise weft.ArgumentError(message)
    plan = plan_for(function, request.function, request.domain)
    require_no_inputs(function.name, texts_of(request.source, info.files))
    interface = describe(
        function,
        *sockets_of(plan, function),
        {},
        has_integers=True,
        has_menus=False,
        has_toggles=False,
    )
    interface = with_geometry(interface, plan)
    hashed = node_hash(request, interface, info.hash)
    known = signature(function)
    return Prepared(request, interface, None, ENGINE, hashed, info.files, (), known, variants, plan)


def text_of(lowered: Lowered) -> str:
    """Return what nodes were lowered to, as far as it differs between them.

    Blenders of other versions have the same where they have the same nodes: most assets of 4.5 are
    what 5.2 would make.
    """
    return _VERSION.sub("", lowered.text, count=1) if lowered.tree else lowered.text


def _prepare_baked(
    request: Request, info: SourceInfo, function: FunctionInfo, build: Mapping[str, str]
) -> tuple[Lowered, Wrapper]:
    """Return what the sockets of a function are, and the function that gives texels.

    Raises:
        ArgumentError: Images cannot show it.
    """
    if request.tree != "ShaderNodeTree":
        message = f"'{request.function}' can be baked in materials alone; choose Nodes"
        raise weft.ArgumentError(message)
    lowered = _lower(request, build, to="slang")
    asked = asked_input(texts_of(request.source, info.files))
    if lowered.images or asked:
        what = "looks images up" if lowered.images else f"asks weft.inputs for {asked}()"
        message = (
            f"'{request.function}' {what}, which Slang nodes do as nodes: choose Nodes, or make a "
            'parameter of it, such as [Source("Position")] float3 p'
        )
        raise weft.ArgumentError(message)
    variables = (lowered.parameters, lowered.results)
    wrapper = wrap(function, request.function, lowered.inputs, lowered.outputs, variables, build)
    if request.blender < lowering.NEW_CELLS:
        wrapper = replace(wrapper, text=OLD_CELLS + wrapper.text)
    return lowered, wrapper


def node_hash(request: Request, interface: Interface, text: str) -> str:
    """Return the hash of what a node is: nodes that have it may share their group.

    Args:
        request: What was asked for.
        interface: Its sockets.
        text: What differs where the function computes something else.
    """
    parts: Sequence[object] = (
        FORMAT,
        str(request.source.key),
        request.function,
        request.tree,
        sorted(request.build.items()),
        interface,
        text,
        *([] if request.form != ENGINE else [request.domain]),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:32]


def _asked_build(function: FunctionInfo, given: Mapping[str, str]) -> dict[str, str]:
    """Return build values: what is asked for, and defaults of what the function marks."""
    known = {entry.name: entry for entry in function.parameters}
    build = {name: value for name, value in given.items() if name in known}
    for name, entry in known.items():
        if has(entry, "Build") and name not in build:
            build[name] = default_of(entry)
    return build


def default_of(parameter: Any) -> str:  # noqa: ANN401  (weft._native.Parameter)
    """Return the value of a parameter that nobody chose, as Slang spells it."""
    if parameter.default_text:
        return str(parameter.default_text)
    if parameter.type.enumerators:
        return f"{parameter.type.name}.{next(iter(parameter.type.enumerators))}"
    for entry in parameter.attributes:
        if entry.name == "Range" and parameter.type.name in _WHOLE:
            return str(int(entry.arguments[0]))
    return "false" if parameter.type.name == "bool" else "1"


def _lower_nodes(
    request: Request, function: FunctionInfo, build: dict[str, str]
) -> tuple[Lowered, dict[str, str]]:
    """Lower to nodes; integers that bound loops become part of the tree."""
    try:
        lowered = _lower(request, build, to="nodes")
    except weft.ArgumentError as refusal:
        if "loop" not in str(refusal):
            raise
        return _lower_bounded(request, function, build, refusal)
    bounds = [name for name in lowered.loop_parameters if name not in build]
    if not bounds:
        return lowered, build
    known = {entry.name: entry for entry in function.parameters}
    fixed = build | {name: default_of(known[name]) for name in bounds}
    return _lower(request, fixed, to="nodes"), fixed


def _lower_bounded(
    request: Request, function: FunctionInfo, build: dict[str, str], refusal: weft.ArgumentError
) -> tuple[Lowered, dict[str, str]]:
    """Find the integers and cases without which a loop has no bound: one, or all."""
    integers = [
        entry
        for entry in function.parameters
        if (entry.type.name in _WHOLE or entry.type.enumerators) and entry.name not in build
    ]
    choices = [[entry] for entry in integers]
    if len(integers) > 1:
        choices.append(integers)
    for chosen in choices:
        fixed = build | {entry.name: default_of(entry) for entry in chosen}
        try:
            return _lower(request, fixed, to="nodes"), fixed
        except weft.ArgumentError:
            continue
    raise refusal


def _lower(request: Request, build: Mapping[str, str], *, to: str) -> Lowered:
    source = request.source
    with _plain_errors():
        return lowering.lower(
            source.path,
            request.function,
            to=to,
            tree=_TREES[request.tree],
            blender=request.blender,
            build=build,
            text=source.text,
            include_paths=source.folders,
            name=source.title,
        )
