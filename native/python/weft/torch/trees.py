# SPDX-License-Identifier: Apache-2.0
"""Arguments and results of a call with their tensors taken out, and put back."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import torch

from weft._native import ArgumentError, ValueRef
from weft.torch import bridge

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_DEPTH = 64
"""As call_arguments.cpp: a dict may hold itself."""


@dataclasses.dataclass(frozen=True)
class Slot:
    """The place of a tensor."""

    index: int


class Taker:
    """Takes tensors out of values; the same tensor has one place."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tensors: list[torch.Tensor] = []
        self.widened: set[int] = set()
        self.instances: list[Any] = []
        self.given: list[torch.Tensor] = []
        """As the caller has them: those in `widened` are of bfloat16, and pass as float32."""
        self._places: dict[int, int] = {}

    def take(self, value: Any, depth: int = 0) -> Any:
        """Return the value with a Slot for each tensor, records as dicts."""
        if type(value) in bridge.PLAIN_CLASSES or isinstance(value, torch.Tensor):
            return self._slot(value)
        if depth > MAX_DEPTH or value is None or isinstance(value, (int, float, str)):
            return value
        if isinstance(value, dict):
            return {key: self.take(entry, depth + 1) for key, entry in value.items()}
        if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
            return self._take_sequence(value, depth)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = dataclasses.fields(value)
            return {
                field.name: self.take(getattr(value, field.name), depth + 1) for field in fields
            }
        if isinstance(value, tuple):
            names: Sequence[str] = value._fields  # type: ignore[attr-defined]
            return {name: self.take(getattr(value, name), depth + 1) for name in names}
        if hasattr(value, "get_this"):
            self.instances.append(value)
            return self.take(value.get_this(), depth + 1)
        if isinstance(value, ValueRef):
            raise ArgumentError(
                f"{self.name}: a ValueRef cannot take part in a call that torch differentiates; "
                "leave the argument away and take the result, or pass a tensor"
            )
        return value

    def _take_sequence(self, value: Sequence[Any], depth: int) -> Any:
        structures = any(isinstance(entry, dict) for entry in value)
        if structures or not bridge.holds_tensors(value):
            return [self.take(entry, depth + 1) for entry in value]
        return self._slot(bridge.stack(value, self.name))

    def _slot(self, tensor: torch.Tensor) -> Slot:
        if id(tensor) not in self._places:
            self._places[id(tensor)] = len(self.tensors)
            # A tensor of bfloat16 is read as one of float32: its gradient comes back through this.
            is_wide = tensor.dtype == torch.bfloat16
            self.tensors.append(tensor.float() if is_wide else tensor)
            self.given.append(tensor)  # lives as long as its id() counts
            if is_wide:
                self.widened.add(len(self.tensors) - 1)
        return Slot(self._places[id(tensor)])


def give(value: Any, of: Callable[[int], Any]) -> Any:
    """Return a value of Taker.take() with ``of(index)`` for each Slot."""
    if isinstance(value, Slot):
        return of(value.index)
    if isinstance(value, dict):
        return {key: give(entry, of) for key, entry in value.items()}
    if isinstance(value, list):
        return [give(entry, of) for entry in value]
    if isinstance(value, tuple):
        return tuple(give(entry, of) for entry in value)
    return value
