# SPDX-License-Identifier: Apache-2.0
"""What happens to light rays besides being traced (shaders/weft/render/passing.slang)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor, grid, sort_by_key
from weft.render.keeping import Identity, digest
from weft.render.media import BOUNDARIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import Function
    from weft.render.path_buffers import PathBuffers
    from weft.render.scene_on_device import SceneOnDevice
    from weft.render.upload import SceneTables

DIMMING = ("classifyLight", "programDim")


def _sort_and_launch(
    renderer: SceneOnDevice,
    buffers: PathBuffers,
    count: int,
    stage: tuple[str, str],
    keys: list[int],
) -> bool:
    """Sort light rays by a kernel's keys, and launch the kernels of some.

    Args:
        renderer: Of the scene.
        buffers: Of the paths.
        count: Number of paths.
        stage: Kernel that finds the keys, and the one of each program that follows.
        keys: Programs that have such a kernel.

    Returns:
        Whether there was something to do.
    """
    scene, programs = renderer.tables.view, len(renderer.tables.materials.programs)
    classify = getattr(renderer.modules.shared, stage[0])
    classify(grid((count,)), scene, buffers.view, programs, _result=buffers.keys[:count])
    ends = sort_by_key(buffers.keys, buffers.queue, count, programs + 2)
    found = [key for key in keys if ends[key + 1] > ends[key]]
    for key in found:
        length = ends[key + 1] - ends[key] if renderer.sorts_paths else count
        buffers.view["firstOfQueue"] = ends[key] if renderer.sorts_paths else 0
        buffers.view["key"] = key
        getattr(renderer.modules.programs[key], stage[1])(grid((length,)), scene, buffers.view)
    hidden = ends[programs + 1] - ends[programs]
    if hidden and stage == DIMMING and renderer.tables.traits.has_hidden:
        buffers.view["firstOfQueue"] = ends[programs]
        renderer.modules.shared.skipLight(grid((hidden,)), scene, buffers.view)
        return True
    return bool(found)


def light_calls(
    renderer: SceneOnDevice, buffers: PathBuffers
) -> list[tuple[Function, Sequence[Any]]]:
    """Return calls of all kernels of light rays, for compile_together()."""
    traits, modules = renderer.traits, renderer.modules
    lanes, scene, paths = grid((256,)), renderer.tables.view, buffers.view
    programs = renderer.tables.materials.programs
    calls: list[tuple[Function, Sequence[Any]]] = []
    if traits.is_see_through:
        calls.append((modules.shared.classifyLight, (lanes, scene, paths, len(programs))))
        passing = [number for number, program in enumerate(programs) if program.passes]
        if traits.has_hidden:
            calls.append((modules.shared.skipLight, (lanes, scene, paths)))
        calls += [(modules.programs[k].programDim, (lanes, scene, paths)) for k in passing]
    if traits.has_media:
        calls.append((modules.shared.finish, (lanes, scene, paths)))
    if traits.has_glow:
        calls.append((modules.shared.classifyShining, (lanes, scene, paths, len(programs))))
        shining = [number for number, program in enumerate(programs) if program.shines]
        calls += [(modules.programs[k].programColor, (lanes, scene, paths)) for k in shining]
    return calls


def dim_lights(renderer: SceneOnDevice, buffers: PathBuffers, count: int) -> None:
    """Bring the light rays of `count` paths behind the surfaces that they pass straight."""
    _pass_lights(renderer, buffers, count)
    if renderer.traits.has_media:
        scene = renderer.tables.view
        renderer.modules.shared.finish(grid((count,)), scene, buffers.view)


def _pass_lights(renderer: SceneOnDevice, buffers: PathBuffers, count: int) -> None:
    programs = renderer.tables.materials.programs
    passing = [number for number, program in enumerate(programs) if program.passes]
    has_hidden = renderer.tables.traits.has_hidden
    most = buffers.transparent_bounces
    if any(program.is_boundary for program in programs):
        most += BOUNDARIES
    passed = 0
    while has_hidden or passed < most:
        if passed >= most:
            passing = []
        passed += 1
        renderer.tracer.trace_closest(
            buffers.light_rays, buffers.light_hits, buffers.capacity, count
        )
        if not _sort_and_launch(renderer, buffers, count, DIMMING, passing):
            return


def color_lights(renderer: SceneOnDevice, buffers: PathBuffers, count: int) -> None:
    """Evaluate the light of `count` paths that comes from triangles whose light varies."""
    programs = renderer.tables.materials.programs
    shining = [number for number, program in enumerate(programs) if program.shines]
    _sort_and_launch(renderer, buffers, count, ("classifyShining", "programColor"), shining)


def measure_lights(renderer: SceneOnDevice, tables: SceneTables) -> None:
    """Draw triangles whose light varies by what they give off: their mean over 16 places.

    Args:
        renderer: With the kernels.
        tables: Of the scene, under one of its lights.
    """
    glowing, view = tables.glowing, tables.view
    modules = {int(k): renderer.modules.programs[k] for k in np.unique(glowing.programs)}
    # Tensors that are the same have the same numbers: nobody writes to them.
    tensors = [
        entry
        for part in (view["geometry"], view["textures"], {"": view["materials"]["records"]})
        for entry in part.values()
        if isinstance(entry, Tensor)
    ]
    key = (
        *map(Identity, tensors),
        *map(Identity, modules.values()),
        digest(tables.materials.values),
        digest(glowing.places),
        digest(glowing.programs),
    )

    def measure() -> NDArray[np.float64]:
        means = np.zeros((len(glowing.lights), 2))
        for program, module in modules.items():
            mine = np.flatnonzero(glowing.programs == program)
            places = np.ascontiguousarray(glowing.places[mine])
            found = module.programMeasure(view, places, _result="numpy")
            means[mine] = found.reshape(-1, 2)
        return means

    means = tables.kept.get("mean emission", key, measure)
    tables.set_glow(np.nan_to_num(means.clip(0, None)))
