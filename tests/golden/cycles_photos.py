# SPDX-License-Identifier: Apache-2.0
"""Render the anchor scene with Cycles for six materials to fit; writes ``cycles_photos.npz``.

Run it with a Python that has bpy 5.0.1 (``pip install bpy==5.0.1``), from the repository's root:

    python tests/golden/cycles_photos.py

A picture is 128 x 128 pixels of 1024 samples, as noisy as a fourfold one of 256, in half floats.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
from cycles_anchor import anchor, build
from cycles_bsdf import render


def main() -> None:
    """Write the file."""
    scene, node = build(128, 1024)
    photos = []
    for roughness, metallic in anchor.PHOTOS:
        node.inputs["Roughness"].default_value = roughness
        node.inputs["Metallic"].default_value = metallic
        photos.append(render(scene)[::-1].astype(np.float16))
        print(roughness, metallic, photos[-1].mean(axis=(0, 1)), flush=True)
    np.savez_compressed(Path(__file__).with_suffix(".npz"), photos=np.stack(photos))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    # bpy as a module does not always come down cleanly.
    os._exit(0)
