# SPDX-License-Identifier: Apache-2.0
"""Pictures that a fit explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from weft._native import ArgumentError, Observation
from weft.defaults import FILTER, FILTER_WIDTH, FilterKind
from weft.fit.checks import (
    image_of,
    mask_of,
    require_count,
    require_light,
    require_name,
    require_number,
)
from weft.fit.target_checks import require_filter, require_lights, require_view
from weft.scene.problem import Problem

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from weft.fit.display import DisplayTransform
    from weft.render.renderer import Renderer
    from weft.scene import Camera
    from weft.scene.lights import Environment, Light
    from weft.scene.texture_files import ColorSpace


CLIPPED_SHARE = 0.002  # of the pixels: from here on, those of exactly 1 look clipped
DISPLAY_NOISE = 0.1
"""Display value that differs as much as a relative error of 1 in the light of a render."""


@dataclass(eq=False)
class Target:
    """One picture of the scene.

    Args:
        image: Radiance, linear Rec.709, shape ``(height, width, 3)`` or 4 with alpha, the top row
            first.
        camera: Camera of the scene that sees it: name or number, or a camera.
        mask: Weights of pixels in [0, 1], shape ``(height, width)``; ``None``: all count, or those
            that the alpha channel covers.
        saturation: Values from here on were clipped by the sensor and do not count; ``None``: none
            were.
        name: What messages and reports call it.
        objects: Names of objects of the scene: only pixels whose centre shows one of them count.
            Empty: all do.
        filter: Pixel filter of the picture, as that of ``weft.render.PathSettings``: ``box`` for
            photos, ``blackman_harris`` for pictures of Cycles. A picture that is blurred otherwise
            than the renders that explain it biases metallic and base colour.
        filter_width: Of the whole filter, pixels. Twice Cycles' Blackman-Harris width: 3 unless
            changed.
        display: What the picture was saved through: differences count as the display shows them.
            `from_display` turns display values into the light that `image` takes.
        robust: Pixels that nothing explains lose their say, with a redescending loss. Without it,
            squared errors count.
        rounding: Standard deviation of what steps of a file have made of each pixel, linear light,
            the shape of `image` with 3 channels; ``None``: nothing.
        grain: Pixels over which noise of the picture is shared: 8 for JPEG.
        lights: What shines in this picture: names of lights of the scene and of materials that
            shine, and lights of its own, as a flash that moves with the camera
            (``weft.scene.at_camera``). What is not named is dark. ``None``: all of the scene.
        world: The environment of this picture; False: none. ``None``: that of the scene.

    Raises:
        ArgumentError: The shapes do not fit, an argument is of another kind, no pixel counts, or
            those that do are not finite, all black, or negative beyond noise; or `lights`
            or `world` are no lights.
    """

    image: NDArray[np.float32]
    camera: str | int | Camera = 0
    mask: NDArray[np.float32] | None = None
    saturation: float | None = None
    name: str = field(default="target", kw_only=True)
    objects: Sequence[str] = field(default=(), kw_only=True)
    filter: FilterKind = field(default=FILTER, kw_only=True)
    filter_width: float = field(default=FILTER_WIDTH, kw_only=True)
    display: DisplayTransform | None = field(default=None, kw_only=True)
    robust: bool = field(default=False, kw_only=True)
    rounding: NDArray[np.float32] | None = field(default=None, kw_only=True, repr=False)
    grain: int = field(default=1, kw_only=True)
    lights: Sequence[str | Light] | None = field(default=None, kw_only=True)
    world: Environment | Literal[False] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Check shapes and pixels."""
        owner = self._owner()
        image = image_of(owner, self.image)
        require_filter(owner, self.filter, self.filter_width)
        require_view(owner, self.camera, self.objects, self.display)
        require_lights(owner, self.lights, self.world)
        weights = np.ones(image.shape[:2], np.float32)
        if self.mask is not None:
            weights = mask_of(owner, self.mask, image.shape[:2])
            if not weights.any():
                raise ArgumentError(f"{owner}: the mask leaves no pixel; widen it")
        elif image.shape[2] == 4:
            weights = (image[..., 3] >= 0.999).astype(np.float32)
            if not weights.any():
                raise ArgumentError(f"{owner}: the alpha channel covers no pixel; give a mask")
        if self.saturation is not None:
            require_number(owner, "saturation", self.saturation, 0.0, beyond=True)
            weights = weights * ~(image[..., :3].max(axis=2) >= self.saturation)
            if not weights.any():
                raise ArgumentError(
                    f"{owner}: every pixel that counts is clipped, {self.saturation:g} or more; "
                    "give a picture of less exposure, or another saturation"
                )
        require_light(owner, image, weights > 0)
        if self.rounding is not None:
            wanted = (*weights.shape, 3)
            if np.shape(self.rounding) != wanted:
                raise ArgumentError(
                    f"{owner}: rounding must have shape {wanted}, got {np.shape(self.rounding)}"
                )
        require_count(owner, "grain", self.grain)
        self.image = np.where(weights[..., None] > 0, image[..., :3], 0).astype(np.float32)
        self.mask = weights

    def _owner(self) -> str:
        """Return what messages call it."""
        require_name("Target", self.name)
        return f"Target '{self.name}'"

    def require_size(self, camera: Camera) -> None:
        """Raise an ArgumentError unless the camera has the image's width and height, pixels."""
        height, width = self.image.shape[:2]
        if (camera.width, camera.height) != (width, height):
            raise ArgumentError(
                f"Target '{self.name}': the image is {width} x {height}, "
                f"camera "
                f"'{camera.name}' sees "
                f"{camera.width} x {camera.height}; resize one, or give size= to Target.from_file"
            )

    @staticmethod
    def from_display(
        values: NDArray[np.float32],
        display: DisplayTransform,
        camera: str | int | Camera = 0,
        mask: NDArray[np.float32] | None = None,
        *,
        name: str = "target",
        objects: Sequence[str] = (),
        filter: FilterKind = FILTER,
        filter_width: float = FILTER_WIDTH,
        robust: bool = True,
        lights: Sequence[str | Light] | None = None,
        world: Environment | Literal[False] | None = None,
    ) -> Target:
        """Return the target that a picture of display values is.

        A render differs from the picture by D(render) - picture. Near the light x that the picture
        shows, D(x) = picture, that is D'(x) (render - x): the noise of a render of few samples goes
        through no curve, and does not move the result. So the target holds x, and its pixels and
        channels count by D'(x). Pixels within 2 % of the smallest or largest display value say
        nothing of their light, and those that the display never shows neither.

        Args:
            values: Display values in [0, 1], shape ``(height, width, 3)`` or 4 with alpha, the top
                row first.
            display: What the display makes of light.
            camera: As in Target.
            mask: As in Target.
            name: As in Target.
            objects: As in Target.
            filter: As in Target.
            filter_width: As in Target.
            robust: As in Target.
            lights: As in Target.
            world: As in Target.

        Raises:
            ArgumentError: The shapes do not fit, there is no such filter, or no pixel is left.
        """
        from weft.fit.display_targets import display_target

        return display_target(
            values,
            display,
            mask,
            camera=camera,
            name=name,
            objects=objects,
            filter=filter,
            filter_width=filter_width,
            robust=robust,
            lights=lights,
            world=world,
        )

    @staticmethod
    def from_file(
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
        """Read a target from an EXR, HDR, PNG or JPEG file.

        Args:
            path: The file. One or two channels are grey; layers after R, G, B and A are left out.
            camera: Camera of the scene that sees it: name or number, or a camera.
            color_space: What its numbers are: ``linear``, ``srgb``, ``rec709`` or ``acescg``;
                ``None``: ``srgb`` for PNG and JPEG, else ``linear``. Other curves of a camera or
                a display transform have to be removed before.
            mask: Image file or array of one size with the image: weights of pixels in [0, 1], the
                first channel counts, as it is stored.
            mask_from: ``"alpha"``: pixels that the alpha channel covers count (the default where
                there is an alpha channel and no mask); else the name of an object: pixels whose
                centre shows it.
            exposure: Stops by which the image is brighter than the light of the scene, as
                ``save_picture(exposure=...)`` writes it: values are divided by two to its power.
            saturation: Values of the file, linear, from here on were clipped and do not count.
                ``None``: just below 1 for integers and for ``srgb`` and ``rec709``, else none
                were; infinity: none were.
            size: ``(width, height)``, or a camera whose size it is, to which the image is resized.
            name: What messages and reports call it; ``None``: the name of the file.
            filter: Pixel filter of the image, after it was resized.
            filter_width: Of the whole filter, pixels.
            display: What the picture was saved through, see from_display(): the file holds display
                values, so `color_space`, `exposure` and `saturation` must be left out.
            robust: As in Target; ``None``: for photos, that is where the file holds integers or
                display values.
            lights: As in Target.
            world: As in Target.

        Raises:
            FileNotFoundError: There is no such file.
            ArgumentError: The ending, the colour space, the channels, the mask or the aspect does
                not fit, the image is too large, or a pixel that counts is not finite.
            ImageError: A file is damaged.
        """
        from weft.fit.target_files import load_target

        return load_target(
            path,
            camera,
            color_space=color_space,
            mask=mask,
            mask_from=mask_from,
            exposure=exposure,
            saturation=saturation,
            size=size,
            name=name,
            filter=filter,
            filter_width=filter_width,
            display=display,
            robust=robust,
            lights=lights,
            world=world,
        )

    def seen_by(self, renderer: Renderer) -> Target:
        """Return the target with a mask that leaves out what `objects` does not name.

        Args:
            renderer: Of the scene; traces one ray through the centre of each pixel.

        Raises:
            ArgumentError: The scene has no such object, or none of them is seen.
        """
        if not self.objects:
            return self
        from weft.render.first_hits import find_first_hits

        scene = renderer.scene
        names = [entry.name for entry in scene.objects]
        for name in self.objects:
            if name not in names:
                known = ", ".join(repr(entry) for entry in dict.fromkeys(names))
                raise ArgumentError(
                    f"Target '{self.name}': the scene has no object {name!r}; it has {known}"
                )
        camera = scene.camera(self.camera)
        self.require_size(camera)
        numbers = [number for number, name in enumerate(names) if name in self.objects]
        shown = np.isin(find_first_hits(renderer, camera).objects, numbers)
        assert self.mask is not None
        mask = self.mask * shown
        if not mask.any():
            raise ArgumentError(
                f"Target '{self.name}': no pixel that counts shows {' or '.join(self.objects)}; "
                "choose another camera or object"
            )
        return replace(self, mask=mask, objects=())

    def problems(self) -> list[Problem]:
        """Return what of the picture may mislead a fit, though it cannot be told for certain.

        Pixels that look clipped: a share of them has the linear value 1, and none has more.
        """
        assert self.mask is not None
        light = self.image[self.mask > 0].max(axis=1)
        share = float((light == 1).mean())
        if self.saturation is not None or self.display is not None:
            return []
        if light.max() > 1 or share < CLIPPED_SHARE:
            return []
        return [
            Problem(
                f"Target '{self.name}'",
                f"{share:.0%} of the pixels that count are 1 and none is more, as if they were "
                "clipped; if so, give saturation=1",
                "light of 1",
            )
        ]

    def picture(self) -> Observation:
        """Return the picture as the engine has it."""
        assert self.mask is not None
        return Observation(self.image, self.mask, self.rounding, self.grain, self.name, self.robust)

    def noise_weights(self) -> NDArray[np.float32]:
        """Return one weight a pixel and channel, for noise that grows with the radiance around.

        Relative errors count, down to half of the picture's mean; those that a display hardly
        shows count less.
        """
        assert self.mask is not None
        hidden = None
        if self.display is not None:
            derivatives = np.linalg.norm(self.display.derivative(self.image), axis=-2)
            hidden = DISPLAY_NOISE / np.maximum(derivatives, 1e-6)
        return self.picture().noise_weights(hidden)
