# SPDX-License-Identifier: Apache-2.0
"""Image files as arrays: the only place that knows the Python module OpenImageIO.

Arrays are float32 of shape ``(H, W, C)``, row 0 at the top. What the numbers in the file mean is
said by ``encoding``, never guessed: ``"linear"`` numbers are proportional to light and are taken as
they are; ``"srgb"`` numbers carry the sRGB curve, which :func:`read` removes and :func:`write`
applies. Alpha never carries a curve, and colour is not multiplied by it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from weft._native import ArgumentError, ArgumentNotFoundError, ArgumentTypeError, ImageError
from weft._replacing import replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    import numpy as np
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Encoding", "FileScalar", "ImageInfo", "read", "read_info", "write"]

Encoding = Literal["linear", "srgb"]
FileScalar = Literal["uint8", "uint16", "float16", "float32"]

_SCALARS: dict[str, tuple[FileScalar, ...]] = {
    ".png": ("uint8", "uint16"),
    ".jpg": ("uint8",),
    ".jpeg": ("uint8",),
    ".exr": ("float32", "float16"),
    ".hdr": ("float32",),
}
"""Scalar types that a format can hold; the first is the default."""

_CHANNELS: dict[str, tuple[int, ...]] = {
    ".png": (1, 2, 3, 4),
    ".jpg": (1, 3),
    ".jpeg": (1, 3),
    ".exr": tuple(range(1, 1025)),
    ".hdr": (3,),
}

_OIIO_SCALARS: dict[FileScalar, str] = {
    "uint8": "uint8",
    "uint16": "uint16",
    "float16": "half",
    "float32": "float",
}

_CHANNELS_WITH_ALPHA = (2, 4)
_MAX_EXTENT = 1 << 16


def read(path: str | os.PathLike[str], *, encoding: Encoding) -> NDArray[np.float32]:
    """Read a PNG, JPEG, EXR or HDR file.

    Args:
        path: The file.
        encoding: What its colour numbers are: ``"srgb"`` for photos and textures in 8 bits,
            ``"linear"`` for EXR, HDR and data such as normals or roughness.

    Returns:
        Shape ``(H, W, C)``, float32, linear. Integers of the file are scaled to [0, 1].

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: ``path`` is a folder, its ending is none of the four formats, or ``encoding`` is
            unknown.
        ImageError: The file is damaged, or is no image of its format.
    """
    file = _present_file("image.read", path)
    _check_encoding("image.read", encoding)
    pixels = _read_pixels(file)
    if encoding == "linear":
        return pixels
    from weft.colors import linear_from_srgb

    return _map_colour(pixels, linear_from_srgb)


@dataclass(frozen=True)
class ImageInfo:
    """What the header of an image file says.

    Args:
        width: Pixels.
        height: Pixels.
        channels: Their names, such as ``("R", "G", "B", "A")``.
        is_integer: Values are integers, which cannot exceed 1.
    """

    width: int
    height: int
    channels: tuple[str, ...]
    is_integer: bool


def read_info(path: str | os.PathLike[str]) -> ImageInfo:
    """Read the header of a PNG, JPEG, EXR or HDR file, and none of its pixels.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: ``path`` is a folder, or its ending is none of the four formats.
        ImageError: The file is damaged, or is no image of its format.
    """
    file = _present_file("image.read_info", path)
    library = _image_library()
    image = library.ImageInput.open(str(file))
    if image is None:
        reason = _reason(library.geterror())
        raise ImageError(f"image.read_info: '{file}' cannot be opened: {reason}")
    spec = image.spec()
    image.close()
    is_integer = str(spec.format) not in ("half", "float", "double")
    return ImageInfo(spec.width, spec.height, tuple(spec.channelnames), is_integer)


def write(
    path: str | os.PathLike[str],
    pixels: ArrayLike,
    *,
    encoding: Encoding,
    scalar: FileScalar | None = None,
    channel_names: Sequence[str] | None = None,
) -> None:
    """Write a PNG, JPEG, EXR or HDR file. An existing file is replaced in one step.

    Args:
        path: The file; its ending names the format.
        pixels: Linear values, shape ``(H, W, C)`` or ``(H, W)``; integer formats clip to [0, 1].
        encoding: What the numbers in the file shall be: ``"srgb"`` for pictures to look at,
            ``"linear"`` for EXR, HDR and data.
        scalar: Type of the numbers in the file; None takes the format's usual one: 8 bits in PNG
            and JPEG, float32 in EXR and HDR.
        channel_names: Names of the channels in an EXR file, such as ``"R"`` or ``"depth.Z"``; None
            takes the usual ones.

    Raises:
        ValueError: The shape, the ending, ``encoding``, ``scalar`` or ``channel_names`` is not
            possible.
        ImageError: The folder does not exist or the file cannot be written.
    """
    file = _checked_path("image.write", path)
    _check_encoding("image.write", encoding)
    chosen = _chosen_scalar(file, scalar)
    array = _checked_pixels(file, pixels)
    if channel_names is not None:
        _check_channel_names(file, channel_names, array.shape[2])
    if encoding == "srgb":
        from weft.colors import srgb_from_linear

        array = _map_colour(array, srgb_from_linear)
    if not file.parent.is_dir():
        raise ImageError(f"image.write: the folder of '{file}' does not exist; create it first")
    try:
        with replacing(file) as temporary:
            _write_pixels(temporary, file, array, chosen, channel_names)
    except OSError as error:
        raise ImageError(f"image.write: '{file}' cannot be written: {error}") from error


def text_mask(text: str, height: int) -> NDArray[np.float32]:
    """Return a line of text as coverage.

    Args:
        text: One line.
        height: Of the line, ascenders and descenders included, in pixels.

    Returns:
        Shape ``(height, width)``, in [0, 1]; as wide as the text is, at least one pixel.

    Raises:
        ImageError: OpenImageIO was built without FreeType, as the one of Blender is, or finds no
            font.
    """
    import numpy as np

    library = _image_library()
    size = max(round(0.76 * height), 1)
    extent = library.ImageBufAlgo.text_size(text or " ", size)
    width = max(extent.xend + 1, 1) if extent.defined else 1
    buffer = library.ImageBuf(library.ImageSpec(width, height, 1, "float"))
    drawn = library.ImageBufAlgo.render_text(buffer, 0, size, text, size, "", (1.0,))
    if text.strip() and (not extent.defined or not drawn):
        reason = _reason(buffer.geterror())
        raise ImageError(f"image.text_mask: OpenImageIO draws no text here: {reason}")
    return np.ascontiguousarray(buffer.get_pixels(library.FLOAT)[:, :, 0])


def line_mask(
    lines: Sequence[Sequence[tuple[float, float]]], shape: tuple[int, int], width: float
) -> NDArray[np.float32]:
    """Return lines as coverage.

    Args:
        lines: The points that each goes through: x to the right and y down from the upper left
            corner, in pixels; what lies outside of the image is left out.
        shape: Rows and columns of the image.
        width: Of the lines, in pixels.

    Returns:
        Of that shape, in [0, 1].
    """
    import numpy as np

    library, fine = _image_library(), 4
    buffer = library.ImageBuf(library.ImageSpec(shape[1] * fine, shape[0] * fine, 1, "float"))
    pen = np.arange(max(round(width * fine), 1))
    pen -= pen[-1] // 2
    for points in lines:
        path = np.rint(np.asarray(points, np.float64).reshape(-1, 2) * fine).astype(int).tolist()
        for (x0, y0), (x1, y1) in pairwise(path):
            for offset in pen.tolist():
                dx, dy = (offset, 0) if abs(y1 - y0) > abs(x1 - x0) else (0, offset)
                library.ImageBufAlgo.render_line(buffer, x0 + dx, y0 + dy, x1 + dx, y1 + dy, (1.0,))
    fine_mask = buffer.get_pixels(library.FLOAT)[:, :, 0]
    mask: NDArray[np.float32] = fine_mask.reshape(shape[0], fine, shape[1], fine).mean((1, 3))
    return mask


def resized(
    pixels: NDArray[np.float32], shape: tuple[int, int], filter_name: str = ""
) -> NDArray[np.float32]:
    """Return an image in another size.

    Args:
        pixels: Shape ``(H, W, C)``.
        shape: Rows and columns of the result.
        filter_name: One of OpenImageIO's, such as ``"box"`` or ``"triangle"``; "" takes
            ``"lanczos3"`` to shrink and ``"blackman-harris"`` to enlarge.
    """
    import numpy as np

    library = _image_library()
    whole = library.ROI(0, shape[1], 0, shape[0], 0, 1, 0, pixels.shape[2])
    source = library.ImageBuf(np.ascontiguousarray(pixels, np.float32))
    result = library.ImageBufAlgo.resize(source, filter_name, roi=whole)
    if result.has_error:
        raise ImageError(f"image.resized: {_reason(result.geterror())}")
    return np.ascontiguousarray(result.get_pixels(library.FLOAT))


def _present_file(function: str, path: str | os.PathLike[str]) -> Path:
    file = _checked_path(function, path)
    if not file.exists():
        raise ArgumentNotFoundError(f"{function}: there is no file '{file}'; check the path")
    if file.is_dir():
        raise ArgumentError(
            f"{function}: '{file}' is a folder, a file is expected; name the file in it"
        )
    return file


def _checked_path(function: str, path: str | os.PathLike[str]) -> Path:
    try:
        file = Path(path)
    except TypeError:
        raise ArgumentTypeError(
            f"{function}: path must be a str or pathlib.Path, got {type(path).__name__}"
        ) from None
    if file.suffix.lower() not in _SCALARS:
        known = ", ".join(_SCALARS)
        raise ArgumentError(
            f"{function}: '{file.name}' ends in '{file.suffix}', "
            f"one of {known} is expected; rename it"
        )
    return file


def _check_encoding(function: str, encoding: str) -> None:
    if encoding not in ("linear", "srgb"):
        raise ArgumentError(f"{function}: encoding must be 'linear' or 'srgb', got {encoding!r}")


def _chosen_scalar(file: Path, scalar: FileScalar | None) -> FileScalar:
    possible = _SCALARS[file.suffix.lower()]
    if scalar is None:
        return possible[0]
    if scalar not in possible:
        names = " or ".join(repr(name) for name in possible)
        raise ArgumentError(
            f"image.write: a {file.suffix} file holds {names}, got scalar={scalar!r}; "
            "change one of them"
        )
    return scalar


def _checked_pixels(file: Path, pixels: ArrayLike) -> NDArray[np.float32]:
    import numpy as np

    try:
        array = np.asarray(pixels, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ArgumentTypeError(
            f"image.write: pixels cannot become float32 ({error}); pass an array"
        ) from None
    if array.ndim == 2:
        array = array[:, :, np.newaxis]
    if array.ndim != 3 or not all(1 <= extent <= _MAX_EXTENT for extent in array.shape[:2]):
        raise ArgumentError(
            "image.write: pixels must have shape (H, W, C) with "
            f"1 to {_MAX_EXTENT} rows and columns, got {np.shape(pixels)}; reshape them"
        )
    channels = _CHANNELS[file.suffix.lower()]
    if array.shape[2] not in channels:
        names = ", ".join(map(str, channels)) if len(channels) < 5 else f"1 to {channels[-1]}"
        raise ArgumentError(
            f"image.write: a {file.suffix} file has {names} channels, "
            f"axis 2 of pixels is {array.shape[2]}; drop or add channels, or use .exr"
        )
    return np.ascontiguousarray(array)


def _check_channel_names(file: Path, names: Sequence[str], channels: int) -> None:
    if file.suffix.lower() != ".exr":
        raise ArgumentError(
            f"image.write: a {file.suffix} file has no names of channels, got {len(names)}; "
            "leave them out, or use .exr"
        )
    if len(set(names)) != channels:
        raise ArgumentError(
            f"image.write: channel_names must be {channels} different names, one for each channel, "
            f"got {list(names)}"
        )


def _map_colour(
    pixels: NDArray[np.float32], curve: Callable[[NDArray[np.float32]], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Apply a curve to all channels but alpha."""
    result = pixels.copy()
    colours = pixels.shape[2] - (1 if pixels.shape[2] in _CHANNELS_WITH_ALPHA else 0)
    result[:, :, :colours] = curve(pixels[:, :, :colours])
    return result


def _image_library() -> ModuleType:
    try:
        import OpenImageIO
    except ImportError as error:
        raise ImageError(
            f"image: the Python module OpenImageIO cannot be loaded ({error}); "
            "install it with 'pip install OpenImageIO'"
        ) from error
    return OpenImageIO


def _read_pixels(file: Path) -> NDArray[np.float32]:
    import numpy as np

    library = _image_library()
    as_stored = library.ImageSpec()
    as_stored.attribute("oiio:UnassociatedAlpha", 1)
    image = library.ImageInput.open(str(file), as_stored)
    if image is None:
        raise ImageError(f"image.read: '{file}' cannot be opened: {_reason(library.geterror())}")
    try:
        pixels = image.read_image(library.FLOAT)
        reason = image.geterror()
    finally:
        image.close()
    if pixels is None or reason:
        raise ImageError(f"image.read: '{file}' cannot be read: {_reason(reason)}")
    return np.ascontiguousarray(pixels, dtype=np.float32)


def _write_pixels(
    temporary: Path,
    file: Path,
    array: NDArray[np.float32],
    scalar: FileScalar,
    channel_names: Sequence[str] | None,
) -> None:
    library = _image_library()
    height, width, channels = array.shape
    spec = library.ImageSpec(width, height, channels, _OIIO_SCALARS[scalar])
    spec.attribute("oiio:UnassociatedAlpha", 1)
    if channel_names is not None:
        spec.channelnames = tuple(channel_names)
        spec.alpha_channel = spec.z_channel = -1
    output = library.ImageOutput.create(str(temporary))
    if output is None:
        raise ImageError(f"image.write: '{file}' cannot be written: {_reason(library.geterror())}")
    if not output.open(str(temporary), spec):
        raise ImageError(f"image.write: '{file}' cannot be written: {_reason(output.geterror())}")
    was_written = output.write_image(array)
    reason = output.geterror()
    if not output.close() or not was_written:
        raise ImageError(f"image.write: '{file}' cannot be written: {_reason(reason)}")


def _reason(text: str) -> str:
    """Return OpenImageIO's message on one line."""
    return " ".join(text.split()) or "OpenImageIO gives no reason"
