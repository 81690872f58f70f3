# SPDX-License-Identifier: Apache-2.0
"""How much of the device's memory a fit takes: a bound, known before the first iteration.

It is that of a closed room, where paths end at their last bounce only and each of their surfaces is
recorded. Where paths escape, or meet what does not change, a fit takes less.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._native import (
    MAX_PRECONDITIONERS,
    MAX_SAMPLES_FACTOR,
    MAX_VALIDATION_SAMPLES,
    MIN_PATHS,
    PATHS_PER_SCALAR,
    VALIDATION_PATHS_AT_ONCE,
    iteration_samples,
)
from weft.fit.goodness_of_fit import MORE_BOUNCES
from weft.layouts import HeadRow
from weft.render.memory import WORD, scene_bytes, tensors_of
from weft.render.path_buffers import path_buffer_bytes, whole_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.settings import FitSettings
    from weft.fit.views import View
    from weft.render.record import Recorder
    from weft.render.renderer import Renderer

TEXEL_ARRAYS = 12  # of all texels: 5 of TexelState, the best, the gradient, what is made of them
MAP_ARRAYS = 8 + MAX_PRECONDITIONERS  # of those that change: blurs, what is known, preconditioners
VIEW_FLOATS = 8  # a drawn pixel: picture, weights, what was lost, differences
FILM_FLOATS = 6  # a drawn pixel: both sample sets of a film


@dataclass(frozen=True)
class FitCounts:
    """How much of what a fit has.

    Args:
        scalars: Unknown numbers; a colour has three.
        maps: Fitted textures.
        texels: Floats of all textures of the scene.
        fitted_texels: Floats of the fitted ones.
    """

    scalars: int
    maps: int = 0
    texels: int = 0
    fitted_texels: int = 0


def fit_bytes(
    renderer: Renderer, views: Sequence[View], counts: FitCounts, settings: FitSettings
) -> int:
    """Return how many bytes of a device a fit takes at most, its scene included.

    Compiled kernels, and what the driver needs for itself, come on top.

    Args:
        renderer: Of the scene, on the device.
        views: Of the targets, as the fit draws them.
        counts: Of what may change.
        settings: Samples and bounces.
    """
    held = [view for view in views if view.recorders[0].renderer.device is renderer.device]
    recorders = [entry for view in held for entry in view.recorders]
    owners = [tensors_of(entry.scene) for entry in recorders]
    owners += [entry.directions.tensors for entry in recorders]
    scene = scene_bytes(
        renderer, [*renderer.all_tables, *(own.tables for own in recorders)], owners
    )
    paths = [most_paths(view, views, counts, settings) for view in views]
    capacity = whole_groups(max(map(max, paths)))
    paths = [most_paths(view, views, counts, settings) for view in held]
    heads = WORD * HeadRow.end * capacity * len(recorders)
    records = _record_bytes(held, paths, settings.bounces)
    # Records that have become too few are there until they are copied.
    growth = max(records)
    return (
        scene
        + _path_bytes(renderer, recorders, capacity)
        + heads
        + sum(records)
        + growth
        + _film_bytes(held, counts)
        + _texel_bytes(counts)
    )


def _record_bytes(
    views: Sequence[View], paths: Sequence[tuple[int, int]], bounces: int
) -> list[int]:
    """Return how many bytes the records of each of the views' recorders take."""
    return [
        own.record_bytes(most_surfaces(count, bounces))
        for view, count in zip(views, paths, strict=True)
        for own in view.recorders
    ]


def most_samples(pixels: int, counts: FitCounts, settings: FitSettings) -> int:
    """Return the paths a pixel of each sample set, at most, of an iteration of so many pixels."""
    if not counts.scalars:
        return settings.samples
    return iteration_samples(pixels, counts.scalars, settings.samples, settings.samples)


def most_paths(
    view: View, views: Sequence[View], counts: FitCounts, settings: FitSettings
) -> tuple[int, int]:
    """Return the paths of a view that are drawn at once, at most: by iterations, by the verdict.

    Fewer pixels may be selected later: of those, more samples are taken, but not more paths than
    `MIN_PATHS` or `PATHS_PER_SCALAR` ask for.
    """
    own, every = view.size, sum(entry.size for entry in views)
    wanted = max(MIN_PATHS, PATHS_PER_SCALAR * counts.scalars) if counts.scalars else 0
    drawn = own * most_samples(every, counts, settings)
    selected = min(wanted, own * MAX_SAMPLES_FACTOR * settings.samples)
    return 2 * max(drawn, selected), min(VALIDATION_PATHS_AT_ONCE, 2 * own * MAX_VALIDATION_SAMPLES)


def most_surfaces(paths: tuple[int, int], bounces: int) -> int:
    """Return the surfaces of paths that are drawn at once, at most.

    Args:
        paths: Of iterations, and of the verdict, which may look at longer ones.
        bounces: Of the settings.
    """
    drawn, judged = paths
    longer = max(2 * bounces, MORE_BOUNCES) if bounces < MORE_BOUNCES else bounces
    return max(drawn * (bounces + 1), judged * (longer + 1))


def _path_bytes(renderer: Renderer, recorders: Iterable[Recorder], capacity: int) -> int:
    """Return what paths under way take: of iterations, and of a look at what a picture shows."""
    owners = {id(entry.renderer): entry.renderer for entry in recorders}
    count = sum(path_buffer_bytes(capacity, entry.traits) for entry in owners.values())
    # Those of fewer paths are let go of when there are others.
    return count + path_buffer_bytes(max(renderer.capacity, capacity), renderer.traits)


def _film_bytes(views: Sequence[View], counts: FitCounts) -> int:
    """Return what pixels take: films, their adjoints, and what they are compared with."""
    developed = max(3 * view.size * (1 + view.recorders[0].directions.count) for view in views)
    floats = 2 * developed
    if counts.maps:
        for view in views:
            films = 2 + counts.maps + 2 * len(view.recorders) + counts.scalars
            floats += view.size * (VIEW_FLOATS + FILM_FLOATS * films)
    return WORD * floats


def _texel_bytes(counts: FitCounts) -> int:
    """Return what steps of textures take beside the scene."""
    if not counts.maps:
        return 0
    arrays = TEXEL_ARRAYS
    if counts.scalars:
        arrays += counts.scalars + 1  # rows of the cross block, texels before a result was written
    own = MAP_ARRAYS + counts.scalars + 1
    return WORD * (arrays * counts.texels + own * counts.fitted_texels)
