# SPDX-License-Identifier: Apache-2.0
"""Several maps of one material: unknowns of a texel, and what pictures say of all together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft.fit.texture_parameters import LightTexture
from weft.scene.parameter_ref import owner_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.fit.texture_parameters import Region


@dataclass(frozen=True)
class MapGroup:
    """Maps of one material: D numbers a texel of a common grid, channel after channel.

    The grid has as many rows and columns as the largest map has. Smaller ones have the same value
    in all texels of the grid that lie in one of theirs, and get the mean of what these become.

    Args:
        regions: The maps.
        numbers: Of the maps among those that are fitted.
    """

    regions: tuple[Region, ...]
    numbers: tuple[int, ...]

    @property
    def size(self) -> tuple[int, int]:
        """Rows and columns of the grid."""
        rows, columns = zip(*(region.shape[:2] for region in self.regions), strict=True)
        return max(rows), max(columns)

    @property
    def channels(self) -> list[slice]:
        """Which of the D numbers belong to each map."""
        ends = np.cumsum([region.shape[2] for region in self.regions])
        starts = ends - [region.shape[2] for region in self.regions]
        return [slice(int(a), int(b)) for a, b in zip(starts, ends, strict=True)]

    def gather(self, texels: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the maps among the texels of the scene, shape ``(height, width, D)``."""
        parts = [texels[region.part].reshape(region.shape) for region in self.regions]
        return np.concatenate([self.grown(part) for part in parts], axis=2)

    def gather_sums(self, texels: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return derivatives by texels of the grid: those of a larger texel are shared out."""
        parts = [texels[region.part].reshape(region.shape) for region in self.regions]
        return np.concatenate([self.grown(part, share=True) for part in parts], axis=2)

    def scatter(self, maps: NDArray[np.floating], texels: NDArray[np.float32]) -> None:
        """Write maps of gather() to the texels of the scene."""
        for number, (region, part) in enumerate(zip(self.regions, self.channels, strict=True)):
            texels[region.part] = self.shrunk(number, maps[..., part]).ravel()

    def grown(self, image: NDArray[np.floating], *, share: bool = False) -> NDArray[np.float64]:
        """Return an image of a map on the grid; `share`: with the same sum, not the same values.

        Args:
            image: Shape ``(height, width, channels)`` of a map.
            share: Each texel is shared out among those that lie in it.
        """
        rows, columns = (
            overlaps(fine, coarse, share=share)
            for fine, coarse in zip(self.size, image.shape[:2], strict=True)
        )
        return _resized(image, rows, columns)

    def shrunk(self, number: int, image: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return means of an image on the grid over the texels of one of the maps."""
        rows, columns = (
            overlaps(fine, coarse, share=True)
            for fine, coarse in zip(self.size, self.regions[number].shape[:2], strict=True)
        )
        return _resized(
            image, None if rows is None else rows.T, None if columns is None else columns.T
        )

    def each(self, values: Sequence[float]) -> NDArray[np.float64]:
        """Return one value a map as one a number, shape ``(D,)``."""
        return np.repeat(np.array(values, float), [region.shape[2] for region in self.regions])

    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the smallest and the largest texels, shape ``(D,)``."""
        given = [region.parameter.bounds for region in self.regions]
        return self.each([low for low, _ in given]), self.each([high for _, high in given])

    def blocks(self, answers: Sequence[NDArray[np.float32]]) -> NDArray[np.float64]:
        """Return the curvature of each texel's numbers, summed over the texels around it.

        Colours of a map act on channels of the film of their own.

        Args:
            answers: J' times the derivatives of the films along each map, over the scene's texels.

        Returns:
            Shape ``(height, width, D, D)``, symmetric.
        """
        columns = [self.gather_sums(answer) for answer in answers]
        parts = self.channels
        count = parts[-1].stop
        out = np.zeros((*self.size, count, count))
        for row, own in enumerate(parts):
            for column, other in enumerate(parts):
                # Derivatives along a colour are sums of its channels: its partner tells them apart.
                wide = own.stop - own.start >= other.stop - other.start
                entries = columns[column][..., own] if wide else columns[row][..., other]
                shape = (*self.size, own.stop - own.start, other.stop - other.start)
                block = entries[..., :, None] if wide else entries[..., None, :]
                is_diagonal = shape[2] == shape[3] > 1
                out[..., own, other] = block * np.eye(shape[2]) if is_diagonal else block
        symmetric: NDArray[np.float64] = (out + np.swapaxes(out, 2, 3)) / 2
        return symmetric


def group_maps(regions: Sequence[Region]) -> list[MapGroup]:
    """Return the groups of maps of one material; single maps are in none."""
    found: dict[str, list[int]] = {}
    for number, region in enumerate(regions):
        if not isinstance(region.parameter, LightTexture):
            found.setdefault(owner_of(region.parameter.name), []).append(number)
    return [
        MapGroup(tuple(regions[number] for number in numbers), tuple(numbers))
        for numbers in found.values()
        if len(numbers) > 1
    ]


def overlaps(fine: int, coarse: int, *, share: bool) -> NDArray[np.float64] | None:
    """Return how much of each of `fine` parts of a length lies in each of `coarse` parts.

    Args:
        fine: Parts, at least as many as `coarse`.
        coarse: Parts.
        share: As a share of the coarse part, not of the fine one.

    Returns:
        Shape ``(fine, coarse)``; rows add to 1, with `share` columns do. ``None``: they are equal.
    """
    if fine == coarse:
        return None
    ends, wide = np.arange(1, fine + 1) / fine, np.arange(1, coarse + 1) / coarse
    upper = np.minimum(ends[:, None], wide)
    lower = np.maximum(ends[:, None] - 1 / fine, wide - 1 / coarse)
    common: NDArray[np.float64] = np.maximum(upper - lower, 0) * (coarse if share else fine)
    return common


def _resized(
    image: NDArray[np.floating],
    rows: NDArray[np.float64] | None,
    columns: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return an image times a matrix along each axis; ``None``: as it is."""
    out = np.asarray(image, np.float64)
    if rows is not None:
        out = np.einsum("fc,cwk->fwk", rows, out, optimize=True)
    if columns is not None:
        out = np.einsum("fc,hck->hfk", columns, out, optimize=True)
    return out


def positive_blocks(blocks: NDArray[np.float64], least: float) -> NDArray[np.float64]:
    """Return symmetric blocks with eigenvalues of at least `least` where diagonals are 1."""
    scale = np.sqrt(np.maximum(np.einsum("...ii->...i", blocks), 1e-12))
    outer = scale[..., :, None] * scale[..., None, :]
    values, vectors = np.linalg.eigh(blocks / outer)
    lifted = vectors * np.maximum(values, least)[..., None, :]
    out: NDArray[np.float64] = (lifted @ np.swapaxes(vectors, -1, -2)) * outer
    return out


def blurred_by(image: NDArray[np.floating], sigma: float) -> NDArray[np.float64]:
    """Return an image averaged by a Gaussian of `sigma` texels; edges are repeated.

    Args:
        image: Shape ``(height, width, ...)``.
        sigma: Texels; 0 leaves the image as it is.
    """
    out = np.asarray(image, np.float64)
    if sigma <= 0:
        return out
    radius = int(3 * sigma + 0.5)
    weights = np.exp(-0.5 * (np.arange(-radius, radius + 1) / sigma) ** 2)
    for axis in (0, 1):
        places = np.arange(out.shape[axis])
        out = sum(
            weight / weights.sum() * np.take(out, np.clip(places + k, 0, places[-1]), axis=axis)
            for weight, k in zip(weights, range(-radius, radius + 1), strict=True)
        )
    return out
