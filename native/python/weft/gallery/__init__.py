# SPDX-License-Identifier: Apache-2.0
"""Pictures of Slang functions, drawn as their attribute ``[Preview(kind, extent)]`` says.

Start reading at :func:`draw`; `subject.py` has the function and its values, `results.py` what of a
result is drawn, `flat.py`, `points.py`, `moved.py` and `rays.py` the kinds, `shading.py` what they
share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._native import ArgumentError, ArgumentTypeError
from weft.gallery.flat import (
    draw_distance,
    draw_flow,
    draw_gradient,
    draw_graph,
    draw_plane,
    draw_sphere,
)
from weft.gallery.moved import draw_bar, draw_sheet, draw_tuft
from weft.gallery.points import draw_points
from weft.gallery.rays import draw_rays
from weft.gallery.shading import encode, shrink
from weft.gallery.subject import Subject, find_subject

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from weft._native import Device

__all__ = ["KINDS", "LARGEST", "SAMPLES", "Subject", "draw", "draw_subject", "find_subject"]

KINDS: dict[str, Callable[[Subject, int], NDArray[np.float64]]] = {
    "Plane": draw_plane,
    "Sphere": draw_sphere,
    "Graph": draw_graph,
    "Gradient": draw_gradient,
    "Distance": draw_distance,
    "Flow": draw_flow,
    "Deform": draw_bar,
    "Sheet": draw_sheet,
    "Tuft": draw_tuft,
    "Rays": draw_rays,
    "Points": draw_points,
}
"""What ``[Preview]`` may name. Each takes a function and a number of pixels; linear (H, W, 3)."""

SAMPLES = 3
"""Of a pixel, along each side."""

LARGEST = 2048
"""Pixels along a side."""


def draw(
    source: str | os.PathLike[str],
    function: str | None = None,
    size: int = 256,
    device: Device | None = None,
    **values: object,
) -> NDArray[np.float32]:
    """Draw a picture of a Slang function as its ``[Preview(kind, extent)]`` says.

    Of a structure ``value`` is drawn, else ``color``, lit by ``height`` where there is one, else
    ``height`` as relief, else a ``distance``, else the first number.

    Args:
        source: A ``.slang`` file.
        function: Its name; ``None``: the only one of the file that is a ``[Node]``.
        size: Pixels along each side, 8 to 2048.
        device: That computes; ``None``: the default one.
        values: Of parameters, in place of their defaults: numbers, or sequences for vectors.

    Returns:
        The picture, shape ``(size, size, 3)``, float32, from 0 to 1, with the sRGB curve; row 0 is
        at the top. Not differentiable.

    Raises:
        ArgumentError: There is no such function, or several; it has no ``[Preview]`` and no place
            over which to draw; its kind is unknown; the size or a value does not fit.
        CompileError: The source does not compile.
        FileNotFoundError: There is no such file.

    Example:
        >>> draw("hexagons.slang", size=64, scale=3.0).shape  # doctest: +SKIP
        (64, 64, 3)
    """
    return draw_subject(find_subject(source, function, device, values), size)


def draw_subject(subject: Subject, size: int) -> NDArray[np.float32]:
    """Draw a function that has been found; see :func:`draw`."""
    if isinstance(size, bool) or not isinstance(size, int):
        message = f"gallery: size is a number of pixels, got {size!r}"
        raise ArgumentTypeError(message)
    if not 8 <= size <= LARGEST:
        message = f"gallery: size is from 8 to {LARGEST} pixels, got {size}"
        raise ArgumentError(message)
    if subject.kind not in KINDS:
        message = (
            f"gallery: [Preview] of '{subject.name}' names the kind {subject.kind!r}; "
            f"there are {', '.join(KINDS)}"
        )
        raise ArgumentError(message)
    return encode(shrink(KINDS[subject.kind](subject, size * SAMPLES), SAMPLES))
