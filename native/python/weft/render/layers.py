# SPDX-License-Identifier: Apache-2.0
"""What a camera sees first: albedo, normals, distances and numbers beside the picture."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError, aov_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from weft.render.film_tracer import FilmTracer
    from weft.render.path_settings import PathSettings
    from weft.scene import Camera

AOVS: MappingProxyType[str, tuple[int, int]] = MappingProxyType(
    {name: (first, size) for name, (first, size, _) in aov_table().items()}
)
"""First row and number of channels of each, see native/render/aovs.hpp; ``alpha`` is no row but a
picture of its own."""

ALPHA = "alpha"

MEANS = tuple(name for name, (_, _, is_mean) in aov_table().items() if is_mean)
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

    def render(
        self, camera: Camera, settings: PathSettings, names: list[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Return AOVs by name, each of shape ``(height, width, channels)``."""
        films = {}
        if any(name in MEANS for name in names):
            films[True] = self.renderer.layers(camera, settings)
        if any(name not in MEANS for name in names):
            films[False] = self.renderer.centre_layers(camera, settings)
        out = {}
        for name in names:
            first, size = AOVS[name]
            out[name] = np.ascontiguousarray(films[name in MEANS][..., first : first + size])
        return out
