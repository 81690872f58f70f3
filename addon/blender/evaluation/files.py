# SPDX-License-Identifier: GPL-3.0-or-later
"""Arrays that sockets name: files of numpy, and images."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
import numpy as np

from weft import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ...core.evaluation.plan import Input

_RGB = 3


def numbers_of_file(entry: Input, spelled: str) -> NDArray[Any]:
    """Return the array of a ``.npy`` file, or of ``file.npz:name``.

    Raises:
        ArgumentError: It is not there, or holds something else.
    """
    name = entry.value.name
    file, colon, key = spelled.rpartition(":")
    if not colon or not file.endswith(".npz"):
        file, key = spelled, ""
    path = Path(bpy.path.abspath(file))
    try:
        state = path.stat()
        array = _loaded(path, key, state.st_mtime_ns, state.st_size)
    except (OSError, ValueError, KeyError) as error:
        message = (
            f"'{name}' is an array: give the path of a .npy file, or 'file.npz:name', got "
            f"'{spelled}' ({error})"
        )
        raise ArgumentError(message) from error
    shape = entry.value.shape
    if array.dtype.kind not in "fiub":
        message = f"'{name}': '{spelled}' holds {array.dtype}, where numbers are expected"
        raise ArgumentError(message)
    if shape and array.shape[-len(shape) :] != shape:
        message = f"'{name}': '{spelled}' is of shape {array.shape}, which must end with {shape}"
        raise ArgumentError(message)
    return array


@lru_cache(maxsize=8)
def _loaded(path: Path, key: str, _time: int, _size: int) -> NDArray[Any]:
    """Return an array of a file; one that was written since is another one."""
    found = np.load(path, allow_pickle=False)
    if isinstance(found, np.ndarray):
        return found
    with found:
        return np.asarray(found[key])


def pixels_of(entry: Input, image: bpy.types.Image | None) -> NDArray[np.float32]:
    """Return an image's pixels, rows from below, as many channels as the function takes.

    Raises:
        ArgumentError: There is none.
    """
    width, height = (0, 0) if image is None else image.size
    if image is None or not width or not height:
        message = f"'{entry.value.name}' is an image: choose one that has pixels"
        raise ArgumentError(message)
    values = np.empty(width * height * image.channels, np.float32)
    image.pixels.foreach_get(values)
    pixels = values.reshape(height, width, image.channels)
    wanted = entry.value.shape[0] if entry.value.shape else 1
    if image.channels < wanted:
        colors = pixels[..., :3] if image.channels >= _RGB else np.repeat(pixels[..., :1], _RGB, 2)
        pixels = np.concatenate([colors, np.ones_like(pixels[..., :1])], 2)
    return np.ascontiguousarray(pixels[..., :wanted] if entry.value.shape else pixels[..., 0])
