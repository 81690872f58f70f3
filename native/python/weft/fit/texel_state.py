# SPDX-License-Identifier: Apache-2.0
"""The texels of a scene while a fit moves them, on the device: steps, curvature, and means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import weft
from weft._native import Tensor, grid
from weft.fit.image_kernels import ImageKernels, copy_of, parts_of, sum_of_parts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from weft.fit.texture_parameters import Region
    from weft.fit.texture_schedule import StepSchedule

LEAST_CURVATURE = 0.2  # of the mean of a map: where signs cancel, less would be a leap
EDGE = 0.05  # differences of neighbours below it count by their square
MOST_KEPT = 2  # preconditioners of a map, by blur

ARRAYS = ("texels", "mean", "curved", "shown", "velocity")


@dataclass(frozen=True)
class Stiffness:
    """What resists steps of a texture.

    Args:
        divisor: Of gradients: curvature, and that of the prior; its negative where texels do not
            move: what the pictures hardly show is left to hole filling. Flat.
        prior: Weight of the prior, shape ``(1,)``.
        sums: How many floats are known, and the sum of their curvature, shape ``(2,)``.
    """

    divisor: Tensor
    prior: Tensor
    sums: Tensor

    def count(self) -> int:
        """Return how many floats are known; waits for the device."""
        return int(np.asarray(self.sums.to_numpy())[0])


class TexelState:
    """Texels, and all that their steps keep of each. All arrays have one float a texel's channel.

    Args:
        texels: Of the scene, flat; copied.
    """

    def __init__(self, texels: Tensor) -> None:
        """Begin where the scene is."""
        device = texels.device
        self.kernels = ImageKernels(device)
        self.texels, self.mean = copy_of(texels), copy_of(texels)
        self.curved = Tensor.zeros(device, texels.shape)  # mean curvature
        self.shown = Tensor.zeros(device, texels.shape)  # its mean magnitude
        self.velocity = Tensor.zeros(device, texels.shape)
        self.curvatures = 0  # draws that the curvature is averaged over
        self.averaged = 0  # draws that the mean is of
        self._stiffness: dict[tuple[int, int, int], Stiffness] = {}

    def save(self) -> dict[str, NDArray[np.generic]]:
        """Return the arrays."""
        return {name: np.asarray(getattr(self, name).to_numpy()) for name in ARRAYS}

    def restore(self, saved: Mapping[str, NDArray[Any]]) -> None:
        """Take the arrays of save()."""
        for name in ARRAYS:
            getattr(self, name).copy_from_numpy(saved[name])
        self._stiffness.clear()

    def return_to(self, texels: Tensor) -> None:
        """Go on from other texels, which stay as they are, at rest."""
        self.texels[:] = texels
        self.velocity = Tensor.zeros(texels.device, texels.shape)

    def raised(self, region: Region, by: float) -> Tensor:
        """Return the texels with those of one map raised."""
        out = copy_of(self.texels)
        self.kernels.texels.raiseBy(out[region.part], by)
        return out

    def add_curvature(self, region: Region, answer: Tensor) -> None:
        """Average the curvature of a map over `curvatures` draws.

        Args:
            region: The map.
            answer: What its texels together add to each of them; of other texels, it says nothing.
        """
        part = region.part
        arguments = (self.curved[part], self.shown[part], answer[part], float(self.curvatures))
        self.kernels.texels.addCurvature(*arguments)

    def stiffness(self, region: Region, blur: int) -> Stiffness:
        """Return what resists steps that are averaged over squares."""
        key = (region.first, blur, self.curvatures)
        if key not in self._stiffness:
            kept = [old for old in self._stiffness if old[0] == region.first]
            outdated = [old for old in kept if old[2] != self.curvatures]
            for old in outdated or kept[: max(len(kept) - MOST_KEPT + 1, 0)]:
                del self._stiffness[old]
            self._stiffness[key] = self._make_stiffness(region, blur)
        return self._stiffness[key]

    def _make_stiffness(self, region: Region, blur: int) -> Stiffness:
        kernels, part = self.kernels, region.part
        known = kernels.known(kernels.blurred(self.shown[part], region.shape, blur))
        divisor = kernels.blurred(self.curved[part], region.shape, blur)
        if blur <= 0:
            divisor = copy_of(divisor)
        threads = parts_of(known.size)
        parts = Tensor.empty(known.device, (threads, 2))
        kernels.texels.sumMarked(grid((threads,)), divisor, known, known.size, threads, parts)
        sums = sum_of_parts(parts)
        prior = Tensor.empty(known.device, (1,))
        weight = region.parameter.smoothness
        lanes = grid((known.size,))
        kernels.texels.makeDivisor(lanes, known, sums, weight, LEAST_CURVATURE, prior, divisor)
        return Stiffness(divisor, prior, sums)

    def move(self, region: Region, gradient: Tensor, schedule: StepSchedule) -> None:
        """Step against a gradient, with momentum and within the bounds of the map.

        Args:
            region: The map.
            gradient: Of the loss, for all texels of the scene; the map's may be overwritten.
            schedule: How far.
        """
        kernels, part = self.kernels, region.part
        stiffness = self.stiffness(region, schedule.blur)
        derivative = kernels.blurred(gradient[part], region.shape, schedule.blur)
        texels = self.texels[part]
        kernels.add_variation(texels, derivative, region.shape, EDGE, stiffness.prior, EDGE)
        kernels.texels.moveTexels(
            grid((texels.size,)),
            derivative,
            stiffness.divisor,
            texels,
            self.velocity[part],
            schedule.momentum,
            schedule.rate,
            *map(float, region.parameter.bounds),
        )

    def products(self, region: Region, rows: Sequence[Tensor], blur: int) -> NDArray[np.float64]:
        """Return products of derivatives over what resists steps of a map: C' D^-1 C.

        Args:
            region: The map.
            rows: Derivatives by all texels of the scene; the last one is only a right factor.
            blur: They are averaged over squares of this radius.

        Returns:
            Shape ``(rows - 1, rows)``.
        """
        stiffness, part = self.stiffness(region, blur), region.part
        size, last = stiffness.divisor.size, len(rows) - 1
        flat = Tensor.empty(stiffness.divisor.device, (len(rows), size))
        for number, row in enumerate(rows):
            flat[number] = self.kernels.blurred(row[part], region.shape, blur)
        out, scaled = [], Tensor.empty(flat.device, (size,))
        kernel, lanes = self.kernels.texels.scaleKnown, grid((size,))
        for number in range(last):
            kernel(lanes, flat[number], stiffness.divisor, scaled)
            products = weft.dot(flat, scaled.broadcast_to(flat.shape), (1,))
            out.append(np.asarray(products.to_numpy(), np.float64))
        return np.array(out).reshape(last, last + 1)

    def average(self) -> None:
        """Add the texels as they are to their mean."""
        self.averaged += 1
        self.kernels.texels.addToMean(self.mean, self.texels, float(self.averaged))

    @property
    def found(self) -> Tensor:
        """The texels of the scene as they were found: their mean, if there is one."""
        return self.mean if self.averaged else self.texels

    def known(self, region: Region) -> Tensor:
        """Return 1 for the texels of a map that pictures show, else 0; flat."""
        return self.kernels.known_texels(self.shown[region.part], region.shape)

    def filled(self, region: Region) -> Tensor:
        """Return the texels of a map as they were found, its holes filled."""
        out = copy_of(self.found[region.part])
        self.kernels.fill_holes(out, self.known(region), region.shape)
        return out
