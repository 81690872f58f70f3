# SPDX-License-Identifier: Apache-2.0
"""Numbers that scripts, the command line, job files and Blender's panels begin with alike.

What only one class has stands in that class: panels ask ``FitSettings.tolerance``. Where two
purposes want two numbers, each has a name here.
"""

from __future__ import annotations

from typing import Literal

FilterKind = Literal["box", "tent", "blackman_harris"]

SAMPLES = 64
"""Paths a pixel of a picture from scripts and the command line."""

FINAL_SAMPLES = 128
"""Paths a pixel of a final render in Blender, whose users expect less noise than a script's."""

VIEWPORT_SAMPLES = 256
"""Paths a pixel after which Blender's viewport rests: it shows each on the way."""

BOUNCES = 8
"""Surfaces that a path may leave, in renders and in fits."""

TRANSPARENT_BOUNCES = 8
"""Transparent surfaces that a path may pass, as in Cycles."""

FILTER: FilterKind = "box"
"""Pixel filter of renders, and of the pictures that a fit is given."""

FILTER_WIDTH = 1.0
"""Width of the whole filter, pixels."""

TEXTURE_SIZE = 256
"""Width and height of an image that a fit in Blender makes for a socket, texels."""

TARGET_SIZE = 512
"""Longest side at which Blender's fits compare pictures, pixels."""

TEXEL_BOUNDS = (0.001, 1.0)
"""Smallest and largest value of a texel: a factor of zero hides its own derivative."""

SMOOTHNESS = 0.1
"""Weight of the prior that neighbouring texels are alike, relative to what pictures say of one."""
