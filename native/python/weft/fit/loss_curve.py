# SPDX-License-Identifier: Apache-2.0
"""The curve of a fit's loss over its draws."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from weft.fit.drawing import Drawing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.drawing import Color

GREY: Color = (0.85, 0.85, 0.85)
BLUE: Color = (0.1, 0.35, 0.7)
LEFT, RIGHT, TOP, BOTTOM = 84, 20, 36, 48
MOST_DECADES = 6


def draw_loss_curve(losses: Sequence[float], width: int = 640, height: int = 400) -> Drawing:
    """Return the loss over the number of the draw, on a scale of powers of ten.

    The loss is a product of two independent halves: noise makes it negative at times. Such draws
    lie on the lower edge.

    Args:
        losses: One a draw.
        width: Pixels.
        height: Pixels.
    """
    drawing = Drawing(width, height)
    positive = [loss for loss in losses if math.isfinite(loss) and loss > 0]
    high = math.ceil(math.log10(max(positive, default=1.0)) + 1e-9)
    low = math.floor(math.log10(min(positive, default=0.1)))
    low = max(min(low, high - 1), high - MOST_DECADES)
    inner = (width - LEFT - RIGHT, height - TOP - BOTTOM)

    def place(draw: int, loss: float) -> tuple[float, float]:
        level = math.log10(loss) if math.isfinite(loss) and loss > 0 else low
        share = min(max((level - low) / (high - low), 0.0), 1.0)
        return LEFT + inner[0] * draw / max(len(losses), 2), TOP + inner[1] * (1 - share)

    for decade in range(low, high + 1):
        y = place(0, 10.0**decade)[1]
        drawing.line([(LEFT, y), (width - RIGHT, y)], GREY)
        drawing.text((LEFT - 8, y), f"1e{decade}", anchor="end")
    for draw in _ticks(len(losses)):
        x = place(draw, 1.0)[0]
        drawing.line([(x, TOP), (x, height - BOTTOM)], GREY)
        drawing.text((x, height - BOTTOM + 14), str(draw), anchor="middle")
    points = [place(number + 1, loss) for number, loss in enumerate(losses)]
    drawing.line(points * 2 if len(points) == 1 else points, BLUE, 2.0)
    for x, y in points:
        drawing.line([(x, y), (x, y)], BLUE, 5.0)
    drawing.text((LEFT, TOP / 2), "loss")
    drawing.text((width - RIGHT, height - 14), "draws", anchor="end")
    return drawing


def _ticks(count: int) -> list[int]:
    """Return at most about ten round numbers up to `count`."""
    step = 10 ** max(math.floor(math.log10(max(count, 1))) - 1, 0)
    while count / step > 10:
        step *= 5 if count / step > 20 else 2
    return list(range(0, count + 1, step))
