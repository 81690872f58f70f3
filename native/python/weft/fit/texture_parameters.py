# SPDX-License-Identifier: Apache-2.0
"""Textures that a fit may change, where they are among the texels of a scene, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from weft._native import ArgumentError
from weft.defaults import SMOOTHNESS, TEXEL_BOUNDS
from weft.fit.checks import require_bounds, require_name, require_number
from weft.scene.parameter_ref import ParameterRef, find_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from weft.render.renderer import Renderer
    from weft.scene import Texture


@dataclass(frozen=True)
class TextureParameter:
    """An image that a fit may change.

    Args:
        name: Input of a material that a texture drives, ``"<material>.<input>"``.
        bounds: Smallest and largest value of a texel. A factor of zero hides its own derivative.
        smoothness: Weight of the prior that neighbours are alike, relative to what the pictures say
            of a texel; it does not blur edges (total variation).
    """

    name: str
    bounds: tuple[float, float] = TEXEL_BOUNDS
    smoothness: float = SMOOTHNESS

    def __post_init__(self) -> None:
        """Check the numbers."""
        require_name("TextureParameter", self.name)
        object.__setattr__(self, "name", ParameterRef(self.name))
        owner = f"TextureParameter '{self.name}'"
        require_bounds(owner, self.bounds)
        require_number(owner, "smoothness", self.smoothness, 0.0)


class LightTexture(TextureParameter):
    """A texture that lights the scene: all pixels tell of it."""


@dataclass
class FittedTexture:
    """A texture that a fit has found.

    Args:
        pixels: Shape ``(height, width, channels)``, the top row first.
        known: Shape ``(height, width)``: 1 where the pictures show it, 0 where it was filled from
            what lies around.
        errors: Standard errors of `pixels`, of their shape: as far as noise, what is left of the
            residuals and `smoothness` tell; infinite where `known` is 0.
    """

    pixels: NDArray[np.float32]
    known: NDArray[np.float32]
    errors: NDArray[np.float32]

    @property
    def told(self) -> float:
        """How much of the differences between known texels is certain, in [0, 1].

        The variance of the texels over that and the mean square of their errors. Near 0, one value
        for the whole map explains the pictures about as well.
        """
        seen = self.known > 0
        return told_share(self.pixels[seen], self.errors[seen])


def find_texture(renderer: Renderer, name: str) -> tuple[int, Texture]:
    """Return the number of the texture that drives an input.

    Raises:
        ArgumentError: No texture does, or it drives a normal as well.
    """
    tables = renderer.tables.materials
    places = tables.texture_slots
    found = find_name(name, places)
    if found is None:
        known = ", ".join(places) or "no input of this scene"
        raise ArgumentError(
            f"Fit: no texture drives {name!r}; textures drive {known}. Give the input a "
            f"Texture of the "
            "resolution that the fit shall have"
        )
    if tables.textures[places[found]].filter == "mipmap":
        raise ArgumentError(
            f"Fit: the texture of {name!r} has levels, which a fit cannot keep in step; give it "
            "filter='linear'"
        )
    if places[found] in tables.fixed_textures:
        raise ArgumentError(
            f"Fit: the texture of {name!r} drives a normal, and normals have no derivative; give "
            "the input a Texture of its own"
        )
    return places[found], tables.textures[places[found]]


def told_share(values: NDArray[np.floating], errors: NDArray[np.floating]) -> float:
    """Return how much of the differences between texels is certain, in [0, 1].

    The variance of the texels over that and the mean square of their errors: the rest may as well
    be anything, and near 0 one value says as much as the map.

    Args:
        values: Shape ``(texels, channels)``.
        errors: Their standard errors, finite.
    """
    spread = float(np.var(np.asarray(values, np.float64), axis=0).mean()) if len(values) else 0.0
    unsure = float(np.square(errors, dtype=np.float64).mean()) if len(values) else 0.0
    return spread / max(spread + unsure, 1e-30)
