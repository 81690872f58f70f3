# SPDX-License-Identifier: Apache-2.0
"""Derivatives of a call on tensors of torch, by bwds and fwds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from weft.torch.tracking import Memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Tensor
    from weft.torch.tracking import Call, Place

    Tensors = Sequence[torch.Tensor | None]


class _Arguments:
    """The tensors of a derivative call, each made once."""

    def __init__(self, call: Call, values: Tensors) -> None:
        self.call = call
        self.values = values
        beside = next((value for value in values if value is not None), None)
        self.memory = Memory(call.function.device, beside)
        self.made: dict[int, Any] = {}

    def __call__(self, index: int) -> Any:
        if index not in self.made:
            self.made[index] = self.make(index)
        return self.made[index]

    def make(self, index: int) -> Any:
        raise NotImplementedError

    def value(self, index: int) -> Tensor:
        """Return the values that the call saw, zeros for what it only writes."""
        value = self.values[index]
        if value is None:
            return self.memory.zeros(self.call.places[index])
        is_shared = self.call.uses[index].is_written and self.memory.is_shared
        return self.memory.of(value.clone() if is_shared else value)

    def cotangent(self, given: torch.Tensor | None, like: Place) -> Tensor:
        """Return a gradient or a tangent, zeros for None."""
        return self.memory.zeros(like) if given is None else self.memory.of(given.to(like.dtype))


class _Backward(_Arguments):
    def __init__(
        self, call: Call, values: Tensors, cotangents: Tensors, needs: frozenset[int]
    ) -> None:
        super().__init__(call, values)
        count = len(call.results)
        self.results = cotangents[:count]
        self.written = dict(zip(call.written, cotangents[count:], strict=False))
        self.needs = needs

    def make(self, index: int) -> Any:
        place, use = self.call.places[index], self.call.uses[index]
        if not place.is_real or not (use.is_written or index in self.needs):
            return self.value(index) if use.is_written else self.values[index]
        if not use.is_written:
            return self.value(index).with_grads(grad_out=self.memory.zeros(place))
        incoming = self.cotangent(self.written.get(index), place)
        if not use.is_read:
            return self.value(index).with_grads(grad_in=incoming)
        return self.value(index).with_grads(grad_in=incoming, grad_out=self.memory.zeros(place))

    def gradient(self, index: int) -> torch.Tensor | None:
        """Return what the call added up for a tensor."""
        value = self.values[index]
        return None if value is None else self.memory.to_torch(self(index).grad_out, value)


def _plain_pull(
    call: Call, values: Tensors, cotangents: Tensors, needs: frozenset[int]
) -> list[torch.Tensor | None] | None:
    """Return what pull() does where the bindings do it in one go; None: they do not."""
    parts = call.plain_parts()
    cotangent = cotangents[0]
    if parts is None or cotangent is None or cotangent.dtype != call.results[0].dtype:
        return None
    if not cotangent.is_cuda or cotangent.get_device() != call.function.device._torch_gpu:
        return None
    asked = tuple(index in needs and place.is_real for index, place in enumerate(call.places))
    found = call.function.bwds._torch_backward(
        *parts, tuple(values), asked, cotangent, torch.are_deterministic_algorithms_enabled()
    )
    return None if found is None else [*found]


def pull(
    call: Call, values: Tensors, cotangents: Tensors, needs: frozenset[int]
) -> list[torch.Tensor | None]:
    """Return the gradient of each tensor that needs one.

    Args:
        call: The call.
        values: What it read; None for what it only wrote.
        cotangents: Of the results, then of the tensors that it wrote; None: zeros.
        needs: The tensors whose gradient is asked for.
    """
    call.require_same_code()
    gradients = _plain_pull(call, values, cotangents, needs)
    if gradients is not None:
        return gradients
    of = _Backward(call, values, cotangents, needs)
    function, arguments, keywords = call.bound(of)
    held: list[Any] = []
    for like, cotangent in zip(call.results, of.results, strict=True):
        output = of.memory.empty(like)
        held.append(
            output.with_grads(grad_in=of.cotangent(cotangent, like)) if like.is_real else output
        )
    arguments, keywords = call.with_outputs(arguments, keywords, held)
    if torch.are_deterministic_algorithms_enabled():
        keywords["deterministic"] = True
    function.bwds(*arguments, **keywords)
    of.memory.wait()
    gradients = []
    for index, use in enumerate(call.uses):
        is_asked = index in needs and use.is_read and call.places[index].is_real
        gradients.append(of.gradient(index) if is_asked else None)
    return gradients


class _Forward(_Arguments):
    def __init__(self, call: Call, values: Tensors, tangents: Tensors) -> None:
        super().__init__(call, values)
        self.tangents = tangents

    def make(self, index: int) -> Any:
        place, use = self.call.places[index], self.call.uses[index]
        tangent = self.tangents[index]
        if not place.is_real or (tangent is None and not use.is_written):
            return self.value(index) if use.is_written else self.values[index]
        if not use.is_written:
            assert tangent is not None
            return self.value(index).with_grads(grad_in=self.memory.of(tangent))
        outgoing = self.memory.zeros(place)
        if not use.is_read:
            return self.value(index).with_grads(grad_out=outgoing)
        moving = self.cotangent(tangent, place)
        return self.value(index).with_grads(grad_in=moving, grad_out=outgoing)


def push(call: Call, values: Tensors, tangents: Tensors) -> list[torch.Tensor | None]:
    """Return the tangents of the results, then of the tensors that the call wrote.

    Args:
        call: The call.
        values: What it read; None for what it only wrote.
        tangents: One for each tensor; None: zeros.
    """
    call.require_same_code()
    of = _Forward(call, values, tangents)
    function, arguments, keywords = call.bound(of)
    held = [
        of.memory.empty(like).with_grads(grad_out=of.memory.zeros(like))
        if like.is_real
        else of.memory.zeros(like)
        for like in call.results
    ]
    arguments, keywords = call.with_outputs(arguments, keywords, held)
    function.fwds(*arguments, **keywords)
    of.memory.wait()
    beside = next(value for value in values if value is not None)
    outputs = [*held, *(of(index) for index in call.written)]
    return [
        None if output.grad_out is None else of.memory.to_torch(output.grad_out, beside)
        for output in outputs
    ]
