# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit of a Blender scene is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from weft import ArgumentError
from weft.fit import (
    EnvironmentParameter,
    Exposure,
    FitSettings,
    LightParameter,
    Parameter,
    Target,
    TextureParameter,
)
from weft.scene import ParameterRef

from ..graph.bindings import Address

TEXTURE, LIGHT, EXPOSURE = "texture:", "light:", "exposure:"
ENVIRONMENT = "environment"
SKY = (EnvironmentParameter.width, EnvironmentParameter.height)
NUMBERS = ("bounds", "transform", "start", "prior")
TEXTURES = ("resolution", "bounds", "smoothness")
LIGHTS = ("color",)
EXPOSURES = ("white_balance",)


@dataclass(frozen=True)
class SocketRequest:
    """A number, a colour or an image of a material.

    Args:
        address: Exact, or ``"<material>.<socket>"``, ``"<material>.<node>.<socket>"`` or, of an
            image, ``"<material>.<image node>"``, in Blender's names; see find_binding().
        parameter: What a fit takes; its name is that of the socket once it is found. A
            TextureParameter: the image that drives the socket, or a new one.
        resolution: Width and height of the image; ``None``: those of the image there is, 256 x 256
            for a new one.
    """

    address: str | Address
    parameter: Parameter | TextureParameter
    resolution: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        """Check the resolution."""
        if self.resolution is not None and min(self.resolution) < 1:
            raise ArgumentError(
                f"fit: the resolution of the texture '{self.address}' must be at least 1 x 1, got "
                f"{self.resolution}"
            )

    @property
    def is_texture(self) -> bool:
        """An image is wanted."""
        return isinstance(self.parameter, TextureParameter)


def scalar_request(address: str | Address, **options: Any) -> SocketRequest:  # noqa: ANN401
    """Return what is asked for with a number or colour; `options` are those of Parameter."""
    return SocketRequest(address, Parameter(ParameterRef.of(str(address)), **options))


def texture_request(
    address: str | Address,
    resolution: tuple[int, int] | None = None,
    **options: Any,  # noqa: ANN401  (of TextureParameter)
) -> SocketRequest:
    """Return what is asked for with an image; `options` are those of TextureParameter."""
    parameter = TextureParameter(ParameterRef.of(str(address)), **options)
    return SocketRequest(address, parameter, resolution)


Request = SocketRequest | LightParameter | Exposure | EnvironmentParameter
"""What may change; a LightParameter has Blender's name of the light or of the world here."""


@dataclass(eq=False)
class FitRequest:
    """All of what is asked for.

    Args:
        targets: Pictures, at least one.
        parameters: What may change, at least one.
        settings: How.
    """

    targets: Sequence[Target]
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


def _made(text: str, given: dict[str, Any]) -> Request:
    """Return a request for a text with further arguments."""
    if isinstance(given.get("resolution"), int):
        given["resolution"] = (given["resolution"], given["resolution"])
    for key in ("resolution", "bounds", "prior", "start"):
        if isinstance(given.get(key), Sequence):
            given[key] = tuple(given[key])
    name, size = _without_size(text)
    sized = {"resolution": parse_resolution(size)} if size else {}
    if text.startswith(TEXTURE):
        return _checked(text, texture_request, sized, given, TEXTURES, name.removeprefix(TEXTURE))
    if text.startswith(LIGHT):
        return _checked(text, LightParameter, {}, given, LIGHTS, text.removeprefix(LIGHT))
    if text.startswith(EXPOSURE):
        return _checked(text, Exposure, {}, given, EXPOSURES, text.removeprefix(EXPOSURE) or None)
    if name == ENVIRONMENT:
        return _checked(text, _environment, sized, given, ("resolution", "smoothness"))
    return _checked(text, scalar_request, {}, given, NUMBERS, text)


def _environment(resolution: tuple[int, int] = SKY, smoothness: float = 0.1) -> Request:
    return EnvironmentParameter(*resolution, smoothness)


def _checked(
    text: str,
    make: Callable[..., Request],
    made: dict[str, Any],
    given: dict[str, Any],
    names: Sequence[str],
    *begin: str | None,
) -> Request:
    """Return a request of arguments; refuse others than `names`."""
    unknown = [key for key in given if key not in names]
    if unknown:
        known = ", ".join(name for name in names if name not in made)
        raise ArgumentError(f"fit: '{text}' takes {known}, got {', '.join(unknown)}")
    return make(*begin, **made | given)


def _without_size(text: str) -> tuple[str, str]:
    """Return a name and what stands behind an at sign after it; names in quotes may have one."""
    name, _, size = text.rpartition("@")
    return (name, size) if name and not set(size) & set('."') else (text, "")


def parse_resolution(text: str) -> tuple[int, int]:
    """Return width and height of ``"512"`` or ``"512x256"``.

    Raises:
        ArgumentError: It is neither.
    """
    parts = text.lower().split("x")
    if len(parts) not in (1, 2) or not all(part.isdigit() for part in parts):
        raise ArgumentError(f"fit: a resolution is written as 512 or 512x256, got '{text}'")
    return int(parts[0]), int(parts[-1])
