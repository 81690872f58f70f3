# SPDX-License-Identifier: Apache-2.0
"""A photo beside the scene as it is by now, small enough for a panel."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.comparison import choose_exposure, color_map, encode_display
from weft.fit.target import Target

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit.fit import Fit
    from weft.fit.views import View

LIVE_PIXELS = 1 << 13  # of all pictures together
LIVE_SAMPLES = 4  # in each of two halves
FIRST_DRAW = 1 << 21  # its number: far from those of the fit and of its verdict


@dataclass(frozen=True, eq=False)
class Pair:
    """A photo beside a render, sRGB numbers of shape ``(height, width, 3)``, the top row first.

    Args:
        photo: The picture.
        render: The scene through its camera, as bright.
        difference: Dark where they agree, yellow where they differ most.
        error: Root mean square of the difference, relative to that of the picture; ``None``: of few
            paths, whose fireflies are most of it.
    """

    photo: NDArray[np.float32]
    render: NDArray[np.float32]
    difference: NDArray[np.float32]
    error: float | None


def make_pair(target: Target, render: NDArray[np.float32]) -> Pair:
    """Return a picture beside a render of its size."""
    assert target.mask is not None
    photo, counts = target.image, target.mask > 0
    scale = 2.0 ** choose_exposure(target)
    difference = np.abs(render - photo).max(axis=2) * counts
    largest = max(float(np.percentile(difference[counts], 99.5)), 1e-6)
    size = max(float(np.mean(photo[counts] ** 2)), 1e-30)
    error = float(np.sqrt(np.mean((render - photo)[counts] ** 2) / size))
    return Pair(
        encode_display(photo * scale),
        encode_display(render * scale),
        encode_display(color_map(difference / largest)),
        error,
    )


def live_pairs(fit: Fit, number: int) -> dict[str, Pair]:
    """Return each picture beside the scene as a running fit has it, by the targets' names.

    Some rows and columns are drawn with the kernels of the fit, which goes on as if nothing had
    been.

    Args:
        fit: Between two steps.
        number: Of these pictures; others have other noise.

    Raises:
        Interrupted: The renderer's interrupt says so.
    """
    stage = fit.stage
    views = stage.views
    grids = [_grid(view, LIVE_PIXELS // len(views)) for view in views]
    pixels = [
        (rows[:, None] * view.camera.width + columns).ravel().astype(np.uint32)
        for view, (rows, columns) in zip(views, grids, strict=True)
    ]
    pairs = {}
    found = stage.differences(pixels, LIVE_SAMPLES, FIRST_DRAW + number)
    for view, (rows, columns), difference in zip(views, grids, found, strict=True):
        off = difference.reshape(len(rows), len(columns), 3)
        small = _small(view.target, rows, columns)
        if small is not None:
            pair = make_pair(small, (small.image + off).astype(np.float32))
            pairs[view.target.name] = replace(pair, error=None)
    return pairs


def _grid(view: View, most: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of a picture that together have no more pixels than so many."""
    height, width = view.camera.height, view.camera.width
    stride = max(int(np.ceil(np.sqrt(height * width / most))), 1)
    return np.arange(stride // 2, height, stride), np.arange(stride // 2, width, stride)


def _small(target: Target, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> Target | None:
    """Return a target of some rows and columns; ``None`` if none of its pixels counts."""
    assert target.mask is not None
    mask = target.mask[np.ix_(rows, columns)]
    if not mask.any():
        return None
    return Target(target.image[np.ix_(rows, columns)], 0, mask, name=target.name)
