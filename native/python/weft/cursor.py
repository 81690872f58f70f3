# SPDX-License-Identifier: Apache-2.0
"""Elements of a tensor on the host, read and written one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, cast

from weft._native import ArgumentError, ArgumentIndexError

if TYPE_CHECKING:
    import numpy as np

    from weft._native import Tensor

__all__ = ["Cursor", "Element", "Value"]

Value: TypeAlias = "bool | int | float | list[Value] | dict[str, Value]"
"""What an element is outside of numpy."""


class Cursor:
    """A copy of the elements of a tensor, in row-major order; :meth:`apply` stores it.

    Args:
        tensor: The tensor, of any shape and dtype.
        start: The first element, counted row-major.
        count: How many elements; all that follow if ``None``.

    Raises:
        ArgumentError: The range lies outside the tensor.

    Example:
        >>> cursor = tensor.cursor()
        >>> cursor[3].write({"r": 1.0, "g": 0.5, "b": 0.0})
        >>> cursor.apply()
    """

    def __init__(self, tensor: Tensor, start: int = 0, count: int | None = None) -> None:
        self._tensor = tensor
        self._array = tensor.to_numpy()
        count = tensor.element_count - start if count is None else count
        if start < 0 or count < 0 or start + count > tensor.element_count:
            raise ArgumentError(
                f"cursor: elements {start} to {start + count} are outside the tensor's "
                f"{tensor.element_count} elements; pass a smaller start or count"
            )
        inner = self._array.shape[len(tensor.shape) :]
        self._elements = self._array.reshape(-1, *inner)[start : start + count]

    def __len__(self) -> int:
        return len(self._elements)

    def __getitem__(self, index: int) -> Element:
        if not -len(self) <= index < len(self):
            raise ArgumentIndexError(
                f"cursor: element {index} is outside its {len(self)} elements; "
                f"pass 0 to {len(self) - 1}"
            )
        return Element(self._elements, index)

    def apply(self) -> None:
        """Store all elements in the tensor."""
        self._tensor.copy_from_numpy(self._array)


class Element:
    """One element, or one field of it."""

    def __init__(self, array: np.ndarray[Any, Any], index: int | tuple[()]) -> None:
        self._array = array
        self._index = index

    def __getitem__(self, field: str) -> Element:
        names = self._array.dtype.names or ()
        if field not in names:
            raise ArgumentError(
                f"cursor: there is no field '{field}'; the fields are {', '.join(names) or 'none'}"
            )
        return Element(self._array[field], self._index)

    def __setitem__(self, field: str, value: object) -> None:
        self[field].write(value)

    def write(self, value: object) -> None:
        """Take a number, a sequence of numbers, or a dict of fields."""
        if isinstance(value, dict):
            for name, part in value.items():
                self[name].write(part)
        else:
            self._array[self._index] = value

    def read(self) -> Value:
        """Return a number, a list of numbers, or a dict of fields."""
        names = self._array.dtype.names
        if names is None or self._array[self._index].shape:
            return cast("Value", self._array[self._index].tolist())
        return {name: self[name].read() for name in names}
