# SPDX-License-Identifier: Apache-2.0
"""Gradient descent and the Adam family."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from weft._native import ArgumentError
from weft.optim.optimizer import Array, Bounds, Optimizer, Rates
from weft.optim.parameters import Tensors, read_number

__all__ = ["SGD", "Adam", "AdamW"]


class SGD(Optimizer):
    """Gradient descent, with momentum if asked for.

    With g = gradient + weight_decay * parameter:
    velocity = momentum * velocity + g; parameter -= learning_rate * velocity; with `nesterov`
    parameter -= learning_rate * (g + momentum * velocity).
    Sutskever et al., "On the importance of initialization and momentum in deep learning",
    ICML 2013.

    Args:
        parameters: Tensors of half, float, double or of vectors of these; see Tensors.
        learning_rate: A number or a schedule; one for all, a list, or a dict by name.
        momentum: In [0, 1).
        nesterov: Looks ahead; needs a momentum.
        weight_decay: 0 or greater.
        bounds: (lower, upper) for all, a list or a dict of such tuples; numbers, arrays that
            broadcast to the parameter, or None for an open side. Each step ends inside.
        clip_value: Largest magnitude of an element of a gradient.
        clip_norm: Largest Euclidean norm of all gradients together; larger ones are scaled down.

    Raises:
        ArgumentError: A number is out of its range, or settings and parameters do not fit.

    Example:
        >>> optimizer = weft.optim.SGD([weights], 0.1, momentum=0.9)
        >>> optimizer.step(gradients=[gradient])
    """

    structure = "SgdStep"

    def __init__(
        self,
        parameters: Tensors,
        learning_rate: Rates,
        *,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float = 0.0,
        bounds: Bounds = None,
        clip_value: float | None = None,
        clip_norm: float | None = None,
    ) -> None:
        self._momentum = _read_share("SGD", "momentum", momentum)
        self._weight_decay = read_number("SGD", "weight_decay", weight_decay, 0.0, "0 is none")
        self._nesterov = nesterov
        if nesterov and self._momentum == 0:
            raise ArgumentError("SGD: nesterov needs a momentum above 0; pass for example 0.9")
        self.update = "sgd" if self._momentum else "plainSgd"
        self.moments = ("velocity",) if self._momentum else ()
        super().__init__(
            parameters, learning_rate, bounds=bounds, clip_value=clip_value, clip_norm=clip_norm
        )

    def settings(self, step: int, rates: Array) -> Mapping[str, float | Array]:
        """Return the fields of SgdStep for `step` (from 0) and `rates`, one a parameter."""
        return {
            "rate": rates,
            "momentum": self._momentum,
            "look_ahead": float(self._nesterov),
            "weight_decay": self._weight_decay,
        }


class Adam(Optimizer):
    """Adam with bias correction.

    Kingma and Ba, "Adam: a method for stochastic optimization", ICLR 2015, algorithm 1.

    Args:
        parameters: Tensors of half, float, double or of vectors of these; see Tensors.
        learning_rate: A number or a schedule; one for all, a list, or a dict by name.
        betas: Shares of the first and the second moment that stay, each in [0, 1).
        epsilon: Added to the square root of the second moment; 0 or greater.
        weight_decay: Times the parameter is added to the gradient.
        bounds: See SGD.
        clip_value: See SGD.
        clip_norm: See SGD.

    Moments and arithmetic are double for double parameters, else float.

    Raises:
        ArgumentError: A number is out of its range, or settings and parameters do not fit.

    Example:
        >>> optimizer = weft.optim.Adam({"albedo": albedo}, 0.01, bounds=(0.0, 1.0))
        >>> optimizer.step(gradients={"albedo": gradient})
    """

    update = "adam"
    structure = "AdamStep"
    moments = ("first_moment", "second_moment")

    def __init__(
        self,
        parameters: Tensors,
        learning_rate: Rates = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.0,
        bounds: Bounds = None,
        clip_value: float | None = None,
        clip_norm: float | None = None,
    ) -> None:
        name = type(self).__name__
        self._betas = [_read_share(name, f"betas[{i}]", beta) for i, beta in enumerate(betas)]
        if len(self._betas) != 2:
            raise ArgumentError(f"{name}: betas must be two numbers, got {len(self._betas)}")
        self._epsilon = read_number(name, "epsilon", epsilon, 0.0, "pass for example 1e-8")
        self._weight_decay = read_number(name, "weight_decay", weight_decay, 0.0, "0 is none")
        super().__init__(
            parameters, learning_rate, bounds=bounds, clip_value=clip_value, clip_norm=clip_norm
        )

    def settings(self, step: int, rates: Array) -> Mapping[str, float | Array]:
        """Return the fields of AdamStep for `step` (from 0) and `rates`, one a parameter."""
        first, second = self._betas
        return {
            "rate": rates,
            "keep_first": first,
            "add_first": 1 - first,
            "keep_second": second,
            "add_second": 1 - second,
            "correct_first": 1 / (1 - first ** (step + 1)),
            "correct_second": 1 / (1 - second ** (step + 1)),
            "epsilon": self._epsilon,
            "weight_decay": self._weight_decay,
            "shrink": np.ones_like(rates),
        }


class AdamW(Adam):
    """Adam with decoupled weight decay: each step first takes rate * weight_decay of the parameter.

    Loshchilov and Hutter, "Decoupled weight decay regularization", ICLR 2019, algorithm 2, with the
    decay in proportion to the learning rate. Arguments as of Adam.
    """

    def __init__(
        self,
        parameters: Tensors,
        learning_rate: Rates = 1e-3,
        *,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.01,
        bounds: Bounds = None,
        clip_value: float | None = None,
        clip_norm: float | None = None,
    ) -> None:
        super().__init__(
            parameters,
            learning_rate,
            betas=betas,
            epsilon=epsilon,
            weight_decay=weight_decay,
            bounds=bounds,
            clip_value=clip_value,
            clip_norm=clip_norm,
        )

    def settings(self, step: int, rates: Array) -> Mapping[str, float | Array]:
        """Return the fields of AdamStep for `step` (from 0) and `rates`, one a parameter."""
        fields = super().settings(step, rates)
        return {**fields, "weight_decay": 0.0, "shrink": 1 - rates * self._weight_decay}


def _read_share(function: str, what: str, value: float) -> float:
    share = read_number(function, what, value, 0.0, "pass for example 0.9")
    if share >= 1:
        raise ArgumentError(
            f"{function}: {what} must be below 1, got {share:g}; pass for example 0.9"
        )
    return share
