# SPDX-License-Identifier: Apache-2.0
"""Values of lowered functions: parameters and results as arrays of words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weft._native import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    Values = Mapping[str, ArrayLike]

COMPONENTS = "xyzw"

Leaves = list[tuple[bool, int]]
"""Scalars of a variable: whether each is real, and its number in its buffer."""


@dataclass(frozen=True)
class Variable:
    """A parameter, or a result, as :meth:`Lowered.evaluate` takes and gives it.

    Attributes:
        name: As of a socket.
        scalar: Slang's name of a component's type.
        components: 1; of a vector 2, 3 or 4.
    """

    name: str
    scalar: str
    components: int


def variables_of(leaves: list[tuple[str, str, str, bool, int]]) -> list[tuple[Variable, Leaves]]:
    """Return parameters or results with the scalars of each; components of a vector are one."""
    found: list[tuple[Variable, Leaves]] = []
    vector = ""  # the name of what the last leaf is a component of
    for name, path, scalar, is_real, number in leaves:
        full = (name or "Result") + path
        last, scalars = found[-1] if found else (None, [])
        if last and vector and last.scalar == scalar and len(scalars) < len(COMPONENTS):
            if full == f"{vector}.{COMPONENTS[len(scalars)]}":
                scalars.append((is_real, number))
                found[-1] = (Variable(vector, scalar, len(scalars)), scalars)
                continue
        vector = full[:-2] if path.endswith(".x") else ""
        found.append((Variable(full, scalar, 1), [(is_real, number)]))
    return found


def length_of(parameters: tuple[Variable, ...], values: Values) -> int:
    """Return how many points values are given for."""
    import numpy as np

    if not parameters:
        return 1
    shape = np.shape(values[parameters[0].name])
    return int(shape[0]) if shape else 1


def columns_of(variable: Variable, value: ArrayLike, count: int) -> NDArray[Any]:
    """Return a parameter's array as words: (count, components).

    Raises:
        ArgumentError: It has another shape.
    """
    import numpy as np

    array: NDArray[Any] = np.asarray(value)
    wanted = (count, variable.components) if variable.components > 1 else (count,)
    if array.shape != wanted:
        message = (
            f"evaluate: '{variable.name}' must have the shape {wanted}, got {tuple(array.shape)}"
        )
        raise ArgumentError(message)
    if variable.scalar in ("float", "half"):
        array = array.astype(np.float32)
    elif variable.scalar == "bool":
        array = array.astype(bool).astype(np.int32)
    else:
        array = array.astype(np.int64).astype(np.uint32)
    return array.reshape(count, variable.components)


def in_order(arrays: dict[int, bytes]) -> list[bytes]:
    """Return the columns of a buffer by number; those that nothing gives are empty."""
    return [arrays.get(number, b"") for number in range(max(arrays, default=-1) + 1)]


def result_of(words: bytes, scalar: str) -> NDArray[Any]:
    """Return a column of results: float32, int32, uint32 or bool."""
    import numpy as np

    if scalar == "bool":
        truth: NDArray[Any] = np.frombuffer(words, np.int32) != 0
        return truth
    kind = {"float": "f4", "half": "f4", "uint": "u4"}.get(scalar, "i4")
    return np.frombuffer(words, kind)
