# SPDX-License-Identifier: Apache-2.0
"""Whether a scene explains its pictures: what a fit says of itself at its end."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["explained", "doubtful", "wrong", "open"]
"""``explained``: what is left of the residuals is noise. ``doubtful``: more than noise is left, or
pixels were left out; errors are larger for it. ``wrong``: the scene does not explain the pictures.
``open``: the fit was ended before it could be judged."""

Cause = Literal[
    "unfinished",
    "picture",
    "swapped",
    "camera",
    "exposure",
    "display",
    "bounces",
    "light",
    "outliers",
    "scene",
]
"""What is likely wrong: textures are ``unfinished``, whose loss fell until the end; one ``picture``
(or its camera), two that are ``swapped``, a ``camera`` that stands or looks elsewhere, the
``exposure``, the ``display`` transform or colour space, too few ``bounces``, the place or shape of
a ``light`` or the sky, a few pixels (``outliers``), or anything else of the ``scene``."""

ORDER: tuple[Level, ...] = ("open", "explained", "doubtful", "wrong")


@dataclass(frozen=True)
class ViewVerdict:
    """What is left of one picture.

    Args:
        name: Of the target.
        camera: Name of its camera.
        level: As of the verdict.
        ratio: Root mean square of its residuals over that of the noise: 1 where the scene explains
            it.
        misfit: What the scene leaves unexplained beside noise, of the light that the picture shows:
            0.05 is 5 %.
        noise: Of the picture, in the same unit.
        brightness: Factor by which the picture is brighter than the render.
        outliers: Share of its pixels that no weight is given, or that are far off alone.
        certainty: Standard deviations by which neighbours are off together; noise alone makes it
            about 1, and errors are larger where it is above 6.
        cause: What is likely wrong, in words; "" where nothing is.
    """

    name: str
    camera: str
    level: Level
    ratio: float
    misfit: float
    noise: float
    brightness: float = 1.0
    outliers: float = 0.0
    certainty: float = 0.0
    cause: str = ""


@dataclass(frozen=True)
class Verdict:
    """Whether the scene explains the pictures.

    Args:
        level: The worst of the views', or of the whole.
        sentence: For people: what is off, where, and what to look at.
        ratio: Root mean square of all residuals over that of the noise.
        misfit: What the scene leaves unexplained of the pictures' light, beside noise.
        causes: What is likely wrong, the likeliest first.
        views: One entry a target.
        inflation: Factor by which the misfit has made the largest standard error larger.
    """

    level: Level
    sentence: str
    ratio: float = math.nan
    misfit: float = math.nan
    causes: tuple[Cause, ...] = ()
    views: tuple[ViewVerdict, ...] = ()
    inflation: float = 1.0

    @property
    def is_good(self) -> bool:
        """Whether the scene explains the pictures: `level` is ``explained``."""
        return self.level == "explained"

    def as_dict(self) -> dict[str, Any]:
        """Return plain values for JSON: what is not finite is ``None``."""
        return {name: _finite(value) for name, value in asdict(self).items()}


OPEN = Verdict("open", "the fit was ended before it could be judged")


def worst(levels: list[Level]) -> Level:
    """Return the worst of some levels; ``open`` where there is none."""
    return max(levels, key=ORDER.index, default="open")


def _finite(value: object) -> object:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
