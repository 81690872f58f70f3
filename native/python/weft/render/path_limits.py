# SPDX-License-Identifier: Apache-2.0
"""Settings with which no light is held down."""

from __future__ import annotations

from typing import Any

ALL_LIGHT = 1e30


def all_light() -> dict[str, Any]:
    """Return the settings with which no light is held down."""
    return {"mostLight": (ALL_LIGHT, ALL_LIGHT)}
