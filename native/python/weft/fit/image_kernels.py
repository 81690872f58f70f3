# SPDX-License-Identifier: Apache-2.0
"""What fits do with textures as images, on the device: shaders/weft/fit/images.slang and others.

An image is a flat float Tensor with a shape ``(height, width, channels)`` beside it. Nothing here
waits for the device.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import weft
from weft._native import Module, Tensor, grid

if TYPE_CHECKING:
    from weft._native import Device

Shape = tuple[int, int, int]

SHADERS = Path(weft.__file__).parent / "shaders" / "weft" / "fit"
GROUP = 256
GROUP_SHARE, MOST_GROUPS = 8192, 512  # of a pass of a quantile: numbers of a group, groups
KNOWN_SHARE = 0.02  # of the median of what pictures tell of a texel: below it holes are filled
MOST_PARTS = 1 << 14  # partial sums: threads of a reduction
BINS, STATE_WORDS = 2048, 8
RUNS = ((4, 8), (2, 4), (1, 2))  # least radius of a box, and how many outputs a thread makes


def load_kernels(device: Device, name: str) -> Module:
    """Return one of the modules of shaders/weft/fit."""
    module = Module.load_from_file(device, SHADERS / f"{name}.slang", hot_reload=False)
    module.check_gradients = False
    return module


def parts_of(count: int) -> int:
    """Return how many partial sums a reduction of so many elements has."""
    return max(min(-(-count // 16), MOST_PARTS), 1)


def copy_of(values: Tensor) -> Tensor:
    """Return a copy of a flat tensor."""
    out = Tensor.empty(values.device, values.shape, values.dtype)
    if values.size:
        out[:] = values
    return out


class ImageKernels:
    """Blurs, total variation, quantiles and hole filling of images on a device.

    Args:
        device: Where the images are.
    """

    def __init__(self, device: Device) -> None:
        """Load the modules; a kernel is compiled when it is first needed."""
        self.device = device
        self.images = load_kernels(device, "images")
        self.texels = load_kernels(device, "texels")
        self.vectors = load_kernels(device, "../flat_vectors")
        self._quantiles = load_kernels(device, "quantile")
        self._histogram = Tensor.zeros(device, (BINS,), "uint")
        self._state = Tensor.zeros(device, (STATE_WORDS,), "uint")
        self.one = Tensor.ones(device, (1,), "float")

    def box_blur(self, image: Tensor, shape: Shape, radius: int) -> Tensor:
        """Return means over squares of side 2 `radius` + 1, smaller at the edges.

        Args:
            image: Contiguous floats.
            shape: Height, width, channels.
            radius: Texels, at least 1.
        """
        first = self._box_axis(image, shape, 0, radius)
        return self._box_axis(first, shape, 1, radius)

    def blurred(self, image: Tensor, shape: Shape, radius: int) -> Tensor:
        """Return an image averaged over squares, twice; for a radius of 0 the image itself."""
        if radius <= 0:
            return image
        return self.box_blur(self.box_blur(image, shape, radius), shape, radius)

    def _box_axis(self, image: Tensor, shape: Shape, axis: int, radius: int) -> Tensor:
        height, width, channels = shape
        out = Tensor.empty(self.device, image.shape)
        run = next(run for least, run in RUNS if radius >= least)
        kernel = self.images[f"blurAxis<{run}>"]
        row = width * channels
        # Elements of a line, floats between two of them, lines; lines side by side, and from one
        # group of those to the next.
        size, along, lines, inner, over = (
            (height, row, row, row, 0)
            if axis == 0
            else (width, channels, height * channels, channels, row)
        )
        layout = (size, along, lines, inner, over)
        kernel.dispatch((lines, -(-size // run), 1), image, out, *layout, radius)
        return out

    def add_variation(
        self,
        image: Tensor,
        result: Tensor,
        shape: Shape,
        soft: float,
        weight: Tensor | None = None,
        scale: float = 1.0,
    ) -> None:
        """Add a multiple of the derivative of the total variation of an image.

        Args:
            image: Contiguous floats.
            result: What it is added to.
            shape: Height, width, channels.
            soft: Differences below it count by their square.
            weight: Factor on the device, shape ``(1,)``; ``None``: 1.
            scale: Another one.
        """
        factor = self.one if weight is None else weight
        lanes = grid((image.size,))
        self.images.addVariation(lanes, image, result, *shape, soft, factor, scale)

    def quantile(self, values: Tensor, share: float, first: int = 0, stride: int = 1) -> Tensor:
        """Return a quantile of the positive ones of `values[first::stride]`, 0 if there is none.

        Args:
            values: Contiguous floats, none of them NaN.
            share: In [0, 1]: 0.5 is the median.
            first: Number of the first one.
            stride: From one to the next.

        Returns:
            Shape ``(1,)``, on the device; between two numbers as numpy's quantile() is.
        """
        count = -(-(values.size - first) // stride)
        groups = max(min(-(-count // GROUP_SHARE), MOST_GROUPS), 1)
        kernels, state, bins = self._quantiles, self._state, self._histogram
        for number in range(3):
            arguments = (values, count, first, stride, groups, number, state, bins)
            kernels.countBins.dispatch(groups * GROUP, *arguments)
            kernels.selectBin.dispatch(GROUP, state, bins, share, number)
        kernels.findAfter.dispatch(groups * GROUP, values, count, first, stride, groups, state)
        out = Tensor.empty(self.device, (1,))
        kernels.storeQuantile(grid((1,)), state, out)
        return out

    def known(self, shown: Tensor) -> Tensor:
        """Return 1 for the texels that the pictures show, else 0.

        Args:
            shown: What they tell of each.
        """
        out = Tensor.empty(self.device, shown.shape)
        usual = self.quantile(shown, 0.5)
        self.texels.markAbove(grid((shown.size,)), shown, usual, KNOWN_SHARE, out)
        return out

    def known_texels(self, shown: Tensor, shape: Shape) -> Tensor:
        """Return known() of the sums of channels, shape ``(height * width,)``."""
        sums = Tensor.empty(self.device, (shape[0] * shape[1],))
        self.texels.sumChannels(grid((sums.size,)), shown, shape[2], sums)
        return self.known(sums)

    def fill_holes(self, image: Tensor, known: Tensor, shape: Shape) -> None:
        """Let texels that are not known take the mean of known ones around them, in place.

        Pull and push over a pyramid (Gortler et al. 1996, section 3.5). Nothing changes where no
        texel is known.

        Args:
            image: Contiguous floats.
            known: 1 or 0 a texel, shape ``(height * width,)``.
            shape: Height, width, channels.
        """
        self._fill(image, known, shape, Tensor.empty(self.device, (1,)))

    def _fill(self, image: Tensor, known: Tensor, shape: Shape, found: Tensor) -> None:
        height, width, channels = shape
        if min(height, width) <= 1:
            arguments = (image, known, height * width, channels, found)
            self.images.fillCoarsest(grid((channels,)), *arguments)
            return
        half = (height // 2, width // 2, channels)
        count = half[0] * half[1]
        coarse = Tensor.empty(self.device, (count * channels,))
        coarse_known = Tensor.empty(self.device, (count,))
        self.images.pull(grid((count,)), image, known, width, channels, coarse, coarse_known)
        self._fill(coarse, coarse_known, half, found)
        self.images.push(grid((known.size,)), image, known, *shape, coarse, found)


def sum_of_parts(parts: Tensor) -> Tensor:
    """Return sums over the first axis of partial sums, on the device; their order is fixed."""
    total: Any = weft.sum(parts, (0,))
    assert isinstance(total, Tensor)
    return total
