# SPDX-License-Identifier: Apache-2.0
"""Paths below surfaces, from where they go in to where they come out (walk.slang)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weft._native import grid, sort_by_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft._native import Function, Module
    from weft.render.path_buffers import PathBuffers
    from weft.render.scene_on_device import SceneOnDevice

STEPS = 4096
"""Numbers of segments that the walks of one segment take; shaders end walks before."""


def walk_view(renderer: SceneOnDevice, buffers: PathBuffers) -> dict[str, Any]:
    """Return WalkView of walk.slang, with room for all paths; made once."""
    if "walks" not in buffers.kept:
        tracer, capacity = renderer.tracer, buffers.capacity
        words = (capacity + 4) // 5
        buffers.kept["walks"] = {
            "rays": tracer.create_rays(capacity),
            "hits": tracer.create_hits(capacity),
            "queue": tracer.create_hits(words),
            "next": tracer.create_hits(words),
            "order": tracer.create_hits(words),
            "keys": tracer.create_hits(words),
            "capacity": capacity,
            "isTraced": 0,
        }
    view: dict[str, Any] = buffers.kept["walks"]
    return view


def finish_walks(
    renderer: SceneOnDevice,
    buffers: PathBuffers,
    ends: list[int],
    step: dict[str, int],
    scene: dict[str, Any] | None = None,
    records: dict[str, Any] | None = None,
) -> None:
    """Take the sorted paths that are below surfaces to where they come out, or to their end.

    Args:
        renderer: Of the scene.
        buffers: Of the paths.
        ends: Of the groups of the sorted paths.
        step: Of the segment.
        scene: View of other lights; ``None``: the renderer's.
        records: Where the steps of walks go that began at recorded surfaces; ``None``: none did.
    """
    own = len(renderer.tables.materials.programs) + 2
    length = ends[own + 1] - ends[own]
    if not length:
        return
    shared, view = renderer.sorting_modules.shared, walk_view(renderer, buffers)
    buffers.view["firstOfQueue"] = ends[own]
    shared.queueWalks(grid((length,)), buffers.view, view)
    view["isTraced"] = 0
    first = STEPS * (step["bounce"] + 1)
    for number in range(STEPS):
        inner, lanes = step | {"bounce": first + number}, grid((length,))
        arguments = (lanes, scene or renderer.tables.view, buffers.view, view)
        if records is None:
            shared.stepWalks(*arguments, inner)
        else:
            shared.recordWalks(*arguments, records, inner)
        length = sort_by_key(view["keys"], view["order"], length, 2)[1]
        if not length:
            return
        lanes = grid((length,))
        shared.keepWalks(lanes, view)
        view["queue"], view["next"] = view["next"], view["queue"]
        shared.sendWalks(lanes, buffers.view, view)
        renderer.tracer.trace_closest(view["rays"], view["hits"], view["capacity"], length)
        view["isTraced"] = 1


def walk_calls(
    renderer: SceneOnDevice,
    buffers: PathBuffers,
    shared: Module,
    step: dict[str, int],
    records: dict[str, Any] | None = None,
) -> list[tuple[Function, Sequence[Any]]]:
    """Return calls of all kernels of walks, for compile_together()."""
    if not renderer.traits.has_walks:
        return []
    lanes, scene, paths = grid((256,)), renderer.tables.view, buffers.view
    view = walk_view(renderer, buffers)
    calls: list[tuple[Function, Sequence[Any]]] = [
        (shared.queueWalks, (lanes, paths, view)),
        (shared.keepWalks, (lanes, view)),
        (shared.sendWalks, (lanes, paths, view)),
    ]
    if records is None:
        return [*calls, (shared.stepWalks, (lanes, scene, paths, view, step))]
    return [*calls, (shared.recordWalks, (lanes, scene, paths, view, records, step))]
