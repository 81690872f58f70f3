# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit of a Blender scene is asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from weft import ArgumentError
from weft.defaults import FILTER, FILTER_WIDTH, SMOOTHNESS, TEXEL_BOUNDS
from weft.fit import EnvironmentParameter, FitSettings, Target

from ..graph.bindings import Address

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft.defaults import FilterKind
    from weft.fit import DisplayTransform
    from weft.scene.lights import Environment, Light

TEXTURE, LIGHT, EXPOSURE = "texture:", "light:", "exposure:"
ENVIRONMENT = "environment"
SKY = (EnvironmentParameter.width, EnvironmentParameter.height)


@dataclass(frozen=True)
class NumberRequest:
    """A number or colour of a material.

    Args:
        address: Exact, or ``"<material>.<socket>"`` or ``"<material>.<node>.<socket>"``, in
            Blender's names.
        bounds: Smallest and largest value; ``None``: those of the socket.
        start: Where the fit begins; ``None``: the socket's value.
        prior: Mean and standard deviation of what is expected; ``None``: nothing is.
    """

    address: str | Address
    bounds: tuple[float, float] | None = None
    start: float | tuple[float, ...] | None = None
    prior: tuple[float, float] | None = None


@dataclass(frozen=True)
class TextureRequest:
    """An image on a material: of an image node, or a new one for a socket.

    Args:
        address: Of a socket that nothing or one image drives, as for numbers, or
            ``"<material>.<image node>"``.
        resolution: Width and height; ``None``: those of the image there is, 256 x 256 for a new
            one.
        bounds: Smallest and largest value of a texel.
        smoothness: See ``weft.fit.TextureParameter``.
    """

    address: str | Address
    resolution: tuple[int, int] | None = None
    bounds: tuple[float, float] = TEXEL_BOUNDS
    smoothness: float = SMOOTHNESS

    def __post_init__(self) -> None:
        """Check the resolution."""
        if self.resolution is not None and min(self.resolution) < 1:
            raise ArgumentError(
                f"fit: the resolution of the texture '{self.address}' must be at least 1 x 1, got "
                f"{self.resolution}"
            )


@dataclass(frozen=True)
class LightRequest:
    """The strength of a light.

    Args:
        light: Blender's name of the object, or of the world.
        color: Its colour as well.
    """

    light: str
    color: bool = False


@dataclass(frozen=True)
class ExposureRequest:
    """The unknown brightness of a picture.

    Args:
        target: Name of the picture; ``None``: of each.
        white_balance: One factor a channel.
    """

    target: str | None = None
    white_balance: bool = False


@dataclass(frozen=True)
class EnvironmentRequest:
    """All of the world's light, as an image.

    Args:
        resolution: Width and height, texels.
        smoothness: See ``weft.fit.EnvironmentParameter``.
    """

    resolution: tuple[int, int] = SKY
    smoothness: float = SMOOTHNESS


Request = NumberRequest | TextureRequest | LightRequest | ExposureRequest | EnvironmentRequest


@dataclass(eq=False)
class TargetRequest:
    """A picture of the scene.

    Args:
        camera: Blender's name of the camera.
        image: Linear Rec.709, shape ``(height, width, 3)`` or 4 with alpha, the top row first.
        mask: Weights in [0, 1], shape ``(height, width)``; ``None``: all count.
        saturation: Values from here on were clipped; ``None``: none were.
        objects: Only pixels that show one of these objects count; empty: all do.
        name: What reports call it.
        filter: Pixel filter, as that of ``weft.fit.Target``.
        filter_width: Of the whole filter, pixels.
        display: What the picture was saved through; its light was found by ``Target.from_display``.
        robust: Pixels that nothing explains lose their say.
        rounding: Standard deviation of what steps of a file have made of each pixel; ``None``:
            nothing.
        grain: Pixels over which noise is shared: 8 for JPEG.
        lights: What shone, as ``weft.fit.Target`` takes it; ``None``: all of the scene.
        world: Likewise.
    """

    camera: str
    image: NDArray[np.float32]
    mask: NDArray[np.float32] | None = None
    saturation: float | None = None
    objects: tuple[str, ...] = ()
    name: str = "target"
    filter: FilterKind = FILTER
    filter_width: float = FILTER_WIDTH
    display: DisplayTransform | None = None
    robust: bool = False
    rounding: NDArray[np.float32] | None = None
    grain: int = 1
    lights: Sequence[str | Light] | None = None
    world: Environment | Literal[False] | None = None

    def target(self) -> Target:
        """Return what a fit takes."""
        return Target(
            self.image,
            self.camera,
            self.mask,
            self.saturation,
            name=self.name,
            objects=self.objects,
            filter=self.filter,
            filter_width=self.filter_width,
            display=self.display,
            robust=self.robust,
            rounding=self.rounding,
            grain=self.grain,
            lights=self.lights,
            world=self.world,
        )


@dataclass(eq=False)
class FitRequest:
    """All of what is asked for.

    Args:
        targets: Pictures, at least one.
        parameters: What may change, at least one.
        settings: How.
    """

    targets: Sequence[TargetRequest]
    parameters: Sequence[Request]
    settings: FitSettings = field(default_factory=FitSettings)

    def __post_init__(self) -> None:
        """Refuse requests for nothing."""
        if not self.targets:
            raise ArgumentError("fit: there is no picture; add one and say which camera took it")
        if not self.parameters:
            raise ArgumentError(
                "fit: there is nothing to find; add an input of a material, a light or an exposure"
            )


def parse_parameter(entry: str | Mapping[str, object] | Request) -> Request:
    """Return a request from what scripts and the command line write.

    Args:
        entry: ``"Chrome.Roughness"``; ``"texture:Wood.Base Color"``, with ``@512`` or ``@512x256``
            at the end for its resolution; ``"light:Key"``, ``"exposure:Front"`` or ``"exposure:"``
            for all pictures; ``"environment"``, ``"environment@64x32"``. Or a mapping with the text
            under ``"name"`` and further arguments of the request's class.

    Raises:
        ArgumentError: It is none of these.
    """
    if isinstance(entry, Request):
        return entry
    if isinstance(entry, Mapping):
        given = dict(entry)
        name = given.pop("name", None)
        if not isinstance(name, str):
            raise ArgumentError(f"fit: a parameter needs a 'name', got {dict(entry)!r}")
        return _made(name, given)
    if not isinstance(entry, str):
        raise ArgumentError(
            "fit: a parameter is a name such as 'Chrome.Roughness' or a mapping with 'name', got "
            f"{entry!r}"
        )
    return _made(entry, {})


def _made(text: str, given: dict[str, object]) -> Request:
    """Return a request for a text with further arguments."""
    kind: type[Request] = NumberRequest
    arguments: dict[str, object] = {"address": text}
    if text.startswith(TEXTURE):
        address, _, size = text.removeprefix(TEXTURE).partition("@")
        kind, arguments = TextureRequest, {"address": address}
        if size:
            arguments["resolution"] = parse_resolution(size)
    elif text.startswith(LIGHT):
        kind, arguments = LightRequest, {"light": text.removeprefix(LIGHT)}
    elif text.partition("@")[0] == ENVIRONMENT:
        size = text.partition("@")[2]
        kind, arguments = EnvironmentRequest, {}
        if size:
            arguments["resolution"] = parse_resolution(size)
    elif text.startswith(EXPOSURE):
        kind, arguments = ExposureRequest, {"target": text.removeprefix(EXPOSURE) or None}
    if isinstance(given.get("resolution"), int):
        given["resolution"] = (given["resolution"], given["resolution"])
    for key in ("resolution", "bounds", "prior", "start"):
        value = given.get(key)
        if isinstance(value, Sequence):
            given[key] = tuple(value)
    unknown = [key for key in given if key not in kind.__dataclass_fields__]
    if unknown:
        known = ", ".join(name for name in kind.__dataclass_fields__ if name not in arguments)
        raise ArgumentError(f"fit: '{text}' takes {known}, got {', '.join(unknown)}")
    return kind(**arguments | given)  # type: ignore[arg-type]  # the names were checked


def parse_resolution(text: str) -> tuple[int, int]:
    """Return width and height of ``"512"`` or ``"512x256"``.

    Raises:
        ArgumentError: It is neither.
    """
    parts = text.lower().split("x")
    if len(parts) not in (1, 2) or not all(part.isdigit() for part in parts):
        raise ArgumentError(f"fit: a resolution is written as 512 or 512x256, got '{text}'")
    return int(parts[0]), int(parts[-1])
