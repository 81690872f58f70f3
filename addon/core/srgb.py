# SPDX-License-Identifier: GPL-3.0-or-later
"""The transfer function of sRGB (IEC 61966-2-1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def linear_from_srgb(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return linear numbers of encoded ones, any shape; 0 and 1 stay what they are."""
    dark = values / 12.92
    bright = ((np.maximum(values, 0) + 0.055) / 1.055) ** 2.4
    return np.where(values <= 0.04045, dark, bright).astype(np.float32)
