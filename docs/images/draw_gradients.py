#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/guide/gradients.md beside this file; a test holds them against it.

./dev python docs/images/draw_gradients.py
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).resolve().parent
INK, PALE, VALUE, GRADIENT, SHARED = "#24292f", "#d0d7de", "#ddf4ff", "#fff1e5", "#e6f6e6"
FORWARD, BACKWARD = "#0969da", "#bc4c00"
CELL = 34


class Picture:
    """An SVG that grows by shapes; lengths in pixels."""

    def __init__(self, width: int, height: int, title: str) -> None:
        arrow = (
            '<marker id="{0}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
            'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{1}"/></marker>'
        )
        self._lines = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="DejaVu Sans, Arial, sans-serif" '
            'font-size="13">',
            f"<title>{title}</title>",
            "<defs>" + arrow.format("f", FORWARD) + arrow.format("b", BACKWARD) + "</defs>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def box(
        self,
        x: float,
        y: float,
        text: str = "",
        fill: str = VALUE,
        width: float = CELL,
        height: float = CELL,
    ) -> None:
        """Draw a rectangle with a text in its middle."""
        self._lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="3" '
            f'fill="{fill}" stroke="{INK}"/>'
        )
        if text:
            self.text(x + width / 2, y + height / 2 + 5, text, "middle")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        anchor: str = "start",
        *,
        bold: bool = False,
        halo: bool = False,
        colour: str = INK,
    ) -> None:
        """Write a line; `halo` keeps lines below away from it."""
        style = ' font-weight="bold"' if bold else ""
        style += ' paint-order="stroke" stroke="#ffffff" stroke-width="4"' if halo else ""
        self._lines.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}"{style}>{text}</text>'
        )

    def arrow(
        self, x1: float, y1: float, x2: float, y2: float, *, is_backward: bool = False
    ) -> None:
        """Draw an arrow from one point to another."""
        colour, mark = (BACKWARD, "b") if is_backward else (FORWARD, "f")
        self._lines.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}" '
            f'stroke-width="1.5" marker-end="url(#{mark})"/>'
        )

    def thread(self, x: float, y: float) -> None:
        """Draw a thread, a circle."""
        self._lines.append(f'<circle cx="{x:g}" cy="{y:g}" r="9" fill="{VALUE}" stroke="{INK}"/>')

    def frame(self, x: float, y: float, width: float, height: float) -> None:
        """Draw the outline of what belongs together."""
        self._lines.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" '
            f'fill="none" stroke="{PALE}" stroke-width="1.5"/>'
        )

    def finish(self) -> str:
        """Return the SVG."""
        return "\n".join([*self._lines, "</svg>", ""])


def flow() -> str:
    """What a call and its backward call read and write: the example of the guide."""
    picture = Picture(760, 500, "What a call and its backward call read and write")
    rows = (70, 115, 160)
    picture.text(24, 28, "module.lit(albedo, light, _result=result)", bold=True, colour=FORWARD)
    picture.text(24, 54, "albedo")
    picture.text(24, 226, "light")
    picture.text(330, 54, "one call an element")
    picture.text(640, 54, "result")
    picture.box(90, 205, "0.5")
    for y, albedo, result in zip(rows, "123", ("0.5", "2", "4.5"), strict=True):
        middle = y + CELL / 2
        picture.box(90, y, albedo)
        picture.box(330, y, "lit", "#ffffff", 130)
        picture.box(640, y, result)
        picture.arrow(126, middle, 327, middle)
        picture.arrow(126, 222, 327, middle + 9)
        picture.arrow(462, middle, 637, middle)

    down = 250
    picture.text(
        24, 278, "module.lit.bwds(albedo, light, _result=result)", bold=True, colour=BACKWARD
    )
    picture.text(24, 304, "albedo.grad: added to")
    picture.text(24, 452, "light.grad:")
    picture.text(24, 470, "the sum")
    picture.text(330, 304, "the same, backwards")
    picture.text(586, 304, "result.grad: read")
    picture.box(120, 205 + down, "14", GRADIENT)
    for y, gradient, share in zip(rows, "123", ("1", "4", "9"), strict=True):
        y += down
        middle = y + CELL / 2
        picture.box(120, y, gradient, GRADIENT)
        picture.box(330, y, "bwd_diff(lit)", "#ffffff", 130)
        picture.box(640, y, "1", GRADIENT)
        picture.arrow(638, middle, 463, middle, is_backward=True)
        picture.arrow(328, middle, 157, middle, is_backward=True)
        picture.arrow(328, middle + 9, 157, 222 + down, is_backward=True)
        picture.text(
            290,
            middle + 19 + (222 + down - middle) / 8,
            f"+{share}",
            "middle",
            halo=True,
            colour=BACKWARD,
        )
    return picture.finish()


def own_element(picture: Picture, x: float, y: float) -> None:
    """Each thread has an element of its own."""
    picture.text(x + 14, y + 24, "One element a call", bold=True)
    picture.text(x + 14, y + 43, "each thread adds to its own")
    for i in range(8):
        at = x + 40 + i * 38
        picture.thread(at, y + 80)
        picture.arrow(at, y + 91, at, y + 152, is_backward=True)
        picture.box(at - 15, y + 155, "", GRADIENT, 30, 26)


def one_element(picture: Picture, x: float, y: float) -> None:
    """All threads share one element."""
    picture.text(x + 14, y + 24, "One element for all calls", bold=True)
    picture.text(x + 14, y + 43, "registers, the group, then one atomic addition")
    for group in range(2):
        left = x + 24 + group * 158
        picture.frame(left, y + 58, 148, 76)
        for i in range(4):
            at = left + 20 + i * 36
            picture.thread(at, y + 76)
            picture.arrow(at, y + 87, left + 74 + (i - 1.5) * 8, y + 107, is_backward=True)
        picture.box(left + 54, y + 109, "sum", SHARED, 40, 20)
        picture.arrow(left + 74, y + 131, x + 178 + (group - 0.5) * 16, y + 160, is_backward=True)
    picture.box(x + 163, y + 163, "", GRADIENT, 30, 26)


def row(picture: Picture, x: float, y: float) -> None:
    """Threads that share an element are one thread's loop."""
    picture.text(x + 14, y + 24, "A row for many rows of calls", bold=True)
    picture.text(x + 14, y + 43, "threads walk down the columns, then add as above")
    for i in range(8):
        at = x + 40 + i * 38
        for step in range(3):
            picture.box(at - 13, y + 56 + step * 27, "", VALUE, 26, 22)
        picture.arrow(at, y + 60, at, y + 152, is_backward=True)
        picture.box(at - 15, y + 155, "", GRADIENT, 30, 26)


def table(picture: Picture, x: float, y: float) -> None:
    """Threads choose elements of a small tensor."""
    picture.text(x + 14, y + 24, "Picked from a small tensor", bold=True)
    picture.text(x + 14, y + 43, "each group has a copy, and adds it once")
    picks = ((0, 2, 2, 1), (3, 0, 3, 2))
    for group in range(2):
        left = x + 24 + group * 158
        picture.frame(left, y + 58, 148, 80)
        for i in range(4):
            at = left + 20 + i * 36
            picture.thread(at, y + 74)
            goal = left + 37 + picks[group][i] * 25
            picture.arrow(at, y + 85, goal, y + 111, is_backward=True)
            picture.box(left + 25 + i * 25, y + 114, "", SHARED, 24, 18)
            picture.arrow(left + 37 + i * 25, y + 134, x + 140 + i * 25, y + 164, is_backward=True)
    for i in range(4):
        picture.box(x + 128 + i * 25, y + 167, "", GRADIENT, 24, 22)


def sums() -> str:
    """How gradients add up, by access pattern."""
    picture = Picture(760, 430, "How gradients add up")
    for draw, x, y in (
        (own_element, 10, 10),
        (one_element, 385, 10),
        (row, 10, 220),
        (table, 385, 220),
    ):
        picture.frame(x, y, 365, 200)
        draw(picture, x, y)
    return picture.finish()


PICTURES = {"gradients_flow.svg": flow, "gradients_sums.svg": sums}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (HERE / name).write_text(draw())
