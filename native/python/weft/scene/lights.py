# SPDX-License-Identifier: Apache-2.0
"""Lights, in Blender's units: each equals Blender 5.0's of the same numbers in Cycles."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from weft._native import ArgumentError, check_radiance, check_ray_kinds, check_spread
from weft.scene.light_profile import LightProfile

__all__ = ["AreaLight", "Environment", "PointLight", "SpotLight", "SunLight"]

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(eq=False)
class PointLight:
    """A shining sphere, or a disc that faces what it lights: Blender's point light.

    Args:
        position: World space, metres.
        power: Watts over all directions, times `color`: the intensity is power / (4 pi), W/sr.
        color: Linear RGB.
        radius: Metres; 0: a point.
        soft_falloff: A disc, as Blender's lights with soft falloff.
        name: What messages and parameters call it.
        profile: How its light differs with where it goes; ``None``: it does not.
        hidden_from: Kinds of ray that do not see it, see ``weft.scene.ray_kinds.LIGHT_RAY_KINDS``.
        casts_shadow: What is in its way hides it, and media dim it.
    """

    position: Sequence[float]
    power: float = 1.0
    color: Sequence[float] = (1.0, 1.0, 1.0)
    radius: float = 0.0
    soft_falloff: bool = field(default=False, kw_only=True)
    name: str = field(default="point", kw_only=True)
    profile: LightProfile | None = field(default=None, kw_only=True)
    hidden_from: Sequence[str] = field(default=(), kw_only=True)
    casts_shadow: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Check the kinds of ray."""
        check_ray_kinds(f"PointLight '{self.name}'", self.hidden_from, "light")


@dataclass(eq=False)
class SpotLight:
    """A point light behind a cone.

    Args:
        position: World space, metres.
        direction: In which it shines.
        angle: Of the whole cone, radians.
        blend: Share of the cone that is soft edge, in [0, 1].
        power: Watts of the point light without the cone, times `color`.
        color: Linear RGB.
        radius: Metres.
        soft_falloff: A disc that faces what it lights, instead of a sphere.
        name: What messages and parameters call it.
        profile: How its light differs with where it goes; ``None``: it does not.
        hidden_from: Kinds of ray that do not see it, see ``weft.scene.ray_kinds.LIGHT_RAY_KINDS``.
        casts_shadow: What is in its way hides it, and media dim it.
    """

    position: Sequence[float]
    direction: Sequence[float]
    angle: float = np.pi / 4
    blend: float = 0.15
    power: float = 1.0
    color: Sequence[float] = (1.0, 1.0, 1.0)
    radius: float = 0.0
    soft_falloff: bool = field(default=False, kw_only=True)
    name: str = field(default="spot", kw_only=True)
    profile: LightProfile | None = field(default=None, kw_only=True)
    hidden_from: Sequence[str] = field(default=(), kw_only=True)
    casts_shadow: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Check the kinds of ray."""
        check_ray_kinds(f"SpotLight '{self.name}'", self.hidden_from, "light")


@dataclass(eq=False)
class SunLight:
    """Light from one direction.

    Args:
        direction: In which the light travels.
        strength: Irradiance of a surface that faces it, W/m^2, times `color`.
        color: Linear RGB.
        angle: Diameter of its disc, radians; 0: parallel light.
        name: What messages and parameters call it.
        profile: How its light differs with where it goes; ``None``: it does not.
        hidden_from: Kinds of ray that do not see it, see ``weft.scene.ray_kinds.LIGHT_RAY_KINDS``.
        casts_shadow: What is in its way hides it, and media dim it.
    """

    direction: Sequence[float]
    strength: float = 1.0
    color: Sequence[float] = (1.0, 1.0, 1.0)
    angle: float = 0.0
    name: str = field(default="sun", kw_only=True)
    profile: LightProfile | None = field(default=None, kw_only=True)
    hidden_from: Sequence[str] = field(default=(), kw_only=True)
    casts_shadow: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Check the kinds of ray."""
        check_ray_kinds(f"SunLight '{self.name}'", self.hidden_from, "light")


@dataclass(eq=False)
class AreaLight:
    """A shining rectangle or ellipse; seen in mirrors, but not by cameras.

    Args:
        transform: To world, shape ``(4, 4)`` or ``(3, 4)``; the light lies in its xy plane and
            shines along -z.
        size: Extent along x and y, metres, before the transform's scale.
        shape: ``rectangle`` or ``ellipse``.
        power: Watts, times `color`: the radiance is power / (pi area), W/(m^2 sr).
        color: Linear RGB.
        spread: Angle of the cone that it shines into, radians, 0.001 to pi (all sides alike), as
            from a softbox with slats; narrower ones shine stronger.
        name: What messages and parameters call it.
        profile: How its light differs with where it goes; ``None``: it does not.
        hidden_from: Kinds of ray that do not see it, see ``weft.scene.ray_kinds.LIGHT_RAY_KINDS``.
        casts_shadow: What is in its way hides it, and media dim it.

    Raises:
        ArgumentError: The spread is out of range, or a kind of ray unknown.
    """

    transform: NDArray[np.float64]
    size: Sequence[float] = (1.0, 1.0)
    shape: Literal["rectangle", "ellipse"] = "rectangle"
    power: float = 1.0
    color: Sequence[float] = (1.0, 1.0, 1.0)
    spread: float = field(default=math.pi, kw_only=True)
    name: str = field(default="area", kw_only=True)
    profile: LightProfile | None = field(default=None, kw_only=True)
    hidden_from: Sequence[str] = field(default=(), kw_only=True)
    casts_shadow: bool = field(default=True, kw_only=True)

    def __post_init__(self) -> None:
        """Check the spread and the kinds of ray."""
        check_ray_kinds(f"AreaLight '{self.name}'", self.hidden_from, "light")
        check_spread(f"AreaLight '{self.name}'", self.spread)


Light = PointLight | SpotLight | SunLight | AreaLight
LIGHT_CLASSES: tuple[type[Light], ...] = get_args(Light)
"""All kinds of lights; files, jobs and the like take any of these."""


@dataclass(eq=False)
class Environment:
    """Light from everywhere.

    Args:
        image: Radiance, shape ``(height, width, 3)``, equirectangular, the top row (+z) first; or
            one colour, ``(3,)``.
        rotation: World to image, shape ``(3, 3)``, a rotation.
        strength: Factor, linear RGB or one number.
        name: What messages and parameters call it.
        views: Images of the same shape that rays of a kind see instead, by the kind, one of
            ``weft.scene.ray_kinds.SEEN_BY``. `image` is what light rays see.
        hidden_from: Kinds of ray that see nothing: of ``camera``, ``diffuse``, ``glossy`` and
            ``transmission``. If it is hidden from one of the last three, bounces alone find it.
    """

    image: NDArray[np.float32]
    rotation: NDArray[np.float64] | None = None
    strength: float | Sequence[float] = 1.0
    name: str = field(default="environment", kw_only=True)
    views: Mapping[str, NDArray[np.float32]] = field(default_factory=dict, kw_only=True)
    hidden_from: Sequence[str] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        """Check the images and the kinds of ray."""
        where = f"Environment '{self.name}'"
        check_ray_kinds(where, self.hidden_from, "object")
        check_ray_kinds(where, list(self.views), "environment")
        self.image = self._checked(self.image)
        self.views = {kind: self._checked(image) for kind, image in self.views.items()}
        for kind, image in self.views.items():
            if image.shape != self.image.shape:
                raise ArgumentError(
                    f"{where}: what '{kind}' rays see must have the shape of the image, "
                    f"{self.image.shape}, got {image.shape}"
                )

    def _checked(self, given: NDArray[np.float32]) -> NDArray[np.float32]:
        image = np.ascontiguousarray(given, np.float32)
        if image.shape == (3,):
            image = np.broadcast_to(image, (1, 1, 3)).copy()
        if image.ndim != 3 or image.shape[2] not in (3, 4) or image.size == 0:
            raise ArgumentError(
                f"Environment '{self.name}': image must be (height, width, 3) or one colour, "
                f"got shape {image.shape}"
            )
        check_radiance(f"Environment '{self.name}'", image)
        return np.ascontiguousarray(image[..., :3])
