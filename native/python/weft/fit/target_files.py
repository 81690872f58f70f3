# SPDX-License-Identifier: Apache-2.0
"""Targets from image files: what the numbers mean, which pixels count, and their size."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from weft import image
from weft._native import ArgumentError
from weft.defaults import FILTER, FILTER_WIDTH
from weft.fit.rounding import deviation_by_srgb, deviation_by_step, grain_of
from weft.fit.target import Target
from weft.scene.texture_files import COLOR_SPACES, to_linear_rec709

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.defaults import FilterKind
    from weft.fit.display import DisplayTransform
    from weft.scene import Camera, Environment
    from weft.scene.lights import Light
    from weft.scene.texture_files import ColorSpace

MOST_PIXELS = 1 << 27
CLIPPED = 0.995  # The largest value of 8 bits and what rounding brings near it.
DISPLAY_SPACES = ("srgb", "rec709")


def load_target(
    path: str | os.PathLike[str],
    camera: str | int | Camera = 0,
    *,
    color_space: ColorSpace | None = None,
    mask: str | os.PathLike[str] | NDArray[np.float32] | None = None,
    mask_from: str | None = None,
    exposure: float = 0.0,
    saturation: float | None = None,
    size: tuple[int, int] | Camera | None = None,
    name: str | None = None,
    filter: FilterKind = FILTER,
    filter_width: float = FILTER_WIDTH,
    display: DisplayTransform | None = None,
    robust: bool | None = None,
    lights: Sequence[str | Light] | None = None,
    world: Environment | Literal[False] | None = None,
) -> Target:
    """Read a target, see ``Target.from_file``."""
    file = Path(path)
    title = file.stem if name is None else name
    _require_settings(title, color_space, exposure, saturation, display)
    objects = (mask_from,) if mask_from not in (None, "alpha") else ()
    # Display values are what the file holds.
    wanted_space = color_space if display is None else "linear"
    pixels, space, is_integer = _read_colors(file, title, wanted_space)
    weights = _mask_weights(file, title, pixels, mask, mask_from)
    colors = pixels[..., :3]
    is_encoded = is_integer or space in DISPLAY_SPACES
    if display is None:
        scale = np.float32(2.0**-exposure)
        limit = _limit(saturation, is_encoded, scale)
        target = Target(colors * scale, camera, weights, limit, name=title, objects=objects)
        target = replace(target, rounding=_rounding(colors, space, scale) if is_integer else None)
    else:
        target = Target.from_display(colors, display, camera, weights, name=title, objects=objects)
    if robust is None:
        robust = is_encoded or display is not None
    target = replace(
        target,
        filter=filter,
        filter_width=filter_width,
        robust=robust,
        grain=grain_of(file),
        lights=lights,
        world=world,
    )
    return target if size is None else resized(target, _wanted_size(size))


def _wanted_size(size: tuple[int, int] | Camera) -> tuple[int, int]:
    return size if isinstance(size, tuple) else (size.width, size.height)


def _require_settings(
    title: str,
    color_space: str | None,
    exposure: float,
    saturation: float | None,
    display: DisplayTransform | None,
) -> None:
    if not np.isfinite(exposure):
        raise ArgumentError(
            f"Target '{title}': exposure must be a finite number of stops, got {exposure}"
        )
    if display is not None and (color_space, exposure, saturation) != (None, 0.0, None):
        raise ArgumentError(
            f"Target '{title}': color_space, exposure and saturation are part of a display "
            "transform; leave them out, or leave out display"
        )


def _rounding(
    colors: NDArray[np.float32], space: str, scale: np.float32
) -> NDArray[np.float32] | None:
    """Return what steps of integers have made of each pixel; ``None``: it is not known."""
    deviation = {"srgb": deviation_by_srgb, "linear": deviation_by_step}.get(space)
    rounding = None if deviation is None else deviation(colors)
    return None if rounding is None else rounding * scale


def resized(target: Target, size: tuple[int, int]) -> Target:
    """Return a target of another width and height, of the same aspect; filters stay as they are.

    Raises:
        ArgumentError: The aspect differs by more than a pixel, or no pixel that counts is left.
    """
    assert target.mask is not None
    width = target.mask.shape[1]
    colors, weights = resize(target.image, target.mask, size, target.name)
    rounding = target.rounding
    if rounding is not None:
        rounding = resample(rounding, size)
    return replace(
        target,
        image=colors,
        mask=weights,
        saturation=None,
        rounding=rounding,
        grain=max(round(target.grain * size[0] / width), 1),
    )


def _limit(saturation: float | None, is_display: bool, scale: np.float32) -> float | None:
    """Return the value of a target from which on pixels were clipped; ``None``: none were."""
    limit = _saturation(saturation, is_display)
    return None if limit is None else float(limit * scale)


def _saturation(given: float | None, is_display: bool) -> float | None:
    """Return the value of the file from which on pixels were clipped; ``None``: none were."""
    if given is None:
        return CLIPPED if is_display else None
    return given if np.isfinite(given) else None


def _checked_info(file: Path, title: str) -> image.ImageInfo:
    info = image.read_info(file)
    if info.width * info.height > MOST_PIXELS:
        raise ArgumentError(
            f"Target '{title}': '{file.name}' has {info.width} x {info.height} pixels, at most "
            f"{MOST_PIXELS >> 20} million are read; make it smaller"
        )
    return info


def _color_space(file: Path, title: str, given: str | None) -> ColorSpace:
    if given is None:
        return "linear" if file.suffix.lower() in (".exr", ".hdr") else "srgb"
    for known in COLOR_SPACES:
        if given == known and known != "raw":
            return known
    spaces = ", ".join(space for space in COLOR_SPACES if space != "raw")
    raise ArgumentError(f"Target '{title}': color_space must be one of {spaces}, got {given!r}")


def _read_colors(
    file: Path, title: str, color_space: str | None
) -> tuple[NDArray[np.float32], ColorSpace, bool]:
    """Return linear Rec.709 with or without alpha, the colour space, and if they were integers."""
    space = _color_space(file, title, color_space)
    info = _checked_info(file, title)
    stored = image.read(file, encoding="srgb" if space == "srgb" else "linear")
    # Files of renderers hold other layers beside the picture.
    names = [channel.rsplit(".", 1)[-1].upper() for channel in info.channels]
    if names[:3] == ["R", "G", "B"]:
        colors = stored[..., :3]
    elif len(names) <= 2:
        colors = np.repeat(stored[..., :1], 3, axis=2)
    else:
        raise ArgumentError(
            f"Target '{title}': '{file.name}' must begin with the channels R, G and B, got "
            f"{', '.join(info.channels[:4])}; write the picture to a file of its own"
        )
    number = 3 if names[3:4] == ["A"] else 1 if names[1:2] == ["A"] else None
    colors = to_linear_rec709(np.ascontiguousarray(colors), space)
    if number is not None:
        colors = np.concatenate([colors, stored[..., number : number + 1]], axis=2)
    return colors, space, info.is_integer


def _mask_weights(
    file: Path,
    title: str,
    pixels: NDArray[np.float32],
    mask: str | os.PathLike[str] | NDArray[np.float32] | None,
    mask_from: str | None,
) -> NDArray[np.float32]:
    """Return the weights of pixels that a mask and the alpha channel give."""
    weights = np.ones(pixels.shape[:2], np.float32)
    has_alpha = pixels.shape[2] == 4
    if mask_from == "alpha" and not has_alpha:
        raise ArgumentError(
            f"Target '{title}': mask_from='alpha' needs an alpha channel and '{file.name}' has "
            "none; leave it out, or give mask="
        )
    if mask is None:
        given = weights
    elif isinstance(mask, np.ndarray):
        given = np.asarray(mask, np.float32)
    else:
        _checked_info(Path(mask), title)
        given = image.read(mask, encoding="linear")[..., 0]
    if given.shape != weights.shape:
        raise ArgumentError(
            f"Target '{title}': the mask is {_extent(given)}, the image {_extent(weights)}; "
            "make them one size"
        )
    if has_alpha and (mask is None or mask_from == "alpha"):
        weights = (pixels[..., 3] >= 0.999).astype(np.float32)
    return weights * np.clip(np.nan_to_num(given), 0, 1)


def _extent(array: NDArray[Any]) -> str:
    return " x ".join(str(extent) for extent in array.shape[1::-1] + array.shape[2:])


def _shares(old: int, new: int) -> NDArray[np.float32]:
    """Return what each old pixel gives to each new one, shape ``(new, old)``; rows sum to 1.

    Means over areas where there are fewer pixels than before, else linear interpolation.
    """
    if new <= old:
        edges = np.arange(new + 1) * (old / new)
        low, high = edges[:-1, None], edges[1:, None]
        cell = np.arange(old)
        parts = np.clip(np.minimum(high, cell + 1) - np.maximum(low, cell), 0, None)
    else:
        centre = np.clip((np.arange(new) + 0.5) * (old / new) - 0.5, 0, old - 1)
        parts = np.clip(1 - np.abs(centre[:, None] - np.arange(old)), 0, None)
    shares: NDArray[np.float32] = (parts / parts.sum(axis=1, keepdims=True)).astype(np.float32)
    return shares


def resample(pixels: NDArray[np.float32], size: tuple[int, int]) -> NDArray[np.float32]:
    """Return an image, shape ``(height, width, channels)``, with another width and height."""
    rows, columns = _shares(pixels.shape[0], size[1]), _shares(pixels.shape[1], size[0])
    out: NDArray[np.float32] = np.einsum("yY,YXc,xX->yxc", rows, pixels, columns, optimize=True)
    return out.astype(np.float32)


def resize(
    colors: NDArray[np.float32],
    weights: NDArray[np.float32],
    size: tuple[int, int],
    title: str,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return an image and its weights in another size.

    Args:
        colors: Linear light, shape ``(height, width, 3)``.
        weights: Shape ``(height, width)``. A new pixel counts if all that it covers did.
        size: Wanted width and height, of the same aspect.
        title: What messages call the target.

    Raises:
        ArgumentError: The aspect differs by more than a pixel.
    """
    height, width = weights.shape
    if min(size) < 1 or abs(width * size[1] - height * size[0]) > max(width, height):
        raise ArgumentError(
            f"Target '{title}': the image is {width} x {height} and cannot be resized to "
            f"{size[0]} x {size[1]}: the aspect differs; crop it"
        )
    if (width, height) == size:
        return colors, weights
    rows, columns = _shares(height, size[1]), _shares(width, size[0])
    counts = weights > 0
    clean = np.where(counts[..., None], colors, 0)
    small = resample(clean.astype(np.float32), size)
    coverage = rows @ counts.astype(np.float32) @ columns.T
    mean = rows @ weights @ columns.T
    return small, np.where(coverage > 0.999, mean, 0).astype(np.float32)
