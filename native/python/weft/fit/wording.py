# SPDX-License-Identifier: Apache-2.0
"""The sentences of verdicts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Misfit
    from weft.fit.causes import Suspicion
    from weft.fit.verdict import Cause, Level

SAME_BRIGHTNESS = 0.1  # stops

EXPLAINED = "the scene explains the pictures: what is left is noise"

QUESTIONS = {
    "camera": "is its camera where the picture was taken from?",
    "exposure": "does its exposure differ?",
    "display": "was it saved through another display transform or color space?",
    "": "is its camera right, and is it a picture of this scene?",
}


@dataclass
class Case:
    """What is known of pictures and their misfits.

    Args:
        level: Of the whole.
        names: Of the targets.
        found: Their misfits.
        levels: Of each.
        causes: What is likely wrong, the likeliest first.
        swapped: Pairs of views whose pictures fit each other's renders.
        suspicions: Of views that are not explained, by their numbers.
        alone: Number of the one view that is much worse than the others; ``None``: there is none.
    """

    level: Level
    names: Sequence[str]
    found: Sequence[Misfit]
    levels: Sequence[Level]
    causes: list[Cause] = field(default_factory=list)
    swapped: list[tuple[int, int]] = field(default_factory=list)
    suspicions: dict[int, Suspicion] = field(default_factory=dict)
    alone: int | None = None


def sentence_of(case: Case, ratio: float, bounces: int) -> str:
    """Return what a verdict says.

    Args:
        case: Which.
        ratio: Of the residuals to the noise.
        bounces: That paths may make.
    """
    if case.level == "explained":
        return EXPLAINED
    advice = ": mask out what is not in the scene"
    if case.causes and case.causes[0] == "outliers":
        return _outliers_of(case) + advice
    worst = max(range(len(case.found)), key=lambda number: case.found[number].misfit)
    where = f", mostly in '{case.names[worst]}'" if len(case.names) > 1 else ""
    question = _question(case, worst, bounces)
    besides = f"; {_outliers_of(case)}" if "outliers" in case.causes else ""
    return (
        f"the residual is {_rounded(max(ratio, 1.0))} times the noise{where}: {question}{besides}"
    )


def _rounded(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def words_of(case: Case, number: int) -> str:
    """Return what is likely wrong with one view; "" where nothing is."""
    if case.levels[number] == "explained":
        return ""
    for pair in case.swapped:
        if number in pair:
            other = case.names[pair[0] + pair[1] - number]
            return f"it fits the camera of '{other}' better"
    if case.alone == number:
        return "it disagrees with all others"
    share = case.found[number].outliers
    return f"{100 * share:.2g} % of its pixels are far off" if "outliers" in case.causes else ""


def _outliers_of(case: Case) -> str:
    worst = max(range(len(case.found)), key=lambda number: case.found[number].outliers)
    share = 100 * case.found[worst].outliers
    return f"{share:.2g} % of the pixels of '{case.names[worst]}' are far off"


def _question(case: Case, worst: int, bounces: int) -> str:
    """Return what to look at."""
    causes = [cause for cause in case.causes if cause != "outliers"]
    if causes[:1] == ["unfinished"]:
        return "textures were still changing; give them more iterations before looking elsewhere"
    if "swapped" in causes:
        pair = " and ".join(f"'{case.names[number]}'" for number in case.swapped[0])
        return f"are the pictures {pair} swapped?"
    if "picture" in causes:
        return QUESTIONS[causes[1] if len(causes) > 1 else ""]
    if "exposure" in causes:
        return f"is the exposure right? {_brightness(case.found[worst])}"
    if "camera" in causes:
        who = "does the camera" if len(case.names) == 1 else "do the cameras"
        return f"edges are off: {who} stand and look as in the pictures?"
    if "display" in causes:
        return "were the pictures saved through another display transform or color space?"
    if "bounces" in causes:
        return (
            f"light is lost after {bounces} {'bounce' if bounces == 1 else 'bounces'}; allow more"
        )
    return "do lights, sky, and objects stand as in the pictures?"


def _brightness(found: Misfit) -> str:
    """Return by how much a picture is brighter than its render."""
    if not 0 < found.brightness < math.inf:
        return "the picture or the render is black"
    stops = math.log2(found.brightness)
    if abs(stops) < SAME_BRIGHTNESS:
        return "the picture is as bright as the render, but its colors differ"
    than = "brighter" if stops > 0 else "darker"
    return f"the picture is {abs(stops):.1f} stops {than} than the render"
