# SPDX-License-Identifier: Apache-2.0
"""Profiles of lamps as shaders/weft/render/light_profile.slang reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.colors import luminance
from weft.layouts import LightKind, LightWord, ProfileWord

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.render.light_rows import LightRow
    from weft.scene import LightProfile
    from weft.scene.lights import Light

PROFILED = LightKind.profiled
"""Bit beside those of the kinds of light: some lamps have a profile."""


def mean_factor(profile: LightProfile) -> float:
    """Return the luminance of a profile's image over all directions."""
    bright = luminance(profile.image)
    height = len(bright)
    sine = np.sin(np.pi * (np.arange(height) + 0.5) / height)
    return float((bright.mean(axis=1) * sine).sum() / sine.sum())


def profile_table(lamps: Sequence[Light], rows: Sequence[LightRow]) -> NDArray[np.float32]:
    """Return all profiles, and note in the rows of lamps where theirs begins.

    Args:
        lamps: Of the scene.
        rows: Their records, in the same order.
    """
    parts = [np.zeros(1, np.float32)]
    begun: dict[int, int] = {}
    length = 1
    for lamp, row in zip(lamps, rows, strict=False):
        profile = lamp.profile
        if profile is None:
            continue
        if id(profile) not in begun:
            begun[id(profile)] = length
            header = np.zeros(ProfileWord.texels, np.float32)
            height, width = profile.image.shape[:2]
            header.view(np.uint32)[[ProfileWord.width, ProfileWord.height]] = width, height
            header[ProfileWord.distance_power] = profile.distance_power
            header[ProfileWord.smooth] = profile.smooth
            parts += [header, profile.image[::-1].ravel()]
            length += len(header) + profile.image.size
        row.words.view(np.uint32)[LightWord.profile] = begun[id(profile)]
        row.power *= mean_factor(profile)
    return np.concatenate(parts)
