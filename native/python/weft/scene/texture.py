# SPDX-License-Identifier: Apache-2.0
"""Images on surfaces. They are values, and hold values: both are in one module."""

from __future__ import annotations

from weft.scene.values import FILTERS, WRAPS, Filter, Texture, Wrap

__all__ = ["FILTERS", "WRAPS", "Filter", "Texture", "Wrap"]
