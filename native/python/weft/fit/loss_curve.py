# SPDX-License-Identifier: Apache-2.0
"""The curve of a fit's loss over its iterations: with matplotlib, or a plain one without.

``LossCurve.from_history`` reads a fit's history; ``plot`` makes a figure of it for the report,
``draw`` pixels where matplotlib is not installed, as inside Blender.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from weft import image
from weft.fit.lettering import own_lettering, paint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from weft.fit.lettering import Color, Lettering

GREY: Color = (0.85, 0.85, 0.85)
BLUE: Color = (0.1, 0.35, 0.7)
ORANGE: Color = (0.85, 0.45, 0.05)
LEFT, RIGHT, TOP, BOTTOM, TEXT = 72, 20, 34, 50, 18  # of a plain curve, pixels
MAX_DECADES = 6
LOSS_LABEL = "loss (mean product of relative residuals)"
FLOOR_LABEL = "noise floor"
PLOT_EXTRA = "matplotlib is not installed; pip install 'weft[plot]'"


@dataclass(frozen=True, eq=False)
class LossCurve:
    """What a curve shows.

    Args:
        iterations: Numbers of the iterations, increasing.
        losses: One each. The loss is a product of two independent sample sets: noise makes it
            negative at times.
        noise_floor: Below it a loss is noise, one each; NaN: not known.
        phases: Name of the phase of each; "" if the fit does not say.
        seconds: That all of it took.
    """

    iterations: NDArray[np.float64]
    losses: NDArray[np.float64]
    noise_floor: NDArray[np.float64]
    phases: tuple[str, ...]
    seconds: float = 0.0

    @classmethod
    def from_losses(cls, losses: Sequence[float]) -> LossCurve:
        """Return the curve of losses alone, one an iteration."""
        count = len(losses)
        numbers = np.asarray(losses, np.float64).reshape(count)
        return cls(np.arange(1.0, count + 1), numbers, np.full(count, np.nan), ("",) * count)

    @classmethod
    def from_history(cls, history: Sequence[Any]) -> LossCurve:
        """Return the curve of a result's history, with noise floor and phases where it has them."""
        plain = cls.from_losses([entry.loss for entry in history])
        floors = [getattr(entry, "noise_floor", math.inf) for entry in history]
        phases = [getattr(entry, "phase", None) for entry in history]
        return cls(
            plain.iterations,
            plain.losses,
            np.array([floor if math.isfinite(floor) else math.nan for floor in floors]),
            tuple(phase if isinstance(phase, str) else "" for phase in phases),
            history[-1].seconds if history else 0.0,
        )

    def levels(self) -> tuple[int, int]:
        """Return the powers of ten that the axis begins and ends with."""
        drawn = np.concatenate([self.losses, self.noise_floor])
        drawn = drawn[np.isfinite(drawn) & (drawn > 0)]
        if not drawn.size:
            return -1, 0
        high = math.ceil(math.log10(float(drawn.max())) + 1e-9)
        low = math.floor(math.log10(float(drawn.min())))
        return max(min(low, high - 1), high - MAX_DECADES), high

    def spans(self) -> list[tuple[str, float, float]]:
        """Return each phase that has a name with its first and last iteration."""
        out: list[tuple[str, float, float]] = []
        for number, (name, iteration) in enumerate(zip(self.phases, self.iterations, strict=True)):
            if number and out and name == self.phases[number - 1]:
                out[-1] = (name, out[-1][1], float(iteration))
            else:
                out.append((name, float(iteration), float(iteration)))
        return [span for span in out if span[0]]

    def clipped(self) -> NDArray[np.float64]:
        """Return the losses on the axis: what is not above its lower end lies on it."""
        low, high = self.levels()
        inside = np.where(np.isfinite(self.losses) & (self.losses > 0), self.losses, 0.0)
        result: NDArray[np.float64] = np.clip(inside, 10.0**low, 10.0**high)
        return result


def plot(curve: LossCurve) -> Figure:
    """Return a figure of matplotlib; it belongs to no window and to no list of figures.

    Raises:
        ImportError: matplotlib is not installed.
    """
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    low, high = curve.levels()
    figure = Figure(figsize=(7.2, 4.5), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    shown = curve.clipped()
    below = ~(np.isfinite(curve.losses) & (curve.losses >= 10.0**low))
    axes.plot(curve.iterations, shown, color=BLUE, marker=".", label="loss")
    if below.any():
        axes.plot(
            curve.iterations[below], shown[below], linestyle="none", marker="v", color=BLUE,
            markerfacecolor="white", label="at or below the axis (noise)",
        )  # fmt: skip
    if np.isfinite(curve.noise_floor).any():
        axes.plot(
            curve.iterations, curve.noise_floor, color=ORANGE, linestyle="--", label=FLOOR_LABEL
        )
    for number, (name, first, last) in enumerate(curve.spans()):
        axes.axvspan(first - 0.5, last + 0.5, color="0.93" if number % 2 else "0.97", zorder=0)
        axes.text(
            (first + last) / 2, 0.985, name, transform=axes.get_xaxis_transform(), ha="center",
            va="top", color="0.3", fontsize="small",
        )  # fmt: skip
    axes.set(xlabel="iteration", ylabel=LOSS_LABEL, yscale="log")
    axes.set_ylim(10.0 ** (low - 0.08), 10.0 ** (high + 0.08))
    axes.set_xlim(0, max(float(curve.iterations[-1]) if shown.size else 1.0, 1.0) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(color="0.85", linewidth=0.6)
    axes.set_title(f"{len(shown)} iterations, {curve.seconds:.3g} s", fontsize="medium")
    if len(axes.get_lines()) > 1:
        axes.legend(fontsize="small")
    return figure


def figure_files(figure: Figure) -> tuple[bytes, bytes]:
    """Return a figure as a PNG and as an SVG file; equal figures are equal bytes."""
    from matplotlib import rc_context

    png, svg = io.BytesIO(), io.BytesIO()
    with rc_context({"svg.hashsalt": "weft", "svg.fonttype": "none"}):
        figure.savefig(png, format="png", metadata={"Software": None})
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return png.getvalue(), svg.getvalue()


def draw(
    curve: LossCurve, size: tuple[int, int] = (640, 400), lettering: Lettering | None = None
) -> NDArray[np.float32]:
    """Return a plain curve as sRGB numbers, shape ``(height, width, 3)``, without matplotlib.

    Args:
        curve: What it shows.
        size: Width and height, pixels.
        lettering: Draws the labels; ``None``: OpenImageIO, and where it draws no text there are
            none.
    """
    width, height = size
    out = np.ones((height, width, 3), np.float32)
    low, high = curve.levels()
    count = max(len(curve.losses), 2)

    def place(iteration: float, loss: float) -> tuple[float, float]:
        level = (math.log10(loss) - low) / (high - low)
        return (
            LEFT + (width - LEFT - RIGHT) * iteration / count,
            TOP + (height - TOP - BOTTOM) * (1 - min(max(level, 0.0), 1.0)),
        )

    def lines(paths: Sequence[Sequence[tuple[float, float]]], color: Color, thick: float) -> None:
        paint(out, image.line_mask(paths, (height, width), thick), (0, 0), color)

    ticks, bottom, top = _ticks(len(curve.losses)), 10.0**low, 10.0**high
    levels = [10.0**decade for decade in range(low, high + 1)]
    grid = [[place(0, level), place(count, level)] for level in levels]
    lines([*grid, *([place(tick, bottom), place(tick, top)] for tick in ticks)], GREY, 1)
    floor = curve.noise_floor
    known = np.isfinite(floor) & (floor > 0)
    lines([list(map(place, curve.iterations[known], floor[known]))], ORANGE, 1.5)
    points = list(map(place, curve.iterations, curve.clipped()))
    lines([[(x - 2, y), (x + 2, y)] for x, y in points], BLUE, 4)
    lines([points], BLUE, 2)
    lettering = lettering or own_lettering()
    if lettering is not None:
        _label(out, lettering, place, (low, high), ticks)
        if known.any():
            mask = lettering(FLOOR_LABEL, TEXT)
            paint(out, mask, (width - RIGHT - mask.shape[1], (TOP - TEXT) / 2), ORANGE)
    return out


def _label(
    out: NDArray[np.float32],
    lettering: Lettering,
    place: Callable[[float, float], tuple[float, float]],
    levels: tuple[int, int],
    ticks: Sequence[int],
) -> None:
    """Write the numbers of the axes, and what they are."""
    for decade in range(levels[0], levels[1] + 1):
        mask = lettering(f"1e{decade}", TEXT)
        paint(out, mask, (LEFT - 8 - mask.shape[1], place(0, 10.0**decade)[1] - TEXT / 2))
    for tick in ticks:
        mask = lettering(str(tick), TEXT)
        paint(out, mask, (place(tick, 1.0)[0] - mask.shape[1] / 2, out.shape[0] - BOTTOM + 6))
    mask = lettering("iteration", TEXT)
    paint(out, mask, (out.shape[1] - RIGHT - mask.shape[1], out.shape[0] - TEXT - 4))
    paint(out, lettering(LOSS_LABEL, TEXT), (LEFT, (TOP - TEXT) / 2), BLUE)


def _ticks(count: int) -> list[int]:
    """Return at most about ten round numbers up to `count`."""
    step = 10 ** max(math.floor(math.log10(max(count, 1))) - 1, 0)
    while count / step > 10:
        step *= 5 if count / step > 20 else 2
    return list(range(0, count + 1, step))
