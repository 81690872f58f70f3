# SPDX-License-Identifier: Apache-2.0
"""The numbers of a call that check_gradients moves, and where they are in its arguments."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, DiffPair, Direction, Tensor, TypeKind, from_dlpack

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import DTypeLike, NDArray

    from weft._native import Function, Parameter

    Wrt = Sequence[int | str]
    Floats = NDArray[np.floating]

NAME = "check_gradients"


@dataclass(frozen=True)
class Pair:
    """A number of the backward derivative and what it should be."""

    label: str
    found: float
    expected: float
    scale: float
    """Differences below it count less than their relative size."""

    @property
    def error(self) -> float:
        """Return the difference, relative to the size of the numbers that are summed."""
        size = max(abs(self.found), abs(self.expected), self.scale)
        return abs(self.found - self.expected) / size

    def __str__(self) -> str:
        return (
            f"{self.label}: the gradient is {self.found:.6g}, expected {self.expected:.6g}, "
            f"relative difference {self.error:.2g}"
        )


@dataclass(eq=False)
class Leaf:
    """A tensor inside the arguments."""

    label: str
    tensor: Tensor
    """A copy of the caller's values."""
    is_input: bool
    is_output: bool
    may_be_exempt: bool = False
    """A field or a whole tensor, which may be no_diff without reflection telling."""

    def choose_roles(self, is_input: bool, *, is_written: bool) -> None:
        """Set what it is in a call that names the arguments that go in and that are written."""
        self.is_input = self.is_input and is_input
        self.is_output = self.is_output or (is_written and not self.is_input)


def named_fields(array: NDArray[Any], label: str) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yield the arrays of numbers in a structured array, as views, with what to call them."""
    names = array.dtype.names
    if names is None:
        yield label, array
        return
    for name in names:
        yield from named_fields(array[name], f"{label}.{name}")


def is_float(array: NDArray[Any]) -> bool:
    """Return whether an array holds floats."""
    return array.dtype.kind == "f"


def scalar_name(slang_type: Any) -> str | None:  # noqa: ANN401
    """Return numpy's name of the scalars of a type; None for structures and generic parameters."""
    while slang_type is not None and slang_type.numpy_name is None:
        slang_type = slang_type.element
    return None if slang_type is None else str(slang_type.numpy_name)


def roles_of(parameter: Parameter) -> tuple[bool, bool]:
    """Return whether a parameter goes in, and whether it comes out."""
    if parameter.type is not None and parameter.type.kind == TypeKind.tensor:
        head = parameter.type.full_name.partition("<")[0].lstrip("I")
        return not head.startswith("W"), head.startswith(("W", "RW", "NDBuffer", "RWNDBuffer"))
    return parameter.direction != Direction.out, parameter.direction != Direction.in_


def may_vary(parameter: Parameter) -> bool:
    """Return whether a parameter can have a gradient, as far as its type is known."""
    kind = None if parameter.type is None else parameter.type.kind
    if kind == TypeKind.tensor:
        return "Diff" in parameter.type.full_name.partition("<")[0]
    if parameter.is_no_diff:
        return False
    scalar = None if parameter.type is None else scalar_name(parameter.type)
    return scalar is None or scalar.startswith("float")


class Reader:
    """Makes leaves of one argument."""

    def __init__(self, function: Function, parameter: Parameter, varies: bool | None) -> None:
        self.function = function
        self.parameter = parameter
        self.is_in, self.is_out = roles_of(parameter)
        self.varies = may_vary(parameter) if varies is None else varies
        self.leaves: list[Leaf] = []

    def read(self, value: Any, label: str, is_field: bool = False) -> Any:  # noqa: ANN401
        """Return the argument with leaves in the place of its arrays, and of numbers that vary."""
        if isinstance(value, dict):
            return {
                key: entry if key == "_type" else self.read(entry, f"{label}.{key}", True)
                for key, entry in value.items()
            }
        record = _as_record(value)
        if record is not None:
            return self.read(record, label)
        if _is_list_of_structures(value):
            return [self.read(entry, f"{label}[{i}]", True) for i, entry in enumerate(value)]
        if isinstance(value, DiffPair):
            return self.read(value.primal, label, is_field)
        tensor = self._tensor(value, is_field)
        return value if tensor is None else self._leaf(tensor, label, is_field)

    def _tensor(self, value: Any, is_field: bool) -> Tensor | None:  # noqa: ANN401
        """Return a copy of a value in device memory; None for what stays as it is."""
        device = self.function.device
        if isinstance(value, Tensor):
            copy = Tensor.empty_like(value)
            copy.copy_from_numpy(value.to_numpy())
            return copy
        if isinstance(value, (bool, str, bytes)) or value is None:
            return None
        if hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
            return from_dlpack(device, value)
        if not isinstance(value, (int, float, list, tuple, np.ndarray, np.generic)):
            return None  # a generator
        return self._tensor_of_numbers(value, is_field)

    def _tensor_of_numbers(self, value: Any, is_field: bool) -> Tensor | None:  # noqa: ANN401
        device, array = self.function.device, np.asarray(value)
        is_number = isinstance(value, (int, float))
        if array.dtype.kind not in ("f" if is_field or not self.varies else "fiu"):
            return None if not self.is_out else Tensor.from_numpy(device, array)
        if is_number and not self.varies:
            return None
        scalar = None if is_field else scalar_name(self.parameter.type)
        return Tensor.from_numpy(device, array.astype(_dtype_of_copy(array, scalar)))

    def _leaf(self, tensor: Tensor, label: str, is_field: bool) -> Leaf:
        varies = self.varies
        if varies:
            try:
                tensor.with_grads()
            except ArgumentError:
                varies = False
        is_input, is_output = varies and self.is_in, varies and self.is_out
        is_tensor = self.parameter.type is not None and (
            self.parameter.type.kind == TypeKind.tensor
        )
        leaf = Leaf(label, tensor, is_input, is_output, is_field or is_tensor)
        self.leaves.append(leaf)
        return leaf


def _as_record(value: Any) -> dict[str, Any] | None:  # noqa: ANN401
    """Return the fields of a dataclass or of a named tuple; None: it is something else."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    fields = getattr(value, "_fields", None)
    if fields is not None and isinstance(value, tuple):
        return dict(zip(fields, value, strict=True))
    return None


def _is_list_of_structures(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], dict)


def _dtype_of_copy(array: NDArray[Any], scalar: str | None) -> DTypeLike:
    """Return the floats in which an array is copied for scalars of a type."""
    if scalar in ("float16", "float64"):
        return scalar
    return array.dtype if array.dtype == np.float16 else np.float32


def fill_leaves(value: Any, tensors: Mapping[Leaf, Tensor]) -> Any:  # noqa: ANN401
    """Return an argument with tensors in the place of its leaves."""
    if isinstance(value, Leaf):
        return tensors[value]
    if isinstance(value, dict):
        return {key: fill_leaves(entry, tensors) for key, entry in value.items()}
    if isinstance(value, list) and any(isinstance(entry, (dict, Leaf)) for entry in value):
        return [fill_leaves(entry, tensors) for entry in value]
    return value
