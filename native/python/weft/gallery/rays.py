# SPDX-License-Identifier: Apache-2.0
"""Pictures of functions that trace rays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.gallery.flat import samples
from weft.gallery.moved import camera
from weft.gallery.shading import PAPER, lit
from weft.gallery.subject import attribute

if TYPE_CHECKING:
    from weft.gallery.shading import Array
    from weft.gallery.subject import Subject


def draw_rays(subject: Subject, pixels: int) -> Array:
    """Draw where parallel rays end that start in a square of the extent, as far from the origin.

    The first place is where a ray starts, ``[Subtype("Direction")]`` where it goes; the result has
    ``hit`` and ``normal``, and may have ``blend``, the share of a second part.
    """
    place = subject.place()
    ways = [p for p in subject.of_type("float3") if attribute(p, "Subtype") == ["Direction"]]
    if place.type.name != "float3" or not ways:
        raise subject.error('[Preview] of kind Rays needs float3 places and [Subtype("Direction")]')
    rows = camera()
    starts = samples(pixels, subject.extent)
    starts[:, 2] = subject.extent
    way = np.tile(-rows[2], (len(starts), 1))
    found = subject.evaluate(**{place.name: starts @ rows, ways[0].name: way})
    if "hit" not in found or "normal" not in found:
        raise subject.error("[Preview] of kind Rays needs results 'hit' and 'normal'")
    blend = found.get("blend", np.zeros(len(starts)))[:, None]
    tint = (1 - blend) * np.array([0.2, 0.42, 0.75]) + blend * np.array([0.9, 0.42, 0.1])
    is_hit = found["hit"][:, None] > 0.5
    shaded = np.where(is_hit, tint * lit(found["normal"] @ rows.T)[:, None], PAPER)
    return shaded.reshape(pixels, pixels, 3)
