# SPDX-License-Identifier: Apache-2.0
"""Launches that take part in torch's autograd.

Which tensors a kernel writes is known when it has run: each DiffTensorView that is written leaves a
note (shaders/compat/slangtorch/diff_tensor_view.slang). Of tensors that it may write the old values
are kept, for the derivative reads them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

import weft
from weft.torch.bridge import warn

from .values import DiffTensorView, is_diff_tensor_view, split_pair

if TYPE_CHECKING:
    from collections.abc import Callable

    from weft import FunctionInfo, Type

    from .kernel import Extents, Kernel
    from .values import Marshaller


@dataclass
class Slot:
    """A DiffTensorView among the arguments, in the order of their notes.

    Args:
        index: Of its tensor among those that autograd sees; -1: it does not see it.
    """

    index: int


class Launch:
    """Arguments of one launch, with places for the tensors that autograd sees.

    Args:
        kernel: To be launched.
        info: Its reflection.
        named: Its arguments.
    """

    def __init__(self, kernel: Kernel, info: FunctionInfo, named: Mapping[str, Any]) -> None:
        self.kernel = kernel
        self.generation = kernel.generation
        self.block: Extents = (1, 1, 1)
        self.grid: Extents = (1, 1, 1)
        self.slots: list[Slot] = []
        self.tensors: list[torch.Tensor] = []
        self._tree = {p.name: self._placed(named[p.name], p.type) for p in info.parameters}

    def _placed(self, given: Any, wanted: Type) -> Any:
        """Return an argument with slots instead of tensors that autograd sees."""
        if is_diff_tensor_view(wanted):
            return self._placed_view(given)
        if wanted.kind == weft.TypeKind.structure:
            members = _members(given, wanted)
            if isinstance(members, Sequence):
                pairs = zip(wanted.fields, members, strict=True)
                return {field.name: self._placed(value, field.type) for field, value in pairs}
        if wanted.kind == weft.TypeKind.array and isinstance(given, Sequence):
            assert wanted.element is not None
            return [self._placed(value, wanted.element) for value in given]
        return given.detach() if isinstance(given, torch.Tensor) else given

    def _placed_view(self, given: Any) -> Any:
        value, gradient = split_pair(given)
        is_seen = gradient is None and isinstance(value, torch.Tensor)
        slot = Slot(self._index_of(value) if is_seen else -1)
        self.slots.append(slot)
        return slot if is_seen else given

    def _index_of(self, tensor: torch.Tensor) -> int:
        """Return the place of a tensor: the same one is seen once."""
        for index, known in enumerate(self.tensors):
            if known is tensor:
                return index
        self.tensors.append(tensor)
        return len(self.tensors) - 1

    def arguments(self, filled: Callable[[int], Any]) -> dict[str, Any]:
        """Return the arguments with something for each tensor that autograd sees."""

        def replaced(value: Any) -> Any:
            if isinstance(value, Slot):
                return filled(value.index)
            if isinstance(value, dict):
                return {name: replaced(each) for name, each in value.items()}
            if type(value) is list:
                return [replaced(each) for each in value]
            return value

        return {name: replaced(value) for name, value in self._tree.items()}


def _members(given: Any, wanted: Type) -> Any:
    """Return what was given for a structure in the order of its members."""
    return [given[each.name] for each in wanted.fields] if isinstance(given, Mapping) else given


def tracked_launch(
    kernel: Kernel, info: FunctionInfo, named: Mapping[str, Any], marshaller: Marshaller
) -> Callable[[Extents, Extents], None] | None:
    """Return what launches a kernel as a node of torch's graph; None: autograd has no part in it.

    Args:
        kernel: To be launched.
        info: Its reflection.
        named: Its arguments.
        marshaller: That has seen them.
    """
    if not torch.is_grad_enabled():
        return None
    for name in marshaller.untracked:
        warn(
            f"{kernel.name}: the tensor of '{name}' requires gradients, and a TensorView has none: "
            "it enters as its values; declare it as DiffTensorView, or pass tensor.detach()"
        )
    if not marshaller.tracked:
        return None
    if not info.is_differentiable:
        warn(
            f"{kernel.name} is not [Differentiable], and '{marshaller.tracked[0]}' requires "
            "gradients: what it writes has none; mark it, or pass tensor.detach()"
        )
        return None
    launch = Launch(kernel, info, named)

    def follow(block: Extents, grid: Extents) -> None:
        launch.block, launch.grid = block, grid
        _Launched.apply(launch, *launch.tensors)

    return follow


class _Launched(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """A launch: the tensors that it writes are its results."""

    @staticmethod
    def forward(ctx: Any, launch: Launch, *tensors: torch.Tensor) -> Any:
        ctx.launch = launch
        ctx.set_materialize_grads(False)
        before = [_kept(tensor) for tensor in tensors]
        notes = weft.Tensor.zeros(launch.kernel.device, (len(launch.slots),), dtype=weft.uint)
        # Of .data torch counts no writes: mark_dirty() names what was written.
        bound = launch.kernel.noted(notes, launch.arguments(lambda index: tensors[index].data))
        bound.launchRaw(launch.block, launch.grid)
        was_written = notes.to_numpy()
        ctx.written = sorted(
            {
                slot.index
                for slot, written in zip(launch.slots, was_written, strict=True)
                if written and slot.index >= 0
            }
        )
        results = tuple(tensors[index] for index in ctx.written)
        ctx.mark_dirty(*results)
        ctx.save_for_backward(
            *(
                before[index] if index in ctx.written else tensor
                for index, tensor in enumerate(tensors)
            )
        )
        return results or None

    @staticmethod
    def backward(ctx: Any, *given: torch.Tensor | None) -> Any:
        launch, values = ctx.launch, ctx.saved_tensors
        if all(gradient is None for gradient in given):
            return (None,) * (1 + len(values))
        if launch.generation != launch.kernel.generation:
            raise weft.ArgumentError(
                f"{launch.kernel.name}: its source was edited between the launch and its backward "
                "pass; launch it again"
            )
        pulled = Pulled(launch, ctx.written, ctx.needs_input_grad[1:])
        if torch.is_grad_enabled():  # create_graph
            return (None, *_Pullback.apply(pulled, len(values), *values, *given))
        return (None, *pulled.gradients(values, given))


@dataclass
class Pulled:
    """A launch of the derivative.

    Args:
        launch: Of the kernel.
        written: Which tensors it wrote.
        needs: Which gradients are asked for, one a tensor.
    """

    launch: Launch
    written: list[int]
    needs: Sequence[bool]

    def gradients(
        self, values: Sequence[torch.Tensor], given: Sequence[torch.Tensor | None]
    ) -> list[torch.Tensor | None]:
        """Return the gradients of all tensors, given those of what was written."""
        found = [
            _zeros(value) if is_asked else None
            for value, is_asked in zip(values, self.needs, strict=True)
        ]
        for index, gradient in zip(self.written, given, strict=True):
            found[index] = (
                _zeros(values[index])
                if gradient is None
                else gradient.detach().clone(memory_format=torch.contiguous_format)
            )
        launch = self.launch
        pairs = launch.arguments(lambda k: DiffTensorView(values[k].data, found[k]))
        launch.kernel.bwd(**pairs).launchRaw(launch.block, launch.grid)
        asked = zip(found, self.needs, strict=True)
        return [gradient if is_asked else None for gradient, is_asked in asked]


class _Pullback(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """The derivative where torch follows it, too: no second derivative is to be wrong."""

    @staticmethod
    def forward(ctx: Any, pulled: Pulled, count: int, *tensors: Any) -> Any:
        ctx.name = pulled.launch.kernel.name
        return tuple(pulled.gradients(tensors[:count], tensors[count:]))

    @staticmethod
    def backward(ctx: Any, *_gradients: Any) -> Any:
        raise weft.ArgumentError(
            f"{ctx.name}: torch asks for the derivative of its derivative, and kernels have the "
            "first one only; leave out create_graph=True, or detach what depends on it"
        )


def _zeros(tensor: torch.Tensor) -> torch.Tensor:
    return torch.zeros_like(tensor, memory_format=torch.contiguous_format)


def _kept(tensor: torch.Tensor) -> torch.Tensor | None:
    """Return the values of a tensor that a kernel may write; torch refuses writes to the others."""
    if tensor.requires_grad and tensor.is_leaf:
        return None
    return tensor.detach().clone()
