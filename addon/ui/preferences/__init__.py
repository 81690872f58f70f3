# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension's preferences: device, cache, log level."""

from __future__ import annotations

from .operators import (
    WEFT_OT_choose_device,
    WEFT_OT_clear_cache,
    WEFT_OT_find_devices,
    WEFT_OT_measure_cache,
    WEFT_OT_test_device,
)
from .settings import WEFT_AP_preferences, forget_settings, use_settings

CLASSES = (
    WEFT_OT_choose_device,
    WEFT_OT_clear_cache,
    WEFT_OT_find_devices,
    WEFT_OT_measure_cache,
    WEFT_OT_test_device,
    WEFT_AP_preferences,
)
SETUPS = ((use_settings, forget_settings),)
