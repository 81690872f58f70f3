# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures for a fit: image files, Blender's images or arrays, and the cameras that took them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import bpy
import numpy as np

from weft import ArgumentError
from weft.defaults import TARGET_SIZE
from weft.fit import Target
from weft.fit.rounding import JPEG_BLOCK, deviation_by_srgb, deviation_by_step
from weft.fit.target_files import CLIPPED, resized

from .cameras import WHOLE, export_camera
from .display_transform import sample_display_transform
from .images import read_linear, why_unreadable
from .path_settings import film_exposure, pixel_filter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    import weft
    from weft.defaults import FilterKind

BLOCKS = ("JPEG", "WEBP")
"""Formats whose noise is shared by the pixels of a block."""

SPACES = {"srgb": "sRGB", "linear": "Linear Rec.709", "raw": "Non-Color"}


@dataclass(eq=False)
class Picture:
    """A picture of the scene as people name it.

    Args:
        camera: Object that holds the camera.
        source: A file, one of Blender's images, or linear Rec.709 of shape ``(height, width, 3)``
            or 4 with alpha, the top row first.
        mask: Likewise, weights in [0, 1] (the first channel counts); ``None``: all pixels count.
        objects: Only pixels that show one of these objects count; empty: all do.
        color_space: Of a file: ``srgb``, ``linear`` or ``raw``; ``None``: as Blender takes it.
        exposure: Stops by which the picture is brighter than the scene's light. Unless `filter` is
            ``box``, the film exposure of the scene's render settings counts as well.
        saturation: Linear value of the picture from which on pixels were clipped; ``None``: just
            below 1 for files and images of integers.
        size: Longest side at which the picture is compared, pixels; larger ones are averaged.
        filter: Pixel filter: ``box`` for photos, ``blackman_harris`` for pictures of Cycles; "":
            that of the scene's render settings, with its width.
        filter_width: Of the whole filter, pixels of the picture.
        through_view: The picture was saved through the scene's view transform (Standard, Filmic,
            AgX, ...), as PNG and JPEG files of renders are; `color_space`, `exposure` and
            `saturation` say nothing then.
        name: What reports call it; "": the camera's name.
        frame: Number of the file, of an image of source ``SEQUENCE``; ``None``: the file that the
            image names.
        robust: Pixels that nothing explains lose their say; ``None``: where the picture holds
            integers or was saved through the view transform.
        lights: What was lit: lights, objects with emissive materials, collections, materials, or
            names of those; or lights of ``weft.scene``. ``None``: all of the scene.
        flash: A light that stood to this picture's camera as it stands to its own, the camera among
            its parents or else the scene's. It is dark in pictures that do not name it.
        world: That lit the picture; False: none. ``None``: that of the scene.
    """

    camera: bpy.types.Object
    source: str | Path | bpy.types.Image | NDArray[np.float32]
    mask: str | Path | bpy.types.Image | NDArray[np.float32] | None = None
    objects: tuple[str, ...] = ()
    color_space: str | None = None
    exposure: float = 0.0
    saturation: float | None = None
    size: int = TARGET_SIZE
    filter: str = ""
    filter_width: float = 1.0
    through_view: bool = False
    name: str = ""
    frame: int | None = None
    robust: bool | None = None
    lights: Sequence[Any] | None = None
    flash: bpy.types.Object | None = None
    world: bpy.types.World | Literal[False] | None = None


@dataclass(frozen=True, eq=False)
class Stored:
    """Pixels as a file or Blender holds them.

    Args:
        pixels: Linear, shape ``(height, width, channels)``, the top row first.
        is_integer: They were integers, of 8 bits or more.
        grain: Pixels over which the noise of the file is shared.
    """

    pixels: NDArray[np.float32]
    is_integer: bool = False
    grain: int = 1


def make_target(
    picture: Picture, name: str, depsgraph: bpy.types.Depsgraph
) -> tuple[Target, weft.scene.Camera]:
    """Return a picture as a fit takes it, and its view of the scene.

    Args:
        picture: Which.
        name: Of the target and of the view; unique in the fit.
        depsgraph: The evaluated scene.

    Raises:
        ArgumentError: The camera is missing, the picture cannot be read, or the mask has another
            size.
        FileNotFoundError: There is no such file.
    """
    if picture.camera is None or picture.camera.type != "CAMERA":
        raise ArgumentError(f"fit: picture '{name}' has no camera; choose the one that took it")
    target = (
        _read_display(picture, name, depsgraph.scene, _film_factor(picture, depsgraph.scene))
        if picture.through_view
        else _read(picture, name, _film_factor(picture, depsgraph.scene))
    )
    height, width = target.image.shape[:2]
    scale = min(picture.size / max(width, height), 1.0)
    size = (max(round(width * scale), 1), max(round(height * scale), 1))
    if size != (width, height):
        target = resized(target, size)
    camera, _problems = export_camera(picture.camera.evaluated_get(depsgraph), size, WHOLE)
    camera.name = name
    kind, extent = _filter_of(picture, depsgraph.scene, scale)
    seen = replace(
        target,
        camera=name,
        name=name,
        objects=picture.objects,
        filter=kind,
        filter_width=extent,
        robust=target.robust if picture.robust is None else picture.robust,
    )
    return seen, camera


def _filter_of(picture: Picture, scene: bpy.types.Scene, scale: float) -> tuple[FilterKind, float]:
    """Return the filter of a picture that was made smaller by a factor, and its width, pixels."""
    kind, width = picture.filter, picture.filter_width
    if not kind:
        kind, width = pixel_filter(scene)
    # Pixels that are means of several are as wide as a box.
    return ("box", 1.0) if scale < 0.75 else (kind, width * scale)


def _film_factor(picture: Picture, scene: bpy.types.Scene) -> float:
    """Return what Cycles' film does to a picture; photos know nothing of it."""
    factor = 1.0 if picture.filter == "box" else film_exposure(scene)
    if factor <= 0:
        raise ArgumentError(
            f"fit: the film exposure of scene '{scene.name}' is {factor}, which leaves pictures "
            "black; set it to the value that the pictures were rendered with"
        )
    return factor


def _read(picture: Picture, name: str, film: float) -> Target:
    """Return a picture with its weights, at its own size."""
    weights = _weights(picture, name)
    stored = _stored(picture.source, name, picture.color_space, picture.frame)
    saturation = CLIPPED if picture.saturation is None and stored.is_integer else picture.saturation
    scale = np.float32(2.0**-picture.exposure / film)
    colors = stored.pixels[..., :3]
    rounding = None
    if stored.is_integer:
        rounding = deviation_by_srgb(colors)
        rounding = deviation_by_step(colors) if rounding is None else rounding
    pixels = np.concatenate([colors * scale, stored.pixels[..., 3:]], axis=2)
    return Target(
        pixels,
        0,
        weights,
        None if saturation is None else float(saturation * scale),
        name=name,
        robust=stored.is_integer,
        rounding=None if rounding is None else rounding * scale,
        grain=stored.grain,
    )


def _read_display(picture: Picture, name: str, scene: bpy.types.Scene, film: float) -> Target:
    """Return the light of a picture that was saved through the scene's view transform."""
    weights = _weights(picture, name)
    stored = _stored(picture.source, name, "raw", picture.frame)
    original = bpy.data.scenes[scene.name]
    transform = sample_display_transform(original, film=film)
    target = Target.from_display(stored.pixels, transform, mask=weights, name=name)
    return replace(target, grain=stored.grain)


def _weights(picture: Picture, name: str) -> NDArray[np.float32] | None:
    """Return what the mask says of each pixel; a mask that is a sequence follows the picture."""
    if picture.mask is None:
        return None
    return _stored(picture.mask, name, "raw", picture.frame).pixels[..., 0]


Source = "str | Path | bpy.types.Image | NDArray[np.float32]"


def _stored(source: Source, name: str, color_space: str | None, frame: int | None) -> Stored:
    """Return what a source holds."""
    if isinstance(source, bpy.types.Image):
        if source.source != "SEQUENCE":
            return _of_image(source, name, color_space)
        space = source.colorspace_settings.name if color_space is None else _space(color_space)
        return _of_file(file_of_frame(source, frame), name, space)
    if not isinstance(source, (str, Path)):
        array = np.asarray(source, np.float32)
        return Stored(array[..., None] if array.ndim == 2 else array)
    space = None if color_space is None else _space(color_space)
    return _of_file(Path(bpy.path.abspath(str(source))), name, space)


def _of_file(path: Path, name: str, space: str | None) -> Stored:
    """Return what a file holds, read in one of Blender's colour spaces."""
    if not path.is_file():
        raise FileNotFoundError(f"fit: there is no file '{path}' for '{name}'; check the path")
    image = bpy.data.images.load(str(path))
    try:
        if space is not None:
            image.colorspace_settings.name = space
        return _read_stored(image, name)
    finally:
        bpy.data.images.remove(image)


def file_of_frame(image: bpy.types.Image, frame: int | None) -> Path:
    """Return the file of one frame of an image sequence: its last digits are the frame's number.

    Args:
        image: Of source ``SEQUENCE``.
        frame: Number of the file; ``None``: the file that the image names.

    Raises:
        ArgumentError: The file's name has no number.
    """
    path = Path(bpy.path.abspath(image.filepath_raw, library=image.library))
    if frame is None:
        return path
    found = re.fullmatch(r"(.*?)(\d+)(\D*)", path.name)
    if found is None:
        raise ArgumentError(
            f"fit: '{path.name}' of the sequence '{image.name}' has no number, so there is no "
            f"frame {frame}; name the files picture_0001, picture_0002, ..."
        )
    start, digits, end = found.groups()
    return path.with_name(f"{start}{frame:0{len(digits)}d}{end}")


def _of_image(image: bpy.types.Image, name: str, color_space: str | None) -> Stored:
    """Return what an image holds, read in another colour space if one is given."""
    if color_space is None:
        return _read_stored(image, name)
    copy = image.copy()
    try:
        copy.colorspace_settings.name = _space(color_space)
        return _read_stored(copy, name)
    finally:
        bpy.data.images.remove(copy)


def _read_stored(image: bpy.types.Image, name: str) -> Stored:
    """Return the pixels of an image, and what its file has made of them."""
    pixels = image_pixels(image, name)
    # Blender reads integers of 16 bits as floats.
    is_deep = image.source == "FILE" and image.file_format == "PNG"
    grain = JPEG_BLOCK if image.file_format in BLOCKS else 1
    return Stored(pixels, is_deep or not image.is_float, grain)


def _space(name: str) -> str:
    """Return Blender's name of a colour space."""
    if name not in SPACES:
        raise ArgumentError(
            f"fit: color_space must be one of {', '.join(SPACES)}, got {name!r}; load the image "
            "into Blender and give that for others"
        )
    return SPACES[name]


def image_pixels(image: bpy.types.Image, name: str) -> NDArray[np.float32]:
    """Return linear Rec.709, and alpha if there is one, of one of Blender's images, top row first.

    Raises:
        ArgumentError: The image cannot be read.
    """
    problem = why_unreadable(image)
    if problem:
        raise ArgumentError(f"fit: image '{image.name}' of '{name}': {problem}")
    pixels, problem = read_linear(image)
    if problem:
        raise ArgumentError(f"fit: image '{image.name}' of '{name}': {problem}")
    if pixels.shape[2] < 3:
        pixels = np.repeat(pixels[..., :1], 3, axis=2)
    return pixels
