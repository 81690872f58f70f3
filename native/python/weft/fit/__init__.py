# SPDX-License-Identifier: Apache-2.0
"""Materials from pictures: inverse rendering."""

from __future__ import annotations

from weft.fit.fit import Fit, FitResult, FitSettings, Progress
from weft.fit.parameters import Parameter
from weft.fit.target import Target

__all__ = [
    "Fit",
    "FitResult",
    "FitSettings",
    "Parameter",
    "Progress",
    "Target",
]
