# SPDX-License-Identifier: Apache-2.0
"""Optimisers: SGD, Adam, AdamW and L-BFGS for tensors, Levenberg-Marquardt for few numbers.

>>> optimiser = weft.optim.Adam({"weights": weights}, learning_rate=0.01)
>>> optimiser.step(gradients={"weights": gradient})
"""

from __future__ import annotations

from weft.optim.first_order import SGD, Adam, AdamW
from weft.optim.lbfgs import LBFGS, Minimum
from weft.optim.levenberg_marquardt import LeastSquares, LevenbergMarquardt
from weft.optim.model import Model
from weft.optim.optimiser import Optimiser
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
    "SGD",
    "Adam",
    "AdamW",
    "LeastSquares",
    "LevenbergMarquardt",
    "Minimum",
    "Model",
    "Optimiser",
    "Schedule",
    "Tensors",
    "constant_rate",
    "cosine_rate",
    "exponential_rate",
    "step_rate",
]
