# SPDX-License-Identifier: GPL-3.0-or-later
"""Text for pictures from Blender's own fonts: its OpenImageIO is built without FreeType."""

import string
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import blf
import bpy
import imbuf

if TYPE_CHECKING:
    from weft.fit.lettering import Lettering

FONT = 0  # that of Blender's interface
SIZE, HEIGHT = 28, 36  # of the letters and of their line, pixels
BASELINE = 9  # above the lower edge, pixels
LETTERS = string.ascii_letters + string.digits + string.punctuation + " ²±–"


def blender_lettering() -> "Lettering":
    """Return text in the font of Blender's interface. To be called in the main thread only.

    What it returns may be used in any thread.
    """
    from weft import image
    from weft.fit.lettering import atlas_lettering

    blf.size(FONT, SIZE)
    pair = blf.dimensions(FONT, "nn")[0]
    widths = [max(round(blf.dimensions(FONT, f"n{letter}n")[0] - pair), 1) for letter in LETTERS]
    places = [sum(widths[:number]) for number in range(len(widths))]
    buffer = imbuf.new((sum(widths) + SIZE, HEIGHT))
    with blf.bind_imbuf(FONT, buffer):
        blf.color(FONT, 1.0, 1.0, 1.0, 1.0)
        for letter, place in zip(LETTERS, places, strict=True):
            blf.position(FONT, place, BASELINE, 0)
            blf.draw_buffer(FONT, letter)
    with tempfile.TemporaryDirectory(prefix="weft-", dir=bpy.app.tempdir or None) as folder:
        file = Path(folder) / "letters.png"
        imbuf.write(buffer, filepath=str(file))
        alpha = image.read(file, encoding="linear")[..., 3]
    buffer.free()
    return atlas_lettering(
        {
            letter: alpha[:, place : place + width]
            for letter, place, width in zip(LETTERS, places, widths, strict=True)
        }
    )
