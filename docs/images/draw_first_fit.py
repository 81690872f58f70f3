#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws first_fit.png: the extension's sample before and after Fit, and under another light.

Inside Blender 4.5, as ``./dev test tests/blender`` prepares it:
PYTHONPATH=build/dev/stage build/venv-bpy-4.5/bin/python docs/images/draw_first_fit.py
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))
os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="weft-picture-")

import bpy  # noqa: E402

packages = Path(bpy.__file__).parent.glob("*/python/lib/python3*/site-packages")
sys.path.extend(str(folder) for folder in packages)

import numpy as np  # noqa: E402
from numpy.typing import NDArray  # noqa: E402

import weft  # noqa: E402
from weft.fit.comparison import beside  # noqa: E402
from weft.fit.lettering import own_lettering, paint  # noqa: E402

Image = NDArray[np.float32]
WIDE, TALL = 240, 180


def photograph(folder: Path, camera: str) -> Image:
    """Return what Cycles shows of the open scene, display values."""
    scene = bpy.context.scene
    scene.camera = bpy.data.objects[camera]
    scene.cycles.samples = 256
    scene.render.filepath = str(folder / "picture.png")
    bpy.ops.render.render(write_still=True)
    return weft.image.read(folder / "picture.png", encoding="linear")[..., :3]


def relight() -> None:
    """Put the scene under a light that no photo has seen."""
    key, rim = bpy.data.objects["Key"].data, bpy.data.objects["Rim"].data
    key.energy, key.color = 110, (1.0, 0.72, 0.45)
    rim.energy, rim.color = 500, (0.45, 0.65, 1.0)
    background = bpy.context.scene.world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.03, 0.06, 0.16, 1)


def draw_values() -> Image:
    """Return a list of what was found, with standard errors."""
    entries = bpy.context.scene.weft_fit.parameters
    rows = [
        (f"{entry.owner} {entry.socket_name}", part)
        for entry in entries
        for part in entry.found.split(", ")
    ]
    out = np.ones((TALL, WIDE + 100, 3), np.float32)
    lettering = own_lettering()  # of the OpenImageIO in this environment, not of Blender's
    assert lettering is not None
    for number, (name, part) in enumerate(rows):
        y = (number + 0.5) * TALL / len(rows) - 8
        if number == 0 or rows[number - 1][0] != name:
            paint(out, lettering(name, 16), (6, y))
        found = lettering(part, 16)
        paint(out, found, (WIDE + 94 - found.shape[1], y), (0.1, 0.35, 0.7))
    return out


def main() -> None:
    """Open the sample, fit it, draw."""
    import addon

    bpy.ops.wm.read_factory_settings(use_empty=True)
    addon.register()
    bpy.ops.weft.open_sample()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        photo = weft.image.read(
            Path(bpy.data.filepath).parent / "photo_front.png", encoding="linear"
        )[..., :3]
        grey = photograph(folder, "Front")
        bpy.ops.weft.fit()
        after = photograph(folder, "Front")
        values = draw_values()
        relight()
        other = photograph(folder, "Right")
    titles = ["Photo (1 of 3)", "The scene", "Fit", "Result", "Relit"]
    sheet = beside([photo, grey, values, after, other], titles)
    weft.image.write(HERE / "first_fit.png", sheet, encoding="linear")
    for entry in bpy.context.scene.weft_fit.parameters:
        print(f"{entry.owner} {entry.socket_name}: {entry.found}")


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # Blender's own clean-up can hang
