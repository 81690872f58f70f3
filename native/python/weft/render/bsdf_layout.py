# SPDX-License-Identifier: Apache-2.0
"""Where each table of the BSDFs lies in their file; needs no package, not even Weft."""

from __future__ import annotations

__all__ = ["LAYOUT"]

LAYOUT: dict[str, tuple[int, ...]] = {
    "albedo": (32, 32),
    "mean_albedo": (32,),
    "schlick": (16, 16, 16),
    "schlick_of_five": (16, 16),
    "glass": (16, 16, 16),
    "glass_mean": (16, 16),
    "glass_inside": (16, 16, 16),
    "glass_inside_mean": (16, 16),
    "sheen": (3, 32, 32),
    "thin_film": (512, 6),
}
"""The tables in the order of the file, with their shapes; ``shaders/weft/bsdf/tables.slang`` has
the same as offsets. ``bsdf_integrals.py`` says what they hold."""
