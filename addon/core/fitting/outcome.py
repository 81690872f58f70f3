# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fit has found, in Blender's terms."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from weft.colors import linear_from_srgb
from weft.fit.verdict import OPEN, Verdict
from weft.scene.parameter_ref import owner_of

from ..graph.bindings import TextureBinding
from ..problems import Problem
from .uv_places import coverage_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.fit import FitResult

    from ..graph.bindings import Binding
    from .plan import FitPlan


LEAST_COVERAGE = 0.9


@dataclass(frozen=True)
class FoundNumber:
    """A number or colour.

    Args:
        binding: The socket.
        value: As weft has it, shape ``(components,)``.
        error: Standard error of each component, infinite while it is not known.
        note: Why the pictures do not determine it; "" if they do.
    """

    binding: Binding
    value: tuple[float, ...]
    error: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class FoundTexture:
    """An image.

    Args:
        binding: The socket that gets it, or the image node.
        pixels: Shape ``(height, width, channels)``, linear, the top row first.
        known: Shape ``(height, width)``: 1 where the pictures show it.
        coverage: Share of the surfaces with it that the pictures show.
    """

    binding: Binding | TextureBinding
    pixels: NDArray[np.float32]
    known: NDArray[np.float32]
    coverage: float = 1.0


@dataclass(frozen=True)
class FoundFactor:
    """A factor on a light or on a picture.

    Args:
        name: Blender's name of the light, or the name of the picture.
        value: One number or three, linear RGB.
        error: Standard error of each.
        note: Why the pictures do not determine it; "" if they do.
    """

    name: str
    value: tuple[float, ...]
    error: tuple[float, ...]
    note: str = ""


@dataclass(frozen=True, eq=False)
class FoundEnvironment:
    """The light from everywhere.

    Args:
        pixels: Radiance, shape ``(height, width, 3)``, equirectangular, the top row first.
        note: What its brightness cannot be told from; "": it is known.
    """

    pixels: NDArray[np.float32]
    note: str = ""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a fit has found.

    Args:
        numbers: Of sockets.
        textures: Of sockets and image nodes; while the fit runs, now and then and small.
        lights: Factors of lights.
        exposures: Factors of pictures.
        reason: ``converged``, ``draws``, ``time``, ``cancelled``, or ``running``.
        verdict: Whether the scene explains the pictures.
        problems: What of the scene and the pictures the fit does not see as it is.
        environment: The world's light, where it was not known; while the fit runs, now and then.
    """

    numbers: list[FoundNumber] = field(default_factory=list)
    textures: list[FoundTexture] = field(default_factory=list)
    lights: list[FoundFactor] = field(default_factory=list)
    exposures: list[FoundFactor] = field(default_factory=list)
    reason: str = "running"
    verdict: Verdict = OPEN
    problems: list[Problem] = field(default_factory=list)
    environment: FoundEnvironment | None = None


def make_outcome(plan: FitPlan, result: FitResult) -> Outcome:
    """Return a result in Blender's terms."""
    problems = list(result.problems or plan.scene.problems)
    out = Outcome(
        reason=result.reason,
        verdict=result.verdict,
        problems=problems,
        environment=_environment(plan, result),
    )
    for name, value in result.values.items():
        numbers, errors = _tuple(value), _tuple(result.errors[name])
        note = result.undetermined.get(name, "")
        if name in plan.numbers:
            out.numbers.append(FoundNumber(plan.numbers[name], numbers, errors, note))
        elif name in plan.lights:
            out.lights.append(FoundFactor(plan.lights[name], numbers, errors, note))
        else:
            target = owner_of(name)
            out.exposures.append(FoundFactor(target, numbers, errors, note))
    for name, found in result.textures.items():
        binding = plan.textures[name]
        places = plan.places.get(binding.label, np.zeros((0, 2)))
        pixels, coverage = _linear(binding, found.pixels), coverage_of(places, found.known)
        out.textures.append(FoundTexture(binding, pixels, found.known, coverage))
    return out


def _environment(plan: FitPlan, result: FitResult) -> FoundEnvironment | None:
    """Return the environment of a result, if it was looked for."""
    unknown, found = plan.environment, result.environment
    if unknown is None or found is None:
        return None
    return FoundEnvironment(found.image[..., :3], result.undetermined.get(unknown.name, ""))


def _linear(binding: Binding | TextureBinding, pixels: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the linear numbers of a texture that may carry the sRGB curve."""
    if not isinstance(binding, TextureBinding) or binding.encoding != "srgb":
        return pixels
    colors = min(pixels.shape[2], 3)
    return np.dstack([linear_from_srgb(pixels[..., :colors]), pixels[..., colors:]])


def _tuple(values: NDArray[np.float64]) -> tuple[float, ...]:
    return tuple(float(entry) for entry in np.atleast_1d(values))


def describe_number(found: FoundNumber | FoundFactor) -> str:
    """Return value and error for people: ``0.352 ± 0.004``."""
    pairs = zip(found.value, found.error, strict=True)
    return ", ".join(_with_error(value, error) for value, error in pairs)


def describe_texture(found: FoundTexture) -> str:
    """Return size and coverage for people: ``512 x 256, 83 % seen``."""
    height, width = found.pixels.shape[:2]
    return f"{width} x {height}, {100 * found.coverage:.0f} % seen"


def texture_warning(found: FoundTexture) -> str:
    """Return what is to be known of a texture that pictures show in part; "" if it is enough."""
    if found.coverage > LEAST_COVERAGE:
        return ""
    return (
        f"the pictures show {100 * found.coverage:.0f} % of it; the rest is guessed from what is "
        "beside it: add pictures from other sides"
    )


def _with_error(value: float, error: float) -> str:
    """Return a value with as many digits as its error leaves, and the first digit of the error."""
    if not np.isfinite(error) or error <= 0:
        return f"{value:.3g}"
    digits = min(max(-int(np.floor(np.log10(error))), 0), 6)
    return f"{value:.{digits}f} ± {error:.{digits}f}"
