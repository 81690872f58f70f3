# SPDX-License-Identifier: Apache-2.0
"""Calls as functions of torch.autograd."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import torch

from weft._native import ArgumentError
from weft.torch import derivatives
from weft.torch.bridge import second_derivative, warn_not_differentiable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.torch.tracking import Call


def _looped(function: Any, info: Any, in_dims: Any, inputs: tuple[Any, ...]) -> tuple[Any, Any]:
    """Apply a function to each entry of a batch, and stack what it gives."""
    rows = []
    for index in range(info.batch_size):
        parts = [
            value if place is None else value.select(place, index)
            for place, value in zip(in_dims, inputs, strict=True)
        ]
        rows.append(function.apply(*parts))
    columns = list(zip(*rows, strict=True))
    stacked = tuple(None if column[0] is None else torch.stack(column) for column in columns)
    return stacked, tuple(None if column is None else 0 for column in stacked)


def _is_batched(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is one of autograd.grad(is_grads_batched=True)."""
    return bool(torch._C._functorch.is_legacy_batchedtensor(tensor))


def _batched_pull(call: Call, values: Any, cotangents: Any, needs: frozenset[int]) -> Any:
    """Return gradients for a batch of cotangents, one after the other."""
    level = torch._C._vmapmode_increment_nesting() - 1
    torch._C._vmapmode_decrement_nesting()
    split = [_split(value, level) for value in cotangents]
    count = next(len(value) for value in split if isinstance(value, tuple))
    rows = []
    for index in range(count):
        row = [value[index] if isinstance(value, tuple) else value for value in split]
        rows.append(derivatives.pull(call, values, row, needs))
    return [
        None if column[0] is None else torch._add_batch_dim(torch.stack(column), 0, level)
        for column in zip(*rows, strict=True)
    ]


def _split(value: Any, level: int) -> Any:
    """Return the cotangents of a batch; what is no batch stays as it is."""
    if value is not None and _is_batched(value):
        return torch._remove_batch_dim(value, level, 0, 0).unbind(0)
    return value


class _Pullback(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """The backward derivative, where torch follows it, too: no second derivative is to be wrong."""

    @staticmethod
    def forward(call: Call, needs: Any, count: int, *tensors: Any) -> Any:
        found = derivatives.pull(call, tensors[:count], tensors[count:], needs)
        return tuple(found)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.name = inputs[0].name

    @staticmethod
    def backward(ctx: Any, *_gradients: Any) -> Any:
        raise ArgumentError(second_derivative(ctx.name))

    @staticmethod
    def jvp(ctx: Any, *_tangents: Any) -> Any:
        return _Pullback.backward(ctx)

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        return _looped(_Pullback, info, in_dims, inputs)


class _Pushforward(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """The forward derivative, where torch follows it, too."""

    @staticmethod
    def forward(call: Call, count: int, *tensors: Any) -> Any:
        return tuple(derivatives.push(call, tensors[:count], tensors[count:]))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.name = inputs[0].name

    backward = _Pullback.backward
    jvp = _Pullback.jvp

    @staticmethod
    def vmap(info: Any, in_dims: Any, *inputs: Any) -> Any:
        return _looped(_Pushforward, info, in_dims, inputs)


def _outputs(call: Call, tensors: Sequence[torch.Tensor]) -> tuple[torch.Tensor, ...]:
    """Make a call that was prepared; return results, tensors that it wrote, their old values."""
    before = [tensors[index].detach().clone() for index in call.kept]
    used = [
        tensor.clone() if index in call.copied else tensor for index, tensor in enumerate(tensors)
    ]
    results = call.run(used)
    return (*results, *(used[index] for index in call.written), *before)


class _Call(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """A call of a Slang function: results, then the tensors that it wrote, then their old values.

    Its inputs are the Call and the tensors among its arguments.
    """

    @staticmethod
    def forward(call: Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        call.prepare(tensors)
        return _outputs(call, tensors)

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: tuple[torch.Tensor, ...]) -> None:
        call, tensors = inputs[0], inputs[1:]
        count = len(call.results) + len(call.written)
        before = dict(zip(call.kept, output[count:], strict=True))
        ctx.call = call
        ctx.set_materialize_grads(False)
        ctx.mark_dirty(*(tensors[i] for i in call.written if i not in call.copied))
        fixed = [value for value in output[:count] if not value.is_floating_point()]
        if not call.is_differentiable:
            fixed = [*output[:count]]
            if any(ctx.needs_input_grad):  # not under torch.func.vmap alone
                warn_not_differentiable(call.name)
        ctx.mark_non_differentiable(*fixed, *output[count:])
        values = [
            before.get(index, tensor) if use.is_read else None
            for index, (tensor, use) in enumerate(zip(tensors, call.uses, strict=True))
        ]
        ctx.save_for_backward(*values)
        ctx.save_for_forward(*values)

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor | None) -> Any:
        call = ctx.call
        values = ctx.saved_tensors
        cotangents = gradients[: len(call.results) + len(call.written)]
        needs = frozenset(i for i, asked in enumerate(ctx.needs_input_grad[1:]) if asked)
        if all(gradient is None for gradient in cotangents):
            return (None,) * (1 + len(values))
        batched = [value for value in cotangents if value is not None and _is_batched(value)]
        if batched:
            found = _batched_pull(call, values, cotangents, needs)
        elif torch.is_grad_enabled():  # create_graph, torch.func
            found = _Pullback.apply(call, needs, len(values), *values, *cotangents)
        else:
            found = derivatives.pull(call, values, cotangents, needs)
        return (None, *found)

    @staticmethod
    def jvp(ctx: Any, *tangents: torch.Tensor | None) -> Any:
        call, values = ctx.call, ctx.saved_tensors
        found = [*_Pushforward.apply(call, len(values), *values, *tangents[1:])]
        for place, index in enumerate(call.written, len(call.results)):
            tangent = tangents[1 + index]
            if tangent is not None and found[place] is not None and index not in call.copied:
                found[place] = tangent.copy_(found[place])  # torch: in place, as the value
        return (*found, *(None for _ in call.kept))

    @staticmethod
    def vmap(info: Any, in_dims: Any, call: Call, *tensors: Any) -> Any:
        return _looped(_Call, info, in_dims, (call, *tensors))


_Call.forward.__signature__ = inspect.signature(_Call.forward)  # type: ignore[attr-defined]
"""torch asks for it at each call, and building it costs more than the rest of what torch does."""


class _Node(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """The same where neither torch.func nor forward mode follows: torch asks for less."""

    @staticmethod
    def forward(ctx: Any, call: Call, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        call.prepare(tensors)
        if call.written:
            outputs = _outputs(call, tensors)
            _Call.setup_context(ctx, (call, *tensors), outputs)
            return outputs
        results = call.run(tensors)
        ctx.call = call
        ctx.set_materialize_grads(False)
        fixed = results
        if call.is_differentiable:
            fixed = [value for value in results if not value.is_floating_point()]
        else:
            warn_not_differentiable(call.name)
        if fixed:
            ctx.mark_non_differentiable(*fixed)
        uses = zip(tensors, call.uses, strict=True)
        ctx.save_for_backward(*[tensor if use.is_read else None for tensor, use in uses])
        return tuple(results)

    backward = _Call.backward


@functools.cache
def node_for(name: str) -> Any:
    """Return what applies function_for(name) to a call and its tensors, without transforms."""
    return super(torch.autograd.Function, type(name, (_Node,), {})).apply


@functools.cache
def function_for(name: str) -> Any:
    """Return the function of torch for a Slang function, whose name anomaly mode then shows."""
    return type(name, (_Call,), {})
