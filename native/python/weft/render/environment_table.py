# SPDX-License-Identifier: Apache-2.0
"""Environments as shaders/weft/render/environment.slang reads them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from weft._native import build_alias_table
from weft.colors import luminance
from weft.render.light_rows import NONE
from weft.scene.ray_kinds import SCATTERED, SEEN_BY, is_hidden_from

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.render.keeping import KeptParts
    from weft.scene.lights import Environment


@dataclass
class EnvironmentTable:
    """The environment as shaders/weft/render/environment.slang reads it."""

    texels: NDArray[np.float32]  # rows from the bottom
    alias: NDArray[np.float32]  # threshold, other, density
    rotation: NDArray[np.float32]
    strength: NDArray[np.float32]
    mean: float  # luminance
    layers: tuple[int, ...]  # of each kind of ray, NONE: it sees nothing
    is_sampled: bool  # light rays are sent there

    @property
    def can_be_drawn(self) -> bool:
        """Whether light rays find light there."""
        return self.is_sampled and self.mean * float(self.strength.max()) > 0

    def power(self, extent: float) -> float | None:
        """Return watts through a scene of that radius, metres; ``None``: it is not drawn."""
        if not self.can_be_drawn:
            return None
        return self.mean * float(luminance(self.strength)) * np.pi * np.pi * extent**2


def environment_table(environment: Environment, kept: KeptParts) -> EnvironmentTable:
    """Return the tables of an environment.

    Args:
        environment: The light from everywhere.
        kept: Those of its images, whatever they are turned or scaled by, if they are there already.
    """
    images = [environment.image, *environment.views.values()]
    found = kept.get(
        "environment",
        tuple(kept.digest_of(environment, image) for image in images),
        lambda: _environment_images(images),
    )
    rotation = (
        np.eye(3) if environment.rotation is None else np.asarray(environment.rotation, np.float64)
    )
    return replace(
        found,
        rotation=rotation.T.astype(np.float32),
        strength=np.broadcast_to(np.asarray(environment.strength, np.float32), (3,)).copy(),
        layers=environment_layers(environment),
        is_sampled=not SCATTERED & set(environment.hidden_from),
    )


def _environment_images(images: Sequence[NDArray[np.float32]]) -> EnvironmentTable:
    """Return the tables of images, of which light rays see the first, as they are."""
    image = images[0][::-1].astype(np.float64)
    height, width = image.shape[:2]
    # Between pixels light is interpolated: what a pixel may show is what its neighbours have, too.
    bright = luminance(image)
    rows = np.maximum(np.maximum(bright, np.roll(bright, 1, 1)), np.roll(bright, -1, 1))
    padded = np.concatenate([rows[:1], rows, rows[-1:]])
    around = np.maximum(np.maximum(padded[:-2], padded[1:-1]), padded[2:])
    around = 0.5 * around + 0.5 * bright
    sine = np.cos(np.pi * ((np.arange(height) + 0.5) / height - 0.5))
    weights = (around * sine[:, None]).ravel()
    if weights.sum() <= 0:
        weights = np.broadcast_to(sine[:, None], bright.shape).ravel()
    threshold, other = build_alias_table(weights)
    density = weights / weights.mean()
    alias = np.stack([threshold, other.view(np.float32), density.astype(np.float32)], axis=1)
    return EnvironmentTable(
        np.stack([np.asarray(entry[::-1], np.float32) for entry in images]),
        alias,
        np.eye(3, dtype=np.float32),
        np.ones(3, np.float32),
        float((bright * sine[:, None]).sum() / (sine.sum() * width)),
        (),
        True,
    )


def environment_layers(environment: Environment) -> tuple[int, ...]:
    """Return the number of the image that each kind of ray sees."""
    own = {kind: number for number, kind in enumerate(environment.views, 1)}
    return tuple(
        NONE if is_hidden_from(kind, environment.hidden_from) else own.get(kind, 0)
        for kind in SEEN_BY
    )
