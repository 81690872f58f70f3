# SPDX-License-Identifier: Apache-2.0
"""The verdict of a fit, from new draws of what it has found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.misfit import measure
from weft.fit.sights import take_sights
from weft.fit.verdict import Verdict, ViewVerdict, worst

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.misfit import Misfit
    from weft.fit.sights import Sight, Stage
    from weft.fit.verdict import Level
    from weft.scene import Scene

CERTAIN = 6.0  # standard deviations: more is no noise
SMALL = 0.01  # of the light: two renderers differ by as much
LARGE = 0.05  # of the light: from here on a scene is wrong, not nearly right
FEW_OUTLIERS, MANY_OUTLIERS = 0.01, 0.2  # of the pixels


def judge(stage: Stage, scene: Scene) -> Verdict:
    """Return whether a scene explains its pictures.

    Args:
        stage: Of a fit at its end.
        scene: Of the fit.

    Raises:
        DrawInterrupted: The renderer's interrupt says so.
    """
    sights = take_sights(stage)
    found = [measure(sight) for sight in sights]
    views = tuple(_judge_view(scene, *entry) for entry in zip(sights, found, strict=True))
    level = worst([view.level for view in views])
    ratio = math.sqrt(float(np.mean([view.ratio**2 for view in views])))
    misfit = math.sqrt(float(np.mean([view.misfit**2 for view in views])))
    return Verdict(level, _sentence(level, ratio, views), ratio, misfit, (), views)


def _judge_view(scene: Scene, sight: Sight, found: Misfit) -> ViewVerdict:
    noise = math.sqrt(found.noise + SMALL**2)
    misfit = math.sqrt(max(found.misfit, 0.0))
    ratio = math.sqrt(max(found.power, 0.0)) / noise
    target = sight.target
    return ViewVerdict(
        target.name,
        scene.camera(target.camera).name,
        _level_of(found, misfit),
        ratio,
        misfit,
        noise,
        found.brightness,
        found.outliers,
    )


def _level_of(found: Misfit, misfit: float) -> Level:
    if (found.certainty > CERTAIN and misfit > LARGE) or found.outliers > MANY_OUTLIERS:
        return "wrong"
    if (found.certainty > CERTAIN and misfit > SMALL) or found.outliers > FEW_OUTLIERS:
        return "doubtful"
    return "explained"


def _sentence(level: Level, ratio: float, views: Sequence[ViewVerdict]) -> str:
    if level == "explained":
        return "the scene explains the pictures: what is left is noise"
    bad = max(views, key=lambda view: view.ratio)
    where = f", mostly in '{bad.name}'" if len(views) > 1 else ""
    return f"the residual is {ratio:.2g} times the noise{where}"
