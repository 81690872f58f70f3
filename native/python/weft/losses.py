# SPDX-License-Identifier: Apache-2.0
"""Losses over whole images; those of numbers and colors are in Slang: ``import losses;``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import weft
from weft._native import ArgumentError, ArgumentTypeError, Device, Module, Tensor, TypeKind

__all__ = ["SSIM", "ssim"]


class SSIM:
    """Structural similarity of images: 1 if they are equal, about 0 if they have nothing in common.

    Wang et al., "Image quality assessment: from error visibility to structural similarity", IEEE
    Transactions on Image Processing 13(4), 2004; with the constants of the paper, K1 = 0.01 and
    K2 = 0.03, over positions where the window lies inside. Channels are compared one by one.

    Args:
        device: Where the images are.
        data_range: White minus black, in the unit of the images; greater than 0.
        window: Side of the window in pixels; odd.
        sigma: Standard deviation of its Gaussian weights in pixels; greater than 0.

    Images are two tensors of equal shape and dtype: ``(H, W)`` or ``(H, W, C)`` of float, or
    ``(H, W)`` of vectors of float.

    Raises:
        ArgumentError: A number is out of its range.

    Example:
        >>> similarity = weft.losses.SSIM(device, data_range=1.0)
        >>> loss = 1 - similarity(render, photo)
    """

    def __init__(
        self, device: Device, *, data_range: float = 1.0, window: int = 11, sigma: float = 1.5
    ) -> None:
        if window < 1 or window % 2 == 0:
            raise ArgumentError(f"SSIM: window must be odd and 1 or greater, got {window}")
        for what, value in (("data_range", data_range), ("sigma", sigma)):
            if not value > 0:
                raise ArgumentError(f"SSIM: {what} must be greater than 0, got {value}")
        path = Path(weft.__file__).parent / "shaders" / "ssim.slang"
        self._module = Module.load_from_file(device, path, hot_reload=False)
        offsets = np.arange(window) - window // 2
        weights = np.exp(-0.5 * (offsets / sigma) ** 2)
        self._weights = Tensor.from_numpy(device, (weights / weights.sum()).astype(np.float32))
        self._constants = ((0.01 * data_range) ** 2, (0.03 * data_range) ** 2)

    def __call__(self, a: Tensor, b: Tensor) -> float:
        """Return the mean similarity.

        Raises:
            ArgumentError: The images differ in shape or dtype, or are smaller than the window.
        """
        return float(weft.mean(self.map(a, b)))

    def map(self, a: Tensor, b: Tensor) -> Tensor:
        """Return the similarity of each window, shape ``(H - window + 1, W - window + 1, C)``."""
        a, b = self._read(a, b)
        return self._compare(self._average_rows(a, b))

    def with_gradient(self, a: Tensor, b: Tensor) -> tuple[float, Tensor]:
        """Return the mean similarity and its derivatives by the elements of `a`.

        Returns:
            The similarity; a tensor of the shape and dtype of `a`.
        """
        x, y = self._read(a, b)
        rows = self._average_rows(x, y)
        result = self._compare(rows)
        windows = Tensor.empty(x.device, result.shape, rows.dtype)
        scale = 1.0 / max(result.size, 1)
        at = weft.grid(result.shape)
        self._module.differentiateWindows(
            at, rows, self._weights, *self._constants, scale, _result=windows
        )
        columns = Tensor.empty(x.device, rows.shape, rows.dtype)
        at = weft.grid(rows.shape)
        self._module.gatherColumn(at, windows, self._weights, _result=columns)
        gradient = Tensor.empty(x.device, a.shape, a.dtype)
        self._module.gatherRow(
            weft.grid(x.shape), columns, x, y, self._weights, _result=_channels(gradient)
        )
        return float(weft.mean(result)), gradient

    def _read(self, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        for which, image in (("a", a), ("b", b)):
            if not isinstance(image, Tensor):
                raise ArgumentTypeError(
                    f"SSIM: image {which} must be a Tensor, got {type(image).__name__}; make one "
                    "with Tensor.from_numpy()"
                )
        if a.shape != b.shape or a.dtype != b.dtype:
            raise ArgumentError(
                f"SSIM: the images have shapes {a.shape} and {b.shape} and dtypes "
                f"{a.dtype.full_name} and {b.dtype.full_name}; make them equal"
            )
        x, y = _channels(a), _channels(b)
        if len(x.shape) != 3 or x.dtype.name != "float":
            raise ArgumentError(
                f"SSIM: images must have shape (H, W) or (H, W, C) and hold float, got "
                f"{a.shape} of {a.dtype.full_name}; convert them with reshape() and astype()"
            )
        window = self._weights.shape[0]
        if min(x.shape[:2]) < window:
            raise ArgumentError(
                f"SSIM: images of {x.shape[0]} x {x.shape[1]} pixels are smaller than the window "
                f"of {window}; pass a smaller window"
            )
        return x, y

    def _average_rows(self, a: Tensor, b: Tensor) -> Tensor:
        shape = (a.shape[0], a.shape[1] - self._weights.shape[0] + 1, a.shape[2])
        rows = Tensor.empty(a.device, shape, self._module.Moments)
        function = self._module.averageRow
        function(weft.grid(shape), a, b, self._weights, _result=rows)
        return rows

    def _compare(self, rows: Tensor) -> Tensor:
        shape = (rows.shape[0] - self._weights.shape[0] + 1, *rows.shape[1:])
        result = Tensor.empty(rows.device, shape, "float")
        function = self._module.compareWindows
        function(weft.grid(shape), rows, self._weights, *self._constants, _result=result)
        return result


def ssim(
    a: Tensor, b: Tensor, *, data_range: float = 1.0, window: int = 11, sigma: float = 1.5
) -> float:
    """Return the structural similarity of two images once; SSIM does so repeatedly.

    Args:
        a: ``(H, W)`` or ``(H, W, C)`` of float, or ``(H, W)`` of vectors of float.
        b: Of the same shape and dtype.
        data_range: White minus black, in the unit of the images; greater than 0.
        window: Side of the window in pixels; odd.
        sigma: Standard deviation of its Gaussian weights in pixels; greater than 0.

    Returns:
        A number of at most 1.

    Raises:
        ArgumentError: The images differ in shape or dtype, or are smaller than the window; a number
            is out of its range.
    """
    if not isinstance(a, Tensor):
        raise ArgumentTypeError(
            f"ssim: image a must be a Tensor, got {type(a).__name__}; make one with "
            "Tensor.from_numpy()"
        )
    return SSIM(a.device, data_range=data_range, window=window, sigma=sigma)(a, b)


def _channels(image: Tensor) -> Tensor:
    """View an image with its channels as the last axis."""
    if image.dtype.kind is TypeKind.vector:
        return image.flatten_dtype()
    return image.unsqueeze(-1) if len(image.shape) == 2 else image
