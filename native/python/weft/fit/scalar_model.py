# SPDX-License-Identifier: Apache-2.0
"""The renders of a scene as a function of a few parameters, for GaussNewton."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from weft._native import Tensor
from weft.fit.devices import each_view
from weft.fit.information import LinearizedResiduals
from weft.fit.views import counted_pixels, draw_views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.unknowns import Unknowns
    from weft.fit.views import View
    from weft.render.renderer import Renderer

PILOT_PIXELS = 16384  # of all views, that the first look takes at least, where there are as many


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
        directions, self._columns = unknowns.directions(len(renderer.tables.materials.values))
        self._has_directions = len(directions) > 0

    def _values(self, x: NDArray[np.float64]) -> dict[int, Tensor]:
        for values in self.scene_values.values():
            self.unknowns.write(x, values)
        return {
            key: Tensor.from_numpy(self._devices[key], values)
            for key, values in self.scene_values.items()
        }

    def write(self, x: NDArray[np.float64]) -> None:
        """Give the scene on the device the parameters `x`."""
        for key, values in self.scene_values.items():
            self.unknowns.write(x, values)
            self._on_device[key].copy_from_numpy(values)

    def light_factors(self, x: NDArray[np.float64]) -> NDArray[np.float32]:
        """Return the factors of lights, shape ``(lights + 1, 3)``; the last is 1."""
        return self.unknowns.light_factors(x)

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
        values = self._values(x)
        derivatives = self.unknowns.derivatives(x).astype(np.float32)
        gains = self.unknowns.gains(x, len(self.views))

        def replay(_: int, view: View) -> None:
            view.replay(values, texels, with_tangents=self._has_directions)

        each_view(self.views, replay)
        factors = self.light_factors(x)
        halves = [self._half(half, derivatives, gains, factors) for half in range(2)]
        return halves[0], halves[1]

    def _half(
        self,
        half: int,
        derivatives: NDArray[np.float32],
        gains: NDArray[np.float32],
        factors: NDArray[np.float32],
    ) -> LinearizedResiduals:
        def look(number: int, view: View) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            parts = view.develop(
                half * self._drawn, self._drawn, with_tangents=self._has_directions
            )
            film = np.einsum("gkpc,gc->kpc", parts, factors[view.lights])
            weights = view.weights[view.pixels]
            scale = weights * gains[number]
            residual = (film[0] * scale - view.image[view.pixels] * weights).ravel()
            jacobian = np.zeros((len(view.pixels), 3, len(self._columns)), np.float32)
            for unknown, column in enumerate(self._columns):
                part = slice(None) if column.channel < 0 else column.channel
                if column.direction >= 0:
                    source, factor = film[1 + column.direction], scale
                elif column.light in view.lights and column.light >= 0:
                    source, factor = parts[view.lights.index(column.light), 0], scale
                elif column.view == number:
                    source, factor = film[0], weights
                else:
                    continue
                jacobian[:, part, unknown] = source[:, part] * factor[:, part]
            return residual, (jacobian * derivatives).reshape(-1, len(self._columns))

        residuals, jacobians = zip(*each_view(self.views, look), strict=True)
        return LinearizedResiduals(np.concatenate(residuals), np.concatenate(jacobians))

    def residuals(
        self, x: NDArray[np.float64], texels: Tensor | None = None
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the residuals of both halves."""
        values = self._values(x)
        gains = self.unknowns.gains(x, len(self.views))
        factors = self.light_factors(x)
        each_view(self.views, lambda _, view: view.replay(values, texels=texels))

        def rows(half: int, number: int, view: View) -> NDArray[np.floating]:
            parts_of_light = view.develop(half * self._drawn, self._drawn, with_tangents=False)
            film = np.einsum("gpc,gc->pc", parts_of_light[:, 0], factors[view.lights])
            weights = view.weights[view.pixels]
            difference = film * gains[number] - view.image[view.pixels]
            residuals: NDArray[np.floating] = (difference * weights).ravel()
            return residuals

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
        stride = self._pilot_stride()
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
        cross = a.jacobian.T.astype(np.float64) @ b.jacobian
        matrix = (cross + cross.T) / 2
        ridge = 1e-3 * np.diag(np.maximum(np.abs(np.diag(matrix)), 1e-12))
        inverse = np.linalg.pinv(matrix + ridge, hermitian=True)
        leverage = np.abs(((a.jacobian @ inverse) * b.jacobian).sum(axis=1))
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
        together = np.sort(np.concatenate(smooth))[::-1]
        total = np.cumsum(together)
        if total[-1] <= 0:
            return False
        threshold = together[min(int(np.searchsorted(total, share * total[-1])), len(total) - 1)]
        for view, information in zip(self.views, smooth, strict=True):
            kept = view.pixels[information >= threshold]
            view.pixels = kept if len(kept) else view.pixels[:1]
        return True

    def _pilot_stride(self) -> int:
        """Return the rows and columns from one pixel of the first look to the next."""
        count = sum(len(counted_pixels(view.weights)) for view in self.views)
        return max(1, int(np.sqrt(count / PILOT_PIXELS)))
