# SPDX-License-Identifier: Apache-2.0
"""The renders of a scene as a function of a few parameters, for GaussNewton."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from weft._native import (
    Tensor,
    counted_pixels,
    information_threshold,
    leverages,
    pilot_stride,
)
from weft.fit.devices import each_view
from weft.fit.information import LinearizedResiduals
from weft.fit.views import draw_views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft._native import FilmFactors
    from weft.fit.unknowns import Unknowns
    from weft.fit.views import View
    from weft.render.renderer import Renderer


class ScalarModel:
    """Residuals and derivatives by recorded paths.

    Args:
        renderer: Of the scene.
        views: Of the targets, with directions for the unknowns.
        unknowns: What changes.
        samples: Paths a pixel in each half of a draw.
        bounces: Surfaces that a path may leave.
        seed: Equal seeds give equal fits.
    """

    def __init__(
        self,
        renderer: Renderer,
        views: Sequence[View],
        unknowns: Unknowns,
        *,
        samples: int,
        bounces: int,
        seed: int,
    ) -> None:
        """Upload the directions."""
        self.renderer = renderer
        self.views = views
        self.unknowns = unknowns
        self.samples, self.bounces, self.seed = samples, bounces, seed
        self.iterations = 0
        self._drawn = samples
        owners = [(renderer.device, renderer.tables)]
        owners += [(own.renderer.device, own.tables) for view in views for own in view.recorders]
        tables = [own for _, own in owners]
        self._devices = {id(own.values): device for device, own in owners}
        self._on_device = {id(own.values): own.values for own in tables}
        self.scene_values = {id(own.values): own.materials.values.copy() for own in tables}
        parameters = len(renderer.tables.materials.values)
        self._directions = unknowns.native.directions(parameters)
        self._has_directions = len(self._directions.rows) > 0

    def _values(self, x: NDArray[np.float64]) -> dict[int, Tensor]:
        for values in self.scene_values.values():
            self.unknowns.native.write(x, values)
        return {
            key: Tensor.from_numpy(self._devices[key], values)
            for key, values in self.scene_values.items()
        }

    def write(self, x: NDArray[np.float64]) -> None:
        """Give the scene on the device the parameters `x`."""
        for key, values in self.scene_values.items():
            self.unknowns.native.write(x, values)
            self._on_device[key].copy_from_numpy(values)

    def light_factors(self, x: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the factors of lights, shape ``(lights + 1, 3)``; the last is 1."""
        return self.unknowns.native.light_factors(x)

    def draw(self, x: NDArray[np.float64], *, samples: int | None = None) -> None:
        """Draw new samples of all views at `x`."""
        self._drawn = samples or self.samples
        self.write(x)
        draw_views(
            self.views,
            samples=self._drawn,
            bounces=self.bounces,
            seed=self.seed,
            draw=self.iterations,
        )
        self.iterations += 1

    def linearise(
        self, x: NDArray[np.float64], texels: Tensor | None = None
    ) -> tuple[LinearizedResiduals, LinearizedResiduals]:
        """Return residuals and derivatives of both halves.

        Args:
            x: Parameters.
            texels: Of all textures; ``None``: those of the scene.
        """
        values, factors = self._values(x), self._factors(x)

        def replay(_: int, view: View) -> None:
            view.replay(values, texels, with_tangents=self._has_directions)

        each_view(self.views, replay)
        halves = [self._half(half, factors) for half in range(2)]
        return halves[0], halves[1]

    def _factors(self, x: NDArray[np.float64]) -> FilmFactors:
        return self._directions.factors(self.unknowns.native, x, len(self.views))

    def _half(self, half: int, factors: FilmFactors) -> LinearizedResiduals:
        def look(number: int, view: View) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            parts = view.develop(
                half * self._drawn, self._drawn, with_tangents=self._has_directions
            )
            return factors.rows(view.film(number, parts))

        residuals, jacobians = zip(*each_view(self.views, look), strict=True)
        return LinearizedResiduals(np.concatenate(residuals), np.concatenate(jacobians))

    def residuals(
        self, x: NDArray[np.float64], texels: Tensor | None = None
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the residuals of both halves."""
        values, factors = self._values(x), self._factors(x)
        each_view(self.views, lambda _, view: view.replay(values, texels=texels))

        def rows(half: int, number: int, view: View) -> NDArray[np.floating]:
            parts = view.develop(half * self._drawn, self._drawn, with_tangents=False)
            return factors.residuals(view.film(number, parts))

        halves = [np.concatenate(each_view(self.views, partial(rows, half))) for half in range(2)]
        return halves[0], halves[1]

    def select_pixels(
        self,
        x: NDArray[np.float64],
        share: float = 0.98,
        hidden: Sequence[NDArray[np.bool_]] = (),
    ) -> bool:
        """Keep the pixels that tell something about the unknowns.

        Args:
            x: Where to look.
            share: Of the information (the sum of the leverages) that is kept.
            hidden: Pixels that do not count, one flag a pixel of each view; none: all count.

        Returns:
            Whether any tells something.
        """
        stride = pilot_stride(sum(len(counted_pixels(view.weights)) for view in self.views))
        for view in self.views:
            view.show_all(stride)
        shown = [~flags for flags in hidden] or [np.full(len(v.image), True) for v in self.views]
        for view, flags in zip(self.views, shown, strict=True):
            view.pixels = view.pixels[flags[view.pixels]]
        if not any(len(view.pixels) for view in self.views):
            return False
        for view in self.views:
            view.pixels = view.pixels if len(view.pixels) else np.zeros(1, np.uint32)
        self.draw(x, samples=1)
        a, b = self.linearise(x)
        leverage = leverages(a.residual, a.jacobian, b.residual, b.jacobian)
        return self._keep_most(self._smoothed(leverage, shown, stride), share)

    def _smoothed(
        self, leverage: NDArray[np.float64], shown: Sequence[NDArray[np.bool_]], stride: int
    ) -> list[NDArray[np.floating]]:
        """Return the information of each view's pixels; all of them are shown then."""
        first = 0
        smooth = []
        for view, flags in zip(self.views, shown, strict=True):
            count = len(view.pixels)
            own = leverage[first : first + 3 * count].reshape(-1, 3).sum(axis=1)
            first += 3 * count
            # One sample a pixel is noise: neighbours tell together.
            around = view.spread(own, max(4, 2 * stride))
            view.show_all()
            smooth.append(around * flags[view.pixels])
        return smooth

    def _keep_most(self, smooth: Sequence[NDArray[np.floating]], share: float) -> bool:
        """Keep the pixels of a share of the information; return whether there is any."""
        threshold = information_threshold(np.concatenate(smooth), share)
        if threshold <= 0:
            return False
        for view, information in zip(self.views, smooth, strict=True):
            kept = view.pixels[information >= threshold]
            view.pixels = kept if len(kept) else view.pixels[:1]
        return True
