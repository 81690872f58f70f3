# SPDX-License-Identifier: Apache-2.0
"""The function that is drawn: found in its file, with what its parameters and attributes say."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, FunctionInfo, Module, create_device
from weft.lowering import source_info

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from weft._native import Device, Function, Parameter

    Array = NDArray[np.float64]

PLACES = ("float2", "float3")


@dataclass(frozen=True)
class Subject:
    """A function on a device, and how it is drawn.

    Attributes:
        info: What the source declares.
        function: That computes.
        kind: Of ``[Preview]``, or chosen by the first parameter.
        extent: How far the picture goes.
        values: Of parameters, where they are not those of the declaration.
        is_chosen: Whether there is no ``[Preview]``.
        source: The file.
    """

    info: FunctionInfo
    function: Function
    kind: str
    extent: float
    values: Mapping[str, object]
    is_chosen: bool
    source: Path

    @property
    def name(self) -> str:
        """The function's."""
        return self.info.name

    def error(self, text: str) -> ArgumentError:
        """Return the error that this function cannot be drawn so."""
        return ArgumentError(f"gallery: '{self.name}' in {self.source}: {text}")

    def evaluate(self, **arrays: Array) -> dict[str, Array]:
        """Compute it over arrays (N,) or (N, k); of one result the name is ``""``."""
        arguments = {**self.values, **{k: v.astype(np.float32) for k, v in arrays.items()}}
        found = np.asarray(self.function(**arguments, _result="numpy"))
        names = found.dtype.names
        if names is None:
            return {"": found.astype(np.float64)}
        return {name: found[name].astype(np.float64) for name in names if _is_plain(found[name])}

    def of_type(self, *types: str) -> list[Parameter]:
        """Return the parameters of these types."""
        return [p for p in self.info.parameters if p.type.name in types]

    def place(self) -> Parameter:
        """Return the first vector of two or three numbers.

        Raises:
            ArgumentError: There is none.
        """
        for parameter in self.of_type(*PLACES):
            return parameter
        raise self.error(f"[Preview] of kind {self.kind} needs a parameter float2 or float3")

    def number(self) -> Parameter:
        """Return the first float.

        Raises:
            ArgumentError: There is none.
        """
        for parameter in self.of_type("float"):
            return parameter
        raise self.error(f"[Preview] of kind {self.kind} needs a parameter float")

    def places(self, parameter: Parameter, points: Array) -> Array:
        """Return points (N, 3) for a parameter; off the plane z = 0 its default counts."""
        if parameter.type.name == "float2":
            return points[..., :2]
        offset = self.values.get(parameter.name)
        if offset is None:
            return points
        moved: Array = points + np.asarray(offset, np.float64) * np.array([0.0, 0.0, 1.0])
        return moved


def _is_plain(field: NDArray[Any]) -> bool:
    return field.dtype.names is None and field.ndim <= 2


def attribute(owner: FunctionInfo | Parameter, name: str) -> list[Any] | None:
    """Return the arguments of an attribute, ``None`` without it."""
    return next((list(a.arguments) for a in owner.attributes if a.name == name), None)


def find_subject(
    source: str | os.PathLike[str],
    function: str | None,
    device: Device | None,
    values: Mapping[str, object],
) -> Subject:
    """Find a function in a file and say how it is drawn.

    Raises:
        ArgumentError: As :func:`weft.gallery.draw` says.
    """
    path = Path(source)
    info = _find(path, function)
    known = [p.name for p in info.parameters]
    for name in values:
        if name not in known:
            message = f"gallery: '{info.name}' has no parameter '{name}'; it has {', '.join(known)}"
            raise ArgumentError(message)
    preview = attribute(info, "Preview")
    kind, extent = preview or (_chosen(path, info), 1.0)
    owner = device if device is not None else create_device()
    callee = Module.load_from_file(owner, path).find_function(info.name)
    if callee is None:
        message = f"gallery: '{info.name}' in {path} cannot be called"
        raise ArgumentError(message)
    given = {**_defaults(info), **values}
    return Subject(info, callee, str(kind), float(extent), given, preview is None, path)


def _find(path: Path, function: str | None) -> FunctionInfo:
    functions = source_info(path).functions
    if function is not None:
        found = [f for f in functions if f.name == function]
        remedy = "name one of them"
    else:
        found = [f for f in functions if attribute(f, "Node") is not None] or list(functions)
        remedy = "name the function to draw"
    if len(found) == 1:
        return found[0]
    names = ", ".join(sorted({f.name for f in functions})) or "none"
    wanted = f"one function '{function}'" if function else "one function with [Node]"
    message = f"gallery: {path} has not {wanted}: {remedy}; its functions are {names}"
    raise ArgumentError(message)


def _chosen(path: Path, info: FunctionInfo) -> str:
    if info.parameters and info.parameters[0].type.name in PLACES:
        return "Plane"
    message = (
        f"gallery: '{info.name}' in {path} has no [Preview], and its first parameter is no float2 "
        'or float3 over which to draw; write [Preview("Graph", 1)] before it, for example'
    )
    raise ArgumentError(message)


def _defaults(info: FunctionInfo) -> dict[str, object]:
    """Return values of ``[Default]``; what is left out has its value in the declaration, or 0."""
    found: dict[str, object] = {}
    for parameter in info.parameters:
        given = attribute(parameter, "Default")
        shape = tuple(parameter.type.shape)
        if given is not None:
            numbers = tuple(float(word) for word in str(given[0]).split(","))
            found[parameter.name] = numbers if len(numbers) > 1 else numbers[0]
        elif not parameter.has_default and parameter.type.name.rstrip("234") == "float":
            found[parameter.name] = (0.0,) * shape[0] if shape else 0.0
    return found
