# SPDX-License-Identifier: GPL-3.0-or-later
"""What panels begin with: weft.defaults, weft.fit.FitSettings and EnvironmentParameter.

Properties are declared while the extension is enabled, which must not load the engine: so the
numbers stand here once more, and tests/addon/test_defaults.py compares each with its owner.
"""

BOUNCES = 8
TRANSPARENT_BOUNCES = 8
FINAL_SAMPLES = 128
VIEWPORT_SAMPLES = 256
TEXTURE_SIZE = 256
TARGET_SIZE = 512

FIT_SAMPLES = 4
FIT_BOUNCES = BOUNCES
FIT_TOLERANCE = 0.003
FIT_MAX_ITERATIONS = 40
FIT_TEXTURE_ITERATIONS = 60
ENVIRONMENT_WIDTH = 32
ENVIRONMENT_HEIGHT = 16
