# SPDX-License-Identifier: Apache-2.0
"""Optimizers: SGD, Adam, AdamW and L-BFGS for tensors, Levenberg-Marquardt for few numbers.

>>> optimizer = weft.optim.Adam({"weights": weights}, learning_rate=0.01)
>>> optimizer.step(gradients={"weights": gradient})
"""

from __future__ import annotations

import warnings

from weft.optim import first_order
from weft.optim.first_order import *  # noqa: F403  (an optimizer is named in its own file)
from weft.optim.lbfgs import LBFGS, Minimum
from weft.optim.levenberg_marquardt import LeastSquares, LevenbergMarquardt
from weft.optim.model import Model
from weft.optim.optimizer import Optimizer
from weft.optim.parameters import Tensors
from weft.optim.schedules import (
    Schedule,
    constant_rate,
    cosine_rate,
    exponential_rate,
    step_rate,
)

__all__ = [
    "LBFGS",
    "LeastSquares",
    "LevenbergMarquardt",
    "Minimum",
    "Model",
    "Optimizer",
    "Schedule",
    "Tensors",
    "constant_rate",
    "cosine_rate",
    "exponential_rate",
    "step_rate",
]
__all__ += first_order.__all__


def __getattr__(name: str) -> object:
    """Return what was called otherwise before, and warn."""
    if name == "Optimiser":
        warnings.warn(
            "weft.optim.Optimiser is weft.optim.Optimizer now", DeprecationWarning, stacklevel=2
        )
        return Optimizer
    raise AttributeError(f"module 'weft.optim' has no attribute {name!r}")
