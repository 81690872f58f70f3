# SPDX-License-Identifier: Apache-2.0
"""Operators of kernels under torch.func and forward mode.

Operators of torch.library cannot take part there themselves: Followed does for them. Batches are
rows: a kernel sees whole tensors, so that each entry of a batch is a launch of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from weft.torch import bridge

Values = Sequence[Any]


@dataclass
class Step:
    """An operator of torch with its derivatives.

    Args:
        overload: The operator; takes tensors, numbers and lists of numbers.
        is_differentiable: Of each of its results.
        pull: Returns a gradient, or None, for each argument, given arguments and gradients of
            results.
        push: Returns a tangent, or None, for each result, given arguments and their tangents.
    """

    overload: Any
    is_differentiable: Sequence[bool]
    pull: Callable[[Values, Values], Values]
    push: Callable[[Values, Values], Values]

    def __call__(self, *values: Any) -> Any:
        """Call the operator in a way that what torch does at the moment can follow."""
        if torch.compiler.is_compiling() or not bridge.is_transformed():
            return self.overload(*values)
        is_tensor = [isinstance(value, torch.Tensor) for value in values]
        tensors = [value for value, is_one in zip(values, is_tensor, strict=True) if is_one]
        rest = [None if is_one else value for value, is_one in zip(values, is_tensor, strict=True)]
        return Followed.apply(Given(self, is_tensor, rest), *tensors)

    def rows(self, info: Any, in_dims: Any, *values: Any) -> tuple[Any, Any]:
        """Return the results for a batch, and where their batch dimensions are."""

        def row(index: int) -> Any:
            return self(
                *(
                    value.select(place, index) if isinstance(place, int) else value
                    for value, place in zip(values, in_dims, strict=True)
                )
            )

        found = [row(index) for index in range(info.batch_size)]
        if isinstance(found[0], torch.Tensor):
            return torch.stack(found), 0
        stacked = [torch.stack(column) for column in zip(*found, strict=True)]
        kind = type(found[0])
        return kind(stacked), kind([0] * len(stacked))


@dataclass
class Given:
    """Arguments of a step without its tensors."""

    step: Step
    is_tensor: list[bool]
    rest: list[Any]

    def filled(self, tensors: Values) -> list[Any]:
        """Return what stands for each argument: one of these, or what is no tensor."""
        left = iter(tensors)
        pairs = zip(self.rest, self.is_tensor, strict=True)
        return [next(left) if is_one else value for value, is_one in pairs]

    def picked(self, values: Values) -> list[Any]:
        """Return what stands for the tensors among values for all arguments."""
        return [value for value, is_one in zip(values, self.is_tensor, strict=True) if is_one]


class Followed(torch.autograd.Function):  # type: ignore[misc, unused-ignore]
    """A call of a step that torch.func and forward mode follow."""

    @staticmethod
    def forward(given: Given, *tensors: torch.Tensor) -> Any:
        """Call the operator."""
        found = given.step(*given.filled(tensors))
        return tuple(found) if isinstance(found, list) else found

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Keep the arguments."""
        ctx.given, *tensors = inputs
        outputs = output if isinstance(output, tuple) else (output,)
        marks = zip(outputs, ctx.given.step.is_differentiable, strict=True)
        ctx.mark_non_differentiable(*(each for each, is_one in marks if not is_one))
        ctx.save_for_backward(*tensors)
        ctx.save_for_forward(*tensors)

    @staticmethod
    def backward(ctx: Any, *upstream: torch.Tensor) -> Any:
        """Return gradients of the tensors."""
        given = ctx.given
        return (None, *given.picked(given.step.pull(given.filled(ctx.saved_tensors), upstream)))

    @staticmethod
    def jvp(ctx: Any, _given: None, *tangents: torch.Tensor | None) -> Any:
        """Return tangents of the results."""
        given = ctx.given
        filled = Given(given.step, given.is_tensor, [None] * len(given.rest)).filled(tangents)
        found = given.step.push(given.filled(ctx.saved_tensors), filled)
        return found[0] if len(found) == 1 else tuple(found)

    @staticmethod
    def vmap(info: Any, in_dims: Any, given: Given, *tensors: torch.Tensor) -> Any:
        """Return the results of a batch."""
        places = given.filled(in_dims[1:])
        dims = [p if is_one else None for p, is_one in zip(places, given.is_tensor, strict=True)]
        found, places = given.step.rows(info, dims, *given.filled(tensors))
        if isinstance(found, list):
            return tuple(found), tuple(places)
        return found, places
