# SPDX-License-Identifier: Apache-2.0
"""The tensors that an optimizer changes, by name, and settings given for each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar, cast

from weft._native import ArgumentError, ArgumentTypeError, Tensor, TypeKind

Tensors: TypeAlias = "Tensor | Sequence[Tensor] | Mapping[str, Tensor]"
"""One tensor, a list (its names are "0", "1", ...), or tensors by name."""

T = TypeVar("T")

FLOATS = ("half", "float", "double")


@dataclass(frozen=True)
class Parameter:
    """A tensor to optimize.

    Attributes:
        name: What messages and states call it.
        tensor: As the user gave it.
        scalars: A view of its memory without vectors: dtype half, float or double.
        number: The type of arithmetic and of moments: double for double, else float.
    """

    name: str
    tensor: Tensor
    scalars: Tensor
    number: str


def scalars_of(function: str, what: str, tensor: Tensor) -> Tensor:
    """Return a view of a tensor as scalars.

    Raises:
        ArgumentError: It holds no half, float, double, or vectors, matrices and arrays of these.
    """
    kind: TypeKind = tensor.dtype.kind
    if kind is not TypeKind.structure:
        flat = tensor if kind is TypeKind.scalar else tensor.flatten_dtype()
        if flat.dtype.name in FLOATS:
            return flat
    raise ArgumentTypeError(
        f"{function}: {what} must hold half, float, double, or vectors of these, "
        f"got {tensor.dtype.full_name}; convert it with astype(), or optimize the fields one by one"
    )


def read_parameters(function: str, tensors: Tensors) -> list[Parameter]:
    """Name the tensors and check that they can be written by one step.

    Raises:
        ArgumentError: There is none; one is no float tensor, is broadcast, or comes twice; they are
            on different devices.
    """
    named = _name_all(function, tensors)
    if not named:
        raise ArgumentError(f"{function}: parameters are empty; pass at least one tensor")
    found = []
    for name, tensor in named.items():
        if not isinstance(tensor, Tensor):
            raise ArgumentTypeError(
                f"{function}: parameter '{name}' must be a Tensor, got {type(tensor).__name__}; "
                "make one with Tensor.from_numpy()"
            )
        scalars = scalars_of(function, f"parameter '{name}'", tensor)
        number = "double" if scalars.dtype.name == "double" else "float"
        found.append(Parameter(name, tensor, scalars, number))
    _check_memory(function, found)
    return found


def _name_all(function: str, tensors: Tensors) -> dict[str, Tensor]:
    if isinstance(tensors, Tensor):
        return {"0": tensors}
    if isinstance(tensors, Mapping):
        return {str(name): tensor for name, tensor in tensors.items()}
    if isinstance(tensors, Sequence) and not isinstance(tensors, str):
        return {str(index): tensor for index, tensor in enumerate(tensors)}
    raise ArgumentTypeError(
        f"{function}: parameters must be a Tensor, a list of them or a dict of them by name, "
        f"got {type(tensors).__name__}"
    )


def _check_memory(function: str, parameters: Sequence[Parameter]) -> None:
    """Each element has memory of its own; all are on one device."""
    seen: dict[int, str] = {}
    for parameter in parameters:
        view = parameter.scalars
        if view.size == 0:
            continue
        extents = zip(view.shape, view.strides, strict=True)
        if any(stride == 0 and extent > 1 for extent, stride in extents):
            raise ArgumentError(
                f"{function}: parameter '{parameter.name}' is a broadcast view, several elements "
                "share memory; pass a copy from contiguous()"
            )
        if view.address in seen:
            raise ArgumentError(
                f"{function}: parameters '{seen[view.address]}' and '{parameter.name}' share "
                "memory; pass each tensor once"
            )
        seen[view.address] = parameter.name
        if view.device is not parameters[0].tensor.device:
            raise ArgumentError(
                f"{function}: parameter '{parameter.name}' is on another device than "
                f"'{parameters[0].name}'; make one optimizer a device"
            )


def spread(
    function: str,
    what: str,
    value: object,
    parameters: Sequence[Parameter],
    *,
    convert: Callable[[str, Any], T],
    absent: T | None = None,
) -> list[T]:
    """Return one setting a parameter.

    Args:
        function: Stands in messages.
        what: Name of the argument, for messages.
        value: One for all; or a list, one a parameter; or a dict by name.
        parameters: What the settings are for.
        convert: Checks one setting; takes how messages call it, and it.
        absent: For names that the dict leaves out; None refuses that.

    Raises:
        ArgumentError: The number or the names do not fit.
    """
    if isinstance(value, Mapping):
        _check_names(function, what, value, parameters, complete=absent is None)
        return [
            convert(f"{what}['{p.name}']", value[p.name]) if p.name in value else cast("T", absent)
            for p in parameters
        ]
    if isinstance(value, list):
        if len(value) != len(parameters):
            raise ArgumentError(
                f"{function}: {what} has {len(value)} entries for {len(parameters)} parameters; "
                "pass one for each"
            )
        return [convert(f"{what}[{index}]", entry) for index, entry in enumerate(value)]
    return [convert(what, value)] * len(parameters)


def _check_names(
    function: str,
    what: str,
    value: Mapping[str, object],
    parameters: Sequence[Parameter],
    *,
    complete: bool,
) -> None:
    names = [parameter.name for parameter in parameters]
    for name in value:
        if name not in names:
            raise ArgumentError(
                f"{function}: {what} names '{name}', which is no parameter; "
                f"they are {', '.join(names)}"
            )
    for name in names:
        if complete and name not in value:
            raise ArgumentError(f"{function}: {what} has no entry for parameter '{name}'; add it")


def read_number(function: str, what: str, value: object, lowest: float, remedy: str) -> float:
    """Return a number of at least `lowest`; infinity passes, a NaN does not.

    Raises:
        ArgumentError: It is none.
    """
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise ArgumentTypeError(
            f"{function}: {what} must be a number, got {type(value).__name__}; {remedy}"
        )
    number = float(cast("float", value))
    if not number >= lowest:
        raise ArgumentError(
            f"{function}: {what} must be {lowest:g} or greater, got {number:g}; {remedy}"
        )
    return number
