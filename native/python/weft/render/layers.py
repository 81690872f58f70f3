# SPDX-License-Identifier: Apache-2.0
"""What a camera sees first: albedo, normals, distances and numbers beside the picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import ArgumentError, Tensor, grid
from weft.layouts import LayerRow

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.render.film_tracer import FilmTracer
    from weft.render.path_settings import PathSettings
    from weft.scene import Camera

ROWS = LayerRow.end

AOVS: MappingProxyType[str, tuple[int, int]] = MappingProxyType(
    {
        "albedo": (LayerRow.albedo, 3),
        "normal": (LayerRow.normal, 3),
        "depth": (LayerRow.depth, 1),
        "uv": (LayerRow.uv, 2),
        "object": (LayerRow.object, 1),
        "material": (LayerRow.material, 1),
        "alpha": (LayerRow.end, 1),
    }
)
"""First row and number of channels of each, see shaders/weft/render/layers.slang; ``alpha`` is no
row but a picture of its own."""

ALPHA = "alpha"

MEANS = ("albedo", "normal")
"""Averaged over the pixel like the picture; the others belong to the point at its centre."""


def checked_names(names: Iterable[str]) -> list[str]:
    """Return the names once each, in order.

    Raises:
        ArgumentError: One of them is unknown.
    """
    chosen = list(dict.fromkeys(names))
    for name in chosen:
        if name not in AOVS:
            raise ArgumentError(
                f"Renderer.render: there is no AOV {name!r}; it is one of {', '.join(AOVS)}"
            )
    return chosen


class LayerPass:
    """Renders AOVs of one scene. Its kernels are compiled at the first request.

    Args:
        renderer: Of the scene.
    """

    def __init__(self, renderer: FilmTracer) -> None:
        """Keep the renderer."""
        self.renderer = renderer
        self._layers: Tensor | None = None

    def render(
        self, camera: Camera, settings: PathSettings, names: list[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Return AOVs by name, each of shape ``(height, width, channels)``."""
        films = {}
        if any(name in MEANS for name in names):
            films[True] = self._film(camera, settings)
        if any(name not in MEANS for name in names):
            centre = replace(settings, samples=1, filter="box", filter_width=1e-6)
            films[False] = self._film(replace(camera, aperture=0.0), centre)
        out = {}
        for name in names:
            first, size = AOVS[name]
            out[name] = np.ascontiguousarray(films[name in MEANS][..., first : first + size])
        return out

    def _film(self, camera: Camera, settings: PathSettings) -> NDArray[np.float32]:
        """Return all rows, averaged over the samples, shape (height, width, ROWS)."""
        renderer = self.renderer
        pixels = camera.width * camera.height
        film = Tensor.zeros(renderer.device, (pixels * ROWS,))
        for (pixel, rows), (first, samples) in renderer.batches(pixels, settings.samples):
            self._trace(camera, settings, film, ((pixel, rows), (first, samples)))
        means = np.asarray(film.to_numpy(), np.float32) / np.float32(settings.samples)
        return means.reshape(camera.height, camera.width, ROWS)

    def _trace(
        self,
        camera: Camera,
        settings: PathSettings,
        film: Tensor,
        part: tuple[tuple[int, int], tuple[int, int]],
    ) -> None:
        """Add some samples of some pixels to the film."""
        renderer, modules = self.renderer, self.renderer.sorting_modules
        pixels, samples = part
        count = pixels[1] * samples[1]
        buffers = renderer.buffers(count)
        if self._layers is None or self._layers.shape[0] != ROWS * buffers.capacity:
            self._layers = Tensor.empty(renderer.device, (ROWS * buffers.capacity,))
        step = renderer.step_settings(settings, pixels, samples)
        renderer.generate(camera, settings, buffers, step, count)
        ends = renderer.trace_to_visible(buffers, count, step)
        scene, view, layers = renderer.tables.view, buffers.view, self._layers
        programs = len(renderer.tables.materials.programs)
        looks: dict[str, Any] = {"forward": forward_of(camera)}
        for program in range(programs + 1):
            length = ends[program + 1] - ends[program]
            if not length:
                continue
            view["firstOfQueue"] = ends[program]
            if program == programs:
                modules.shared.noLayers(grid((length,)), view, layers)
            else:
                kernel = modules.programs[program].programLayers
                kernel(grid((length,)), scene, view, looks, layers)
        modules.shared.developAll(grid((pixels[1],)), view, step, layers, film)


def forward_of(camera: Camera) -> tuple[float, float, float]:
    """Return the direction along which depths are measured, world space; 0: along each ray."""
    if camera.kind == "equirectangular":
        return (0.0, 0.0, 0.0)
    assert camera.transform is not None
    x, y, z = (-camera.transform[:, 2]).tolist()
    return (x, y, z)
