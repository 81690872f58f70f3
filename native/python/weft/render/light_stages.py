# SPDX-License-Identifier: Apache-2.0
"""What happens to light rays besides being traced (shaders/weft/render/passing.slang)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weft._native import grid, sort_by_key

if TYPE_CHECKING:
    from weft.render.renderer import PathBuffers, Renderer


def dim_lights(renderer: Renderer, buffers: PathBuffers, count: int) -> None:
    """Bring the light rays of `count` paths behind the surfaces that they pass straight."""
    programs = renderer.tables.materials.programs
    for _ in range(buffers.transparent_bounces):
        renderer.tracer.trace_closest(
            buffers.light_rays, buffers.light_hits, buffers.capacity, count
        )
        renderer.module.classifyLight(
            grid((count,)),
            renderer.tables.view,
            buffers.view,
            len(programs),
            _result=buffers.keys[:count],
        )
        ends = sort_by_key(buffers.keys, buffers.queue, count, len(programs) + 1)
        passing = [k for k, p in enumerate(programs) if p.passes and ends[k + 1] > ends[k]]
        if not passing:
            return
        for key in passing:
            length = ends[key + 1] - ends[key] if renderer.sorts_paths else count
            buffers.view["firstOfQueue"] = ends[key] if renderer.sorts_paths else 0
            kernel = getattr(renderer.module, f"dim{key}")
            kernel(grid((length,)), renderer.tables.view, buffers.view)
