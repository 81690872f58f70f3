# SPDX-License-Identifier: Apache-2.0
"""Lines and words, as an SVG text and as pixels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Color = tuple[float, float, float]
Point = tuple[float, float]
BLACK: Color = (0.0, 0.0, 0.0)

# Five rows of three pixels a sign, one octal digit a row, the left pixel being 4.
GLYPHS = dict(
    zip(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-+.:/()=%,_",
        (
            "75557 26227 71747 71717 55711 74717 74757 71244 75757 75717 "
            "25755 65656 34443 65556 74647 74644 34553 55755 72227 11152 55655 44447 57755 "
            "65555 25552 65644 25563 65655 34216 72222 55557 55552 55775 55255 55222 71247 "
            "00700 02720 00002 02020 11244 12221 42224 07070 51245 00024 00007"
        ).split(),
        strict=True,
    )
)
ADVANCE, HEIGHT = 4, 5


def text_width(text: str, scale: int) -> int:
    """Return the width of a word in pixels."""
    return max(len(text) * ADVANCE - 1, 0) * scale


def draw_text(
    pixels: NDArray[np.float32], place: tuple[int, int], text: str, color: Color, scale: int
) -> None:
    """Write a word into an image; signs without a glyph stay blank.

    Args:
        pixels: Shape ``(height, width, 3)``; changed.
        place: Left and upper edge.
        text: Small letters become capitals.
        color: In the image's own numbers.
        scale: Side of a dot, pixels.
    """
    left, top = place
    for sign in text.upper():
        for row, digit in enumerate(GLYPHS.get(sign, "00000")):
            for column in range(3):
                if int(digit, 8) >> (2 - column) & 1:
                    x, y = left + column * scale, top + row * scale
                    pixels[max(y, 0) : max(y + scale, 0), max(x, 0) : max(x + scale, 0)] = color
        left += ADVANCE * scale


@dataclass
class _Line:
    points: Sequence[Point]
    color: Color
    width: float


@dataclass
class _Word:
    place: Point
    text: str
    color: Color
    anchor: str


@dataclass
class Drawing:
    """A picture of lines and words; x to the right, y down, in pixels.

    Args:
        width: Pixels.
        height: Pixels.
        text_scale: Side of a dot of letters, pixels.
    """

    width: int
    height: int
    text_scale: int = 2
    _lines: list[_Line] = field(default_factory=list)
    _words: list[_Word] = field(default_factory=list)

    def line(self, points: Sequence[Point], color: Color = BLACK, width: float = 1.0) -> None:
        """Add a line through points. Colours are sRGB in [0, 1], widths pixels."""
        self._lines.append(_Line(points, color, width))

    def text(self, place: Point, text: str, color: Color = BLACK, *, anchor: str = "start") -> None:
        """Add a word whose vertical centre is at `place`; anchor ``start``, ``middle``, ``end``."""
        self._words.append(_Word(place, text, color, anchor))

    def svg(self) -> str:
        """Return an SVG document."""
        size = 7 * self.text_scale
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'font-family="sans-serif" font-size="{size}">',
            f'<rect width="{self.width}" height="{self.height}" fill="#fff"/>',
        ]
        for line in self._lines:
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.points)
            parts.append(
                f'<polyline points="{points}" fill="none" stroke="{_hex(line.color)}" '
                f'stroke-width="{line.width:g}" stroke-linejoin="round"/>'
            )
        for word in self._words:
            x, y = word.place
            parts.append(
                f'<text x="{x:.1f}" y="{y + 0.35 * size:.1f}" fill="{_hex(word.color)}" '
                f'text-anchor="{word.anchor}">{escape(word.text)}</text>'
            )
        return "\n".join([*parts, "</svg>", ""])

    def pixels(self) -> NDArray[np.float32]:
        """Return the drawing as sRGB numbers, shape ``(height, width, 3)``."""
        out = np.ones((self.height, self.width, 3), np.float32)
        for line in self._lines:
            for a, b in zip(line.points[:-1], line.points[1:], strict=True):
                _draw_segment(out, a, b, line.color, line.width)
        for word in self._words:
            wide = text_width(word.text, self.text_scale)
            left = word.place[0] - {"start": 0, "middle": wide / 2, "end": wide}[word.anchor]
            top = word.place[1] - HEIGHT * self.text_scale / 2
            draw_text(out, (round(left), round(top)), word.text, word.color, self.text_scale)
        return out


def _hex(color: Color) -> str:
    return "#" + "".join(f"{round(255 * min(max(value, 0.0), 1.0)):02x}" for value in color)


def _draw_segment(out: NDArray[np.float32], a: Point, b: Point, color: Color, width: float) -> None:
    """Cover the pixels of a segment with round ends by the share that their distance says."""
    margin = width / 2 + 1
    low = np.floor(np.minimum(a, b) - margin).astype(int)
    high = np.ceil(np.maximum(a, b) + margin).astype(int)
    rows = slice(max(low[1], 0), max(min(high[1], out.shape[0]), 0))
    columns = slice(max(low[0], 0), max(min(high[0], out.shape[1]), 0))
    y = np.arange(rows.start, rows.stop)[:, None] + 0.5
    x = np.arange(columns.start, columns.stop)[None, :] + 0.5
    along = np.subtract(b, a)
    squared = max(float(along @ along), 1e-12)
    t = np.clip(((x - a[0]) * along[0] + (y - a[1]) * along[1]) / squared, 0, 1)
    distance = np.hypot(x - a[0] - t * along[0], y - a[1] - t * along[1])
    cover = np.clip(width / 2 + 0.5 - distance, 0, 1)[..., None]
    part = out[rows, columns]
    part += cover * (np.array(color, np.float32) - part)
