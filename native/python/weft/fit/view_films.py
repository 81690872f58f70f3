# SPDX-License-Identifier: Apache-2.0
"""Films of a view on the device, their residuals, and the adjoints that these start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from weft._native import Tensor, grid
from weft.fit.image_kernels import load_kernels, parts_of, sum_of_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft._native import Device, Function
    from weft.fit.views import View


class ViewFilms:
    """What a view's drawn pixels are compared with, on the device.

    Films hold both sample sets: three floats a drawn pixel of the first, then those of the second.

    Args:
        view: Of the fit.
        device: Of its recorders.
    """

    def __init__(self, view: View, device: Device) -> None:
        """Load the kernels."""
        self.view, self.device = view, device
        self._kernels = load_kernels(device, "residuals")
        self._pixels: NDArray[np.uint32] | None = None
        self._weights: NDArray[np.float32] | None = None
        self._image: Tensor
        self._weight: Tensor
        self._lost: Tensor

    def _refresh(self) -> None:
        """Follow what the view draws and weighs by."""
        view, device = self.view, self.device
        if view.pixels is self._pixels and view.weights is self._weights:
            return
        if view.pixels is not self._pixels:
            self._image = _upload(device, view.image[view.pixels])
        self._weight = _upload(device, view.weights[view.pixels])
        self._lost = Tensor.zeros(device, (len(view.pixels),), "uint")
        self._pixels, self._weights = view.pixels, view.weights

    @property
    def count(self) -> int:
        """Pixels that are drawn."""
        return len(self.view.pixels)

    def replay(self, values: Mapping[int, Tensor], texels: Tensor, drawn: int) -> Tensor:
        """Return the films of the last draw for other texels; pixels that are no numbers are 0.

        Args:
            values: Parameters; see View.replay().
            texels: Of all textures.
            drawn: Samples a pixel of each sample set.
        """
        self._refresh()
        self.view.replay(values, texels=texels)
        film = Tensor.empty(self.device, (6 * self.count,))
        first = self.view.recorders[0]
        for half in range(2):
            part = film[3 * half * self.count : 3 * (half + 1) * self.count]
            first.resolve(half * drawn, drawn, part)
        self._kernels.dropLost(grid((self.count,)), film, self.count, self._lost)
        return film

    def sums(self, film: Tensor) -> Tensor:
        """Return the loss, the noise and the number of lost pixels, not divided by anything.

        Returns:
            Shape ``(3,)``, on the device: products of the residuals of both sample sets, a
            quarter of their squared differences, and pixels whose films were no numbers.
        """
        threads = parts_of(self.count)
        parts = Tensor.empty(self.device, (threads, 3))
        known = (film, self._image, self._weight, self._lost, self.count)
        self._kernels.sumResiduals(grid((threads,)), *known, threads, parts)
        return sum_of_parts(parts)

    def differences(self, film: Tensor) -> NDArray[np.float32]:
        """Return the mean squared difference of the sample sets' residuals, one a drawn pixel."""
        squares = Tensor.empty(self.device, (self.count,))
        known = (film, self._weight, self._lost, self.count)
        self._kernels.squareDifferences(grid((self.count,)), *known, squares)
        return np.asarray(squares.to_numpy(), np.float32)

    def leave_out_lost(self) -> None:
        """Tell the view which pixels count no more.

        Raises:
            NonFiniteError: See View.leave_out().
        """
        bad: NDArray[np.bool_] = np.asarray(self._lost.to_numpy()) > 0
        self.view.leave_out(bad)

    def adjoints(self, film: Tensor, factors: NDArray[np.float32]) -> list[Tensor]:
        """Return the derivatives of the loss by films, for each part of the light.

        Args:
            film: Of replay().
            factors: Of the colours of each part, shape ``(parts, 3)``.
        """
        known = (film, self._image, self._weight, self._lost, self.count)
        return self._each(self._kernels.crossResiduals, known, factors)

    def change_adjoints(
        self, before: Tensor, after: Tensor, step: float, factors: NDArray[np.float32]
    ) -> list[Tensor]:
        """Return adjoints that carry what films change by, for each part of the light.

        Args:
            before: Films.
            after: Those after a step.
            step: Its size.
            factors: Of the colours of each part.
        """
        known = (before, after, self._weight, self._lost, self.count, step)
        return self._each(self._kernels.crossDerivatives, known, factors)

    def _each(
        self, kernel: Function, known: Sequence[Any], factors: NDArray[np.float32]
    ) -> list[Tensor]:
        out: list[Tensor] = []
        for factor in factors:
            if out and (factor == factors[0]).all():
                out.append(out[0])
                continue
            out.append(Tensor.empty(self.device, (6 * self.count,)))
            kernel(grid((self.count,)), *known, factor.tolist(), out[-1])
        return out

    def residuals(self, film: Tensor) -> list[NDArray[np.float32]]:
        """Return the weighted residuals of both sample sets on the host, shape ``(pixels, 3)``."""
        view = self.view
        image, weights = view.image[view.pixels], view.weights[view.pixels]
        halves = np.asarray(film.to_numpy(), np.float32).reshape(2, self.count, 3)
        return [(half - image) * weights for half in halves]


def _upload(device: Device, rows: NDArray[np.floating]) -> Tensor:
    return Tensor.from_numpy(device, np.ascontiguousarray(rows, np.float32).ravel())
