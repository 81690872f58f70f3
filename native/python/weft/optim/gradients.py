# SPDX-License-Identifier: Apache-2.0
"""The gradients of an optimizer's parameters: where they come from, and whether they fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from weft._native import ArgumentError, ArgumentTypeError, Tensor
from weft.optim.parameters import Parameter, Tensors, scalars_of, spread


def find_gradients(
    function: str, parameters: Sequence[Parameter], gradients: Tensors | None
) -> list[Tensor]:
    """Return the gradients that were passed, or else those of the parameters, in their order.

    Raises:
        ArgumentError: One is missing.
    """
    if gradients is None:
        found = [getattr(parameter.tensor, "grad", None) for parameter in parameters]
    elif isinstance(gradients, Mapping):
        found = spread(function, "gradients", gradients, parameters, convert=lambda _, entry: entry)
    else:
        found = [gradients] if isinstance(gradients, Tensor) else list(gradients)
        if len(found) != len(parameters):
            raise ArgumentError(
                f"{function}: gradients has {len(found)} entries for {len(parameters)} "
                "parameters; pass one for each"
            )
    for parameter, gradient in zip(parameters, found, strict=True):
        if gradient is None:
            raise ArgumentError(
                f"{function}: parameter '{parameter.name}' has no gradient; make it with "
                "with_grads() and run a backward pass, or pass gradients="
            )
    return cast("list[Tensor]", found)


def check_gradients(
    function: str, parameters: Sequence[Parameter], gradients: Sequence[Tensor]
) -> list[Tensor]:
    """Return each gradient as scalars.

    Raises:
        ArgumentError: One is no float tensor, or of another shape or device than its parameter.
    """
    views = []
    for parameter, gradient in zip(parameters, gradients, strict=True):
        what = f"the gradient of parameter '{parameter.name}'"
        if not isinstance(gradient, Tensor):
            raise ArgumentTypeError(
                f"{function}: {what} must be a Tensor, got {type(gradient).__name__}; make one "
                "with Tensor.from_numpy()"
            )
        view = scalars_of(function, what, gradient)
        if view.shape != parameter.scalars.shape:
            raise ArgumentError(
                f"{function}: {what} has shape {view.shape}, the parameter has "
                f"{parameter.scalars.shape}; make them equal"
            )
        if view.device is not parameter.tensor.device:
            raise ArgumentError(
                f"{function}: {what} is on another device than the parameter; copy it there"
            )
        views.append(view)
    return views
