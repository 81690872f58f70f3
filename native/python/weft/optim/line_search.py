# SPDX-License-Identifier: Apache-2.0
"""Line searches: how far to go along a direction of descent."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

DECREASE = 1e-4
"""c1 of the Wolfe conditions: the least fraction of the decrease that the slope predicts."""

CURVATURE = 0.9
"""c2 of the Wolfe conditions: the fraction of the initial slope that may remain."""


@dataclass(frozen=True)
class Point:
    """The function at one distance: its value and its slope, the directional derivative."""

    distance: float
    value: float
    slope: float


Evaluate: TypeAlias = "Callable[[float], Point]"


def search_backtracking(
    evaluate: Evaluate, start: Point, first: float, budget: int
) -> Point | None:
    """Halve the distance until the decrease is sufficient (Armijo's condition).

    Args:
        evaluate: Evaluates the function at a distance; a value may be NaN or infinite.
        start: The function at distance 0, with a negative slope.
        first: The distance that is tried first.
        budget: Evaluations allowed.

    Returns:
        The accepted point, which is the last one evaluated; None if there is none.
    """
    distance = first
    for _ in range(budget):
        point = evaluate(distance)
        if _decreases(point, start):
            return point
        distance /= 2
    return None


def search_strong_wolfe(
    evaluate: Evaluate, start: Point, first: float, budget: int
) -> Point | None:
    """Find a point that meets the strong Wolfe conditions, or else the best that decreases.

    Nocedal and Wright, "Numerical optimization", second edition, 2006, algorithms 3.5 and 3.6.
    Arguments and result as of search_backtracking(), but the point need not be the last one.
    """
    low, distance = start, first
    while budget > 0:
        point = evaluate(distance)
        budget -= 1
        if not _decreases(point, start) or (low is not start and point.value >= low.value):
            return _zoom(evaluate, start, low, point, budget)
        if abs(point.slope) <= -CURVATURE * start.slope:
            return point
        if point.slope >= 0:
            return _zoom(evaluate, start, point, low, budget)
        low, distance = point, 2 * distance
    return low if low is not start else None


def _zoom(evaluate: Evaluate, start: Point, low: Point, high: Point, budget: int) -> Point | None:
    """Shrink an interval that holds acceptable points; `low` is its better end."""
    for _ in range(budget):
        point = evaluate(_inside(low, high))
        if not _decreases(point, start) or point.value >= low.value:
            high = point
        else:
            if abs(point.slope) <= -CURVATURE * start.slope:
                return point
            if point.slope * (high.distance - low.distance) >= 0:
                high = low
            low = point
        if abs(high.distance - low.distance) <= 1e-12 * abs(high.distance):
            break
    return low if low.distance > 0 else None


def _decreases(point: Point, start: Point) -> bool:
    """False for a NaN too."""
    return point.value <= start.value + DECREASE * point.distance * start.slope


def _inside(a: Point, b: Point) -> float:
    """Return the minimum of the cubic through both ends, or the middle where it is no help."""
    middle = (a.distance + b.distance) / 2
    width = b.distance - a.distance
    if not (math.isfinite(b.value) and math.isfinite(b.slope)):
        return middle
    # Equation 3.59.
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.distance - b.distance)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return middle
    d2 = math.copysign(math.sqrt(square), width)
    divisor = b.slope - a.slope + 2 * d2
    if divisor == 0:
        return middle
    distance = b.distance - width * (b.slope + d2 - d1) / divisor
    nearest, farthest = sorted((a.distance + 0.1 * width, b.distance - 0.1 * width))
    return distance if nearest <= distance <= farthest else middle
