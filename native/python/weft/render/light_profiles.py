# SPDX-License-Identifier: Apache-2.0
"""Profiles of lamps as shaders/weft/render/light_profile.slang reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.colors import luminance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from weft.render.light_table import LightRow
    from weft.scene import LightProfile
    from weft.scene.lights import Light

PROFILE_WORD = 20
PROFILED = 6
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
            header = np.array((0, 0, profile.distance_power, profile.smooth), np.float32)
            header.view(np.uint32)[:2] = profile.image.shape[1::-1]
            parts += [header, profile.image[::-1].ravel()]
            length += 4 + profile.image.size
        row.words.view(np.uint32)[PROFILE_WORD] = begun[id(profile)]
        row.power *= mean_factor(profile)
    return np.concatenate(parts)
