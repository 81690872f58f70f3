# SPDX-License-Identifier: Apache-2.0
"""Environments as shaders/weft/render/environment.slang reads them.

native/scene/environment.hpp makes the tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weft._native import environment_images, place_environment

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from weft._native import EnvironmentPlacement
    from weft.render.keeping import KeptParts
    from weft.scene.lights import Environment


@dataclass
class EnvironmentTable:
    """The environment as shaders/weft/render/environment.slang reads it.

    Args:
        texels: Of all images, rows from the bottom, shape ``(k, height, width, 3)``.
        alias: Threshold, bits of the other pixel and density, of each pixel, shape ``(n, 3)``.
        mean: Luminance of the image that light rays see, over all directions.
        placement: What differs where the images are the same.
    """

    texels: NDArray[np.float32]
    alias: NDArray[np.float32]
    mean: float
    placement: EnvironmentPlacement

    def power(self, extent: float) -> float | None:
        """Return watts through a scene of that radius, metres; ``None``: it is not drawn."""
        return self.placement.power(self.mean, extent)


def environment_table(environment: Environment, kept: KeptParts) -> EnvironmentTable:
    """Return the tables of an environment.

    Args:
        environment: The light from everywhere.
        kept: Those of its images, whatever they are turned or scaled by, if they are there already.
    """
    images = [environment.image, *environment.views.values()]
    texels, alias, mean = kept.get(
        "environment",
        tuple(kept.digest_of(environment, image) for image in images),
        lambda: environment_images(images),
    )
    return EnvironmentTable(texels, alias, mean, place_environment(environment))
