# SPDX-License-Identifier: Apache-2.0
"""Slang functions as data: trees of Blender's nodes, OSL, graphs. No device is needed."""

from __future__ import annotations

import functools
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weft._eevee_limits import eevee_warnings
from weft._lowered_values import (
    Variable as Variable,
)
from weft._lowered_values import (
    columns_of,
    in_order,
    length_of,
    result_of,
    variables_of,
)
from weft._native import ArgumentError, ArgumentTypeError, Function, LoweringCompiler

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from weft._native import FunctionInfo, LoweredFunction, StructInfo

    Values = Mapping[str, ArrayLike]
    Texels = tuple[int, int, bytes]

FORMS = ("nodes", "json", "osl", "dag", "dot", "slang")
TREES = ("shader", "geometry", "compositor")
OLDEST_BLENDER = (4, 5)
NEW_CELLS = (5, 0)
"""The version from which on Voronoi textures have other points and colors."""

NEW_FILES = (5, 0)
"""The version from which on shaders in OSL look files up in another way, seen in 5.2."""

TEXT_NAME = "<text>"
"""What messages call a text that has no name."""


@dataclass(frozen=True)
class Socket:
    """A socket of the group around a tree.

    Attributes:
        name: The parameter's, with the path of what it holds of it: ``cell.place``; of what the
            function returns ``Result``.
        type: Blender's: ``NodeSocketFloat``, ``NodeSocketVector``, ...
        label: What a person reads; ``""``: the name.
        tooltip: One sentence, or ``""``.
        default: Of a scalar with a literal default; of an enumeration the case's value; of what a
            structure holds a number, or two or three of a vector, where it is not 0.
        minimum: Of the slider, not of the value.
        maximum: The same.
        cases: Of an enumeration, with their values; ``NodeSocketMenu`` shows their names, sockets
            of other types hold a value.
        items: Of a ``NodeSocketBundle``, with names of their own (``place``); bundles in it are
            among them.
    """

    name: str
    type: str
    label: str = ""
    tooltip: str = ""
    default: float | tuple[float, ...] | None = None
    minimum: float | None = None
    maximum: float | None = None
    cases: Mapping[str, int] = field(default_factory=dict)
    items: tuple[Socket, ...] = ()

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Socket:
        """Return a socket of its entry in ``Lowered.tree``."""
        default = entry.get("default")
        items = tuple(map(cls.of, entry.get("items", ())))
        found = {**entry, "items": items}
        if isinstance(default, list):
            found["default"] = tuple(default)
        return cls(**found)


@dataclass(frozen=True)
class SourceInfo:
    """What a source declares.

    Attributes:
        functions: All overloads that can be called, in the order of the source; imported ones are
            left out.
        structures: With their methods.
        files: That it is made of, the source's own first, Weft's modules left out; a text has no
            file of its own.
        hash: Of everything on which its functions depend.
    """

    functions: tuple[FunctionInfo, ...]
    structures: tuple[StructInfo, ...]
    files: tuple[str, ...]
    hash: str


class Lowered:
    """A function that has been lowered.

    Attributes:
        name: Of the function.
        form: What ``text`` is: one of ``FORMS``.
        text: The result: JSON of a tree, a shader in OSL, lines of a graph, Slang.
        tree: The tree as JSON has it; ``None`` unless the form is ``"nodes"`` or ``"json"``.
        inputs: Sockets of the tree, or of the shader in OSL, whose parameters come in this order;
            of ``"slang"`` those that the shader would have; of other forms, empty.
        outputs: The same.
        operations: Of the graph, constants and inputs left out; 0 for OSL and Slang, which need no
            graph.
        loop_parameters: Integers on which it depends how often a loop runs: trees are smaller where
            ``build`` fixes them. Not known of OSL without a graph.
        cost: An estimate of what evaluating the tree takes one core of a processor: of a shader
            tree nanoseconds a shade in Cycles, of others milliseconds a million points or pixels;
            ``None`` unless the form is ``"nodes"`` or ``"json"``.
        cost_unit: The unit in words: ``"ns a shade"``; ``""`` without an estimate.
        warnings: What differs from renderer to renderer; not known of OSL without a graph. What
            EEVEE does not manage of a shader tree.
        images: Names of the images that the function looks up: parameters that are textures, then
            names that ``sampleImage`` is given. Geometry trees have sockets for them, after all
            other inputs; nodes of shader trees name them in their property ``image``; shaders in
            OSL, for Blender 4 alone, have a file's name and whether it is sRGB, after all other
            parameters.
        parameters: What :meth:`evaluate` takes besides.
        results: What it gives.
    """

    def __init__(
        self, lowered: LoweredFunction, form: str, tree: str, blender: tuple[int, int]
    ) -> None:
        self._lowered = lowered
        self.name = lowered.name
        self.form = form
        self.tree: dict[str, Any] | None = None
        self.inputs: tuple[Socket, ...] = ()
        self.outputs: tuple[Socket, ...] = ()
        self.cost: float | None = None
        self.cost_unit = ""
        self.operations = 0 if form in ("osl", "slang") else lowered.operations
        self.loop_parameters, self.warnings = _of_graph(lowered)
        self.images = _images_of(lowered)
        self.parameters = tuple(variable for variable, _ in variables_of(_inputs_of(lowered)))
        self.results = tuple(variable for variable, _ in variables_of(lowered.results))
        if form in ("nodes", "json"):
            self.text = lowered.tree(tree, *blender)
            self.tree = json.loads(self.text)
            self.cost, self.cost_unit = self.tree["cost"], self.tree["cost_unit"]
            self.warnings += eevee_warnings(self.tree)
            self._read_sockets(self.tree)
        elif form == "osl":
            self.text = lowered.osl()
            if self.images and blender >= NEW_FILES:
                message = (
                    f"lower: '{self.name}' looks images up, which Cycles of Blender 5 does in "
                    "another way in OSL: lower it to nodes, or for blender=(4, 5)"
                )
                raise ArgumentError(message)
            self._read_sockets(json.loads(lowered.sockets()))
        elif form == "slang":
            self.text = lowered.source
            self._read_sockets(json.loads(lowered.sockets()))
        else:
            self.text = lowered.dag() if form == "dag" else lowered.dot()

    def _read_sockets(self, tree: dict[str, Any]) -> None:
        self.inputs = tuple(map(Socket.of, tree["inputs"]))
        self.outputs = tuple(map(Socket.of, tree["outputs"]))

    def __repr__(self) -> str:
        return f"<weft.Lowered {self.name}: {self.form}, {self.operations} operations>"

    @property
    def nodes(self) -> int:
        """Nodes of the tree, without its input and output; 0 of other forms."""
        return len(self.tree["nodes"]) - 1 if self.tree else 0

    def evaluate(
        self, values: Values, images: Mapping[str, ArrayLike] | None = None
    ) -> dict[str, NDArray[Any]]:
        """Evaluate the graph on the host: the reference for everything that it is lowered to.

        Args:
            values: An array for each of ``parameters``, of one length N: shape (N,), of a vector
                (N, components). Real numbers are float32, integers are taken modulo 2^32.
            images: An array for each of ``images``: (height, width) or (height, width, channels),
                of 1, 3 or 4 channels. The first row is where v is 0, as in ``pixels`` of Blender's
                images; colors are taken as they are. One channel is gray, alpha is 1 unless it is
                given. They are looked up linearly and repeated.

        Returns:
            An array for each of ``results``, of these shapes: float32, int32, uint32 or bool.

        Raises:
            ArgumentError: One is missing, unknown or of another shape.
        """
        import numpy as np

        self._require_known(values)
        texels = _texels(self.name, self.images, images or {})
        count = length_of(self.parameters, values)
        reals: dict[int, bytes] = {}
        integers: dict[int, bytes] = {}
        for variable, leaves in variables_of(_inputs_of(self._lowered)):
            array = columns_of(variable, values[variable.name], count)
            for column, (is_real, number) in enumerate(leaves):
                (reals if is_real else integers)[number] = array[:, column].tobytes()
        found = self._lowered.interpret(in_order(reals), in_order(integers), count, texels)
        results = {}
        for variable, leaves in variables_of(self._lowered.results):
            columns = [
                result_of(found[0 if is_real else 1][number], variable.scalar)
                for is_real, number in leaves
            ]
            is_vector = variable.components > 1
            results[variable.name] = np.stack(columns, axis=1) if is_vector else columns[0]
        return results

    def _require_known(self, values: Values) -> None:
        known = {variable.name for variable in self.parameters}
        unknown = sorted(set(values) - known)
        if unknown or len(values) < len(known):
            names = ", ".join(sorted(known)) or "none"
            message = f"evaluate: '{self.name}' takes {names}; got {', '.join(values) or 'none'}"
            raise ArgumentError(message)


def lower(
    source: Function | str | os.PathLike[str] | None,
    function: str | None = None,
    *,
    to: str = "nodes",
    tree: str = "shader",
    blender: Sequence[int] | str = (4, 5),
    build: Mapping[str, object] | None = None,
    text: str | None = None,
    include_paths: Sequence[str | os.PathLike[str]] = (),
    defines: Mapping[str, object] | None = None,
    name: str = TEXT_NAME,
) -> Lowered:
    """Lower a Slang function to nodes of Blender, to OSL or to a graph of its operations.

    Args:
        source: The path of a ``.slang`` file, or a function of a module (``module.f``), which need
            not be named again; ``None`` with ``text``.
        function: ``"f"``, ``"f<float, 3>"``, of an overload ``"f(float2, int)"``.
        to: ``"nodes"`` (``"json"`` is the same): a tree of Blender's nodes. ``"osl"``: a shader for
            Cycles, in which loops need no bound. ``"dag"``, ``"dot"``: the operations, as lines or
            for Graphviz. ``"slang"``: the compiled entry point.
        tree: ``"shader"``, ``"geometry"`` or ``"compositor"``.
        blender: The version that the tree is for, 4.5 or later: ``(5, 2)`` or ``"5.2"``.
        build: Values of parameters that become part of the tree: ``{"octaves": 5}``. Texts are
            Slang: ``{"mode": "Mode.Soft"}``.
        text: The source itself, instead of a path.
        include_paths: Folders in which imports are looked for.
        defines: Preprocessor definitions.
        name: What messages call a `text`.

    Returns:
        The tree or the text, its sockets and counts.

    Raises:
        ArgumentError: What cannot be lowered, and why; names and values that do not exist.
        CompileError: The source does not compile.
    """
    _check_choice("to", to, FORMS)
    _check_choice("tree", tree, TREES)
    version = _version(blender)
    fixed = {name: _spelled(name, value) for name, value in (build or {}).items()}
    has_old_cells = version < NEW_CELLS
    if isinstance(source, Function):
        types = "" if function is None else function
        lowered = _compiler().lower_function(source, types, fixed, has_old_cells)
        return Lowered(lowered, to, tree, version)
    if function is None:
        message = 'lower: name the function, as in weft.lower("noise.slang", "noise")'
        raise ArgumentError(message)
    path = _only_one("lower", source, text)
    options = _options(include_paths, defines, name) | {"has_old_cells": has_old_cells}
    lowered = _compiler().lower(path, text or "", function, fixed, options)
    return Lowered(lowered, to, tree, version)


def source_info(
    source: str | os.PathLike[str] | None,
    *,
    text: str | None = None,
    include_paths: Sequence[str | os.PathLike[str]] = (),
    defines: Mapping[str, object] | None = None,
    name: str = TEXT_NAME,
) -> SourceInfo:
    """Read what a source declares; no device is needed.

    Args:
        source: The path of a ``.slang`` file; ``None`` with ``text``.
        text: The source itself.
        include_paths: Folders in which imports are looked for.
        defines: Preprocessor definitions.
        name: What messages call a `text`.

    Raises:
        ArgumentError: Neither or both of path and text are given.
        CompileError: The source does not compile.
    """
    path = _only_one("source_info", source, text)
    found = _compiler().source_info(path, text or "", _options(include_paths, defines, name))
    return SourceInfo(
        tuple(found["functions"]),
        tuple(found["structures"]),
        tuple(found["files"]),
        found["hash"],
    )


def function_info(
    source: str | os.PathLike[str] | None,
    function: str,
    *,
    text: str | None = None,
    include_paths: Sequence[str | os.PathLike[str]] = (),
    defines: Mapping[str, object] | None = None,
    name: str = TEXT_NAME,
) -> FunctionInfo:
    """Read one declaration; no device is needed.

    Args:
        source: The path of a ``.slang`` file; ``None`` with ``text``.
        function: As :func:`lower` takes it. Of ``"f<float, 3>"`` the types of the parameters are
            those of the generic function with these arguments.
        text: The source itself.
        include_paths: Folders in which imports are looked for.
        defines: Preprocessor definitions.
        name: What messages call a `text`.

    Raises:
        ArgumentError: There is no such function, overload or specialization; neither or both of
            path and text are given.
        CompileError: The source does not compile.
    """
    path = _only_one("function_info", source, text)
    options = _options(include_paths, defines, name)
    return _compiler().function_info(path, text or "", function, options)


def _only_one(name: str, source: str | os.PathLike[str] | None, text: str | None) -> str:
    """Return the path, "" of a text."""
    if (source is None) == (text is None):
        message = f"{name}: give either the path of a source or text="
        raise ArgumentError(message)
    return "" if source is None else _path(source)


def _options(
    include_paths: Sequence[str | os.PathLike[str]],
    defines: Mapping[str, object] | None,
    name: str,
) -> dict[str, object]:
    return {
        "name": name,
        "include_paths": [str(Path(folder).absolute()) for folder in include_paths],
        "defines": dict(defines or {}),
    }


@functools.cache
def _compiler() -> LoweringCompiler:
    return LoweringCompiler()


def _path(source: object) -> str:
    if not isinstance(source, str | os.PathLike):
        message = (
            f"lower: source must be a path or a function of a module, got {type(source).__name__}"
        )
        raise ArgumentTypeError(message)
    path = Path(source).absolute()
    return str(path if path.exists() or path.suffix == ".slang" else path.with_suffix(".slang"))


def _check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        known = ", ".join(repr(choice) for choice in choices)
        message = f"lower: {name} must be one of {known}, got {value!r}"
        raise ArgumentError(message)


def _version(blender: Sequence[int] | str) -> tuple[int, int]:
    parts = blender.split(".") if isinstance(blender, str) else list(blender)
    try:
        version = (int(parts[0]), int(parts[1]))
    except (IndexError, TypeError, ValueError):
        version = (0, 0)
    if version < OLDEST_BLENDER:
        message = f"lower: blender must be a version from 4.5 on, as '5.2', got {blender!r}"
        raise ArgumentError(message)
    return version


def _spelled(name: str, value: object) -> str:
    """Return a value as Slang spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | str):
        return repr(value) if not isinstance(value, str) else value
    message = f"lower: build[{name!r}] must be a number or Slang text, got {type(value).__name__}"
    raise ArgumentTypeError(message)


def _of_graph(lowered: LoweredFunction) -> tuple[tuple[str, ...], tuple[str, ...]]:
    try:
        return tuple(lowered.loop_parameters), tuple(lowered.warnings)
    except ArgumentError:  # no graph: of nodes that is said by what makes them
        return (), ()


def _images_of(lowered: LoweredFunction) -> tuple[str, ...]:
    try:
        return tuple(lowered.images)
    except ArgumentError:  # no graph, and so no names
        return ()


def _texels(function: str, names: tuple[str, ...], images: Mapping[str, ArrayLike]) -> list[Texels]:
    if set(images) != set(names):
        message = (
            f"evaluate: '{function}' looks up {', '.join(names) or 'no image'}; give images= "
            f"an array for each, got {', '.join(images) or 'none'}"
        )
        raise ArgumentError(message)
    return [_four_channels(name, images[name]) for name in names]


def _four_channels(name: str, image: ArrayLike) -> Texels:
    import numpy as np

    array = np.asarray(image)
    array = array[..., None] if array.ndim == 2 else array
    if array.ndim != 3 or array.size == 0 or array.shape[2] not in (1, 3, 4):
        message = (
            f"evaluate: the image '{name}' must be (height, width) or (height, width, channels) "
            f"with 1, 3 or 4 channels, got {np.shape(image)}"
        )
        raise ArgumentError(message)
    height, width, channels = array.shape
    texels = np.ones((height, width, 4), np.float32)
    texels[..., : max(3, channels)] = array
    return width, height, texels.tobytes()


def _inputs_of(lowered: LoweredFunction) -> list[tuple[str, str, str, bool, int]]:
    try:
        return lowered.inputs
    except ArgumentError:  # no graph: what there is none of cannot be evaluated either
        return []
