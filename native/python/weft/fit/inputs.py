# SPDX-License-Identifier: Apache-2.0
"""What a fit is about, for what looks at a fit and does not step it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weft.fit.lighting import Lighting
    from weft.fit.settings import FitSettings
    from weft.fit.target import Target
    from weft.fit.unknown_environment import EnvironmentParameter
    from weft.render.renderer import Renderer


class FitInputs(Protocol):
    """A scene on a device, pictures of it, and what may change. A Fit is one."""

    @property
    def renderer(self) -> Renderer:
        """Of the scene; ``renderer.scene`` has a box for an unknown environment."""

    @property
    def targets(self) -> Sequence[Target]:
        """The pictures; their masks leave out what their `objects` do not name."""

    @property
    def parameters(self) -> Sequence[object]:
        """Of all kinds, by the references of the scene."""

    @property
    def settings(self) -> FitSettings:
        """Samples, iterations, tolerance, limits."""

    @property
    def lighting(self) -> Lighting:
        """Under which lights each target was taken."""

    @property
    def unknown(self) -> EnvironmentParameter | None:
        """The unknown environment; ``None``: it is known."""
