# SPDX-License-Identifier: Apache-2.0
"""What torch.library asks of an operator: values, shapes, derivatives, batches."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import torch

from weft._native import ArgumentError
from weft.torch import bridge, derivatives
from weft.torch.layout import Layout, Operand, Result, layout_of
from weft.torch.tracking import Call, Place
from weft.torch.trees import Slot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Function


_libraries: dict[str, torch.library.Library] = {}


@dataclasses.dataclass
class Kernels:
    """The implementations of one operator."""

    function: Function
    layout: Layout
    name: str
    generation: int
    backward_overload: Any = None

    def arguments(self, values: Sequence[Any]) -> dict[str, Any]:
        """Return keywords of the Slang function."""
        keywords: dict[str, Any] = {}
        for operand, value in zip(self.layout.operands, values, strict=True):
            inside = keywords
            for part in operand.path[:-1]:
                inside = inside.setdefault(part, {})
            inside[operand.path[-1]] = value
        return keywords

    def require_same_layout(self) -> None:
        """Refuse a function that was edited to take or give other tensors."""
        generation = self.function._generation()
        if generation != self.generation:
            if layout_of(self.function) != self.layout:
                raise ArgumentError(
                    f"{self.function.name}: its declaration was edited after it became the "
                    f"operator {self.name}; call weft.torch.op() again"
                )
            self.generation = generation

    def run(self, *tensors: torch.Tensor) -> Any:
        """Make the call."""
        self.require_same_layout()
        if self.layout.is_plain:
            return self.function(*tensors)
        values = list(tensors)
        for index in self.layout.written:
            values[index] = values[index].clone()
        found = self.function(**self.arguments(values), _result="torch")
        results = () if found is None else found if isinstance(found, tuple) else (found,)
        outputs = (*results, *(values[index] for index in self.layout.written))
        return outputs[0] if len(outputs) == 1 else outputs

    def fake(self, *tensors: torch.Tensor) -> Any:
        """Return tensors like the outputs, of which only shapes and types count."""
        results = self.fake_results(tensors)
        outputs = [*results, *(torch.empty_like(tensors[i]) for i in self.layout.written)]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def fake_results(self, tensors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """Return tensors like the results."""
        pairs = [*zip(self.layout.operands, tensors, strict=True)]
        for operand, tensor in pairs:
            _require_trailing(self.function.name, operand, tensor)
        shape = torch.broadcast_shapes(*(operand.leading(tensor) for operand, tensor in pairs))
        place = next((tensor for tensor in tensors if tensor.dim() > 0), tensors[0])
        return [
            place.new_empty((*shape, *result.trailing), dtype=self._type_of(result, tensors))
            for result in self.layout.results
        ]

    def _type_of(self, result: Result, tensors: Sequence[torch.Tensor]) -> torch.dtype:
        if result.dtype is not None:
            return result.dtype
        found = next(
            tensor
            for operand, tensor in zip(self.layout.operands, tensors, strict=True)
            if operand.generic == result.generic
        )
        if found.dtype == torch.int64 and not found.is_cuda:
            return torch.int32  # as calls infer it
        return torch.float32 if found.dtype == torch.bfloat16 else found.dtype

    def setup_context(self, ctx: Any, inputs: tuple[torch.Tensor, ...], output: Any) -> None:
        """Keep what the derivative needs."""
        outputs = output if isinstance(output, tuple) else (output,)
        ctx.set_materialize_grads(False)
        if not self.layout.is_differentiable:
            bridge.warn_not_differentiable(self.function.name)
            ctx.mark_non_differentiable(*outputs)
            return
        for index in self.layout.written:
            operand = self.layout.operands[index]
            if operand.is_whole and ctx.needs_input_grad[index]:
                raise ArgumentError(
                    f"{self.function.name}: parameter '{operand.name}' is written where the "
                    "function chooses, and requires gradients already: those of the elements it "
                    "leaves alone would be lost; pass tensor.detach()"
                )
        ctx.mark_non_differentiable(*(each for each in outputs if not each.is_floating_point()))
        ctx.save_for_backward(*inputs)
        is_traced = torch.compiler.is_compiling() or bridge.is_fake(inputs[0])
        ctx.generation = -1 if is_traced else self.function._generation()

    def backward(self, ctx: Any, *gradients: torch.Tensor | None) -> Any:
        """Return the gradients of the inputs."""
        inputs = ctx.saved_tensors
        needs = [
            asked and value.is_floating_point()
            for asked, value in zip(ctx.needs_input_grad, inputs, strict=True)
        ]
        if not any(needs) or all(gradient is None for gradient in gradients):
            return (None,) * len(inputs)
        found = iter(self.backward_overload([*gradients], [*inputs], needs, ctx.generation))
        return tuple(next(found) if asked else None for asked in needs)

    def run_backward(
        self,
        gradients: Sequence[torch.Tensor | None],
        values: Sequence[torch.Tensor],
        needs: Sequence[bool],
        generation: int,
    ) -> list[torch.Tensor]:
        """Return the gradients that are asked for."""
        self.require_same_layout()
        # Each an object of its own: a tensor may be there twice.
        tensors = [
            value.float() if value.dtype == torch.bfloat16 else value.detach() for value in values
        ]
        slots = self.arguments([Slot(index) for index in range(len(tensors))])
        call = Call(self.function, None, [], slots)
        call.prepare(tensors)
        if generation >= 0:
            call.generation = generation
        call.results = [Place.of(result) for result in self.fake_results(tensors)]
        asked = frozenset(index for index, need in enumerate(needs) if need)
        found = derivatives.pull(call, tensors, gradients, asked)
        made = []
        for index in sorted(asked):
            gradient, value = found[index], values[index]
            made.append(torch.zeros_like(value) if gradient is None else gradient.to(value.dtype))
        return made

    def fake_backward(
        self, gradients: Any, values: Sequence[torch.Tensor], needs: Sequence[bool], generation: int
    ) -> list[torch.Tensor]:
        """Return tensors like the gradients."""
        return [
            value.new_empty(value.shape) for value, need in zip(values, needs, strict=True) if need
        ]

    def refuse_second(self, ctx: Any, *gradients: Any) -> Any:
        """Raise the error for a derivative of a derivative."""
        raise ArgumentError(bridge.second_derivative(self.function.name))

    def vmap(self, info: Any, in_dims: tuple[int | None, ...], *tensors: torch.Tensor) -> Any:
        """Return the outputs for a batch: one more dimension of the call."""
        count = len(self.layout.results) + len(self.layout.written)
        pairs = [*zip(self.layout.operands, in_dims, strict=True)]
        if any(operand.is_whole and place is not None for operand, place in pairs):
            found = _each(self.overload, info, in_dims, tensors)
        else:
            found = self.overload(*self._batched(info, in_dims, tensors))
        return found, 0 if count == 1 else (0,) * count

    def _batched(self, info: Any, in_dims: Any, tensors: Sequence[torch.Tensor]) -> list[Any]:
        """Return the tensors with the batch in front, before as many dimensions in each."""
        triples = [*zip(self.layout.operands, in_dims, tensors, strict=True)]
        ranks = [
            len(operand.leading(tensor)) - (place is not None) for operand, place, tensor in triples
        ]
        made = []
        for (operand, place, tensor), rank in zip(triples, ranks, strict=True):
            if place is None and not operand.is_written:
                made.append(tensor)
                continue
            front = tensor[None] if place is None else tensor.movedim(place, 0)
            if place is None:
                front = front.expand(info.batch_size, *tensor.shape)
            ones = (1,) * (max(ranks) - rank)
            made.append(front.reshape(front.shape[0], *ones, *front.shape[1:]))
        return made

    @property
    def overload(self) -> Any:
        """The operator."""
        return overload_of(self.name)


def _require_trailing(function: str, operand: Operand, tensor: torch.Tensor) -> None:
    count = len(operand.trailing)
    if count == 0 or operand.rank < 0 or tensor.dim() == 0:
        return
    if tensor.dim() < count or tuple(tensor.shape[tensor.dim() - count :]) != operand.trailing:
        raise ArgumentError(
            f"{function}: parameter '{operand.name}' needs a tensor of shape (..., "
            f"{', '.join(map(str, operand.trailing))}), got {tuple(tensor.shape)}"
        )


def _each(overload: Any, info: Any, in_dims: Any, tensors: Sequence[torch.Tensor]) -> Any:
    rows = [
        overload(
            *(
                tensor if place is None else tensor.select(place, index)
                for place, tensor in zip(in_dims, tensors, strict=True)
            )
        )
        for index in range(info.batch_size)
    ]
    if isinstance(rows[0], torch.Tensor):
        return torch.stack(rows)
    return tuple(torch.stack(column) for column in zip(*rows, strict=True))


def _vmap_backward(kernels: Kernels) -> Any:
    def vmap(
        info: Any, in_dims: Any, gradients: Any, values: Any, needs: Any, generation: int
    ) -> Any:
        def row(tensors: Any, places: Any, index: int) -> list[Any]:
            places = [None] * len(tensors) if places is None else places
            return [
                tensor if place is None or tensor is None else tensor.select(place, index)
                for tensor, place in zip(tensors, places, strict=True)
            ]

        rows = [
            kernels.backward_overload(
                row(gradients, in_dims[0], index), row(values, in_dims[1], index), needs, generation
            )
            for index in range(info.batch_size)
        ]
        stacked = [torch.stack(column) for column in zip(*rows, strict=True)]
        return stacked, [0] * len(stacked)

    return vmap


def overload_of(name: str) -> Any:
    """Return the operator that torch knows by a name."""
    library, _, short = name.partition("::")
    return getattr(getattr(torch.ops, library), short).default


def register(function: Function, layout: Layout, name: str) -> Any:
    """Tell torch of an operator and of its derivative.

    Args:
        function: The Slang function.
        layout: Its tensors.
        name: ``library::name``; the derivative becomes ``library::name_backward``.

    Returns:
        The operator.
    """
    made = Kernels(function, layout, name, function._generation())
    library = _library(name)
    _define(library, name, layout.schema, made.run, made.fake)
    torch.library.register_autograd(name, made.backward, setup_context=_setup(made), lib=library)
    schema = "(Tensor?[] gradients, Tensor[] values, bool[] needs, int generation) -> Tensor[]"
    pull = f"{name}_backward"
    _define(library, pull, schema, made.run_backward, made.fake_backward)
    torch.library.register_autograd(pull, made.refuse_second, lib=library)
    made.backward_overload = overload_of(pull)
    if hasattr(torch.library, "register_vmap"):  # torch 2.5
        torch.library.register_vmap(name, made.vmap, lib=library)
        torch.library.register_vmap(pull, _vmap_backward(made), lib=library)
    return overload_of(name)


def _library(name: str) -> torch.library.Library:
    """Return where to register an operator and its derivative, after those it replaces."""
    if name in _libraries:
        _libraries.pop(name)._destroy()
    _libraries[name] = torch.library.Library(name.partition("::")[0], "FRAGMENT")
    return _libraries[name]


def _define(library: torch.library.Library, name: str, schema: str, run: Any, fake: Any) -> None:
    """Register an operator. torch.library.custom_op would add 6 us to each call."""
    short = name.partition("::")[2]
    library.define(short + schema, tags=(torch.Tag.pt2_compliant_tag,))
    for place in ("CPU", "CUDA"):
        library.impl(short, run, place)
    torch.library.register_fake(name, fake, lib=library)


def _setup(kernels: Kernels) -> Any:
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        kernels.setup_context(ctx, inputs, output)

    return setup_context
