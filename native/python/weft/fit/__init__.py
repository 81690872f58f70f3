# SPDX-License-Identifier: Apache-2.0
"""Materials from pictures: inverse rendering."""

from __future__ import annotations

from weft.fit.display import DisplayTransform
from weft.fit.exposure import Exposure
from weft.fit.fit import Fit
from weft.fit.lights import LightParameter
from weft.fit.parameters import Parameter
from weft.fit.progress import Progress
from weft.fit.result import FitResult
from weft.fit.settings import FitSettings
from weft.fit.target import Target
from weft.fit.texture_parameters import FittedTexture, TextureParameter
from weft.fit.unknown_environment import EnvironmentParameter
from weft.fit.verdict import Verdict, ViewVerdict

__all__ = [
    "DisplayTransform",
    "EnvironmentParameter",
    "Exposure",
    "Fit",
    "FitResult",
    "FitSettings",
    "FittedTexture",
    "LightParameter",
    "Parameter",
    "Progress",
    "Target",
    "TextureParameter",
    "Verdict",
    "ViewVerdict",
]
