# SPDX-License-Identifier: Apache-2.0
"""The renders of a scene as a function of a few parameters, for GaussNewton."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft._native import Tensor
from weft.fit.gauss_newton import Half
from weft.fit.target import box_blur
from weft.fit.views import draw_views

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.parameters import Unknowns
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
        self.draws = 0
        self._drawn = samples
        self.scene_values = renderer.tables.materials.values.copy()
        directions, self._columns = unknowns.directions(len(self.scene_values))
        self._directions = Tensor.from_numpy(renderer.device, directions)

    def _values(self, x: NDArray[np.float64]) -> Tensor:
        self.unknowns.write(x, self.scene_values)
        return Tensor.from_numpy(self.renderer.device, self.scene_values)

    def write(self, x: NDArray[np.float64]) -> None:
        """Give the scene on the device the parameters `x`."""
        self.unknowns.write(x, self.scene_values)
        self.renderer.tables.values.copy_from_numpy(self.scene_values)

    def draw(self, x: NDArray[np.float64], *, samples: int | None = None) -> None:
        """Draw new samples of all views at `x`."""
        self._drawn = samples or self.samples
        self.write(x)
        draw_views(
            self.views,
            samples=self._drawn,
            bounces=self.bounces,
            seed=self.seed,
            draw=self.draws,
        )
        self.draws += 1

    def linearise(self, x: NDArray[np.float64], texels: Tensor | None = None) -> tuple[Half, Half]:
        """Return residuals and derivatives of both halves.

        Args:
            x: Parameters.
            texels: Of all textures; ``None``: those of the scene.
        """
        values = self._values(x)
        slopes = self.unknowns.slopes(x).astype(np.float32)
        gains = self.unknowns.gains(x, len(self.views))
        has_directions = self._directions.shape[0] > 0
        for view in self.views:
            view.recorder.replay(values, self._directions if has_directions else None, texels)
        halves = [self._half(half, slopes, gains) for half in range(2)]
        return halves[0], halves[1]

    def _half(self, half: int, slopes: NDArray[np.float32], gains: NDArray[np.float32]) -> Half:
        residuals, jacobians = [], []
        for number, view in enumerate(self.views):
            film = view.recorder.develop(
                half * self._drawn, self._drawn, with_tangents=self._directions.shape[0] > 0
            )
            weights = view.weights[view.pixels]
            scale = weights * gains[number]
            residuals.append((film[0] * scale - view.image[view.pixels] * weights).ravel())
            jacobian = np.zeros((len(view.pixels), 3, len(self._columns)), np.float32)
            for unknown, column in enumerate(self._columns):
                part = slice(None) if column.channel < 0 else column.channel
                if column.direction >= 0:
                    jacobian[:, part, unknown] = (
                        film[1 + column.direction][:, part] * scale[:, part]
                    )
                elif column.view == number:
                    jacobian[:, part, unknown] = film[0][:, part] * weights[:, part]
            jacobians.append((jacobian * slopes).reshape(-1, len(self._columns)))
        return Half(np.concatenate(residuals), np.concatenate(jacobians))

    def residuals(
        self, x: NDArray[np.float64]
    ) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the residuals of both halves."""
        values = self._values(x)
        gains = self.unknowns.gains(x, len(self.views))
        for view in self.views:
            view.recorder.replay(values)
        halves = []
        for half in range(2):
            parts = []
            for gain, view in zip(gains, self.views, strict=True):
                film = view.recorder.develop(half * self._drawn, self._drawn, with_tangents=False)
                weights = view.weights[view.pixels]
                difference = film[0] * gain - view.image[view.pixels]
                parts.append((difference * weights).ravel())
            halves.append(np.concatenate(parts))
        return halves[0], halves[1]

    def select_pixels(self, x: NDArray[np.float64], share: float = 0.98) -> None:
        """Keep the pixels that tell something about the unknowns.

        Args:
            x: Where to look.
            share: Of the information (the sum of the leverages) that is kept.
        """
        for view in self.views:
            view.show_all()
        self.draw(x, samples=1)
        a, b = self.linearise(x)
        cross = a.jacobian.T.astype(np.float64) @ b.jacobian
        matrix = (cross + cross.T) / 2
        ridge = 1e-3 * np.diag(np.maximum(np.abs(np.diag(matrix)), 1e-12))
        inverse = np.linalg.pinv(matrix + ridge, hermitian=True)
        leverage = np.abs(((a.jacobian @ inverse) * b.jacobian).sum(axis=1))
        first = 0
        smooth = []
        for view in self.views:
            count = len(view.pixels)
            own = leverage[first : first + 3 * count].reshape(-1, 3).sum(axis=1)
            first += 3 * count
            full = np.zeros(len(view.image), np.float32)
            full[view.pixels] = own
            # One sample a pixel is noise: neighbours tell together.
            image = full.reshape(view.camera.height, view.camera.width, 1)
            smooth.append(box_blur(image, 4).ravel()[view.pixels])
        together = np.sort(np.concatenate(smooth))[::-1]
        total = np.cumsum(together)
        if total[-1] <= 0:
            return
        threshold = together[min(int(np.searchsorted(total, share * total[-1])), len(total) - 1)]
        for view, information in zip(self.views, smooth, strict=True):
            kept = view.pixels[information >= threshold]
            view.pixels = kept if len(kept) else view.pixels[:1]
