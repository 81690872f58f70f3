# SPDX-License-Identifier: Apache-2.0
"""Tensors made as SlangPy's scripts make them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from weft import image
from weft._native import ArgumentError, ArgumentTypeError, Tensor
from weft._shown import shown
from weft.colors import LUMINANCE

if TYPE_CHECKING:
    import os

    import torch

    from weft._native import Device, Struct, Type

_SRGB_FILES = (".png", ".jpg", ".jpeg")


def from_torch(device: Device, tensor: torch.Tensor, dtype: Type | Struct | str) -> Tensor:
    """Copy a torch tensor, whose last dimension becomes the scalars of one element."""
    if not hasattr(tensor, "untyped_storage"):
        raise ArgumentTypeError(
            f"Tensor.from_torch: argument 'tensor' must be a torch.Tensor, got {shown(tensor)}; "
            "Tensor.from_numpy() takes arrays"
        )
    if tensor.ndim == 0:
        raise ArgumentError(
            "Tensor.from_torch: argument 'tensor' has no dimension for the scalars of an element; "
            "pass tensor.reshape(1)"
        )
    result = Tensor.empty(device, tuple(tensor.shape[:-1]), dtype)
    given = tensor.shape[-1] * tensor.element_size()
    expected = Tensor.empty(device, (1,), dtype).nbytes
    if given != expected:
        raise ArgumentError(
            f"Tensor.from_torch: the last dimension of 'tensor', {tensor.shape[-1]} of "
            f"{tensor.dtype}, has {given} bytes, an element of {result.dtype.full_name} "
            f"{expected}; reshape it, or convert it by tensor.to()"
        )
    import torch

    values = tensor.detach().resolve_conj().contiguous()
    if values.numel():
        result.storage.copy_from_numpy(values.cpu().view(torch.uint8).numpy())
    return result


def load_from_image(
    device: Device,
    path: str | os.PathLike[str],
    flip_y: bool,
    linearize: bool,
    scale: float,
    offset: float,
    grayscale: bool,
) -> Tensor:
    """Read an image file into a tensor of one to four floats a pixel."""
    is_srgb = linearize and Path(path).suffix.lower() in _SRGB_FILES
    pixels = image.read(path, encoding="srgb" if is_srgb else "linear")
    channels = pixels.shape[2]
    if grayscale and channels >= len(LUMINANCE):
        pixels = (pixels[..., :3] @ np.array(LUMINANCE, np.float32))[..., None]
    elif grayscale:
        pixels = pixels[..., :1]
    if pixels.shape[2] > 4:
        raise ArgumentError(
            f"Tensor.load_from_image: {str(path)!r} has {channels} channels, an element at most 4; "
            "take weft.image.read() and Tensor.from_numpy()"
        )
    values = pixels[::-1] if flip_y else pixels
    values = np.ascontiguousarray(values * np.float32(scale) + np.float32(offset), np.float32)
    dtype = ("float", "float2", "float3", "float4")[values.shape[2] - 1]
    return Tensor.from_numpy(device, values[..., 0] if dtype == "float" else values, dtype)
