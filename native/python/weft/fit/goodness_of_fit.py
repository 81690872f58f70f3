# SPDX-License-Identifier: Apache-2.0
"""The verdict of a fit, from new draws of what it has found."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from weft._native import FEW_OUTLIERS, MISFIT_SIGMAS, RENDERER_DIFFERENCE
from weft.fit.causes import find_swapped, suspect
from weft.fit.validation import draw_validations
from weft.fit.verdict import Verdict, ViewVerdict, worst
from weft.fit.wording import Case, sentence_of, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Misfit
    from weft.fit.target import Target
    from weft.fit.validation import Stage, Validation
    from weft.fit.verdict import Cause, Level
    from weft.scene import Scene

TELLING = 0.6  # share of a misfit that a suspect explains
TELLING_MOVE = 0.4  # the same, of a picture that was moved: a shift explains edges only
TELLING_CURVE = 0.68
TELLING_BOUNCES = 0.3
APART = 2.0  # times the misfit of other views: one that is so much worse is so alone
MORE_BOUNCES = 8  # that are tried, at least
OF_ONE_PICTURE = ("swapped", "picture")  # causes that tell pictures from others


def judge(stage: Stage, scene: Scene) -> Verdict:
    """Return whether a scene explains its pictures.

    Args:
        stage: Of a fit at its end.
        scene: Of the fit.

    Raises:
        Interrupted: The renderer's interrupt says so.
    """
    validations = draw_validations(stage)
    found = [fresh.residuals().measure() for fresh in validations]
    levels: list[Level] = [one.judge().level for one in found]
    case = Case(worst(levels), [fresh.target.name for fresh in validations], found, levels)
    if case.level != "explained":
        case.causes = _causes(stage, validations, case)
    views = tuple(
        _judge_view(scene, case, number, fresh) for number, fresh in enumerate(validations)
    )
    ratio = math.sqrt(float(np.mean([view.ratio**2 for view in views])))
    misfit = math.sqrt(float(np.mean([view.misfit**2 for view in views])))
    sentence = sentence_of(case, ratio, stage.settings.bounces)
    return Verdict(case.level, sentence, ratio, misfit, tuple(case.causes), views)


def are_shared(verdict: Verdict, targets: Sequence[Target]) -> bool:
    """Return whether residuals of neighbours go together, by misfit or by noise of a picture."""
    if verdict.level == "open":
        return False
    is_left = any(view.certainty > MISFIT_SIGMAS for view in verdict.views)
    return is_left or any(target.grain > 1 for target in targets)


def _judge_view(scene: Scene, case: Case, number: int, fresh: Validation) -> ViewVerdict:
    found = case.found[number]
    own = found.judge()
    return ViewVerdict(
        fresh.target.name,
        scene.camera(fresh.target.camera).name,
        case.levels[number],
        own.ratio,
        own.misfit,
        own.noise,
        found.brightness,
        found.outliers,
        found.certainty,
        words_of(case, number),
    )


def _causes(stage: Stage, validations: Sequence[Validation], case: Case) -> list[Cause]:
    """Return what is likely wrong, the likeliest first."""
    bad = _unexplained(case)
    if not bad:
        return _outliers(case)
    likely = _likely(stage, validations, case, bad)
    if stage.is_settled or likely[0] in OF_ONE_PICTURE:
        return likely
    return ["unfinished", *likely]  # what textures have not found yet looks like anything


def _likely(
    stage: Stage, validations: Sequence[Validation], case: Case, bad: Sequence[int]
) -> list[Cause]:
    """Return what is likely wrong with the pictures `bad`, or with the scene."""
    outliers = _outliers(case)
    case.swapped = [pair for pair in find_swapped(validations) if set(pair) & set(bad)]
    if case.swapped:
        return ["swapped", *outliers]
    case.suspicions = {number: suspect(validations[number]) for number in bad}
    case.alone = _alone(case.found)
    if case.alone is not None:
        return ["picture", *_told(case, [case.alone]), *outliers]
    told = _told_of_all(stage, case, bad)
    # Pixels that are far off pull numbers away, and what that leaves looks like anything.
    is_pulled = case.level == "doubtful" and told != ["camera"]
    return [*outliers, *told] if is_pulled else [*told, *outliers]


def _outliers(case: Case) -> list[Cause]:
    return ["outliers"] if any(one.outliers > FEW_OUTLIERS for one in case.found) else []


def _unexplained(case: Case) -> list[int]:
    """Return the pictures with a misfit that is no noise."""
    return [
        number
        for number, level in enumerate(case.levels)
        if case.found[number].exceeds_noise and level != "explained"
    ]


def _told_of_all(stage: Stage, case: Case, bad: Sequence[int]) -> list[Cause]:
    """Return what is wrong with the scene or with all pictures."""
    told = _told(case, bad)
    # What bounces leave out looks like another curve.
    if told != ["camera"] and _bounces_explain(stage, case):
        return ["bounces"]
    return told or ["light"]


def _alone(found: Sequence[Misfit]) -> int | None:
    """Return the one view that is much worse than the others; ``None``: there is none."""
    if len(found) < 3:
        return None
    order = sorted(range(len(found)), key=lambda number: found[number].misfit)
    worst_one, next_one = (max(found[number].misfit, 0.0) for number in (order[-1], order[-2]))
    return order[-1] if worst_one > APART**2 * max(next_one, RENDERER_DIFFERENCE**2) else None


def _told(case: Case, bad: Sequence[int]) -> list[Cause]:
    """Return what explains most of the misfit of some views."""
    means = np.mean(
        [
            [one.exposure, one.display, one.camera]
            for one in (case.suspicions[number] for number in bad)
        ],
        axis=0,
    )
    exposure, display, camera = map(float, means)
    if camera > TELLING_MOVE and camera > exposure:
        return ["camera"]
    if exposure > TELLING:
        return ["exposure"]
    return ["display"] if display > TELLING_CURVE else []


def _bounces_explain(stage: Stage, case: Case) -> bool:
    """Return whether paths that bounce more often explain a part of the misfit."""
    more = max(2 * stage.settings.bounces, MORE_BOUNCES)
    if stage.settings.bounces >= MORE_BOUNCES:
        return False
    fresh = draw_validations(stage, bounces=more)
    after = [one.residuals().measure().misfit for one in fresh]
    before = [one.misfit for one in case.found]
    return sum(after) < (1 - TELLING_BOUNCES) * sum(before)
