# SPDX-License-Identifier: GPL-3.0-or-later
"""Noise removal by the Open Image Denoise library that Blender carries.

Blender's Python has no way to it, so its C interface (version 2) is called, on the processor:
https://www.openimagedenoise.org/documentation.html
"""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

NAMES = (
    "libOpenImageDenoise.so.2",
    "libOpenImageDenoise.2.dylib",
    "OpenImageDenoise.dll",
)
PROCESSOR = 1  # OIDN_DEVICE_TYPE_CPU, the one that takes memory of ours
FLOAT3 = 3  # OIDN_FORMAT_FLOAT3


def find_denoiser(folders: Iterable[Path]) -> Denoiser | None:
    """Return a denoiser; None if the library is in none of the folders, nor where the system looks.

    Args:
        folders: Where Blender has its libraries.
    """
    places = [folder / name for folder in folders for name in NAMES]
    for place in (*filter(lambda path: path.is_file(), places), *NAMES):
        try:
            return Denoiser(ctypes.CDLL(str(place)))
        except (OSError, AttributeError):
            continue
    return None


class Denoiser:
    """The library, with the signatures of what is called.

    Raises:
        AttributeError: It is another version's.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        """Declare the functions."""
        pointer, size, text = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
        self._library = library
        signatures = {
            "oidnNewDevice": (pointer, (ctypes.c_int,)),
            "oidnCommitDevice": (None, (pointer,)),
            "oidnReleaseDevice": (None, (pointer,)),
            "oidnGetDeviceError": (ctypes.c_int, (pointer, ctypes.POINTER(text))),
            "oidnNewFilter": (pointer, (pointer, text)),
            "oidnSetSharedFilterImage": (
                None,
                (pointer, text, pointer, ctypes.c_int, size, size, size, size, size),
            ),
            "oidnSetFilterBool": (None, (pointer, text, ctypes.c_bool)),
            "oidnCommitFilter": (None, (pointer,)),
            "oidnExecuteFilter": (None, (pointer,)),
            "oidnReleaseFilter": (None, (pointer,)),
        }
        for name, (result, arguments) in signatures.items():
            function = getattr(library, name)
            function.restype = result
            function.argtypes = arguments

    def denoise(
        self,
        color: NDArray[np.float32],
        *,
        albedo: NDArray[np.float32] | None = None,
        normal: NDArray[np.float32] | None = None,
    ) -> NDArray[np.float32]:
        """Return a picture without its noise. Takes about 0.1 s a megapixel; any thread may call.

        Args:
            color: Linear radiance, shape ``(height, width, 3)``.
            albedo: Of what is seen first, same shape.
            normal: Of what is seen first, world space, same shape; only together with albedo.

        Raises:
            RuntimeError: The library says why.
        """
        images = {"color": color}
        if albedo is not None:
            images["albedo"] = albedo
            if normal is not None:
                images["normal"] = normal
        # Kept until the filter has run: the library is given addresses.
        kept = {name: np.ascontiguousarray(image, np.float32) for name, image in images.items()}
        kept["output"] = np.empty_like(kept["color"])
        with self._filter() as (device, made):
            for name, image in kept.items():
                height, width = image.shape[:2]
                self._library.oidnSetSharedFilterImage(
                    made, name.encode(), image.ctypes.data, FLOAT3, width, height, 0, 0, 0
                )
            self._library.oidnSetFilterBool(made, b"hdr", True)
            self._library.oidnCommitFilter(made)
            self._library.oidnExecuteFilter(made)
            self._check(device)
        return kept["output"]

    @contextmanager
    def _filter(self) -> Iterator[tuple[int, int]]:
        """Give a device and a filter on it."""
        device = self._library.oidnNewDevice(PROCESSOR)
        if not device:
            raise RuntimeError("denoise: Open Image Denoise has no device for this processor")
        try:
            self._library.oidnCommitDevice(device)
            self._check(device)
            made = self._library.oidnNewFilter(device, b"RT")
            self._check(device)
            yield device, made
            self._library.oidnReleaseFilter(made)
        finally:
            self._library.oidnReleaseDevice(device)

    def _check(self, device: int) -> None:
        message = ctypes.c_char_p()
        if self._library.oidnGetDeviceError(device, ctypes.byref(message)) != 0:
            raise RuntimeError(f"denoise: {(message.value or b'unknown failure').decode()}")
