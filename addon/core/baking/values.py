# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of compiled node graphs at points of surfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft import ArgumentError
from weft.scene import Attribute, Bump, ColorAttribute, Constant, NormalMap, SlangCall, Texture
from weft.scene.values import UVSet, UVTangent

from ..graph.functions import Folding

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.scene.values import Value

    from ..graph.compile import AttributeRequest
    from .programs import Argument, Programs
    from .surfaces import Points

    Rows = NDArray[np.float32]

KNOWN = frozenset(
    {
        Attribute.POSITION,
        Attribute.NORMAL,
        Attribute.GEOMETRIC_NORMAL,
        Attribute.BACKFACING,
        Attribute.PARAMETRIC,
    }
)
"""What a place on a surface has without a ray that meets it."""


def stops(value: Value) -> str:
    """Return why a value is not known at a place of a surface; "": it is, but for what it uses."""
    if isinstance(value, Attribute) and value not in KNOWN:
        return "it depends on who looks at the surface, or from where"
    if isinstance(value, (Bump, NormalMap, UVTangent)):
        return "it turns the normal along a UV map, which is not known where images are baked"
    return ""


def parts_of(value: Value) -> list[Value]:
    """Return what a value is made of, itself first."""
    found: list[Value] = []
    seen: set[int] = set()
    stack = [value]
    while stack:
        own = stack.pop()
        if id(own) in seen:
            continue
        seen.add(id(own))
        found.append(own)
        if isinstance(own, SlangCall):
            stack += own.arguments.values()
        elif isinstance(own, Texture) and own.uv is not None:
            stack.append(own.uv)
    return found


class Evaluation:
    """Computes values at points; what several share is computed once.

    Args:
        points: Where.
        requests: What the numbers of UV sets and attributes mean.
        programs: That compute.
    """

    def __init__(
        self, points: Points, requests: Sequence[AttributeRequest], programs: Programs
    ) -> None:
        """Begin with nothing known."""
        self._points = points
        self._names = {(r.kind == "uv", r.index): (r.kind, r.name) for r in requests}
        self._programs = programs
        self._known: dict[int, tuple[Value, Argument]] = {}

    def value(self, value: Value) -> Argument:
        """Return a value: rows, or a number or a tuple that is the same everywhere.

        Raises:
            ArgumentError: It depends on more than the place.
        """
        if id(value) not in self._known:
            self._known[id(value)] = (value, self._compute(value))
        return self._known[id(value)][1]

    def _compute(self, value: Value) -> Argument:
        if isinstance(value, Constant):
            numbers = value.numbers
            return numbers[0] if len(numbers) == 1 else numbers
        if isinstance(value, (int, float)):
            return float(value)
        if isinstance(value, (UVSet, ColorAttribute)):
            return self._points.row(*self._names[isinstance(value, UVSet), value.index])
        if isinstance(value, Attribute):
            return self._attribute(value)
        if isinstance(value, Texture):
            assert value.uv is not None
            return look_up(value, self._spread(self.value(value.uv)))
        if isinstance(value, SlangCall):
            return self._call(value)
        if isinstance(value, (Bump, NormalMap, UVTangent)):
            raise ArgumentError(f"bake: {stops(value)}")
        return tuple(float(number) for number in value)

    def _attribute(self, value: Attribute) -> Argument:
        if value is Attribute.POSITION:
            return self._points.positions()
        if value is Attribute.NORMAL:
            return self._points.normals()
        if value is Attribute.GEOMETRIC_NORMAL:
            return self._points.face_normals()
        if value is Attribute.BACKFACING:
            return 0.0
        if value is Attribute.PARAMETRIC:
            weights = self._points.weights
            rest = 1 - weights[:, :1] - weights[:, 1:]
            return np.hstack([rest, weights[:, :1], np.zeros_like(rest)]).astype(np.float32)
        raise ArgumentError(f"bake: {stops(value)}")

    def _call(self, value: SlangCall) -> Argument:
        folded = Folding().fold(value)
        if not isinstance(folded, SlangCall) or not folded.source:
            message = f"bake: the function '{value.function}' cannot be called here"
            raise ArgumentError(message)
        arguments = {name: self.value(own) for name, own in folded.arguments.items()}
        source = folded.source
        if not any(isinstance(own, np.ndarray) for own in arguments.values()):
            found = self._programs.run(folded.function, source, arguments, 1)
            return float(found[0]) if found.ndim == 1 else tuple(map(float, found[0]))
        return self._programs.run(folded.function, source, arguments, len(self._points))

    def _spread(self, found: Argument) -> Rows:
        if isinstance(found, np.ndarray):
            return found
        row = np.asarray(found, np.float32).reshape(-1)
        return np.broadcast_to(row, (len(self._points), len(row)))


def look_up(texture: Texture, uv: Rows) -> Rows:
    """Return what an image holds at places, shape ``(n, channels)``, as the renderer looks it up.

    Args:
        texture: The image.
        uv: Shape ``(n, 2)``; (0, 0) is the lower left corner.
    """
    height, width, channels = texture.pixels.shape
    size = np.array([width, height])
    place = uv[:, :2].astype(np.float64) * size
    if texture.filter == "closest":
        cell = np.floor(place).astype(np.int64)
        return _texel(texture, cell[:, 0], cell[:, 1])
    place -= 0.5
    low = np.floor(place)
    share = (place - low).astype(np.float32)
    cell = low.astype(np.int64)
    found = np.zeros((len(uv), channels), np.float32)
    for step_x in (0, 1):
        for step_y in (0, 1):
            x = share[:, :1] if step_x else 1 - share[:, :1]
            y = share[:, 1:] if step_y else 1 - share[:, 1:]
            found += _texel(texture, cell[:, 0] + step_x, cell[:, 1] + step_y) * (x * y)
    return found


def _texel(texture: Texture, x: NDArray[np.int64], y: NDArray[np.int64]) -> Rows:
    height, width = texture.pixels.shape[:2]
    columns, is_in = _wrapped(x, width, texture.wrap)
    rows, is_up = _wrapped(y, height, texture.wrap)
    found: Rows = texture.pixels[height - 1 - rows, columns]
    if texture.wrap == "clip":
        found = found * (is_in & is_up)[:, None]
    return found


def _wrapped(
    place: NDArray[np.int64], size: int, wrap: str
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return which texel stands at a place along an axis, and whether it is in the image."""
    inside = (place >= 0) & (place < size)
    if wrap == "repeat":
        return place % size, inside
    if wrap == "mirror":
        turn = place % (2 * size)
        return np.where(turn < size, turn, 2 * size - 1 - turn), inside
    return np.clip(place, 0, size - 1), inside


def arguments_of(evaluation: Evaluation, values: Mapping[str, Value]) -> dict[str, Argument]:
    """Return values by name."""
    return {name: evaluation.value(value) for name, value in values.items()}
